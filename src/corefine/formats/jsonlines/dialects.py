"""The dialects of JSON lines: a table of what their lines look like, and what is written as one.

To add a dialect, describe its lines (:class:`Dialect`), say by which keys they are known and what a
line of it is, and register it. The smallest valid line of each stands above it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from corefine.corpus.corpus import Corpus
from corefine.formats.building.written_text import lost_blanks
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.document_names import name_of_line
from corefine.formats.jsonlines.json_records import is_spread, keys_of
from corefine.formats.jsonlines.plain_documents import Document, documents_of
from corefine.formats.jsonlines.reader import read
from corefine.formats.registry import Capabilities, DocumentMark, Format, register

Keys = frozenset[str]
Line = dict[str, object]


def dialect_format(
    dialect: Dialect,
    title: str,
    sure: Callable[[Keys], float],
    line: Callable[[Document], Line] | None,
    losses: Callable[[Corpus], list[str]] | None = None,
    side: str | None = None,
    array: bool = False,
    documentation: str = "docs/formats/jsonlines.md",
) -> Format:
    """The format of a dialect, registered.

    ``sure`` says how surely a line with these keys is one of it, ``line`` makes one of a document;
    without it the dialect is only read. ``array``: what is written is one JSON array.
    """
    layers = {*dialect.layers, *(["head"] if dialect.dependency_heads else [])}
    zeros = bool(dialect.zeros or dialect.empty)
    return register(
        Format(
            name=dialect.name,
            title=title,
            suffixes=(".jsonl", ".jsonlines", ".ndjson", ".json"),
            sniff=lambda head, name: sure(keys_of(head)),
            sniff_keys=sure,
            read_columns=partial(read, dialect),
            capabilities=Capabilities(
                text=bool(dialect.words),
                layers=frozenset(layers),
                entity_names=bool(dialect.entity_names),
                kinds=bool(dialect.kinds),
                heads=bool(dialect.heads),
                types=bool(dialect.types),
                zeros=zeros,
            ),
            write=None if line is None else partial(_written, line, array, zeros),
            losses=losses,
            document_mark=None
            if dialect.plain
            else DocumentMark(
                ord("{"), partial(name_of_line, dialect=dialect), undivided=is_spread
            ),
            documentation=documentation,
            side=side,
        )
    )


def _written(
    line: Callable[[Document], Line], array: bool, zeros: bool, corpus: Corpus
) -> Iterator[bytes]:
    import msgspec

    opening = b"[\n" if array else b""
    for document in documents_of(corpus, zeros=zeros):
        yield opening + msgspec.json.encode(line(document)) + (b"" if array else b"\n")
        opening = b",\n" if array else b""
    if array:
        yield b"\n]\n" if len(corpus) else b"[]\n"


# --- e2e-coref, SpanBERT and their followers ------------------------------------------------------
# {"doc_key": "x", "sentences": [["Anna", "saw", "her", "house"]], "clusters": [[[0, 0], [2, 2]]]}
# A file that has clusters and predicted_clusters is e2e as a key, and e2e-predicted as a response.


def _e2e_line(document: Document, key: str) -> Line:
    line: Line = {"doc_key": document.name, "sentences": document.sentences()}
    if (speakers := document.layers("speaker").get("speaker")) is not None:
        line["speakers"] = document.sentences(speakers)
    return line | {key: document.clusters(-1)}


def _e2e_sure(keys: Keys) -> float:
    if "clusters" in keys:
        return _by_words(keys)
    return 0.4 if {"doc_key", "sentences"} <= keys and "predicted_clusters" not in keys else 0.0


def _by_words(keys: Keys) -> float:
    if "sentences" in keys:
        return 0.9
    if "tokens" in keys:
        # Beside a text, or alone, the numbers may be characters, or end behind the last token.
        return 0.9 if "text" in keys and "clusters_strings" not in keys else 0.6
    return 0.0


def _e2e(name: str, clusters: str, elsewhere: dict[str, str]) -> Dialect:
    return Dialect(
        name,
        clusters=(clusters,),
        words=("sentences", "tokens"),
        inclusive=True,
        subtoken_maps=("orig_subtoken_map", "subtoken_map"),
        given_words="tokens",
        sentence_map="sentence_map",
        layers={"speaker": ("speakers", 2)},
        elsewhere=elsewhere,
    )


E2E = dialect_format(
    _e2e("e2e", "clusters", {"predicted_clusters": "e2e-predicted"}),
    "e2e-coref, SpanBERT: JSON lines, token spans, end inclusive",
    _e2e_sure,
    partial(_e2e_line, key="clusters"),
    side="key",
)
E2E_PREDICTED = dialect_format(
    _e2e("e2e-predicted", "predicted_clusters", {}),
    "e2e-coref predictions: as e2e, with predicted_clusters",
    lambda keys: _by_words(keys) if "predicted_clusters" in keys else 0.0,
    partial(_e2e_line, key="predicted_clusters"),
    side="response",
)


# --- fastcoref ------------------------------------------------------------------------------------
# {"text": "Anna saw her house.", "clusters": [[[0, 4], [9, 12]]]}
# A text that came in words goes out as a list of them, and then words are counted.


def _fastcoref_line(document: Document) -> Line:
    text, begins, ends = document.text()
    spans = [
        [(begins[start], ends[stop - 1]) for start, stop in cluster]
        for cluster in document.clusters()
    ]
    spans = [
        [(begin, end) for begin, end in cluster if text[begin:end].strip()] for cluster in spans
    ]
    spans = [cluster for cluster in spans if cluster]
    return {
        **document.key(),
        "text": text,
        "clusters": spans,
        "clusters_strings": [[text[begin:end] for begin, end in cluster] for cluster in spans],
    }


_OF_MAVERICK = frozenset(
    [
        "clusters_token_offsets",
        "clusters_char_offsets",
        "clusters_token_text",
        "clusters_char_text",
        "clusters_text_mentions",
    ]
)


def _fastcoref_sure(keys: Keys) -> float:
    """Maverick counts tokens, whether or not a text and other clusters were put beside them."""
    return 0.9 if {"text", "clusters"} <= keys and not keys & _OF_MAVERICK else 0.0


FASTCOREF = dialect_format(
    Dialect(
        "fastcoref",
        clusters=("clusters",),
        words=("text",),
        names=("doc_key", "id"),
        named=False,
        strings=("clusters_strings",),
        nulls=True,
    ),
    "fastcoref: JSON lines, character spans, end exclusive",
    _fastcoref_sure,
    _fastcoref_line,
    lost_blanks,
)


# --- Maverick -------------------------------------------------------------------------------------
# {"tokens": ["Anna", "saw", "her"], "clusters_token_offsets": [[[0, 0], [2, 2]]]}
# clusters_char_offsets are not read: they are of a text that the line does not hold.

_NOT_MAVERICK = frozenset(("doc_id", "tokens[["))
"""The shared task's JSON names its documents so, and xCoRe's has several documents in a line."""


def _maverick_line(document: Document) -> Line:
    words = document.words
    return {
        **document.key(),
        "tokens": words,
        "clusters_token_offsets": document.clusters(-1),
        "clusters_char_offsets": None,
        "clusters_token_text": [
            [" ".join(words[start:stop]) for start, stop in cluster]
            for cluster in document.clusters()
        ],
        "clusters_char_text": None,
    }


MAVERICK = dialect_format(
    Dialect(
        "maverick",
        clusters=("clusters_token_offsets",),
        words=("tokens",),
        inclusive=True,
        names=("doc_key", "id"),
        named=False,
        strings=("clusters_token_text", "clusters_text_mentions"),
    ),
    "Maverick: JSON lines, token spans, end inclusive",
    lambda keys: (
        0.9 if {"clusters_token_offsets", "tokens"} <= keys and not keys & _NOT_MAVERICK else 0.0
    ),
    _maverick_line,
)


# --- AllenNLP -------------------------------------------------------------------------------------
# {"document": ["Anna", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]}

ALLENNLP = dialect_format(
    Dialect(
        "allennlp",
        clusters=("clusters",),
        words=("document",),
        inclusive=True,
        names=("doc_key", "doc_id", "id"),
        named=False,
    ),
    "AllenNLP: JSON lines, token spans, end inclusive",
    lambda keys: 0.9 if {"document", "clusters"} <= keys and "sentences" not in keys else 0.0,
    lambda document: {
        **document.key(),
        "document": document.words,
        "clusters": document.clusters(-1),
    },
)


# --- clusters without a text ----------------------------------------------------------------------
# {"doc_key": "x", "clusters": [[[0, 0], [2, 2]]]}
# Scored against a key that has the text: words are counted as the key has them, empty nodes not.

_WORDS = frozenset(("sentences", "tokens", "text", "document", "cased_words", "words", "data"))


def _clusters_line(document: Document, behind: int) -> Line:
    return {**document.key(), "clusters": document.clusters(behind)}


def _clusters_sure(keys: Keys) -> float:
    known = {"clusters", "predicted_clusters"} & keys
    return 0.7 if known and not keys & _WORDS else 0.0


for _name, _inclusive, _title, _sure in (
    ("clusters", True, "end inclusive", _clusters_sure),
    ("clusters-exclusive", False, "end exclusive", lambda keys: 0.0),
):
    dialect_format(
        Dialect(
            _name,
            clusters=("clusters", "predicted_clusters"),
            words=(),
            inclusive=_inclusive,
            names=("doc_key", "doc_id", "document_id", "id"),
            named=False,
        ),
        f"Clusters only: JSON lines without text, token spans, {_title}",
        _sure,
        partial(_clusters_line, behind=-int(_inclusive)),
    )
