"""Sides: everything that may be given as a key or a response, and how each is read.

:data:`FORMS` lists the forms in the order in which they are tried. For ``score`` and ``Evaluator``
a dict is a dict of documents; for ``compare``, ``report`` and others that take several sides, the
outer dict names them (:func:`named_sides`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.corpus.values import column_of
from corefine.errors import CorefineError, FormatError, Location, MissingExtraError, UsageError
from corefine.metrics.base import Metric
from corefine.metrics.registry import MetricSpec
from corefine.output.progress import Progress, silent

SideLike = Any
"""A path, an open file, a corpus, a data frame, a list of entities, a dict of documents, or
records as JSON gives them; :func:`read_side` refuses everything else."""

ACCEPTED = (
    "Give a path, an open file, a Corpus, a list of entities such as [['Anna', 'she'], "
    "['Rome']], a dict of documents such as {'doc1': [[(0, 2), (4, 5)]]}, a data frame with "
    "columns document, mention and entity, JSON records with clusters, or, for one label per "
    "mention, Corpus.from_labels(labels)."
)
MENTION = "A mention is a string, a number or a span (start, end), the end exclusive."
LONGEST_PATH = 4096

CLUSTERS = frozenset(
    ("clusters", "predicted_clusters", "cluster", "span_clusters", "clusters_token_offsets",
     "mention_clusters", "coref_chains", "corefs", "annotations")
)  # fmt: skip
"""Keys of which one marks a dict as a document's record."""

Entities = list[tuple[Hashable, ...]]


@dataclass(frozen=True, slots=True)
class Reading:
    """Options of reading a side: its name in messages, its format, and the key of tagged text."""

    what: str
    """Its name in messages: the key, the response, the response of a system."""
    format: str | None = None
    layers: frozenset[str] | None = None
    progress: Progress = silent
    against: Corpus | None = None
    align: str = "tolerant"
    allow_empty: bool = False

    @property
    def role(self) -> str:
        """The first word of its name: key, response, or another."""
        return self.what.partition(" ")[0]


def read_side(
    thing: SideLike,
    what: str,
    format: str | None = None,
    layers: frozenset[str] | None = None,
    progress: Progress = silent,
    *,
    against: Corpus | None = None,
    align: str = "tolerant",
    allow_empty: bool = False,
) -> Corpus:
    """Read anything that may be a side; other objects are errors with an example.

    Files are read with these layers of their tokens (None: all). Text tagged by a language model is
    aligned with the words of the corpus ``against``. A file without any mention is an error unless
    ``allow_empty`` is true.
    """
    is_iterator = isinstance(thing, Iterator) or type(thing).__name__ == "IterableDataset"
    if is_iterator and not hasattr(thing, "read") and not is_frame(thing):
        thing = list(thing)
    how = Reading(what, format, layers, progress, against, align, allow_empty)
    form = next((form for form in FORMS if form.holds(thing)), None)
    if form is None:
        refuse(thing, f"the {what}")
    if format is not None and not form.has_format:
        raise UsageError(
            f"the {what} is {described(thing)}, which has no format",
            remedy="Leave out the format.",
        )
    try:
        return form.read(thing, how)
    except CorefineError as error:
        from corefine.formats.registry import HOW_TO_NAME

        if error.remedy == HOW_TO_NAME:
            error.remedy = HOW_TO_NAME.replace("--format", format_option(what))
        raise


def format_option(what: str) -> str:
    """The option that names the format of a side."""
    role = what.partition(" ")[0]
    return f"--{role}-format" if role in ("key", "response") else "--format"


def refuse_empty(place: str, what: str, format: str | None) -> NoReturn:
    """Raise the error for a file without mentions, which names its format."""
    from corefine.formats.reading import title_of

    raise FormatError(
        f"no mentions found in the {what}, which was read as {title_of(place, format)}",
        Location(place),
        f"Check its format ({format_option(what)}). If it really has no mentions, use "
        "--allow-empty (allow_empty=True).",
    )


# --- files ----------------------------------------------------------------------------------------


def path_of(thing: SideLike, what: str) -> str | None:
    """The path that is given, if it is one; an empty one and the content of a file are refused."""
    if not isinstance(thing, str | os.PathLike):
        return None
    path = os.fspath(thing)
    if not isinstance(thing, str):
        return path
    if not path:
        raise UsageError(f"the path of the {what} is empty", remedy=ACCEPTED)
    is_json = path.strip().startswith(("{", "[[", "[{")) and path.strip().endswith(("}", "]"))
    if "\n" in path or len(path) > LONGEST_PATH or is_json:
        raise UsageError(
            f"the {what} is text, not a path: {short(path)}",
            remedy="For the content of a file, give io.StringIO(text); for JSON, json.loads(text).",
        )
    return path


class File(NamedTuple):
    """A side that is given by a path, for drivers that read it in parts."""

    path: str
    what: str
    format: str | None = None


def files_of(
    key: SideLike, response: SideLike, formats: tuple[str | None, str | None]
) -> tuple[File, File] | None:
    """Both sides if they are given by paths."""
    paths = path_of(key, "key"), path_of(response, "response")
    if paths[0] is None or paths[1] is None:
        return None
    return File(paths[0], "key", formats[0]), File(paths[1], "response", formats[1])


def _is_path(thing: object) -> bool:
    return isinstance(thing, str | os.PathLike)


def _read_path(thing: Any, how: Reading) -> Corpus:
    from corefine.formats.reading import read

    path = path_of(thing, how.what)
    assert path is not None
    if path.startswith(("http://", "https://")):
        raise UsageError(
            f"the {how.what} is a web address: {path}",
            remedy="Download the file and give its path.",
        )
    corpus = read(
        path, how.format, layers=how.layers, side=how.role, against=how.against, align=how.align,
        progress=None if how.progress is silent else how.progress,
    )  # fmt: skip
    return _with_mentions(corpus, path, how)


def _is_open_file(thing: object) -> bool:
    return hasattr(thing, "read") and not isinstance(thing, type)


def is_file(thing: object) -> bool:
    """True for a path and an open file, which have a format."""
    return _is_path(thing) or _is_open_file(thing)


def _read_file(stream: Any, how: Reading) -> Corpus:
    from corefine.formats.io.sources import Source
    from corefine.formats.reading import read_sources

    name = getattr(stream, "name", None)
    name = name if isinstance(name, str) else f"<{how.what}>"
    try:
        data = stream.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read the {how.what}: {error}") from None
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    if not isinstance(data, bytes | bytearray | memoryview):
        refuse(stream, f"the {how.what}")
    corpus = read_sources(
        [Source(name, content=bytes(data))], Location(name), how.format, how.layers, how.role,
        how.against, how.align,
    )  # fmt: skip
    return _with_mentions(corpus, name, how)


def _with_mentions(corpus: Corpus, place: str, how: Reading) -> Corpus:
    """The corpus of a file; one without any mention is refused."""
    annotations = (corpus, *corpus.annotations.values())
    known = how.allow_empty or corpus.copies is not None
    if not known and not any(one.mentions.document.size for one in annotations):
        refuse_empty(place, how.what, how.format)
    return corpus


# --- corpora, documents, entities -----------------------------------------------------------------


def _is_documents(thing: object) -> bool:
    from corefine.corpus.document import Document

    documents = thing if isinstance(thing, list | tuple) else [thing]
    return bool(documents) and isinstance(documents[0], Document)


def _read_dict(thing: Any, how: Reading) -> Corpus:
    return Corpus.from_documents(
        {
            name: _entities(document, f"document {name!r} of the {how.what}")
            for name, document in thing.items()
        }
    )


_FOREIGN = frozenset(("corefine", "numpy", "pandas", "polars", "pyarrow", "spacy", "torch"))
"""Packages whose objects are not lists of entities, even if one can iterate over them."""


def _is_foreign(thing: object) -> bool:
    return type(thing).__module__.partition(".")[0] in _FOREIGN


def is_entity(thing: object) -> bool:
    """True if a value can be a list of mentions."""
    if isinstance(thing, str | bytes | Mapping | os.PathLike | Corpus) or is_frame(thing):
        return False
    return isinstance(thing, Iterable)


_PLAIN = frozenset((list, tuple, set, frozenset))
"""The types that entities nearly always have, which need no closer look."""


def plain_entities(thing: object, what: str) -> Entities | None:
    """One document as lists of entities; None for any other side. For training loops it is quick:

    one look at each entity, and at the types of its mentions only where they cannot be hashed.
    """
    if not isinstance(thing, list | tuple) or (thing and _is_documents(thing)):
        return None
    if not _PLAIN.issuperset(map(type, thing)) and any(isinstance(e, Mapping) for e in thing):
        return None
    return _entities(thing, f"the {what}")


def _entities(document: object, what: str) -> Entities:
    """A list of entities, each a tuple of mentions that can be hashed."""
    if type(document) not in _PLAIN and not is_entity(document):
        refuse(document, what)
    listed: list[Any] = document if isinstance(document, list) else list(document)  # type: ignore[call-overload]
    if not _PLAIN.issuperset(map(type, listed)):
        for entity in listed:
            _require_entity(entity, document, what)
    found = list(map(tuple, listed))
    try:
        hash(tuple(found))
    except TypeError:  # spans as JSON gives them
        found = [_hashable(entity, what) for entity in found]
    _check_types(found, what)
    return found


def _hashable(entity: tuple[Any, ...], what: str) -> tuple[Hashable, ...]:
    """An entity whose mentions can be hashed."""
    try:
        hash(entity)
    except TypeError:
        return tuple(_span(mention, what) for mention in entity)
    return entity


def _require_entity(entity: object, document: object, what: str) -> None:
    """Refuse what is no list of mentions."""
    if type(entity).__module__.startswith("spacy"):
        refuse(document, what)
    if not is_entity(entity):
        files = "For several files, give a directory or a pattern such as 'gold/*.conll'."
        raise UsageError(
            f"{what} has {described(entity)} instead of an entity (a list of mentions)",
            remedy=files if isinstance(entity, os.PathLike) else ACCEPTED,
        )


def _check_types(entities: Entities, what: str) -> None:
    """Refuse mentions that cannot be compared, or that have no value."""
    types = set(map(type, chain.from_iterable(entities)))
    if tuple in types:
        spans: Any = (one for one in chain.from_iterable(entities) if type(one) is tuple)
        types.update(map(type, chain.from_iterable(spans)))
    for found in types - {str, int, tuple}:
        if found in (bool, np.bool_, type(None)) or found.__eq__ is object.__eq__:  # type: ignore[comparison-overlap]
            raise UsageError(f"{what} has mentions of type {found.__name__}", remedy=MENTION)
        if found.__module__.partition(".")[0] in ("spacy", "stanza", "torch"):
            raise UsageError(f"{what} has mentions of type {found.__name__}", remedy=ACCEPTED)
        if any(mention != mention for mention in chain.from_iterable(entities)):
            raise UsageError(f"{what} has a mention without a value (nan)", remedy=MENTION)


def _span(mention: Any, what: str) -> Hashable:
    """A mention that can be hashed; a span in a list or an array of whole numbers is a tuple."""
    if isinstance(mention, Hashable) and not isinstance(mention, tuple):
        return mention
    if isinstance(mention, Sequence | np.ndarray):
        numbers = list(mention)
        if numbers and all(isinstance(number, int | np.integer) for number in numbers):
            return tuple(map(int, numbers))
    raise UsageError(
        f"{what} has {described(mention)} instead of a mention",
        remedy=f"{MENTION} Documents need ids: dict(enumerate(documents)).",
    )


# --- records as JSON gives them, and answers of language models -----------------------------------


def _are_answers(records: Sequence[Mapping[str, Any]]) -> bool:
    """True if records hold answers of a language model instead of clusters."""
    from corefine.formats.tagged.answers import describes_mentions, is_answer

    return all(
        describes_mentions(record) or (is_answer(record) and not CLUSTERS.intersection(record))
        for record in records
    )


def _listed(thing: Any) -> list[Mapping[str, Any]]:
    """Records of documents or answers: from a dict, or a list of records or of texts; else none.

    A dict is one record, or has answers by document.
    """
    if isinstance(thing, Mapping):
        is_record = bool(CLUSTERS.intersection(thing)) or (
            not {"doc_id", "doc_key", "custom_id"}.isdisjoint(thing) and _are_answers([thing])
        )
        if is_record:
            return [thing]
        if not all(one is None or isinstance(one, str | Mapping) for one in thing.values()):
            return []
        return [{"doc_id": str(name), "output": one} for name, one in thing.items()]
    if not isinstance(thing, list | tuple):
        return []
    if all(isinstance(one, str) for one in thing):
        return [{"output": one} for one in thing]
    return list(thing) if all(isinstance(one, Mapping) for one in thing) else []


def _read_records(thing: Any, how: Reading) -> Corpus:
    from corefine.formats.io.records import corpus_from_records
    from corefine.formats.tagged.tagged import read_answer_records

    records, name = _listed(thing), f"<{how.what}>"
    if _are_answers(records):
        return read_answer_records(records, how.against, how.align, how.format, name)
    return corpus_from_records(records, how.format, how.role, name, how.against)


# --- data frames ----------------------------------------------------------------------------------

_COLUMNS_ONLY = ("Array", "ChunkedArray", "Index", "Series")
"""Types of single columns, some of which have Arrow's interface too."""


def is_frame(thing: object) -> bool:
    """True if a thing is a data frame, a Hugging Face dataset, or a stream of Arrow tables."""
    kind = type(thing)
    library = kind.__module__.partition(".")[0]
    if library in ("builtins", "corefine", "numpy") or kind.__name__ in _COLUMNS_ONLY:
        return False
    if isinstance(thing, type):
        return False
    if library == "datasets":
        return kind.__name__ == "Dataset"
    known = library in ("pandas", "polars", "pyarrow") and hasattr(kind, "columns")
    return known or hasattr(kind, "__arrow_c_stream__")


def as_frame(thing: Any) -> Any:
    """The data frame as one of narwhals; lazy frames are computed."""
    try:
        import narwhals
    except ImportError:
        raise MissingExtraError("a data frame", "narwhals", "pandas") from None
    if type(thing).__module__.startswith("datasets."):
        thing = thing.with_format("arrow")[:]
    try:
        frame: Any = narwhals.from_native(thing)
    except TypeError:
        backend: Any = next(filter(find_spec, ("pyarrow", "polars")), None)
        if backend is None:
            raise MissingExtraError("an Arrow stream", "pyarrow", "parquet") from None
        frame = narwhals.from_arrow(thing, backend=backend)
    return frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame


def _read_frame(thing: Any, how: Reading) -> Corpus:
    """A frame has a row per mention or, with a column of clusters, a record per document."""
    from corefine.formats.labels import COLUMNS

    frame = as_frame(thing)
    columns = set(frame.columns)
    if CLUSTERS.intersection(columns) and not columns.intersection(COLUMNS["entity"]):
        return _read_records(frame.rows(named=True), how)
    if how.format is not None:
        raise UsageError(
            f"the {how.what} is {described(thing)}, which has no format",
            remedy="Leave out the format.",
        )
    return corpus_from_frame(frame)


def corpus_from_frame(
    frame: Any,
    entity: str = "",
    mention: str | None = "",
    document: str | None = "",
) -> Corpus:
    """The corpus of a data frame (pandas, polars, Arrow, …) that has a row per mention.

    The arguments name the columns; without them they are found by the headings that tables of
    labels have (``entity`` or ``cluster``, ``mention``, ``document`` or ``doc_id``, …). Without a
    column of mentions, a mention is its span if there are columns such as ``start`` and ``end``,
    else its row number (``mention=None``), so that two frames are compared row by row. Without
    documents all rows are one. An entity's label belongs to its document, as in
    :meth:`Corpus.from_labels`.
    """
    from corefine.formats.labels import COLUMNS, span_columns

    if not is_frame(frame):
        raise UsageError(
            f"{type(frame).__name__} is not a data frame",
            remedy="Give a DataFrame, or use Corpus.from_labels for arrays.",
        )
    frame = as_frame(frame)
    columns = [str(name) for name in frame.columns]
    given = {"entity": entity, "mention": mention, "document": document}
    values: dict[str, Any] = {}
    for role, name in given.items():
        if name == "":
            name = next((known for known in COLUMNS[role] if known in columns), None)
        if name not in (None, *columns) or (name is None and role == "entity"):
            raise UsageError(
                f"the data frame has no column {name or role!r}, only: {', '.join(columns)}",
                remedy="Name the columns document, mention and entity, or say which they are "
                f"({role}=…), or use Corpus.from_labels(entities, mentions, documents).",
            )
        values[role] = None if name is None else frame[name].to_numpy()
    span = span_columns(columns) if mention == "" and values["mention"] is None else None
    if span:
        boundaries = [_whole_numbers(frame[edge].to_numpy(), edge) for edge in span]
        values["mention"] = list(zip(*boundaries, strict=True))
    return Corpus.from_labels(values["entity"], values["mention"], values["document"])


def _whole_numbers(values: Any, name: str) -> list[int]:
    """A column of the boundaries of spans, which may be strings of digits."""
    try:
        return [int(value) for value in column_of(values, name)]
    except (TypeError, ValueError):
        raise UsageError(
            f"the column {name!r} has values that are not whole numbers",
            remedy="Boundaries of spans are whole numbers.",
        ) from None


# --- all forms ------------------------------------------------------------------------------------


class Form(NamedTuple):
    """A form in which a side may be given: a predicate, and the reader of what it holds for."""

    name: str
    holds: Callable[[Any], object]
    read: Callable[[Any, Reading], Corpus]
    has_format: bool = False
    """True if its format may be named."""


FORMS = (
    Form("a path", _is_path, _read_path, has_format=True),
    Form("an open file", _is_open_file, _read_file, has_format=True),
    Form("a corpus", lambda thing: isinstance(thing, Corpus), lambda thing, how: thing),
    Form(
        "documents",
        _is_documents,
        lambda thing, how: Corpus.from_documents(
            thing if isinstance(thing, list | tuple) else [thing]
        ),
    ),
    Form("a data frame", is_frame, _read_frame, has_format=True),
    Form("records", lambda thing: bool(_listed(thing)), _read_records, has_format=True),
    Form(
        "a dict of documents",
        lambda thing: isinstance(thing, Mapping) and thing and not _is_foreign(thing),
        _read_dict,
    ),
    Form(
        "a list of entities",
        lambda thing: is_entity(thing) and not _is_foreign(thing),
        lambda thing, how: Corpus.from_entities(_entities(thing, f"the {how.what}")),
    ),
)
"""All forms, in the order in which they are tried."""


def refuse(thing: object, what: str) -> NoReturn:
    """Refuse what is no corpus."""
    remedy = ACCEPTED
    first = next(iter(thing), None) if isinstance(thing, list | tuple) else thing
    if isinstance(thing, bytes | bytearray | memoryview):
        remedy = "For the bytes of a file, give io.BytesIO(data)."
    elif type(first).__module__.partition(".")[0] == "spacy":
        remedy = "Use corefine.integrations.spacy.corpus_from_docs(docs)."
    raise UsageError(f"{what} is {described(thing)}, not a corpus", remedy=remedy)


def described(thing: object) -> str:
    """A thing and its type, in a few words."""
    if is_frame(thing):
        return f"a {type(thing).__name__}"
    return f"{short(thing)} ({type(thing).__name__})"


def short(thing: object) -> str:
    """A thing as Python writes it, on one line and shortened in the middle."""
    text = " ".join(repr(thing).split())
    return text if len(text) <= 60 else f"{text[:40]}…{text[-15:]}"


# --- several sides --------------------------------------------------------------------------------


def named_sides(things: Any, what: str = "response", *, alone: bool = False) -> dict[str, SideLike]:
    """Several sides by name: a dict names them itself, a file is named after itself.

    ``things`` are the arguments of a call: the sides, or one dict or list of them. With ``alone``
    one side is enough, and a list of entities or records is one side.
    """
    if len(things) == 1 and isinstance(things[0], Mapping | list | tuple):
        given = things[0]
        several = isinstance(given, Mapping) or any(map(_is_side, given))
        if several or not alone or (given and all(map(_is_document, given))):
            things = given
    if isinstance(things, Mapping):
        named = [(str(name), thing) for name, thing in things.items()]
    else:
        named = list(zip(names_of(things, what), things, strict=True))
    sides: dict[str, SideLike] = {}
    for name, thing in named:
        if name in sides:
            raise UsageError(f"two {what}s are named {name!r}", remedy="Rename one.")
        sides[name] = thing
    return sides


def _is_side(thing: object) -> bool:
    """True if a thing is a side, and neither an entity nor a record."""
    return is_file(thing) or isinstance(thing, Corpus) or _is_documents(thing) or is_frame(thing)


def _is_document(thing: object) -> bool:
    """True if a thing is a list of entities; a list of spans is an entity."""
    if not isinstance(thing, list | tuple) or not thing:
        return False
    entity = thing[0]
    if isinstance(entity, set | frozenset):
        return True
    first = entity[0] if isinstance(entity, list | tuple) and entity else None
    return isinstance(first, list | tuple) or (isinstance(first, str) and isinstance(entity, list))


def split_metrics(
    things: tuple[SideLike, ...], metrics: MetricSpec
) -> tuple[tuple[SideLike, ...], MetricSpec]:
    """The sides and the metrics: after a dict or list of sides, a second argument is metrics."""
    if len(things) == 2 and isinstance(things[0], Mapping | list):
        second = things[1]
        if isinstance(second, Metric) or (isinstance(second, str) and not os.path.exists(second)):
            return things[:1], second
    return things, metrics


def names_of(things: Sequence[SideLike], what: str) -> list[str]:
    """A unique name for each side: its file name, with folders where names are equal."""
    paths = [Path(thing) if isinstance(thing, str | os.PathLike) else None for thing in things]
    stems = [what if path is None else _stem(path) for path in paths]
    names: list[str] = []
    for path, stem in zip(paths, stems, strict=True):
        several = path is not None and path.parent.name and stems.count(stem) > 1
        name = str(path.parent / stem) if path is not None and several else stem
        number, unique = 2, name
        while unique in names:
            number, unique = number + 1, f"{name} {number}"
        names.append(unique)
    return names


def _stem(path: Path) -> str:
    """The name of a file without its ending and without the one of its compression."""
    if str(path) == "-":
        return "stdin"
    return Path(path.stem).stem if path.suffix in {".gz", ".bz2", ".xz", ".zst"} else path.stem


# --- saved results --------------------------------------------------------------------------------


SCORES, SUITE = "corefine scores", "corefine suite"
"""Marks of saved results of ``score`` and of ``suite``."""
HELD = re.compile(rb'"holds"\s*:\s*"(corefine (?:scores|suite))"')
"""The mark of a saved result and its kind."""
SAVED_SUFFIXES = (".json", ".json.gz")
"""Suffixes of saved results."""
REORDERED = 1 << 24
"""Bytes up to which a file with other keys first is searched for the mark of a saved result."""


def held_by(thing: object) -> str | None:
    """Return what a saved result holds, judged by suffix and content; None for anything else."""
    if not isinstance(thing, str | os.PathLike):
        return None
    name = os.fspath(thing)
    if not name.endswith(SAVED_SUFFIXES) or not os.path.isfile(name):
        return None
    from corefine.formats.io.sources import Source

    source = Source(name, Path(name))
    try:
        head = source.head()
        if not head.lstrip().startswith(b"{"):
            return None
        # Tools that sort the keys of JSON put others first.
        found = HELD.search(head) or HELD.search(source.read_all(REORDERED, ""))
    except CorefineError:
        return None  # reported when the file is read
    finally:
        source.close()
    return None if found is None else found[1].decode()
