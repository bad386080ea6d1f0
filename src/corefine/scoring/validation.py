"""Refusals: what a caller hands over by mistake as a key or a response, and the call to use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NoReturn

import numpy as np

from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.scoring.frames import is_frame

ACCEPTED = (
    "Give a path, an open file, a Corpus, a list of entities such as [['Anna', 'she'], "
    "['Rome']], a dict of documents such as {'doc1': [[(0, 1), (4, 4)]]}, a data frame with "
    "columns document, mention and entity, or JSON records with clusters."
)
LONGEST_PATH = 4096


def path_of(thing: str | os.PathLike[str], what: str) -> str:
    """A path; the content of a file, an address or nothing at all is refused."""
    path = os.fspath(thing)
    if not isinstance(thing, str):
        return path
    if not path:
        raise UsageError(f"the path of the {what} is empty", remedy=ACCEPTED)
    if "\n" in path or len(path) > LONGEST_PATH or _is_json(path):
        raise UsageError(
            f"the {what} is text, not a path: {short(path)}",
            remedy="For the content of a file, give io.StringIO(text); for JSON, json.loads(text).",
        )
    return path


def _is_json(text: str) -> bool:
    pairs = (("{", "}"), ("[[", "]]"), ("[{", "}]"))
    bare = text.strip()
    return any(bare.startswith(first) and bare.endswith(last) for first, last in pairs)


def refuse(thing: object, what: str) -> NoReturn:
    """Refuse what is no corpus."""
    remedy = "For the bytes of a file, give io.BytesIO(data)." if _is_bytes(thing) else ACCEPTED
    raise UsageError(f"{what} is {described(thing)}, not a corpus", remedy=remedy)


def _is_bytes(thing: object) -> bool:
    return isinstance(thing, bytes | bytearray | memoryview)


def refuse_foreign(thing: object, what: str) -> None:
    """Refuse objects of other packages, and results of corefine itself."""
    module = type(thing).__module__.partition(".")[0]
    first = next(iter(thing), None) if isinstance(thing, list | tuple) and thing else thing
    if type(first).__module__.partition(".")[0] == "spacy":
        raise UsageError(
            f"the {what} is {described(thing)}",
            remedy="Use corefine.integrations.spacy.corpus_from_docs(docs).",
        )
    if module == "corefine":
        refuse(thing, f"the {what}")
    if module == "datasets" and isinstance(thing, Mapping):
        raise UsageError(
            f"the {what} is a {type(thing).__name__} with the splits {', '.join(thing)}",
            remedy=f"Give one of them: dataset[{next(iter(thing), 'test')!r}].",
        )
    if isinstance(thing, np.ndarray) or module in ("pandas", "polars", "pyarrow", "torch"):
        rank = getattr(thing, "ndim", 1)
        inner = next(iter(thing), None) if rank == 1 and isinstance(thing, Iterable) else None
        remedy = ACCEPTED
        if rank == 3 or isinstance(inner, list | tuple | np.ndarray):
            remedy = "For a list of entities, give its .tolist()."
        elif rank == 1:
            remedy = "For one label per mention, use Corpus.from_labels(labels)."
        raise UsageError(f"the {what} is {described(thing)}", remedy=remedy)


def refuse_columns(record: Mapping[str, Any], what: str) -> None:
    """Refuse records as a dict of columns, which is what a slice of a Hugging Face dataset is."""
    names = [record.get(key) for key in ("doc_key", "doc_id", "id", "text")]
    if any(isinstance(name, list | tuple | np.ndarray) for name in names):
        raise UsageError(
            f"the {what} is a dict of columns: {short(list(record))}",
            remedy="Give a list of records, one per document: "
            "[dict(zip(columns, row)) for row in zip(*columns.values())].",
        )


def refuse_mapping(thing: Mapping[Any, Any], what: str) -> None:
    """Refuse dicts that are not documents by id."""
    if not thing:
        raise UsageError(f"the {what} is an empty dict: it has no documents", remedy=ACCEPTED)
    values = list(islice(thing.values(), 20))
    if all(isinstance(value, str | int | np.integer) for value in values):
        raise UsageError(
            f"the {what} is a dict from {short(next(iter(thing)))} to {short(values[0])}, not a "
            "dict of documents",
            remedy="For a dict from mentions to entity labels, use "
            "Corpus.from_labels(list(labels.values()), list(labels)).",
        )
    if all(isinstance(value, list | tuple) and value and _is_mention(value[0]) for value in values):
        raise UsageError(
            f"the {what} has a list of mentions under {short(next(iter(thing)))}, where a document "
            "(a list of entities) is expected",
            remedy="For a dict from entities to mentions, give list(entities.values()); for "
            "documents, {'doc1': [['Anna', 'she'], ['Rome']]}.",
        )


def _is_mention(thing: object) -> bool:
    if isinstance(thing, tuple):
        return all(isinstance(part, int | np.integer) for part in thing)
    return isinstance(thing, str | int | np.integer)


def refuse_entity(entity: object, document: Sequence[object], what: str) -> NoReturn:
    """Refuse a value that is not an entity, that is, a list of mentions."""
    raise UsageError(
        f"{what} has {described(entity)} instead of an entity (a list of mentions)",
        remedy=_instead_of_entities(entity, document),
    )


def _instead_of_entities(entity: object, document: Sequence[object]) -> str:
    if isinstance(entity, Corpus):
        return "Score corpora one by one, or add them up with corefine.Evaluator."
    if is_frame(entity):
        return "Concatenate the frames, with a column document."
    if isinstance(entity, os.PathLike) or (isinstance(entity, str) and os.path.exists(entity)):
        return "For several files, give a directory or a glob pattern such as 'gold/*.conll'."
    if isinstance(entity, str) and entity.endswith("\n"):
        return "For the lines of a file, give the open file, or io.StringIO(''.join(lines))."
    if all(isinstance(one, str | int | np.integer) for one in islice(document, 20)):
        return f"For one label per mention, use Corpus.from_labels(labels). {ACCEPTED}"
    return ACCEPTED


def is_entity(thing: object) -> bool:
    """True if a value can be a list of mentions."""
    if isinstance(thing, str | bytes | Mapping | os.PathLike | Corpus) or is_frame(thing):
        return False
    return isinstance(thing, Iterable)


def described(thing: object) -> str:
    """A thing and its type, in a few words."""
    if is_frame(thing):
        return f"a {type(thing).__name__}"
    return f"{short(thing)} ({type(thing).__name__})"


def short(thing: object) -> str:
    """A thing as Python writes it, on one line and shortened in the middle."""
    text = " ".join(repr(thing).split())
    return text if len(text) <= 60 else f"{text[:40]}…{text[-15:]}"
