"""CoreNLP's JSON: sentences of tokens, and chains of mentions with their types.

The smallest valid file::

    {"sentences": [{"index": 0, "tokens": [{"index": 1, "word": "Anna"},
                                           {"index": 2, "word": "slept"}]},
                   {"index": 1, "tokens": [{"index": 1, "word": "She"}]}],
     "corefs": {"1": [{"sentNum": 1, "startIndex": 1, "endIndex": 2, "type": "PROPER"},
                      {"sentNum": 2, "startIndex": 1, "endIndex": 2, "type": "PRONOMINAL"}]}}

Sentences and words are counted from 1, and ``endIndex`` is behind the last word. The type of a
mention is its kind, ``headIndex`` its head; a chain is named by its number. A file is one document,
named by its ``docId`` or its file.
"""

from __future__ import annotations

from itertools import accumulate

from corefine.corpus.columns import Kind
from corefine.formats.jsonlines.dialect import Dialect
from corefine.formats.jsonlines.dialects import dialect_format
from corefine.formats.jsonlines.json_records import Record, made_record

KINDS = {
    "PROPER": Kind.NAME,
    "NOMINAL": Kind.NOMINAL,
    "LIST": Kind.NOMINAL,
    "PRONOMINAL": Kind.PRONOUN,
}
_LAYERS = ("lemma", "pos", "ner", "speaker")


def plain(record: Record, number: int, stem: str) -> list[Record]:
    """The record of a document with lists of words, spans, heads and kinds."""
    from corefine.formats.text.json_values import CoreMention, CoreSentence

    sentences = record.decode("sentences", list[CoreSentence])
    chains = record.decode("corefs", dict[str, list[CoreMention]]) if record.has("corefs") else {}
    words = [
        [token.originalText or token.word for token in sentence.tokens] for sentence in sentences
    ]
    bounds = [0, *accumulate(map(len, words))]
    heads = []
    clusters: list[list[tuple[int, int]]] = []
    for name, chain in chains.items():
        clusters.append([])
        for place, mention in enumerate(chain):
            path = f"corefs.{name}[{place}]"
            if not 1 <= mention.sentNum <= len(words):
                record.refuse(
                    f"{path} is in sentence {mention.sentNum} of {len(words)}",
                    "Sentences are counted from 1.",
                )
            first, behind = bounds[mention.sentNum - 1 : mention.sentNum + 1]
            if not 1 <= mention.startIndex < mention.endIndex <= behind - first + 1:
                record.refuse(
                    f"{path} covers words {mention.startIndex} to {mention.endIndex} of a "
                    f"sentence of {behind - first}",
                    "Words are counted from 1, and endIndex is exclusive.",
                )
            start, stop = first + mention.startIndex - 1, first + mention.endIndex - 1
            clusters[-1].append((start, stop))
            if mention.startIndex <= mention.headIndex < mention.endIndex:
                heads.append((first + mention.headIndex - 1, start, stop))
    layers = {
        name: [[getattr(token, name) or "" for token in sentence.tokens] for sentence in sentences]
        for name in _LAYERS
    }
    name = record.decode("docId", str).removesuffix(".txt") if record.has("docId") else stem
    return [
        made_record(
            record,
            {
                **({"docId": name} if name else {}),
                "sentences": words,
                "corefs": clusters,
                "names": list(chains),
                "kinds": [
                    [KINDS.get(mention.type, Kind.UNKNOWN) for mention in chain]
                    for chain in chains.values()
                ],
                "heads": heads,
                **{key: column for key, column in layers.items() if any(map(any, column))},
            },
        )
    ]


CORENLP = dialect_format(
    Dialect(
        "corenlp",
        clusters=("corefs",),
        words=("sentences",),
        names=("docId",),
        named=False,
        layers={name: (name, 2) for name in _LAYERS},
        heads="heads",
        plain=plain,
        entity_names="names",
        kinds="kinds",
    ),
    "CoreNLP: JSON, words of sentences counted from 1, with mention kinds",
    lambda keys: 0.9 if {"corefs", "sentences"} <= keys and "sentences[[" not in keys else 0.0,
    None,
    documentation="docs/formats/corenlp.md",
)
