"""JSON dialects whose sentences or tokens are objects: CoreNLP, coref-data, Friends."""

from __future__ import annotations

from itertools import chain, groupby

import msgspec

from corefine.corpus.document import Document
from corefine.formats.io.lines import text_of
from corefine.formats.io.records import (
    PRESENT,
    Name,
    Record,
    Triple,
    clusters_in_sentences,
    dialect,
    having,
    invalid,
    layers_of,
    mentions_of,
    sentence_bounds,
    sentence_starts,
)
from corefine.formats.io.relations import kind_of

# --- CoreNLP --------------------------------------------------------------------------------------


class CoreToken(msgspec.Struct):
    """A token of CoreNLP; ``originalText`` is its form in the text."""

    word: str = ""
    originalText: str = ""  # noqa: N815
    lemma: str | None = None
    pos: str | None = None
    ner: str | None = None
    speaker: str | None = None
    index: int | None = None


class CoreSentence(msgspec.Struct):
    """A sentence of CoreNLP."""

    tokens: list[CoreToken]
    index: int | None = None


class CoreMention(msgspec.Struct):
    """A mention of CoreNLP: sentence and words from 1, ``endIndex`` exclusive."""

    sentNum: int  # noqa: N815
    startIndex: int  # noqa: N815
    endIndex: int  # noqa: N815
    headIndex: int = 0  # noqa: N815
    type: str = ""
    text: str = ""


@dialect(
    "corenlp",
    "CoreNLP: JSON, words of sentences counted from 1, with mention kinds",
    lambda shapes: (
        {"corefs", "sentences"} <= shapes.keys() and shapes["sentences"] != "list of lists"
    ),
    writable=False,
    streamed=False,
)
class CoreNLP(Record):
    """CoreNLP: sentences of tokens, and chains of mentions with heads and kinds.

    ::

        {"sentences": [{"index": 0, "tokens": [{"index": 1, "word": "Anna"},
                                               {"index": 2, "word": "slept"}]},
                       {"index": 1, "tokens": [{"index": 1, "word": "She"}]}],
         "corefs": {"1": [{"sentNum": 1, "startIndex": 1, "endIndex": 2, "type": "PROPER"},
                          {"sentNum": 2, "startIndex": 1, "endIndex": 2, "type": "PRONOMINAL"}]}}
    """

    sentences: list[CoreSentence]
    corefs: dict[str, list[CoreMention]]
    docId: str = ""  # noqa: N815

    def to_document(self) -> Document:
        sentences = [sentence.tokens for sentence in self.sentences]
        tokens = list(chain.from_iterable(sentences))
        layers = {
            name: [getattr(token, name) or "" for token in tokens]
            for name in ("lemma", "pos", "ner", "speaker")
        }
        document = Document(
            self.docId.removesuffix(".txt"),
            [token.originalText or token.word for token in tokens],
            starts=sentence_starts(sentences),
            layers={name: values for name, values in layers.items() if any(values)},
        )
        numbered = [(0, [sentence.index for sentence in self.sentences])]
        numbered += [(1, [token.index for token in tokens]) for tokens in sentences]
        for first, indices in numbered:
            if set(indices) != {None} and indices != list(range(first, first + len(indices))):
                raise invalid(
                    f"sentences or tokens with the indices {str(indices)[:60]}",
                    "Sentences are numbered from 0, the tokens of each from 1.",
                )
        chains = [
            [(one.sentNum, one.startIndex, one.endIndex) for one in chained]
            for chained in self.corefs.values()
        ]
        sizes = list(map(len, sentences))
        document.mentions = mentions_of(chains, sizes, "corefs", inclusive=False, origin=1)
        entities = [entity for entity, chained in self.corefs.items() for _ in chained]
        given = chain.from_iterable(self.corefs.values())
        for mention, entity, one in zip(document.mentions, entities, given, strict=True):
            mention.entity, mention.kind = entity, kind_of(one.type)
            if one.headIndex:
                mention.head = mention.start + one.headIndex - one.startIndex
            if one.text != " ".join(token.word for token in tokens[mention.start : mention.end]):
                mention.quoted = one.text
        return document


# --- coref-data -----------------------------------------------------------------------------------

_COLUMNS = {"lemma": "lemma", "upos": "upos", "pos": "xpos"}
"""Layers, and the names of their columns in coref-data."""


class DataToken(msgspec.Struct, omit_defaults=True):
    """A token of coref-data: some columns of CoNLL-U."""

    text: str
    id: int | float | str | None = None
    lemma: str | None = None
    upos: str | None = None
    xpos: str | None = None

    @property
    def is_empty(self) -> bool:
        """True if the id belongs to an empty node, such as 8.1."""
        return "." in str(self.id) and not str(self.id).endswith(".0")


class DataSentence(msgspec.Struct):
    """A sentence of coref-data."""

    tokens: list[DataToken]
    id: int | str | None = None
    text: str = ""
    speaker: str | None = None


@dialect(
    "coref-data",
    "coref-data: JSON lines, token spans within sentences, end inclusive",
    lambda shapes: "coref_chains" in shapes and shapes.get("sentences") != "list of lists",
    zeros=True,
)
class CorefData(Record):
    """coref-data: sentences of tokens, and mentions [sentence, first, last], end inclusive.

    ::

        {"id": "x", "sentences": [{"id": 1, "tokens": [{"id": 1, "text": "Anna"},
                                                       {"id": 2, "text": "slept"}]}],
         "coref_chains": [[[0, 0, 0]]]}
    """

    NAMES = ("id",)

    id: Name
    sentences: list[DataSentence]
    coref_chains: list[list[Triple]]
    text: str = ""
    genre: object = None
    meta_data: object = None

    def to_document(self) -> Document:
        sentences = [sentence.tokens for sentence in self.sentences]
        tokens = list(chain.from_iterable(sentences))
        layers = {
            layer: [getattr(token, column) or "" for token in tokens]
            for layer, column in _COLUMNS.items()
        }
        layers["speaker"] = [
            sentence.speaker or "" for sentence in self.sentences for _ in sentence.tokens
        ]
        return Document(
            self.name(),
            [token.text for token in tokens],
            mentions_of(self.coref_chains, list(map(len, sentences)), "coref_chains"),
            sentence_starts(sentences),
            {name: values for name, values in layers.items() if any(values)},
            [place for place, token in enumerate(tokens) if token.is_empty],
        )

    @classmethod
    def from_document(cls, document: Document, number: int) -> CorefData:
        tokens = [DataToken(word) for word in document.tokens or ()]
        for layer, column in _COLUMNS.items():
            for token, value in zip(tokens, document.layers.get(layer, ()), strict=False):
                setattr(token, column, value or None)
        speakers = document.layers.get("speaker") or [""] * len(tokens)
        empty = set(document.empty_nodes)
        sentences: list[DataSentence] = []
        for start, stop in sentence_bounds(document):
            ids = _token_ids([place in empty for place in range(start, stop)])
            for token, id in zip(tokens[start:stop], ids, strict=True):
                token.id = id
            sentences.append(
                DataSentence(
                    tokens[start:stop],
                    len(sentences) + 1,
                    " ".join(token.text for token in tokens[start:stop]),
                    speakers[start] or None,
                )
            )
        return cls(
            id=document.name,
            text=text_of(document)[0],
            sentences=sentences,
            coref_chains=clusters_in_sentences(document, -1),
            meta_data={"comment": ""},
        )


def _token_ids(empty: list[bool]) -> list[float]:
    """Words are numbered from 1; empty nodes follow as 8.1, 8.2, or 8.01, 8.02 if more than 9."""
    ids: list[float] = []
    word = 0
    for is_empty, group in groupby(empty):
        count = len(list(group))
        if is_empty:
            digits = len(str(count))
            ids += [float(f"{word}.{node:0{digits}}") for node in range(1, count + 1)]
        else:
            ids += range(word + 1, word + count + 1)
            word += count
    return ids


# --- Friends: character identification ------------------------------------------------------------


class Utterance(msgspec.Struct):
    """An utterance: sentences of tokens, and characters by sentence as [start, end, name, …]."""

    tokens: list[list[str]]
    character_entities: list[list[tuple[int | str, ...]]]
    speakers: list[str] = []


class Scene(msgspec.Struct):
    """A scene: one document."""

    scene_id: str
    utterances: list[Utterance]


class Episode(msgspec.Struct):
    """An episode."""

    scenes: list[Scene]


@dialect(
    "friends",
    "Character identification (Friends): JSON, scenes with named characters",
    having(episodes=PRESENT),
    writable=False,
    streamed=False,
)
class Friends(Record):
    """Character identification in transcripts: mentions of characters, [start, end, names…].

    ::

        {"season_id": "s01", "episodes": [{"episode_id": "s01_e01", "scenes": [
            {"scene_id": "s01_e01_c01", "utterances": [
                {"speakers": ["Monica Geller"], "tokens": [["There", "'s", "Joey", "!"]],
                 "character_entities": [[[2, 3, "Joey Tribbiani"]]]}]}]}]}

    A scene is a document and a character an entity, the same in all scenes. A mention of several
    characters belongs to an entity of their names.
    """

    episodes: list[Episode]

    def to_documents(self, number: int, label: str) -> list[Document]:
        return [_scene(scene) for episode in self.episodes for scene in episode.scenes]


def _scene(scene: Scene) -> Document:
    sentences: list[list[str]] = []
    speakers: list[str] = []
    characters: list[list[tuple[int | str, ...]]] = []
    for place, utterance in enumerate(scene.utterances):
        entities = utterance.character_entities or [[] for _ in utterance.tokens]
        if len(entities) != len(utterance.tokens):
            raise invalid(
                f"scene {scene.scene_id}, utterance {place + 1}: characters of {len(entities)} "
                f"sentences, where there are {len(utterance.tokens)}",
                "List the characters of each sentence, if only as [].",
            )
        sentences += utterance.tokens
        characters += entities
        speakers += [" & ".join(utterance.speakers)] * sum(map(len, utterance.tokens))
    clusters: list[list[Triple]] = []
    names: list[str] = []
    for number, entity in [(n, one) for n, several in enumerate(characters) for one in several]:
        match entity:
            case (int(start), int(stop), str(), *_):
                clusters.append([(number, start, stop)])
                names.append(" & ".join(map(str, entity[2:])))
            case _:
                raise invalid(
                    f"scene {scene.scene_id}: the character {list(entity)}",
                    "A character is [start, end, name], end exclusive.",
                )
    sizes = list(map(len, sentences))
    mentions = mentions_of(clusters, sizes, f"scene {scene.scene_id}: mention ", inclusive=False)
    for mention, name in zip(mentions, names, strict=True):
        mention.entity = name
    tokens = list(chain.from_iterable(sentences))
    layers = layers_of(len(tokens), speaker=speakers)
    return Document(scene.scene_id, tokens, mentions, sentence_starts(sentences), layers)
