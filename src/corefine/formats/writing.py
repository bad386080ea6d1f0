"""Writing of corpora to files, atomically and without silent losses."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.errors import Location, UsageError
from corefine.formats.editing import edited, unread
from corefine.formats.io.sources import Source, find_sources, is_stream
from corefine.formats.losses import losses, losses_and_layers
from corefine.formats.reading import read, read_sources
from corefine.formats.registry import Format, all_formats, format_named
from corefine.output.progress import Progress
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
    if chosen.write is None and chosen.write_prompts is not None:
        blind = True
    _refuse_prompts(chosen, blind, mentions)
    chosen.refuse_missing(corpus)
    if blind and chosen.write_prompts is not None:
        lost = losses(corpus, chosen) if mentions and not lossy else []
        _refuse_losses([loss for loss in lost if loss.startswith(_PARTS_OF_PROMPTS)], chosen)
        _write_pieces(text, chosen.write_prompts(corpus, mentions=mentions), inputs)
    else:
        _write(corpus, text, chosen, lossy=lossy, inputs=inputs)


Contents = Mapping[str, bytes]
"""Content of sources that cannot be read again, by name."""


def read_to_convert(
    place: str | os.PathLike[str],
    format: str | None = None,
    *,
    against: Corpus | None = None,
    align: str = "tolerant",
    progress: Progress | None = None,
) -> tuple[Corpus, Contents]:
    """Read a corpus as :func:`read`, and keep the content of standard input and pipes."""
    if not is_stream(place):
        return read(place, format, against=against, align=align, progress=progress), {}
    (source,) = find_sources(place, progress)
    content = source.read_all()
    held = Source.of_content(source.name, content)
    where = Location(os.fspath(place))
    corpus = read_sources([held], where, format, against=against, align=align)
    return corpus, {source.name: content}


def write_converted(
    corpus: Corpus,
    target: str | os.PathLike[str],
    format: Format,
    *,
    lossy: bool = False,
    inputs: Iterable[str | os.PathLike[str]] = (),
    contents: Contents | None = None,
) -> list[str]:
    """Write a corpus as :func:`write`, and return warnings about all that is left out."""
    format.refuse_missing(corpus)
    text = os.fspath(target)
    return _write(corpus, text, format, lossy=lossy, inputs=inputs, warned=True, contents=contents)


def _write(
    corpus: Corpus,
    target: str,
    format: Format,
    *,
    lossy: bool,
    inputs: Iterable[str | os.PathLike[str]],
    warned: bool = False,
    contents: Contents | None = None,
) -> list[str]:
    """Write a corpus by editing its source or, if this cannot be done, from its columns."""
    content = edited(corpus, format, target, contents or {})
    lost: list[str] = []
    layers: list[str] = []
    if content is not None:
        lost, layers = losses_and_layers(corpus, format, content)
        content = None if lost or layers else content
    if content is not None:
        _write_pieces(target, [content], inputs)
        return []
    if warned or not lossy:
        lost, layers = losses_and_layers(corpus, format)
    if not lossy:
        _refuse_losses(lost, format)
    if format.files:
        _write_files(target, format, corpus, inputs)
    else:
        suffix = Path(target.removesuffix(".gz")).suffix
        _write_pieces(target, format.written(corpus, suffix), inputs)
    if not warned:
        return []
    left = [*layers, *unread(corpus, contents or {})]
    warnings = [f"the format {format.name} cannot represent {what}: dropped" for what in lost]
    return warnings + ([f"not carried over to {format.name}: {'; '.join(left)}"] if left else [])


def _refuse_losses(lost: Sequence[str], format: Format) -> None:
    if lost:
        raise UsageError(
            f"the format {format.name} cannot represent: {'; '.join(lost)}",
            None,
            "Allow lossy conversion with --lossy (lossy=True), or choose another format.",
        )


def _write_pieces(
    target: str, pieces: Iterable[bytes], inputs: Iterable[str | os.PathLike[str]]
) -> None:
    write_atomically(target, _packed(pieces) if target.endswith(".gz") else pieces, inputs)


def _write_files(
    target: str, format: Format, corpus: Corpus, inputs: Iterable[str | os.PathLike[str]]
) -> None:
    """Write a directory, or a file if the target is named like one and there is one document."""
    files = list(format.written(corpus))
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
        raise UsageError("mentions=True needs blind=True")


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

    Annotations that the target format cannot represent are an error unless ``lossy``. CoNLL-U and
    CoNLL that are converted to their own format keep all lines as they are. What other formats
    leave out (comments, further columns and token layers) is listed in the warnings of the
    corpus. Text tagged by a language model is aligned with the source corpus ``against``.

    >>> convert("key.conllu", "key.conll", lossy=True)  # doctest: +SKIP
    """
    words = read(against) if isinstance(against, str | os.PathLike) else against
    corpus, contents = read_to_convert(source, source_format, against=words, align=align)
    if target_format is None:
        format = format_of_target(os.fspath(target), corpus.format)
    else:
        format = format_named(target_format)
    warnings = write_converted(
        corpus, target, format, lossy=lossy, inputs=[source], contents=contents
    )
    return replace(corpus, warnings=(*corpus.warnings, *warnings))


def format_of_target(target: str, own: str | None = None) -> Format:
    """The format of a target by its suffix; without a suffix ``own``, the corpus's format."""
    name = Path(target).name.lower().removesuffix(".gz")
    written = (format for format in all_formats() if format.write and not format.files)
    found = {format.name for format in written if name.endswith(format.suffixes)}
    if not Path(name).suffix:
        found |= {own} if own else set()
    for choice in (own, _USUAL_DIALECT, *sorted(found)):
        if choice in found:
            return format_named(choice)
    raise UsageError(
        f"cannot tell the format from the name {target!r}",
        None,
        "Name it with --to (format=…), such as conllu, conll or e2e; 'corefine formats' lists all.",
        code="unknown-format",
    )


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces as gzip, the same whenever they are packed."""
    packer = zlib.compressobj(wbits=31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
