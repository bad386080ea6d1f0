"""Stored results: the statistics of a response by document, with all that they depend on.

A stored result replaces the response wherever only numbers are needed: intervals, tests, a
gate. Numbers come back as they were, to the last bit.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corefine._version import __version__
from corefine.errors import CorefineError, FormatError, Location, UsageError
from corefine.formats.input.sources import Source
from corefine.kinds.kind_plan import KindPlan
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec, parse, resolve
from corefine.output.saving import write_atomically
from corefine.scoring.breakdowns import Breakdown
from corefine.scoring.breakdowns.counts import BreakdownCounts
from corefine.scoring.breakdowns.genre import Genre
from corefine.scoring.breakdowns.registry import parse as division_named
from corefine.scoring.counts import Counts, Tally
from corefine.scoring.request import Request, settings_from
from corefine.scoring.scores import Scores
from corefine.scoring.signature import Fingerprint
from corefine.scoring.statistics import CorpusStatistics
from corefine.scoring.stored_numbers import (
    check_scores,
    damaged,
    digest_of,
    plain,
    statistics_of,
)

if TYPE_CHECKING:
    from corefine.scoring.stored_form import StoredForm

LARGEST = 1 << 30
"""Bytes, decompressed, above which a file is not a stored result."""
REORDERED = 1 << 24
"""Bytes up to which a file is searched for what a stored result has at its beginning."""
_BEGINNING = re.compile(rb'\s*\{\s*"format"\s*:\s*\d+\s*,\s*"holds"\s*:\s*"corefine scores"')

_HOLDS = re.compile(rb'"holds"\s*:\s*"corefine scores"')


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A stored result: the scores, when they were made, and of which system."""

    scores: Scores
    date: datetime
    """As it is stored, else the date of the file."""
    name: str | None = None


def store(
    scores: Scores,
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    date: str | datetime | None = None,
) -> None:
    """Write scores to a JSON file, compressed where its name ends in ``.gz``."""
    import msgspec

    place = Location(os.fspath(path))
    when = datetime.now(UTC) if date is None else _date(date, place)
    form = _form(scores, name, when)
    if str(_scores(form, place).signature) != str(scores.signature):
        raise UsageError("these scores depend on something that cannot be saved")
    try:
        data = msgspec.json.encode(form) + b"\n"
    except UnicodeEncodeError:
        raise CorefineError("a document id cannot be encoded in UTF-8", place) from None
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
    """A stored result; what is no such file, or a damaged one, is refused."""
    import msgspec

    from corefine.scoring.stored_form import FORMAT, HOLDS, Head, StoredForm

    name = os.fspath(path)
    place = Location(name)
    source = Source(name, Path(name))
    try:
        data = source.read_all(LARGEST, "This is not a file of saved scores.")
    finally:
        source.close()
    try:
        head = msgspec.json.decode(data, type=Head)
        if head.holds == HOLDS and head.format != FORMAT:
            raise FormatError(
                f"saved scores of format {head.format}; this version of corefine reads format "
                f"{FORMAT}",
                place,
                "Use the version that wrote it, or score the response again with --save.",
            )
        if head.holds != HOLDS:
            raise msgspec.ValidationError(f"it contains {head.holds!r}")
        form = msgspec.json.decode(data, type=StoredForm)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        broken = _BEGINNING.match(data) is not None
        raise FormatError(
            f"{'a corrupt' if broken else 'not a'} file of saved scores: {error}",
            place,
            "Create one with: corefine score KEY RESPONSE --save FILE.",
        ) from None
    scores = _scores(form, place)
    if str(scores.signature) != form.signature:
        raise damaged(f"its signature is {form.signature!r}, not {str(scores.signature)!r}", place)
    check_scores(scores, place)
    when = _date(form.date, place) if form.date is not None else _file_date(name)
    return Stored(scores, when, form.name)


def to_record(scores: Scores) -> dict[str, Any]:
    """Scores as plain values, which JSON, YAML and pickle hold: what a stored file has, undated."""
    import msgspec

    record: dict[str, Any] = msgspec.to_builtins(_form(scores, None, None))
    return record


def from_record(record: Mapping[str, Any]) -> Scores:
    """The scores that :func:`to_record` made plain values of."""
    import msgspec

    from corefine.scoring.stored_form import StoredForm

    place = Location("<record of scores>")
    try:
        form = msgspec.convert(record, type=StoredForm)
    except msgspec.ValidationError as error:
        raise FormatError(f"not a record of scores: {error}", place) from None
    return _scores(form, place)


def is_stored(thing: object) -> bool:
    """Whether a thing is the path of a stored result, as far as its first bytes tell."""
    if not isinstance(thing, str | os.PathLike) or not os.path.isfile(thing):
        return False
    source = Source(os.fspath(thing), Path(os.fspath(thing)))
    try:
        head = source.head()
        if _BEGINNING.match(head) is not None:
            return True
        # A tool that sorts the keys of JSON puts others first.
        sorted_keys = head.lstrip().startswith(b'{"') or head.lstrip().startswith(b"{\n")
        return (
            sorted_keys
            and source.name.endswith((".json", ".json.gz"))
            and _HOLDS.search(source.read_all(REORDERED, "")) is not None
        )
    except CorefineError:
        return False  # whoever reads it says what is wrong
    finally:
        source.close()


def with_metrics(scores: Scores, metrics: MetricSpec) -> Scores:
    """The scores by these metrics, made from statistics that are there.

    Averages need no statistics of their own: ``conll`` can be had from MUC, B³ and CEAFe.
    """
    asked = resolve(metrics)
    needed = {str(part): part for metric in asked.values() for part in metric.needs()}
    missing = [name for name in needed if name not in scores.statistics.values]
    if missing:
        raise UsageError(
            f"these scores have no statistics for {', '.join(missing)}",
            remedy=f"They were computed with: {', '.join(scores.request.names)}.",
        )
    values = {name: scores.statistics.values[name] for name in needed}
    return replace(
        scores,
        request=replace(scores.request, metrics=asked),
        statistics=CorpusStatistics(scores.statistics.documents, values),
    )


def joined(parts: Iterable[Scores]) -> Scores:
    """The scores of all documents of the parts, which were made under one request."""
    found = list(parts)
    if not found:
        raise UsageError("no scores to combine", remedy="Give at least one part.")
    first = found[0]
    for part in found:
        if part.request != first.request or part.version != first.version:
            raise UsageError(
                f"scores with different conventions cannot be combined: "
                f"{first.signature.conventions} and {part.signature.conventions}",
                remedy="Score all parts with the same metrics, settings and version of corefine.",
            )
    counts = Counts.sum(
        [
            Counts(p.request, p.statistics, p.breakdowns, Tally(), p.key, p.warnings, 0, p.copies)
            for p in found
        ]
    )
    sources = dict.fromkeys(source for part in found for source in part.kind_sources)
    return replace(
        counts.scores(),
        kind_sources=tuple(sources),
        warnings=counts.warnings,
        version=first.version,
    )


def _form(scores: Scores, name: str | None, date: datetime | None) -> StoredForm:
    from corefine.scoring.stored_form import FORMAT, HOLDS, StoredBreakdown, StoredForm, StoredKey

    request, key = scores.request, scores.key
    metrics = {name: _written(metric) for name, metric in request.metrics.items()}
    return StoredForm(
        FORMAT,
        HOLDS,
        scores.version,
        str(scores.signature),
        name,
        None if date is None else date.isoformat(timespec="seconds"),
        metrics,
        asdict(request.settings),
        "auto" if request.kinds is None else request.kinds.asked,
        list(scores.kind_sources),
        list(map(str, request.by)),
        None if request.scorer is None else request.scorer.name,
        StoredKey(key.documents, key.mentions, f"{key.code:016x}"),
        list(scores.statistics.documents),
        plain(scores.statistics.values),
        [
            StoredBreakdown(
                str(one.division),
                list(map(_written, one.metrics.values())),
                {group: plain(parts) for group, parts in one.parts.items()},
                _genres(one.division),
            )
            for one in scores.breakdowns
        ],
        list(scores.warnings),
        digest_of(scores.statistics, scores.breakdowns, scores.copies),
        request.preset,
        scores.copies,
    )


def _scores(form: StoredForm, place: Location) -> Scores:
    """The scores of a form, which are checked as far as they can be."""
    from corefine.scoring.scorers.profiles import profile_named

    documents = tuple(form.documents)
    if len(set(documents)) != len(documents):
        raise damaged("a document occurs twice", place)
    try:
        metrics = {name: parse(metric) for name, metric in form.metrics.items()}
        settings = settings_from(form.settings)
        tool = None if form.tool is None else profile_named(form.tool).under(settings)
        breakdowns = tuple(
            BreakdownCounts(
                _division(one.by, one.genres),
                {name: parse(name) for name in one.metrics},
                documents,
                {
                    group: statistics_of(parts, len(documents), place)
                    for group, parts in one.parts.items()
                },
            )
            for one in form.breakdowns
        )
    except UsageError as error:
        raise FormatError(
            f"saved scores that this version of corefine cannot interpret: {error.message}",
            place,
            f"They were written by corefine {form.corefine}; this is {__version__}.",
        ) from None
    kinds = KindPlan((), form.kinds)
    ways = tuple(one.division for one in breakdowns)
    if list(map(str, ways)) != form.by:
        raise damaged("its breakdowns are not those requested", place)
    request = Request(metrics, settings, kinds, ways, preset=form.preset, scorer=tool)
    statistics = CorpusStatistics(documents, statistics_of(form.statistics, len(documents), place))
    missing = [name for name in request.needed if name not in statistics.values]
    if missing or not metrics:
        raise damaged(f"the statistics of {', '.join(missing) or 'any metric'} are missing", place)
    if digest_of(statistics, breakdowns, form.copies) != form.digest:
        raise damaged("its numbers have been changed", place)
    if not re.fullmatch("[0-9a-f]{16}", form.key.code):
        raise damaged(f"the fingerprint of the key is {form.key.code!r}", place)
    key = Fingerprint(form.key.documents, form.key.mentions, int(form.key.code, 16))
    scores = Counts(request, statistics, breakdowns, Tally(), key).scores()
    return replace(
        scores,
        kind_sources=tuple(form.kind_sources),
        warnings=tuple(form.warnings),
        version=form.corefine,
        copies=form.copies,
    )


def _genres(division: Breakdown) -> str | None:
    """The pattern of genres, or what their table was read from, which signatures name."""
    return (division.source or division.pattern) if isinstance(division, Genre) else None


def _division(by: str, genres: str | None) -> Breakdown:
    """A division that names its groups as the stored one did; it need not divide anything again."""
    found = division_named(by)
    if not isinstance(found, Genre) or genres is None or genres == found.pattern:
        return found
    return Genre("", (), genres)


def _written(metric: Metric) -> str:
    """The name of a metric, if that is enough to make it again."""
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


def _date(written: str | datetime, place: Location) -> datetime:
    try:
        date = datetime.fromisoformat(written) if isinstance(written, str) else written
    except ValueError:
        raise FormatError(f"invalid date {written!r}", place, "Write it as 2026-11-16.") from None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


def _file_date(name: str) -> datetime:
    return datetime.fromtimestamp(os.stat(name).st_mtime, UTC)
