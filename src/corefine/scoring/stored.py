"""Saved results: statistics per document, with everything that scores depend on.

A saved result replaces the response if only numbers are needed: for intervals, tests and gates.
Numbers are restored to the last bit. A file is one JSON object, the fields of :class:`Form`: those
of the request and the counts, as they are in memory.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from corefine._version import __version__
from corefine.corpus.arrays import IntArray
from corefine.corpus.copies import Copies
from corefine.errors import Caution, CorefineError, FormatError, Location, UsageError, code_of
from corefine.formats.io.sources import Source
from corefine.kinds.kind_plan import KindPlan
from corefine.matching.matching import Evidence, Fingerprint, Provenance
from corefine.metrics.base import Metric, Statistics
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.output.saving import write_atomically
from corefine.scoring.breakdowns import BreakdownCounts, Genres, Group
from corefine.scoring.breakdowns import parse as parse_breakdown
from corefine.scoring.count import Counts
from corefine.scoring.request import Request, settings_from
from corefine.scoring.sanity import joint_findings
from corefine.scoring.scores import Scores
from corefine.scoring.sides import HELD, SCORES

FORMAT = 4
"""The version of the file: increased when older versions of corefine could not read what is
written."""
LARGEST = 1 << 30
"""Bytes, decompressed, above which a file is not a saved result."""


class Head(Struct):
    """The fields that distinguish a saved result from other files."""

    format: int
    holds: str


class StoredBreakdown(Struct):
    """A breakdown: its name, the source of its genres, its metrics, and its groups."""

    by: str
    genres: str | None
    metrics: list[str]
    groups: Mapping[str, Group]


class Numbers(Struct):
    """All that is counted; a hash of it detects changed and damaged files."""

    documents: list[str]
    values: Mapping[str, Statistics]
    breakdowns: list[StoredBreakdown]
    placements: Mapping[str, Statistics]
    copies: Copies | None

    @property
    def digest(self) -> str:
        """The hash, independent of the order of names."""
        data = msgspec.json.encode(self, order="sorted", enc_hook=_listed)
        return hashlib.blake2b(data, digest_size=16).hexdigest()


class Form(Struct):
    """A saved result; ``format`` and ``holds`` come first, so that the first bytes identify it."""

    format: int
    holds: str
    corefine: str
    signature: str
    name: str | None
    date: str | None
    metrics: dict[str, str]
    """Canonical names by the names that were requested."""
    settings: dict[str, Any]
    kinds: str
    kind_sources: list[str]
    preset: str
    scorer: str | None
    """The scorer whose conventions the counts follow."""
    key: Fingerprint
    kind_code: int
    """The code of the mention kinds of the key."""
    numbers: Numbers
    digest: str
    warnings: list[tuple[str, str]]
    """Warnings, each with its code."""
    evidence: Evidence
    """Input of the checks before the number, which are repeated for several parts together."""


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A saved result: scores, date and name of the system."""

    scores: Scores
    date: datetime
    """The stored date, or the date of the file."""
    name: str | None = None


def store(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    date: str | datetime | None = None,
) -> None:
    """Write scores to a JSON file, compressed if its name ends in ``.gz``."""
    where = Location(os.fspath(path))
    when = datetime.now(UTC) if date is None else _date(date, where)
    form = _form(scores, name, when)
    if str(_scores(form, where).signature) != str(scores.signature):
        raise UsageError("these scores depend on something that cannot be saved")
    try:
        data = msgspec.json.encode(form, enc_hook=_listed) + b"\n"
    except UnicodeEncodeError:
        raise CorefineError("a document id cannot be encoded in UTF-8", where) from None
    if os.fspath(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_atomically(path, data)


def load_scores(path: str | os.PathLike[str]) -> Scores:
    """Load scores saved with :meth:`corefine.Scores.save` or ``corefine score --save``.

    The signature names the version of corefine that computed them.

    >>> import os, tempfile
    >>> from corefine import score
    >>> path = os.path.join(tempfile.mkdtemp(), "baseline.json")
    >>> score([["a", "b"]], [["a", "b"]], "lea").save(path)
    >>> load_scores(path)["lea"].f1
    1.0
    """
    return read_stored(path).scores


def read_stored(path: str | os.PathLike[str]) -> Stored:
    """Read a saved result; other files and damaged ones are errors."""
    name = os.fspath(path)
    where = Location(name)
    source = Source(name, Path(name))
    try:
        data = source.read_all(LARGEST, "This is not a file of saved scores.")
    finally:
        source.close()
    try:
        head = msgspec.json.decode(data, type=Head)
        if head.holds != SCORES:
            raise msgspec.ValidationError(f"it contains {head.holds!r}")
        if head.format != FORMAT:
            raise FormatError(
                f"saved scores of format {head.format}; this version of corefine reads format "
                f"{FORMAT}",
                where,
                "Use the version that wrote it, or score the response again with --save.",
            )
        form = msgspec.json.decode(data, type=Form, dec_hook=_array)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        corrupt = HELD.search(data) is not None
        raise FormatError(
            f"{'a corrupt' if corrupt else 'not a'} file of saved scores: {error}",
            where,
            "Create one with: corefine score KEY RESPONSE --save FILE.",
        ) from None
    scores = _scores(form, where)
    if str(scores.signature) != form.signature:
        raise _damaged(f"its signature is {form.signature!r}, not {str(scores.signature)!r}", where)
    if form.date is not None:
        return Stored(scores, _date(form.date, where), form.name)
    return Stored(scores, datetime.fromtimestamp(os.stat(name).st_mtime, UTC), form.name)


def to_record(scores: Scores) -> dict[str, Any]:
    """Scores as plain values for JSON, YAML or pickle: the content of a file, without a date."""
    record: dict[str, Any] = msgspec.to_builtins(_form(scores, None, None), enc_hook=_listed)
    return record


def from_record(record: Mapping[str, Any]) -> Scores:
    """The scores of a record made by :func:`to_record`."""
    where = Location("<record of scores>")
    try:
        form = msgspec.convert(record, type=Form, dec_hook=_array)
    except msgspec.ValidationError as error:
        raise FormatError(
            f"not a record of scores: {error}", where, code="corrupt-result"
        ) from None
    return _scores(form, where)


def with_metrics(scores: Scores, metrics: MetricSpec) -> Scores:
    """Select metrics whose statistics are stored.

    Averages need no statistics of their own: ``conll`` is computed from MUC, B³ and CEAFe.
    """
    asked, counts = resolve(metrics), scores.counts
    needed = {str(part): part for metric in asked.values() for part in metric.needs()}
    missing = [name for name in needed if name not in counts.values]
    if missing:
        raise UsageError(
            f"these scores have no statistics for {', '.join(missing)}",
            remedy=f"They were computed with: {', '.join(scores.request.names)}.",
        )
    request = replace(scores.request, metrics=asked)
    values = {name: counts.values[name] for name in needed}
    return replace(scores, counts=replace(counts, request=request, values=values))


def joined(parts: Iterable[Scores]) -> Scores:
    """The scores of all documents of the parts, which have one request and version."""
    found = list(parts)
    if not found:
        raise UsageError("no scores to combine", remedy="Give at least one part.")
    first = found[0]
    for part in found:
        if _conventions(part) != _conventions(first):
            raise UsageError(
                f"scores with different conventions cannot be combined: "
                f"{first.signature.conventions} and {part.signature.conventions}",
                remedy="Score all parts with the same metrics, settings and version of corefine.",
            )
    provenances = [replace(one.counts.provenance, warnings=one.warnings) for one in found]
    counts = Counts.sum(
        [replace(one.counts, provenance=p) for one, p in zip(found, provenances, strict=True)]
    )
    sources = dict.fromkeys(source for part in found for source in part.kind_sources)
    return Scores(counts, tuple(sources), joint_findings(counts), first.version)


def _conventions(scores: Scores) -> tuple[Any, ...]:
    """Return the conventions that parts must share, in the form in which they are saved."""
    request = scores.request
    kinds = "auto" if request.kinds is None else request.kinds.asked
    asked, by = tuple(request.metrics.items()), tuple(map(str, request.by))
    return asked, request.settings, kinds, by, request.scorer, scores.version


def _form(scores: Scores, name: str | None, date: datetime | None) -> Form:
    request, counts, provenance = scores.request, scores.counts, scores.counts.provenance
    numbers = Numbers(
        list(counts.documents),
        counts.values,
        [
            StoredBreakdown(
                one.by,
                one.division.genre_source,
                list(map(_metric_name, one.metrics.values())),
                one.groups,
            )
            for one in counts.breakdowns
        ],
        counts.placements,
        None if provenance.copies is None else provenance.copies.without_choices(),
    )
    return Form(
        FORMAT,
        SCORES,
        scores.version,
        str(scores.signature),
        name,
        None if date is None else date.isoformat(timespec="seconds"),
        {asked: _metric_name(metric) for asked, metric in request.metrics.items()},
        asdict(request.settings),
        "auto" if request.kinds is None else request.kinds.asked,
        list(scores.kind_sources),
        request.preset,
        None if request.scorer is None else request.scorer.name,
        scores.key,
        provenance.kind_code,
        numbers,
        numbers.digest,
        [(code_of(warning), str(warning)) for warning in scores.warnings],
        provenance.evidence,
    )


def _scores(form: Form, where: Location) -> Scores:
    """The scores of a saved result, checked."""
    from corefine.scoring.scorers.profile import profile_named

    numbers = form.numbers
    documents = tuple(numbers.documents)
    if form.digest != numbers.digest:
        raise _damaged("its numbers have been changed", where)
    try:
        metrics = {asked: parse(metric) for asked, metric in form.metrics.items()}
        chosen = settings_from(form.settings)
        scorer = None if form.scorer is None else profile_named(form.scorer).under(chosen)
        breakdowns = tuple(_breakdown(one, documents) for one in numbers.breakdowns)
    except UsageError as error:
        raise FormatError(
            f"saved scores that this version of corefine cannot interpret: {error.message}",
            where,
            f"They were written by corefine {form.corefine}; this is {__version__}.",
        ) from None
    request = Request(
        metrics,
        chosen,
        KindPlan((), form.kinds),
        tuple(one.division for one in breakdowns),
        preset=form.preset,
        scorer=scorer,
    )
    missing = [name for name in request.needed if name not in numbers.values]
    if missing or not metrics:
        raise _damaged(f"the statistics of {', '.join(missing) or 'any metric'} are missing", where)
    provenance = Provenance(
        form.key, kind_code=form.kind_code, copies=numbers.copies, evidence=form.evidence
    )
    counts = Counts(request, documents, numbers.values, breakdowns, provenance, numbers.placements)
    warnings = tuple(Caution(text, code) for code, text in form.warnings)
    return Scores(counts, tuple(form.kind_sources), warnings, form.corefine)


def _breakdown(stored: StoredBreakdown, documents: tuple[str, ...]) -> BreakdownCounts:
    """The groups of a saved breakdown, which is not applied again."""
    division = parse_breakdown(stored.by)
    if stored.genres != division.genre_source:
        division = replace(division, genres=Genres(stored.genres or "", ()))
    metrics = {name: parse(name) for name in stored.metrics}
    return BreakdownCounts(division, metrics, documents, stored.groups)


def _metric_name(metric: Metric) -> str:
    """The canonical name of a metric, if it defines the metric completely."""
    name = str(metric)
    try:
        again = parse(name)
    except UsageError:
        again = None
    if again != metric:
        raise UsageError(
            f"{name} cannot be saved: its name does not define it completely",
            remedy="Leave it out, or register it as a metric.",
        )
    return name


def _date(written: str | datetime, where: Location) -> datetime:
    try:
        date = datetime.fromisoformat(written) if isinstance(written, str) else written
    except ValueError:
        raise FormatError(f"invalid date {written!r}", where, "Write it as 2026-11-16.") from None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _listed(column: Any) -> list[float]:
    """A column as a list; numbers that are not finite are refused."""
    if not np.isfinite(column).all():
        raise UsageError("scores with statistics that are not finite cannot be saved")
    numbers: list[float] = column.tolist()
    return numbers


def _array(kind: Any, column: Any) -> NDArray[Any]:
    """The column of a list of numbers."""
    number = int if kind == IntArray else float
    return np.array(msgspec.convert(column, list[number]), number)  # type: ignore[valid-type]


def _damaged(reason: str, where: Location) -> FormatError:
    return FormatError(
        f"corrupt saved scores: {reason}",
        where,
        "Score the response again with --save.",
        code="corrupt-result",
    )
