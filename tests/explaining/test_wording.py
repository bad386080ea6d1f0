"""Errors in words, and what entities are called."""

from __future__ import annotations

import corefine
from corefine.corpus.columns import Kind
from corefine.explaining.naming import naming_mentions
from tests.building.explained_corpora import corpus_of
from tests.explaining.test_errors import KEY, KINDS, RESPONSE, STORY


def test_every_type_is_told_in_words():
    key, response = (corpus_of([(STORY, entities)], [KINDS]) for entities in (KEY, RESPONSE))
    explanation = corefine.explain(key, response, "lea")
    told = {str(e.type): explanation.errors.in_words(e) for e in explanation.errors}
    assert told == {
        "span error": "“The old painter” found as “old painter”",
        "merged entities": "“Tomas” and 1 more merged with “Rome”",
        "split entity": "“Marta” split off “Marta Reyes”",
        "extra mention": "“It” wrongly added to “Rome”",
        "extra entity": "“a cat” not an entity of the key",
        "missing mention": "“her” missing from “Marta Reyes”",
        "missing entity": "“A dog” missing (2 mentions)",
    }


def test_an_entity_is_called_by_its_name_then_nominal_then_pronoun():
    words = "He was an undistinguished student ; Byron wrote ; Lord Byron left ; Byron came ; it"
    places = words.split()
    byron = [at for at, word in enumerate(places) if word == "Byron"]
    entity = [(0, 0), (2, 4), *((at, at) for at in byron[::2]), (byron[1] - 1, byron[1])]
    text = [places]
    corpus = corpus_of([(text, [entity, [(0, 0), (2, 4)][:1], [(len(places) - 1,) * 2]])])
    # Mention kinds are not given: they are guessed by the words.
    names = [corpus.text_of(int(mention)) for mention in naming_mentions(corpus)]
    assert names == ["Byron", "He", "it"]
    kinds = {(0, 0): Kind.PRONOUN, (2, 4): Kind.NOMINAL}
    told = corpus_of([(text, [[(0, 0), (2, 4)]])], [kinds])
    assert told.text_of(int(naming_mentions(told)[0])) == "an undistinguished student"
