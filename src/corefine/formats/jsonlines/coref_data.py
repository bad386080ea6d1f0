"""coref-data: sentences of tokens with the columns of CoNLL-U, and chains of places in them.

The smallest valid line::

    {"id": "x", "sentences": [{"id": 1, "tokens": [{"id": 1, "text": "Anna"}]}], "coref_chains": []}

A mention is ``[sentence, first, last]``, all counted from 0, the last token included. A token with
an id such as 8.1 is an empty node.
"""

from __future__ import annotations

from collections.abc import Sequence

from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import Line, dialect_format
from corefine.formats.jsonlines.json_records import Record, made_record
from corefine.formats.jsonlines.plain_documents import Document
from corefine.formats.jsonlines.preco import in_sentences, sentence_losses

_LAYERS = {"lemma": "lemma", "upos": "upos", "pos": "xpos"}
"""The layers of corefine, and what their columns are called here."""


def plain(record: Record, number: int, stem: str) -> list[Record]:
    """The record with sentences that are lists of words."""
    from corefine.formats.text.json_values import CorefSentence

    sentences = record.decode("sentences", list[CorefSentence])
    layers = {
        name: [[getattr(token, key) or "" for token in sentence.tokens] for sentence in sentences]
        for name, key in _LAYERS.items()
    }
    layers["speaker"] = [[sentence.speaker or ""] * len(sentence.tokens) for sentence in sentences]
    changed = {
        "sentences": [[token.text for token in sentence.tokens] for sentence in sentences],
        "empty": [_is_empty(token.id) for sentence in sentences for token in sentence.tokens],
        **{name: column for name, column in layers.items() if any(map(any, column))},
    }
    return [made_record(record, changed, ("id", "coref_chains"))]


def _is_empty(number: float | str | None) -> bool:
    """Whether the id of a token is that of an empty node, such as 8.1."""
    return "." in str(number) and not str(number).endswith(".0")


def _numbers(empty: Sequence[bool]) -> list[float]:
    """The ids of tokens: words are counted from 1, empty nodes behind the word before them."""
    numbers, word, node = list[float](), 0, 0
    for is_empty in empty:
        word, node = (word, node + 1) if is_empty else (word + 1, 0)
        numbers.append(float(f"{word}.{node}") if node else word)
    return numbers


def _line(document: Document) -> Line:
    """Mentions that reach over the end of a sentence are left out."""
    layers = document.layers("speaker", *_LAYERS)
    speakers = document.sentences(layers.pop("speaker")) if "speaker" in layers else []
    columns = {_LAYERS[name]: document.sentences(column) for name, column in layers.items()}
    empty = document.sentences(document.empty)
    sentences = []
    for place, words in enumerate(document.sentences()):
        tokens = [
            {"id": number, "text": word}
            | {key: rows[place][at] or None for key, rows in columns.items()}
            for at, (number, word) in enumerate(zip(_numbers(empty[place]), words, strict=True))
        ]
        speaker = speakers[place][0] if speakers and speakers[place] else None
        sentences.append(
            {"id": place + 1, "text": " ".join(words), "speaker": speaker or None, "tokens": tokens}
        )
    text, _, _ = document.text()
    return {
        "id": document.name,
        "text": text,
        "sentences": sentences,
        "coref_chains": in_sentences(document, -1),
        "genre": None,
        "meta_data": {"comment": ""},
    }


COREF_DATA = dialect_format(
    Dialect(
        "coref-data",
        clusters=("coref_chains",),
        words=("sentences",),
        inclusive=True,
        in_sentences=True,
        names=("id",),
        layers={name: (name, 2) for name in (*_LAYERS, "speaker")},
        plain=plain,
        empty="empty",
    ),
    "coref-data: JSON lines, token spans within sentences, end inclusive",
    lambda keys: 0.9 if "coref_chains" in keys and "sentences[[" not in keys else 0.0,
    _line,
    sentence_losses,
)
