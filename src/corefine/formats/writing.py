"""Writing of corpora to files, atomically and without silent losses."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.losses import losses
from corefine.formats.registry import Format, all_formats, format_named
from corefine.output.saving import write_atomically, write_folder

_USUAL_DIALECT = "e2e"
"""Default among formats with the same suffixes."""


_PARTS_OF_PROMPTS = ("words", "mentions", "discontinuous mentions")
"""Losses that concern prompts with tagged mentions."""


def write(
    corpus: Corpus,
    target: str | os.PathLike[str],
    format: str | None = None,
    *,
    lossy: bool = False,
    blind: bool = False,
    mentions: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
) -> None:
    """Write a corpus to a file, to a directory (for formats of several files) or to ``-``.

    The format follows from the suffix (``.conllu``, ``.jsonl``, …) unless it is given; without a
    suffix it is the format that the corpus was read from. The target is written completely or not
    at all. Unless ``lossy`` is true, the output is read back first, and annotations that are lost
    are an error. A target among the ``inputs``, the files that the corpus was read from, is
    refused.

    For tagged text, ``blind`` writes prompts for a language model as JSON lines: the text alone or,
    with ``mentions``, with gold mentions tagged but no entity ids.

    >>> import os, tempfile
    >>> from corefine import Corpus, read
    >>> path = os.path.join(tempfile.mkdtemp(), "labels.csv")
    >>> write(Corpus.from_labels(["e1", "e1"], ["Anna", "she"]), path)
    >>> read(path).to_dict()
    {'': [['Anna', 'she']]}
    """
    if not isinstance(corpus, Corpus):
        raise UsageError("write() takes a corpus first, then the target")
    text = os.fspath(target)
    chosen = format_of_target(text, corpus.format) if format is None else format_named(format)
    _refuse_prompts(chosen, blind, mentions)
    chosen.refuse_missing(corpus)
    lost = [] if lossy or (blind and not mentions) else losses(corpus, chosen)
    if blind:
        lost = [loss for loss in lost if loss.startswith(_PARTS_OF_PROMPTS)]
    if lost:
        raise UsageError(
            f"the format {chosen.name} cannot represent: {'; '.join(lost)}",
            None,
            "Allow lossy conversion with --lossy (lossy=True), or choose another format.",
        )
    if blind and chosen.write_prompts is not None:
        pieces = chosen.write_prompts(corpus, mentions=mentions)
        write_atomically(text, _packed(pieces) if text.endswith(".gz") else pieces, inputs)
    elif chosen.write is not None:
        suffix = Path(text.removesuffix(".gz")).suffix
        pieces = chosen.write_as.get(suffix, chosen.write)(corpus)
        write_atomically(text, _packed(pieces) if text.endswith(".gz") else pieces, inputs)
    elif chosen.write_files is not None:
        _write_files(text, chosen, corpus, inputs)
    else:
        raise UsageError(f"the format {chosen.name} can be read but not written")


def _write_files(
    target: str, format: Format, corpus: Corpus, inputs: Iterable[str | os.PathLike[str]]
) -> None:
    """Write a directory, or a file if the target is named like one and there is one document."""
    files = list(format.write_files(corpus)) if format.write_files is not None else []
    if not target.endswith(format.suffixes) or os.path.isdir(target):
        write_folder(target, files, inputs)
    elif len(files) == 1:
        write_atomically(target, [files[0][1]], inputs)
    else:
        raise UsageError(
            f"the format {format.name} has {len(files)} files for {len(corpus)} documents, but "
            f"{target!r} is the name of one file",
            None,
            "Give the name of a directory.",
        )


def _refuse_prompts(format: Format, blind: bool, mentions: bool) -> None:
    if blind and format.write_prompts is None:
        known = ", ".join(one.name for one in all_formats() if one.write_prompts is not None)
        raise UsageError(
            f"{format.name} is not a format for language models",
            None,
            f"Use one of these with --to or format=…: {known}.",
        )
    if mentions and not blind:
        raise UsageError("--mentions needs --blind (blind=True)")


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    lossy: bool = False,
    against: str | os.PathLike[str] | Corpus | None = None,
    align: str = "tolerant",
) -> Corpus:
    """Convert a file, directory or pattern to another format, and return the corpus.

    Annotations that the target format cannot represent are an error unless ``lossy``. Text tagged
    by a language model is aligned with the source corpus ``against``.

    >>> convert("key.conllu", "key.conll", lossy=True)  # doctest: +SKIP
    """
    from corefine.formats.reading import read

    words = read(against) if isinstance(against, str | os.PathLike) else against
    corpus = read(source, source_format, against=words, align=align)
    write(corpus, target, target_format, lossy=lossy, inputs=[source])
    return corpus


def format_of_target(target: str, own: str | None = None) -> Format:
    """Format of a target by its suffix; ``own``, that of the corpus, without a suffix."""
    name = Path(target).name.removesuffix(".gz")
    formats = all_formats()
    found = {format.name for format in formats if format.write and name.endswith(format.suffixes)}
    if not Path(name).suffix:
        found |= {own} if own else set()
    for choice in (own, _USUAL_DIALECT, *sorted(found)):
        if choice in found:
            return format_named(choice)
    known = ", ".join(format.name for format in formats if format.write or format.write_files)
    raise UsageError(
        f"cannot tell the format from the name {target!r}",
        None,
        f"Give one of these formats with --to or format=…: {known}.",
    )


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces as gzip, the same whenever they are packed."""
    packer = zlib.compressobj(wbits=31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
