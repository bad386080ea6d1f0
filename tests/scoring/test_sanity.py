"""Checks before the number: accidents are named, each by its check, and healthy pairs by none."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import corefine
from corefine.cli import main
from corefine.errors import NOTES, code_of
from corefine.integrations.task import CoreferenceTask, corpus_scores
from corefine.matching.matching import Evidence
from corefine.metrics import registered
from corefine.scoring.sanity import CHECKS
from tests.building import accidents as make
from tests.building.accidents import Pair, Text, documents, shifted
from tests.building.partitions import corpora

PAIR = Pair.healthy()
CODES = {check.code for check in CHECKS}
METRICS = [metric() for metric in registered()]


def changed(change: Callable[[Text], Text]) -> Pair:
    return PAIR.responses(change)


def moved(start: int, end: int) -> Pair:
    return changed(shifted(start, end))


def written(start: int, end: int) -> Pair:
    """Shifted within the text, since readers refuse spans outside of it."""
    return moved(start, end).responses(make.in_text)


def with_response(response: list[Text]) -> Pair:
    return replace(PAIR, response=response)


def emptied(one: Text) -> Text:
    return replace(one, clusters=[])


def rotated() -> Pair:
    names = [one.name for one in PAIR.response]
    texts = [*PAIR.response[1:], PAIR.response[0]]
    return with_response([replace(one, name=name) for one, name in zip(texts, names, strict=True)])


def halved(one: Text) -> Text:
    """Gold mentions in other entities."""
    halves = [part for cluster in one.clusters for part in (cluster[::2], cluster[1::2]) if part]
    return replace(one, clusters=halves)


def quoted(folder: Path, once: bool = False, backwards: bool = False) -> list[Any]:
    lines = [json.dumps(make.strings(one, once, backwards)) for one in PAIR.response]
    answers = folder / "answers.jsonl"
    answers.write_text("\n".join(lines) + "\n", "utf-8")
    return [make.written(folder / "key.conll", PAIR.key), answers]


def on_the_command_line(folder: Path, *paths: Any) -> Any:
    """The scores that a command stores."""
    stored = folder / "scores.json"
    assert main(["score", *map(str, paths), "--save", str(stored)]) == 0
    return corefine.load_scores(stored)


def nameless(side: list[Text]) -> list[dict[str, Any]]:
    return [
        {name: value for name, value in make.maverick(one).items() if name != "doc_key"}
        for one in side
    ]


WAYS: dict[str, Callable[[Pair, Path], Any]] = {
    "dicts": lambda pair, _: pair.lists(),
    "Evaluator": lambda pair, _: pair.evaluator(),
    "e2e": lambda pair, _: pair.records(),
    "Maverick": lambda pair, _: pair.maverick(),
    "CoNLL": lambda pair, t: on_the_command_line(t, *pair.conll(t)),
    "JSON lines": lambda pair, t: on_the_command_line(t, *pair.jsonlines(t)),
    # The key from a file with its text, the response as spans.
    "file": lambda pair, t: corefine.score(
        make.written(t / "key.conll", pair.key), documents(pair.response)
    ),
}
GUESSED = with_response(make.from_file_start(PAIR.response))
FEW = with_response(make.from_file_start(changed(make.weak).response))
CHANGES: list[tuple[str, str, Pair, str]] = [
    # 1: singletons on one side
    ("singletons", "none", changed(make.without_singletons), "dicts,Evaluator,CoNLL,Maverick"),
    ("singletons", "none in the key", PAIR.keys(make.without_singletons), "e2e"),
    # 2: ends off by one
    ("off-by-one", "exclusive ends", moved(0, 1), "dicts,Evaluator"),
    ("off-by-one", "exclusive ends in the text", written(0, 1), "e2e,Maverick,JSON lines"),
    ("off-by-one", "inclusive ends", moved(0, -1), "file"),
    ("off-by-one", "starts from 1", moved(1, 0), "dicts"),
    ("off-by-one", "three documents", Pair(PAIR.key[:3], moved(0, 1).response[:3]), "dicts"),
    ("off-by-one", "few mentions", changed(make.weak).responses(shifted(0, 1)), "dicts"),
    # 3: other positions
    ("shifted", "[CLS]", moved(1, 1), "dicts,Evaluator"),
    ("shifted", "a title less", written(-5, -5), "JSON lines"),
    ("shifted", "[CLS] and exclusive ends", moved(1, 2), "dicts"),
    ("document-offsets", "from the file's start", GUESSED, "dicts,file"),
    ("document-offsets", "from the file's start, few mentions", FEW, "dicts"),
    ("sentence-offsets", "", changed(make.from_sentence), "dicts,Evaluator,e2e,Maverick,file"),
    ("characters", "", changed(make.in_characters), "dicts,file"),
    ("characters", "in the key", PAIR.keys(make.in_characters), "dicts"),
    ("other-tokens", "subwords", changed(make.in_subwords), "Evaluator,file"),
    ("other-tokens", "punctuation not counted", changed(make.without_punctuation), "dicts"),
    ("other-tokens", "drifting", changed(make.with_separators), "dicts,file"),
    ("other-tokens", "drifting in the text",
     changed(make.with_separators).responses(make.in_text), "e2e"),
    ("other-tokens", "punctuation not counted, in the text",
     changed(make.without_punctuation).responses(make.in_text), "Maverick"),
    # 4: wrong files
    ("document-order", "rotated", rotated(), "dicts"),
    ("document-order", "backwards", with_response(PAIR.response[::-1]), "Evaluator"),
    ("identical", "the key as a response", with_response(PAIR.key), "dicts"),
    ("repeats-key", "in part", with_response(PAIR.key[:2] + PAIR.response[2:]), "dicts"),
    # 5: metrics that do not apply
    ("not-applicable", "singletons", changed(make.unlinked).keys(make.unlinked), "dicts"),
    # 6: degenerate responses
    ("nothing-linked", "", changed(make.unlinked), "dicts,CoNLL"),
    ("one-entity", "", changed(make.merged), "Evaluator"),
    ("silent-documents", "all but one",
     with_response([PAIR.response[0], *map(emptied, PAIR.response[1:])]), "dicts"),
    ("silent-documents", "all of 20 but one",
     Pair.healthy(documents=20).responses(lambda one: one if one.name == "d0" else emptied(one)),
     "dicts"),
    ("truncated", "after 45% of the words", changed(make.cut), "CoNLL"),
    ("truncated", "no singletons in the key",
     changed(make.cut).keys(make.without_singletons), "dicts"),
    ("empty-response", "", changed(emptied), "dicts"),
    # 7: gold mentions
    ("gold-mentions", "", with_response(list(map(halved, PAIR.key))), "dicts"),
]  # fmt: skip
ACCIDENTS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    f"{code} {what} {way}": (code, partial(WAYS[way], pair))
    for code, what, pair, ways in CHANGES
    for way in ways.split(",")
} | {
    "the same file": ("identical", lambda t: on_the_command_line(t, *[PAIR.conll(t)[0]] * 2)),
    "swapped files": ("swapped-sides", lambda t: on_the_command_line(t, *PAIR.conll(t)[::-1])),
    "swapped folders": (
        "swapped-sides", lambda t: corefine.score(*PAIR.conll(t, "pred/dev", "gold/dev"))),
    "no ids": (
        "paired-in-order",
        lambda _: corefine.score(list(map(make.maverick, PAIR.key)), nameless(PAIR.response))),
    "documents are missing": (
        "missing-documents",
        lambda _: replace(PAIR, response=PAIR.response[:4]).lists(missing_documents="count")),
    "PARENT without kinds": ("unknown-kinds", lambda _: PAIR.lists(metrics="mentions,parent")),
    "LMUC without kinds": ("unknown-kinds", lambda _: PAIR.lists(metrics="mentions,lmuc")),
    "each string once": ("strings-once", lambda t: corefine.score(*quoted(t, once=True))),
    "strings in another order": (
        "strings-order", lambda t: corefine.score(*quoted(t, backwards=True))),
}  # fmt: skip


@pytest.mark.parametrize("name", ACCIDENTS)
def test_an_accident_is_named_by_its_check_alone(name, tmp_path, monkeypatch):
    """No check changes a number."""
    code, score = ACCIDENTS[name]
    found = score(tmp_path)
    assert [one for one in map(code_of, found.warnings) if one in CODES] == [code]
    (text,) = [one for one in found.warnings if code_of(one) == code]
    assert any(sign.isdigit() for sign in text) or code in ("swapped-sides", "paired-in-order",
                                                            "empty-response",
                                                            "not-applicable")  # fmt: skip
    monkeypatch.setattr("corefine.scoring.count.gather", lambda *_: Evidence())
    monkeypatch.setattr("corefine.scoring.count.findings", lambda counts, others: ())
    without = score(tmp_path)
    assert without.warnings == ()
    assert without.by_name == found.by_name
    assert str(without.signature) == str(found.signature)


def test_many_accidents_in_many_formats_are_tried():
    assert len(ACCIDENTS) >= 40
    tried = {code for code, _ in ACCIDENTS.values()}
    tested_elsewhere = {"empty-key", "no-match", "few-matches", "extra-documents",
                        "failed-documents", "duplicate-mention", "sampled-key"}  # fmt: skip
    assert tried | tested_elsewhere == CODES


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("form", WAYS)
def test_healthy_pairs_raise_nothing(form, seed, tmp_path):
    pair = Pair.healthy(seed + 1, documents=seed + 2)
    assert WAYS[form](pair, tmp_path).warnings == ()


SAMPLES = Path(corefine.__file__).parent / "formats" / "sample"


@pytest.mark.parametrize("response", ["careful", "eager", "balanced"])
def test_samples_raise_nothing(response):
    assert corefine.score(SAMPLES / "key.conll", SAMPLES / f"{response}.conll").warnings == ()


@pytest.mark.data
def test_real_pairs_raise_nothing_but_what_is_known(data):
    known = {"dutchcoref-nosingletons": ["singletons"], "OURS-stringmatch": ["gold-mentions"]}
    files = [*data.files("*/*.conll"), *data.files("*/*.conllu")]
    pairs = [(path.with_name(f"key{path.suffix}"), path) for path in files]
    pairs = [(key, one) for key, one in pairs if key.exists() and not one.stem.startswith("key")]
    for key, path in pairs:
        scores = corefine.score(key, path)
        assert list(map(code_of, scores.warnings)) == known.get(path.stem, []), path
    assert len(pairs) >= 20


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "code"),
    [
        *{
            "sieve": "gold-mentions",
            "singletons": "nothing-linked",
            "one-entity": "one-entity",
        }.items()
    ],
)
def test_resolvers_of_gold_mentions_get_the_note_and_baselines_are_named(data, system, code):
    pytest.importorskip("skops", reason="the extra resolve is not installed")
    from corefine.resolving import apply

    key = corefine.read(data / "gum" / "key.conllu")
    assert list(map(code_of, corefine.score(key, apply(system, key)).warnings)) == [code]


@pytest.mark.parametrize("seed", range(10))
def test_suites_of_healthy_pairs_raise_nothing(seed, tmp_path):
    """Two data sets each, in CoNLL files."""
    folders = tmp_path / "key", tmp_path / "response"
    for number in range(2):
        files = Pair.healthy(10 * seed + number + 1, documents=3).conll(tmp_path)
        for folder, file in zip(folders, files, strict=True):
            folder.mkdir(exist_ok=True)
            (folder / f"{number}.conll").write_bytes(Path(file).read_bytes())
    assert corefine.score_suite(*folders, jobs=1).warnings == ()


@pytest.mark.parametrize(("equal", "named"), [(2, False), (6, True)])
def test_gold_mentions_are_equal_in_some_documents_by_chance(equal, named):
    """A response on gold mentions repeats the key if it equals half of the documents."""
    entities = [
        [(2 * number, 2 * number + 1) for number in range(first, 24, 6)] for first in range(6)
    ]
    merged = [[*entities[0], *entities[1]], *entities[2:]]
    key = {str(number): entities for number in range(10)}
    response = {str(number): entities if number < equal else merged for number in range(10)}
    assert ("repeats-key" in map(code_of, corefine.score(key, response).warnings)) == named


@pytest.mark.parametrize("metrics", ["default", "lea", "mentions,b3", "lb3"])
@pytest.mark.parametrize("options", [{}, {"words": "ignore"}, {"twinless": "cai-strube"}])
def test_the_number_under_the_option_is_that_of_score(metrics, options):
    pair = changed(make.without_singletons)
    sides = list(map(make.e2e, pair.key)), list(map(make.e2e, pair.response))
    scores = corefine.score(*sides, metrics, **options)
    (warning,) = [one for one in scores.warnings if code_of(one) == "singletons"]
    then = corefine.score(*sides, metrics, singletons="drop", **options)
    name = "conll" if metrics == "default" else metrics.split(",")[-1]
    assert f"is {100 * scores[name].f1:.2f}, " in warning
    assert warning.endswith(f"{100 * then[name].f1:.2f}")
    without = corefine.score(*sides, "muc", **options).warnings  # it ignores singletons
    assert "singletons" not in map(code_of, without)


# --- the same everywhere --------------------------------------------------------------------------


def test_checks_of_saved_results_are_those_of_scores(tmp_path):
    """All other functions are tried by the tests of warnings."""
    unlinked, healthy = changed(make.unlinked).conll(tmp_path), PAIR.conll(tmp_path, "key", "rules")
    saved = [tmp_path / "a.json", tmp_path / "b.json"]
    for sides, path in zip((unlinked, healthy), saved, strict=True):
        corefine.score(*sides).save(path)
    for result in (corefine.gate(unlinked[0], unlinked[1], saved[0]), corefine.leaderboard(saved)):
        assert "nothing-linked" in map(code_of, result.warnings)


def test_the_report_says_what_to_distrust(tmp_path):
    page = corefine.report(*changed(make.unlinked).conll(tmp_path)).html
    assert "the response links nothing" in page


def test_a_task_is_judged_once_by_all_its_answers(tmp_path):
    key = list(map(make.e2e, PAIR.key))
    task = CoreferenceTask(key)
    answers = []
    for one in changed(make.unlinked).response:
        words = [
            f"[{word}](#{place})" if word == "Anna" else word
            for place, word in enumerate(one.words)
        ]
        answers.append(task.count(one.name, " ".join(words)))
    assert not any("nothing-linked" in dict(record["warnings"]) for record in answers)
    scores = corpus_scores(answers)
    assert [code_of(one) for one in scores.warnings if code_of(one) in CODES] == ["nothing-linked"]


def test_parts_are_judged_together():
    """One by one, in several evaluators or at once: the same checks fire."""
    pair = moved(0, 1)
    whole = pair.evaluator().warnings
    parts = corefine.Evaluator()
    parts.window = 1
    for ours, theirs in zip(pair.key, pair.response, strict=True):
        parts.update(ours.clusters, theirs.clusters)
    assert parts.compute().warnings == whole


def test_three_lines_are_shown(tmp_path, capsys):
    pair = changed(make.unlinked)
    response = [pair.response[0], *map(emptied, pair.response[1:])]
    paths = replace(pair, response=response).conll(tmp_path, "xrenner", "key")
    assert main(["score", *paths, "--metrics", "conll,lmuc,parent"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4
    assert "was read as the key" in lines[0]
    assert lines[-1] == "corefine: warning: and 1 more warning"


def test_a_note_is_no_warning(tmp_path, capsys, recwarn):
    pair = with_response(list(map(halved, PAIR.key)))
    assert main(["score", *pair.conll(tmp_path)]) == 0
    assert "corefine: note: all 289 mentions match" in capsys.readouterr().err
    scores = pair.lists()
    assert {"gold-mentions"} == set(map(code_of, scores.warnings)) <= NOTES
    assert not [one for one in recwarn if one.category is corefine.CorefineWarning]
    assert {check.code for check in CHECKS if check.note} == NOTES


# --- laws -----------------------------------------------------------------------------------------


@settings(max_examples=30)
@given(sides=corpora())
def test_a_corpus_against_itself_is_perfect_or_a_reason_is_given(sides):
    """For every metric; mentions are numbers, and become spans."""
    key = {
        name: [[(m, m + 1) for m in entity] for entity in entities]
        for name, entities in sides[0].items()
    }
    scores = corefine.score(key, key, METRICS)
    named = {
        metric
        for one in scores.warnings
        if code_of(one) in ("not-applicable", "unknown-kinds", "empty-key")
        for metric in scores
        if metric in one or code_of(one) == "empty-key"
    }
    low = {name for name, one in scores.by_name.items() if one.f1 < 1 - 1e-9}
    assert low <= named


def test_two_singletons_say_why_the_mean_is_66():
    scores = corefine.score([["a"], ["b"]], [["a"], ["b"]])
    assert scores["conll"].f1 == pytest.approx(2 / 3)
    (warning,) = scores.warnings
    assert warning == (
        "muc has nothing to count, since there are no links: 0/0, shown as –, and 0 in the mean "
        "of conll"
    )


@pytest.mark.parametrize("seed", range(20))
def test_random_responses_are_not_explained_by_other_positions(seed):
    """Few mentions match by chance, and no shift is named."""
    draw = random.Random(seed)
    pair = Pair.healthy(seed, documents=3)

    def scattered(one: Text) -> Text:
        def move(_: make.Span) -> make.Span:
            start = draw.randrange(len(one.words) - 3)
            return start, start + draw.randint(1, 3)

        return one.moved(move)

    found = set(map(code_of, pair.responses(scattered).lists().warnings))
    assert found <= {"few-matches", "no-match", "duplicate-mention"}


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 10**30), (5, 6)],
        [(-5, -3), (-1, 4)],
        [(2**62, 2**62 + 1), (3, 4)],
        [(0.5, 2.5), (3, 4)],
        [(1, 2, 3), (4, 5, 6)],
        [tuple(np.array([7, 8])), (4, 5)],
    ],
)
def test_odd_positions_are_no_accident_of_the_checks(spans):
    scores = corefine.score([[(0, 1), (2, 3)], [(7, 8)]], [spans])
    assert set(map(code_of, scores.warnings)) <= {"no-match", "not-applicable", "one-entity"}
