"""Writing: from a corpus to a file, atomically, saying first what would get lost."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.registry import Format, all_formats, format_named
from corefine.output.saving import write_atomically, write_folder

_USUAL_DIALECT = "e2e"
"""Which of the formats with the same suffixes is written where nothing tells."""


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
    at all. Annotations that the format cannot represent are an error unless ``lossy`` is true. A
    target among the ``inputs``, the files that the corpus was read from, is refused.

    For tagged text, ``blind`` writes prompts for a language model as JSON lines: the text alone or,
    with ``mentions``, with gold mentions tagged but no entity ids.

    >>> import os, tempfile
    >>> from corefine import Corpus, read
    >>> path = os.path.join(tempfile.mkdtemp(), "labels.csv")
    >>> write(Corpus.from_labels(["e1", "e1"], ["Anna", "she"]), path)
    >>> read(path).to_dict()
    {'': [['Anna', 'she']]}
    """
    text = os.fspath(target)
    chosen = format_of_target(text, corpus.format) if format is None else format_named(format)
    _refuse_prompts(chosen, blind, mentions)
    lost = losses(corpus, chosen, blind=blind, mentions=mentions)
    if lost and not lossy:
        raise UsageError(
            f"the format {chosen.name} cannot represent: {'; '.join(lost)}",
            None,
            "Allow lossy conversion with --lossy (lossy=True), or choose another format.",
        )
    if blind and chosen.write_prompts is not None:
        pieces = chosen.write_prompts(corpus, mentions=mentions)
        write_atomically(text, _packed(pieces) if text.endswith(".gz") else pieces, inputs)
    elif chosen.write is not None:
        pieces = chosen.write(corpus)
        write_atomically(text, _packed(pieces) if text.endswith(".gz") else pieces, inputs)
    elif chosen.write_files is not None:
        write_folder(text, chosen.write_files(corpus), inputs)
    else:
        raise UsageError(f"the format {chosen.name} can be read but not written")


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


def format_of_target(target: str, own: str | None = None) -> Format:
    """The format that a target's suffix tells; ``own``, that of the corpus, where it has none."""
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


def losses(
    corpus: Corpus, format: Format, *, blind: bool = False, mentions: bool = False
) -> list[str]:
    """What this corpus says of coreference and the format cannot hold, in words.

    Of a ``blind`` prompt nothing is expected but its text and, with ``mentions``, their spans.
    """
    if not blind:
        return _losses(corpus, format)
    return [*_lost_pieces(corpus, format), *_own_losses(corpus, format)] if mentions else []


def _lost_pieces(corpus: Corpus, format: Format) -> list[str]:
    pieces = corpus.mentions.pieces
    whole = format.capabilities.discontinuous or pieces is None or not len(pieces.mention)
    return [] if whole else ["discontinuous mentions"]


def _own_losses(corpus: Corpus, format: Format) -> list[str]:
    """What the format itself says is lost."""
    return [] if format.losses is None else format.losses(corpus)


def _losses(corpus: Corpus, format: Format) -> list[str]:
    holds, mentions, tokens = format.capabilities, corpus.mentions, corpus.tokens
    lost: list[str] = []

    def lose(what: str, present: object, held: bool) -> None:
        if present and not held:
            lost.append(what)

    lose("the text", tokens is not None, holds.text)
    lose("mentions without text", tokens is None, holds.names)
    if tokens is not None:
        zeros = tokens.empty is not None and tokens.empty.any()
        lose("empty nodes (zeros)", zeros, holds.zeros)
    lost += _lost_pieces(corpus, format)
    lose("mention kinds", mentions.kind is not None and mentions.kind.any(), holds.kinds)
    lose("heads", mentions.head is not None and (mentions.head >= 0).any(), holds.heads)
    lose("types", mentions.type is not None and (mentions.type >= 0).any(), holds.types)
    if mentions.minimum is not None:
        lose("minimum spans", (mentions.minimum[0] >= 0).any(), holds.minimum_spans)
    for name in sorted(mentions.attributes):
        lose(f"the mention attribute {name}", True, holds.attributes)
    for kind in sorted({relation.kind for relation in corpus.relations}):
        lose(f"{kind} relations", True, holds.relations)
    for name in sorted(corpus.annotations):
        present = len(corpus.annotations[name].mentions)
        lose(f"the annotation of {name}", present, holds.annotations)
    lose("topics", corpus.topics, holds.topics)
    return [*lost, *_own_losses(corpus, format)]


def _packed(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces as gzip, the same whenever they are packed."""
    packer = zlib.compressobj(wbits=31)
    for piece in pieces:
        yield packer.compress(piece)
    yield packer.flush()
