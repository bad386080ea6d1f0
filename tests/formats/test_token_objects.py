"""JSON dialects whose sentences or tokens are objects: CoreNLP, coref-data, Friends."""

from __future__ import annotations

import json
from typing import Any

import pytest

from corefine.corpus.columns import Kind
from tests.building.format_files import json_lines, parse, place_of_error

CORENLP: dict[str, Any] = {
    "docId": "x.txt",
    "sentences": [
        {
            "index": 0,
            "basicDependencies": [{"dep": "ROOT", "governor": 0, "dependent": 2}],
            "tokens": [
                {"index": 1, "word": "Anna", "originalText": "Anna", "pos": "NNP"},
                {"index": 2, "word": "saw", "pos": "VBD"},
                {"index": 3, "word": "-LRB-", "originalText": "("},
            ],
        },
        {"index": 1, "tokens": [{"index": 1, "word": "her"}, {"index": 2, "word": "house"}]},
    ],
    "corefs": {
        "7": [
            {"id": 0, "type": "PROPER", "startIndex": 1, "endIndex": 2, "headIndex": 1,
             "sentNum": 1, "position": [1, 1]},
            {"id": 2, "type": "PRONOMINAL", "startIndex": 1, "endIndex": 2, "headIndex": 1,
             "sentNum": 2},
        ],
        "9": [{"type": "NOMINAL", "startIndex": 1, "endIndex": 3, "headIndex": 2, "sentNum": 2}],
    },
}  # fmt: skip
COREF_DATA: dict[str, Any] = {
    "id": "x",
    "sentences": [
        {
            "id": 1,
            "speaker": None,
            "tokens": [
                {"id": 1, "text": "Anna", "lemma": "Anna", "upos": "PROPN", "xpos": None},
                {"id": 2, "text": "slept", "lemma": "sleep", "upos": "VERB", "head": 0},
            ],
        },
        {
            "id": 2,
            "tokens": [
                {"id": 1.0, "text": "She"},
                {"id": 1.1, "text": "_"},
                {"id": 2, "text": "woke"},
            ],
        },
    ],
    "coref_chains": [[[0, 0, 0], [1, 0, 0]], [[1, 1, 2]]],
}


def test_corenlp() -> None:
    document = parse(json.dumps(CORENLP, indent=2).encode())[0]
    assert (document.name, document.starts) == ("x", [0, 3])
    assert document.tokens == ["Anna", "saw", "(", "her", "house"]
    assert [(m.entity, m.spans, m.head, m.kind) for m in document.mentions] == [
        ("7", [(0, 1)], 0, Kind.NAME),
        ("7", [(3, 4)], 3, Kind.PRONOUN),
        ("9", [(3, 5)], 4, Kind.NOMINAL),
    ]
    assert document.layers == {"pos": ["NNP", "VBD", "", "", ""]}


def test_coref_data() -> None:
    corpus = parse(json_lines(COREF_DATA))
    assert corpus.to_dict(ends="inclusive") == {"x": [[(0, 0), (2, 2)], [(3, 4)]]}
    assert corpus[0].empty_nodes == [3]
    assert corpus[0].layers["upos"] == ["PROPN", "VERB", "", "", ""]


def scene(number: int, *utterances: dict[str, object]) -> dict[str, object]:
    return {"scene_id": f"s01_e01_c0{number}", "utterances": utterances}


WRONG_SCENE = scene(1, {"tokens": [["He"]], "character_entities": [[[0, 2, "Joey"]]]})


@pytest.mark.parametrize(
    "record",
    [
        *(CORENLP | {"corefs": {"7": [CORENLP["corefs"]["7"][0] | change]}} for change in (
            {"sentNum": 0}, {"sentNum": 3}, {"startIndex": 0}, {"endIndex": 1}, {"endIndex": 5},
            {"endIndex": "2"},
        )),
        *(COREF_DATA | {"coref_chains": [[span]]} for span in ([0, 1, 2], [2, 0, 0], [0, 1, 0])),
        {"episodes": [{"scenes": [WRONG_SCENE]}]},
    ],
)  # fmt: skip
def test_mentions_outside_of_the_text_are_refused(record: dict[str, Any]) -> None:
    assert place_of_error(parse, json_lines(record)) == "x:1"


def test_characters_of_friends_are_entities_of_all_scenes() -> None:
    first = scene(
        1,
        {
            "speakers": ["Ross Geller"],
            "tokens": [["Hi"], ["I", "saw", "them"]],
            "character_entities": [[], [[0, 1, "Ross"], [2, 3, "Joey", "Monica"]]],
        },
        {"speakers": [], "tokens": [["Joey", "!"]], "character_entities": [[[0, 1, "Joey"]]]},
    )
    second = scene(2, {"tokens": [["He"]], "character_entities": [[[0, 1, "Joey"]]]})
    record = {"season_id": "s01", "episodes": [{"scenes": [first, second]}]}
    corpus = parse(json_lines(record))
    assert corpus.documents == ("s01_e01_c01", "s01_e01_c02")
    assert {str(entity) for entity in corpus[0].entities} == {"Ross", "Joey & Monica", "Joey"}
    assert corpus[0].starts == [0, 1, 4]
    assert corpus[0].layers["speaker"] == ["Ross Geller"] * 4 + [""] * 2
