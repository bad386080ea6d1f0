"""Zero subjects by rules: finite predicates without a subject, in Universal Dependencies.

The rules correspond to the conditions of Minos, the detector of Kaczmarek and Marcińczuk (2015). A
predicate is a finite verb, or any word with a finite auxiliary or copula. It has a zero subject
unless one of the reasons in :func:`_has_no_zero` holds. The zero is an empty node before the
predicate, with the predicate's person, number and gender, and depends on it as subject.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corefine.corpus.arrays import IntArray, Strings
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.renumbering import TokenMap, insert_nodes, renumber, without_empty_nodes
from corefine.errors import UsageError
from corefine.resolving.words import parents

SUBJECTLESS = frozenset(
    (
        *("należeć", "chodzić", "udać", "brakować", "zabraknąć", "wystarczyć", "padać", "świtać"),
        *("zmierzchać", "dnieć", "grzmieć"),
    )
)
"""Polish verbs that are used without a subject in the third person singular."""
_INHERITED = ("Animacy", "Gender", "Number", "Person")


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    """A word with its dependents."""

    token: int
    lemma: str
    upos: str
    relation: str
    features: dict[str, str]
    children: list[_Word]

    def dependents(self, *relations: str) -> list[_Word]:
        """The dependents with one of the relations, including subtypes."""
        return [word for word in self.children if word.relation.split(":")[0] in relations]

    @property
    def finite(self) -> bool:
        """A finite verb, or a past participle in a language where it is the past tense."""
        form = self.features.get("VerbForm")
        past = self.features.get("Tense") == "Past" and self.features.get("Voice") == "Act"
        return self.upos in ("VERB", "AUX") and (form == "Fin" or (form == "Part" and past))


def insert_zeros(corpus: Corpus) -> Corpus:
    """The corpus with the zero subjects that the rules find as its only empty nodes."""
    corpus = without_empty_nodes(corpus)
    tokens = corpus.tokens
    assert tokens is not None
    found = [(word.token, _features(word)) for word in _words(tokens) if _has_zero(word)]
    places = np.array([token for token, _ in found], np.int64)
    moved = np.arange(len(tokens)) + np.searchsorted(places, np.arange(len(tokens)), side="right")
    inserted = _inserted(tokens, places, [features for _, features in found])
    return renumber(corpus, inserted, TokenMap.of(moved), fill=True)[0]


def _words(tokens: Tokens) -> list[_Word]:
    """All words, linked to their dependents."""
    above = parents(tokens)
    if above is None or not {"feats", "deprel"} <= tokens.layers.keys():
        raise UsageError(
            "zeros cannot be detected: the documents have no features and dependencies",
            remedy="Give CoNLL-U files with FEATS, HEAD and DEPREL, or leave out --detect-zeros.",
        )
    blank = Strings.blank(len(tokens))
    columns = (tokens.layers.get(name, blank) for name in ("lemma", "upos", "deprel", "feats"))
    words = []
    for token, (lemma, upos, relation, cell) in enumerate(zip(*columns, strict=True)):
        features = dict(part.split("=", 1) for part in cell.split("|") if "=" in part)
        words.append(_Word(token, lemma, upos, relation, features, []))
    for token, parent in enumerate(above.tolist()):
        if parent >= 0:
            words[parent].children.append(words[token])
    return words


def _has_zero(word: _Word) -> bool:
    """True for predicates with a zero subject."""
    verb = _verb(word)
    return verb is not None and not _has_no_zero(word, verb)


def _verb(word: _Word) -> _Word | None:
    """The finite word of a predicate; None if the word is no predicate."""
    for helper in word.dependents("aux", "cop"):
        if helper.finite:
            return helper
    attributive = word.relation.split(":")[0] in ("amod", "acl")
    participle = attributive and word.features.get("VerbForm") == "Part"
    helps = word.relation.split(":")[0] in ("aux", "cop")
    return word if word.finite and not helps and not participle else None


def _has_no_zero(word: _Word, verb: _Word) -> bool:
    """True for predicates with a subject, and for those that cannot have one."""
    features = {**word.features, **verb.features}
    reflexive = [one for one in word.dependents("expl") if one.relation != "expl"]
    third = features.get("Person", "3") == "3" and features.get("Number", "Sing") == "Sing"
    neuter = third and features.get("Gender") not in ("Masc", "Fem")
    copula = word.dependents("cop")
    negated = any(one.features.get("Polarity") == "Neg" for one in word.children)
    genitive = any(one.features.get("Case") == "Gen" for one in word.dependents("obj", "nmod"))
    return bool(
        word.dependents("nsubj", "csubj")
        or features.get("Person") == "0"
        or features.get("VerbType") == "Quasi"
        or any(one.relation in ("expl", "expl:impers", "expl:pass") for one in word.children)
        # Hungarian's imperative is a subjunctive: only its second person has no zero.
        or (features.get("Mood") == "Imp" and features.get("Person", "2") == "2")
        or (copula and any(one.lemma == "to" for one in word.children))
        or (neuter and word.lemma in SUBJECTLESS)
        or (neuter and reflexive and word.dependents("ccomp", "xcomp"))
        or (features.get("Gender") == "Neut" and features.get("Tense") == "Past" and reflexive)
        or (third and copula and word.upos == "ADV")
        or (third and negated and genitive and verb.lemma in ("mieć", "być"))
    )


def _features(word: _Word) -> str:
    """The features of the zero subject of a predicate."""
    verb = _verb(word)
    assert verb is not None
    given = {"Case": "Nom", "Person": "3"}
    # The verb's own features first; an auxiliary or clitic that has a person gives it.
    for source in (word, verb, *word.dependents("aux")):
        given |= {name: source.features[name] for name in _INHERITED if name in source.features}
    return "|".join(f"{name}={value}" for name, value in sorted(given.items()))


def _inserted(tokens: Tokens, places: IntArray, features: list[str]) -> Tokens:
    """Tokens with an empty node before each place."""
    order = np.argsort(np.concatenate([2 * np.arange(len(tokens)) + 1, 2 * places]), kind="stable")
    first = tokens.sentences[tokens.sentence_of(places)]
    nodes = {
        "words": ["_"] * len(places),
        "lemma": ["_"] * len(places),
        "upos": ["PRON"] * len(places),
        "feats": features,
        "deps": [f"{number}:nsubj" for number in (places - first + 1).tolist()],
    }
    offsets, sentences = (
        starts + np.searchsorted(places, starts) for starts in (tokens.offsets, tokens.sentences)
    )
    return insert_nodes(
        tokens,
        order,
        {name: Strings.from_list(column) for name, column in nodes.items()},
        places,
        None if tokens.text is None else tokens.text.begins[places],
        (offsets, sentences),
    )
