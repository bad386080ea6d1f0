"""``corefine.score``: from a key and a response, however they are given, to scores."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from corefine.errors import UsageError, choose, emitting
from corefine.metrics.registry import MetricSpec
from corefine.metrics.table import MentionTable
from corefine.output.progress import Progress, silent
from corefine.scoring.count import Counts, count, tabulate
from corefine.scoring.request import Request, RequestOptions
from corefine.scoring.scores import Scores
from corefine.scoring.sides import File, SideLike, files_of, read_side, refuse_empty

if TYPE_CHECKING:
    from corefine.corpus.copies import Copies
    from corefine.corpus.corpus import Corpus
    from corefine.kinds.kind_plan import KindSpec

ENGINES = ("local", "dask")
SMALL = 48 << 20
"""Two files of together less than this are read whole: windows would only cost."""


@emitting
def score(
    key: SideLike,
    response: SideLike,
    metrics: MetricSpec = "default",
    *,
    kinds: KindSpec = "auto",
    by: str | Sequence[str] | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    threshold: float | None = None,
    jobs: int | None = None,
    memory: int | None = None,
    engine: Any = "local",
    scheduler: str | None = None,
    timeout: float | None = None,
    scorer: str | None = None,
    progress: Progress = silent,
    **settings: Unpack[RequestOptions],
) -> Scores:
    """Score a response against a key.

    Both may be a path, an open file, a :class:`~corefine.Corpus`, a list of entities, a dict of
    documents, a data frame with a row for each mention, or records as JSON gives them. Spans in
    lists and dicts are ``(start, end)`` with the end exclusive, as :meth:`.Corpus.to_dict` returns
    them; two lists are compared as they are.
    ``metrics`` is ``"default"``, ``"all"``, a name such as ``"lea"`` or ``"blanc(rule=luo2014)"``,
    several of them, or :class:`~corefine.metrics.Metric` objects. ``kinds`` is the source of
    mention kinds (name, nominal, pronoun): ``"auto"`` (what the file says, else its parts of
    speech), ``"format"``, ``"pos"``, ``"guess"``, ``"none"``, a file, a dict from mentions to types
    (or from documents to such dicts), or a function of an
    :class:`~corefine.corpus.expression.Expression`. ``by`` adds scores by part (``"kind"``,
    ``"type"``, ``"overlap"``, ``"size"``, ``"spread"``, ``"distance"``, ``"genre"``, with bounds
    such as ``"size(2,10)"``: see :mod:`corefine.scoring.breakdowns`), and ``genres`` says where
    genres come from: a file, a pattern or a dict. The settings (``singletons``, ``duplicates``,
    ``match``, …) are those of :class:`~corefine.Settings`; ``preset`` names those of a shared
    task, such as ``"crac24"``, and its metrics.

    Large files are read document by document, in ``jobs`` processes and within ``memory`` bytes;
    ``engine`` is ``"local"``, ``"dask"`` (with the address of its ``scheduler``) or a Dask client,
    and the sides may then be patterns of paths. A cluster has ``timeout`` seconds, 6 by default,
    to answer and to have a worker. The result is the same to the last bit. ``scorer`` scores by
    the conventions of another scorer, such as ``"perl-8.01"``. ``threshold`` is the least
    probability of the pairs in the format ``"labels:pairs"``. A file without mentions is an error
    unless ``allow_empty`` is true.

    >>> scores = score([["a", "b", "c"]], [["a", "b"], ["c"]], metrics="muc,lea")
    >>> scores["muc"].recall
    0.5
    >>> scores["lea"].f1
    0.4444444444444444
    """
    if threshold is not None and "labels:pairs" not in (key_format, response_format):
        raise UsageError(
            "a threshold is given, but neither side is read as pairs",
            remedy="Name their format: --response-format labels:pairs.",
        )
    if threshold is not None:
        pairs = {"labels:pairs": f"labels:pairs:{threshold}"}
        key_format = pairs.get(key_format or "", key_format)
        response_format = pairs.get(response_format or "", response_format)
    formats = key_format, response_format
    request = request_for(scorer, metrics, kinds, by, settings)
    if engine == "local":
        if scheduler is not None or timeout is not None:
            raise UsageError("scheduler and timeout need engine='dask'")
        counts = _count_in_parts(key, response, formats, request, jobs, memory, progress)
        if counts is None:
            sides = read_sides(key, response, request, formats, request.source_layers, progress)
            counts = count(*sides, request)
        return counts.scores()
    if isinstance(engine, str):
        choose("engine", engine, ENGINES)
    if request.settings.align != "tolerant":
        raise UsageError("align has no effect with --scheduler (engine='dask')")
    if not _can_be_divided(request):
        name = "" if request.scorer is None else request.scorer.name
        raise UsageError(
            f"{name} needs all documents at once, which the dask engine does not read",
            remedy="Leave out --scheduler (engine='local').",
        )
    files = files_of(key, response, formats)
    if files is None or "-" in (files[0].path, files[1].path):
        raise UsageError(
            "the dask engine scores files, and one side is not a file",
            remedy="Give paths or glob patterns.",
        )
    from corefine.scoring.drivers.dask import count_on_dask

    client = None if isinstance(engine, str) else engine
    counts = count_on_dask(*files, request, client, scheduler, progress, timeout)
    return _with_mentions(counts, files).scores()


def _count_in_parts(
    key: SideLike,
    response: SideLike,
    formats: tuple[str | None, str | None],
    request: Request,
    jobs: int | None,
    memory: int | None,
    progress: Progress,
) -> Counts | None:
    """The counts of files that are read window by window; None if sides are read whole."""
    if request.settings.align != "tolerant" or not _can_be_divided(request):
        return None
    files = files_of(key, response, formats)
    if files is None:
        return None
    sizes = [os.path.getsize(file.path) for file in files if os.path.isfile(file.path)]
    if jobs is None and memory is None and sum(sizes) < SMALL:
        return None
    from corefine.scoring.drivers.streaming import refuse_whole, stream

    counts = stream(*files, request, jobs=jobs, memory=memory, progress=progress)
    if counts is None:
        if memory is not None:
            refuse_whole(files, memory)
        return None
    return _with_mentions(counts, files)


def _can_be_divided(request: Request) -> bool:
    """True if documents can be counted apart.

    perl-8.01 counts repeated mentions, and corefud orders entities, over all documents.
    """
    return request.scorer is None or request.scorer.duplicates not in ("perl", "once")


def _with_mentions(counts: Counts, files: tuple[File, File]) -> Counts:
    """The counts of files that were not read whole; a side without mentions is refused."""
    settings, provenance = counts.request.settings, counts.provenance
    if not settings.allow_empty:
        key, response = files
        if not provenance.key.mentions:
            refuse_empty(key.path, key.what, key.format)
        if not provenance.evidence.response and settings.singletons == "keep":
            refuse_empty(response.path, response.what, response.format)
    return counts


def tabulate_sides(
    key: SideLike,
    response: SideLike,
    request: Request,
    formats: tuple[str | None, str | None],
    layers: frozenset[str],
    progress: Progress = silent,
) -> MentionTable:
    """The table of two sides, read whole; ``layers`` are additional columns."""
    layers |= request.source_layers
    sides = read_sides(key, response, request, formats, layers, progress)
    table = tabulate_for_analysis(*sides, request)
    if request.settings.match == "min":
        table.matching.provenance.require_minimum_spans()
    return table


def tabulate_for_analysis(key: Corpus, response: Corpus, request: Request) -> MentionTable:
    """The table of two corpora, if its numbers are those that ``score`` has for them."""
    table = tabulate(key, response, request)
    if request.scorer is not None:
        from corefine.scoring.scorers.emulation import refuse_other_counts

        refuse_other_counts(table, key, response, request)
    return table


def read_sides(
    key: SideLike,
    response: SideLike,
    request: Request,
    formats: tuple[str | None, str | None],
    layers: frozenset[str],
    progress: Progress = silent,
) -> tuple[Corpus, Corpus]:
    """The corpora of both sides; the words of the key are the source of tagged text."""
    if isinstance(key, str) and isinstance(response, str) and key == response == "-":
        raise UsageError("only one of key and response can be read from standard input")
    align, allow_empty = request.settings.align, request.settings.allow_empty
    source = read_side(key, "key", formats[0], layers, progress, allow_empty=allow_empty)
    found = read_side(
        response, "response", formats[1], layers, progress,
        against=source, align=align, allow_empty=allow_empty,
    )  # fmt: skip
    if align != "tolerant":
        require_tagged(align, [found.copies])
    return source, found


def require_tagged(align: str, copies: Iterable[Copies | None]) -> None:
    """Refuse a rule of alignment where no response is text that was aligned."""
    if align != "tolerant" and not any(one is not None and one.align == align for one in copies):
        raise UsageError(
            f"align={align} applies to text tagged by a language model, which the response is not",
            remedy="Leave it out, or give the format of the response.",
        )


def request_for(
    scorer: str | None,
    metrics: MetricSpec,
    kinds: KindSpec,
    by: str | Sequence[str] | None,
    settings: Mapping[str, Any],
) -> Request:
    """Build the request, under the conventions of another scorer if one is named."""
    if scorer is None:
        return Request.of(metrics, kinds=kinds, by=by, **settings)
    from corefine.scoring.scorers.emulation import request_as
    from corefine.scoring.scorers.profile import profile_named, refuse_kinds

    if by:
        raise UsageError("breakdowns are not available under another scorer's conventions")
    if settings.get("preset") is not None:
        raise UsageError(
            "a preset cannot be combined with the conventions of another scorer",
            remedy="Give --preset or --as, not both.",
        )
    refuse_kinds(kinds)
    given = {name: value for name, value in settings.items() if value is not None}
    return request_as(profile_named(scorer), metrics, given)
