"""Reading: from a path, a directory, a pattern or standard input to a corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace

from corefine.corpus.corpus import Corpus
from corefine.errors import CorefineError, FormatError, Location, UsageError
from corefine.formats.io.sources import Source, find_sources
from corefine.formats.registry import (
    HOW_TO_NAME,
    Format,
    format_named,
    is_usual,
    of_answer,
    of_empty_file,
    recognise,
    sniff,
)
from corefine.output.progress import Progress
from corefine.output.saving import Place


def read(
    source: Place,
    format: str | None = None,
    *,
    layers: Iterable[str] | None = None,
    progress: Progress | None = None,
    side: str | None = None,
    against: Corpus | Place | None = None,
    align: str = "tolerant",
) -> Corpus:
    """Read all documents of a file, a directory, a glob pattern or standard input (``-``).

    The format is detected from the content unless it is given. ``layers`` selects the token layers
    (``pos``, ``lemma``, …) to read: by default all, none if empty. ``progress`` is called with the
    number of bytes read. ``side`` is ``"key"`` or ``"response"``, for files that contain both. Text
    tagged by a language model is aligned with the words of ``against``, a corpus or its path, by
    the rule ``align`` (``"tolerant"`` or ``"crac"``).

    >>> from corefine.formats.sample import sample_path
    >>> read(sample_path("key"))
    <Corpus: 10 documents, 239 mentions, 95 entities>
    """
    if not isinstance(source, str | os.PathLike):
        raise UsageError(
            f"read() takes one path, not {type(source).__name__}",
            remedy="A directory or a pattern such as 'corpus/*.conll' has several files.",
        )
    if isinstance(against, str | os.PathLike):
        against = read(against)
    wanted = None if layers is None else frozenset(layers)
    sources = find_sources(source, progress)
    try:
        where = Location(os.fspath(source))
        return read_sources(sources, where, format, wanted, side, against, align)
    finally:
        for found in sources:
            found.close()


def read_sources(
    sources: list[Source],
    where: Location,
    name: str | None = None,
    layers: frozenset[str] | None = None,
    side: str | None = None,
    against: Corpus | None = None,
    align: str = "tolerant",
) -> Corpus:
    """Read sources of one format; see :func:`read`."""
    if against is not None and side is None:
        side = "response"
    sources, format, warnings = choose_sources(sources, where, name, side)
    if format.read_against is not None and against is not None:
        corpus = format.read_against(sources, against, align)
    else:
        corpus = format.corpus(sources, layers)
    return replace(corpus, warnings=(*corpus.warnings, *warnings))


def title_of(place: Place, name: str | None) -> str:
    """The title of the named or recognised format of a path, for messages."""
    if not os.path.isfile(place) and not os.path.isdir(place):
        return name or "the recognised format"  # a pipe cannot be read again
    sources = find_sources(place)
    try:
        _, format, _ = choose_sources(sources, Location(os.fspath(place)), name, "key")
        return format.title
    finally:
        for source in sources:
            source.close()


def choose_sources(
    sources: list[Source], where: Location, name: str | None, side: str | None
) -> tuple[list[Source], Format, tuple[str, ...]]:
    """The sources to read, their format, and warnings about those that are left out.

    The format is recognised unless it is named; several formats are an error.
    """
    if len(sources) == 1:
        return sources, format_named(name) if name else sniff(sources[0], side), ()
    skipped: list[Source] = []
    if name is None:
        chosen, skipped, format = _of_one_format(sources, where, side)
    else:
        format = format_named(name)
        chosen = _of_named_format(sources, format, where)
    annotated = {_stem(source, format.suffixes) for source in chosen}
    texts = format.companions[:1]
    alone = [
        source.name
        for source in sources
        if texts and source.name.endswith(texts)
        if _stem(source, texts) not in {"", *annotated}
    ]
    warnings = []
    if skipped:
        count = "1 file" if len(skipped) == 1 else f"{len(skipped)} files"
        were = "was" if len(skipped) == 1 else "were"
        warnings = [f"{count} of unknown format {were} ignored, such as {skipped[0].name}"]
    if alone:
        count = f"{len(alone)}, such as {alone[0]}"
        warnings.append(f"files without annotations were ignored: {count}")
    return chosen, format, tuple(warnings)


def _stem(source: Source, endings: Sequence[str]) -> str:
    """Name of a file without its ending, up to the first point."""
    name = os.path.basename(source.name).removesuffix(".gz")
    ending = next((ending for ending in endings if name.endswith(ending)), "")
    return name.removesuffix(ending).partition(".")[0]


def _of_named_format(sources: list[Source], format: Format, where: Location) -> list[Source]:
    """The sources with a usual suffix of a format, or all if none has one."""
    usual = [source for source in sources if is_usual(source, format)]
    chosen = _main_files(usual or sources, format)
    if not chosen:
        raise FormatError(f"no files of the format {format.name}", where, "Check the path.")
    return chosen


def _of_one_format(
    sources: list[Source], where: Location, side: str | None
) -> tuple[list[Source], list[Source], Format]:
    """The sources of the only known format, the sources of unknown format, and the format."""
    found: dict[Format, list[Source]] = {}
    skipped: list[Source] = []
    for source in sources:
        if any(not _main_files([source], known) for known in found):
            continue
        guess = recognise(source, side) if source.head().strip() else None
        source.close()
        (skipped if guess is None else found.setdefault(guess, [])).append(source)
    if not found:
        for source in sources:
            guess = of_empty_file(source) or of_answer(source, side)
            if guess is not None:
                return _of_named_format(sources, guess, where), [], guess
        raise FormatError("no files of a known format", where, HOW_TO_NAME)
    only, files = next(iter(found.items()))
    answers = next((one for one in found if one.name == "answers"), None)
    if answers is not None and {one.name for one in found} <= {"answers", "string-clusters"}:
        only = answers
        chosen = [source for several in found.values() for source in several]
        chosen += [source for source in skipped if of_answer(source, side) is not None]
    elif len(found) > 1:
        names = ", ".join(f"{one.name} ({files[0].name})" for one, files in found.items())
        raise FormatError(f"files of several formats: {names}", where, HOW_TO_NAME)
    else:
        chosen = _main_files(files, only)
        chosen += [source for source in skipped if of_empty_file(source) is only]
        if not chosen:
            raise FormatError(
                f"only auxiliary files of the format {only.name}, such as {files[0].name}",
                where,
                f"The annotations should be in files that end in {' or '.join(only.suffixes)}.",
            )
        skipped = _main_files(skipped, only)
    read = {source.name for source in chosen}
    unknown = [source for source in skipped if source.name not in read]
    return [source for source in sources if source.name in read], unknown, only


def _main_files(sources: list[Source], format: Format) -> list[Source]:
    """Sources that do not belong to another; the longest known ending of a name decides."""
    endings = sorted({*format.suffixes, *format.companions}, key=len, reverse=True)

    def is_main(source: Source) -> bool:
        name = source.name.removesuffix(".gz")
        return next((e for e in endings if name.endswith(e)), "") not in format.companions

    return list(filter(is_main, sources))


def without_companions(sources: list[Source], format: Format | None) -> list[Source]:
    """Sources without those that belong to another source, as texts to their annotations.

    The format is recognised unless it is given.
    """
    formats = [] if format is None else [format]
    for source in sources if format is None else ():
        try:
            guess = recognise(source) if source.head().strip() else None
        except CorefineError:
            guess = None
        source.close()
        if guess is not None and guess not in formats and _main_files([source], guess):
            formats.append(guess)
    for found in formats:
        sources = _main_files(sources, found)
    return sources
