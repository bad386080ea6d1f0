"""Scoring as other scorers do: what each printed on the documents that tell them apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.corpus.corpus import Corpus
from corefine.formats import Source, format_named
from corefine.formats import conll as conll_format
from corefine.formats import conllu as conllu_format
from corefine.scoring.count import Counts, count
from corefine.scoring.scorers import SCORERS
from corefine.scoring.scorers.emulation import request_as
from corefine.scoring.scorers.profile import ScorerProfile, profile_named
from corefine.scoring.scorers.why_differs import differences_grid, why_differs
from tests.building.refusals import refused
from tests.conftest import load_cases

PROFILES = {name: profile_named(name) for name in SCORERS}
REPEATING = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=5), max_size=5)


def count_as(
    key: Corpus, response: Corpus, profile: ScorerProfile, settings: dict[str, Any] | None = None
) -> Counts:
    return count(key, response, request_as(profile, settings=settings))


@pytest.mark.parametrize("case", load_cases("tools"), ids=lambda case: case["name"])
@pytest.mark.parametrize("tool", list(PROFILES))
def test_every_value_that_a_tool_printed_is_reproduced(case, tool):
    if tool == "ua" and case["name"].startswith("crossing spans vs"):
        pytest.skip("brackets that cross are read otherwise: see the test of last_opened")
    if tool not in case["tools"]:
        pytest.skip(f"{tool} printed nothing for this document")
    plain: dict[str, Any] = {"match": "exact", "singletons": "keep"}
    scores = count_as(
        Corpus.from_entities(case["key"]),
        Corpus.from_entities(case["response"]),
        PROFILES[tool],
        settings=plain,
    ).scores()
    for metric, printed in case["tools"][tool].items():
        tolerance = 1e-9 if PROFILES[tool].truncates else 0.005001
        assert 100 * scores[metric].f1 == pytest.approx(printed, abs=tolerance), metric


@pytest.mark.parametrize("tool", PROFILES.values(), ids=lambda tool: tool.name)
@given(key=REPEATING, response=REPEATING)
def test_the_steps_lead_from_our_numbers_to_the_tools(tool, key, response):
    if tool.settings.match != "exact":
        tool = PROFILES["coval"]
    ours, theirs = Corpus.from_entities(key), Corpus.from_entities(response)
    known = {mention for entity in key for mention in entity}
    found = [mention for entity in response for mention in entity if mention in known]
    if tool.name == "perl-8.01" and len(found) - len(set(found)) > 10:
        with refused("usage"):
            count_as(ours, theirs, tool)
        return
    why = why_differs(ours, theirs, tool.name)
    steps = why.steps
    scores = corefine.score(key, response)
    last = count_as(ours, theirs, tool).scores()
    for name in last.metrics:
        assert steps[0].scores[name].f1 == pytest.approx(scores[name].f1, abs=1e-12)
        total = steps[0].scores[name].f1 + sum(step.moved[name] for step in steps)
        assert total == pytest.approx(last[name].f1, abs=1e-12)
    grid = differences_grid(why)
    shown = [f"+ {step.convention}" for step in steps if step.changes]
    assert [row[0] for row in grid.rows] == ["corefine", *shown, why.tool]
    for row, step in ((grid.rows[0], steps[0]), (grid.rows[-1], steps[-1])):
        assert list(row[1:]) == [step.scores[name].f1 for name in steps[0].scores]
    assert bool(grid.notes) == (len(shown) < len(steps) - 1)


def two_files(folder: Path, key: str, response: str) -> tuple[str, str]:
    """A document in CoNLL a side, given by the cells of its tokens."""
    for name, cells in (("key.conll", key), ("response.conll", response)):
        rows = [f"a 0 {n} w{n} {cell}" for n, cell in enumerate(cells.split())]
        (folder / name).write_text("\n".join(["#begin document (a)", *rows, "", "#end document"]))
    return str(folder / "key.conll"), str(folder / "response.conll")


REPEATED = "|".join(["(2)"] * 12)
DROP = {"singletons": "drop"}
FILES: dict[str, tuple[str, str, list[tuple[dict[str, Any], str, float]]]] = {
    "Perl cuts where others round": (
        "(1) (1) (1)", "(1) (1) -",
        [({"scorer": "perl-8.01"}, "muc f1", 0.6666), ({}, "muc f1", 2 / 3)],
    ),
    "Perl loses the last bit of CEAFe before it cuts: 1 − (1 − 1/5) is a little less than 1/5": (
        "(1) " * 5 + "- " * 4, "- " * 4 + "(1) " * 5,
        [({"scorer": "perl-8.01"}, "ceafe f1", 0.1999), ({"scorer": "coval"}, "ceafe f1", 1 / 5)],
    ),
    "Perl meets entities where they open: 7 first, though 8 is complete first": (
        "- (1) - (1)", "(7 (8)|(7) 7) (8)",
        [({"scorer": "perl-8.01"}, "muc f1", 0), ({"scorer": "perl-8.01"}, "b3 recall", 1 / 2),
         ({"scorer": "perl-8.01"}, "b3 precision", 1 / 2)],
    ),
    "Perl keeps repeats of a mention that the key lacks: 2/14, cut": (
        "(1) (1) -", f"(1) (1) {REPEATED}", [({"scorer": "perl-8.01"}, "b3 precision", 0.1428)],
    ),
    "coval finds a mention of two entities in the one that the file opens last": (
        "(1 1) (1)", "(1|(2 1)|2) (1)",
        [({"scorer": "coval"}, "muc recall", 0), ({"scorer": "coval"}, "muc precision", 1)],
    ),
    "an entity that repeats its mention is no singleton to coval": (
        "(1)|(1)", "(1)|(1)", [({"scorer": "coval", **DROP}, "muc f1", 1), (DROP, "muc f1", 0)],
    ),
    "settings override those of a profile": (
        "(1) (1) (2)", "(1) (1) (3)", [({"scorer": "coval", **DROP}, "ceafe f1", 1)],
    ),
    "brackets that cross have ids in CoNLL, also for the Universal Anaphora scorer": (
        "(1 (2 1) 2) (1) (2)", "(1 (2 2) 1) (1) (2)",
        [({}, "b3 f1", 0.25), ({"scorer": "ua"}, "b3 f1", 0.25)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FILES)
def test_files_that_scorers_count_in_different_ways(tmp_path, case):
    key, response, expected = FILES[case]
    files = two_files(tmp_path, key, response)
    for options, where, value in expected:
        metric, number = where.split()
        scores = corefine.score(*files, metric, **options).to_dict()
        assert scores["scores"][metric][number] == pytest.approx(value, abs=1e-12), (options, where)


def test_steps_keep_a_repeated_mention_where_scoring_does(tmp_path: Path) -> None:
    # Entity 1 is met first, but the second token is given to entity 2 first.
    files = two_files(tmp_path, "- (1) (1)", "(1) (2)|(1) (2)")
    assert corefine.score(*files, "muc")["muc"].f1 == 1
    for tool in ("perl-8.01", "coval", "e2e"):
        assert why_differs(files[0], files[1], tool).steps[0].scores["muc"].f1 == 1, tool


@pytest.mark.parametrize(
    ("response", "options"),
    [
        ("(1)", {"scorer": "e2e", "metrics": "lea"}),
        (REPEATED, {"scorer": "perl-8.01"}),
        *(
            ("(1)", {"scorer": "coval", **option})
            for option in (
                {"duplicates": "error"}, {"kinds": "guess"}, {"twinless": "drop"},
                {"window": 50}, {"preset": "crac24"}, {"by": "size"}, {"layer": "all"},
            )
        ),
    ],
)  # fmt: skip
def test_requests_that_a_profile_refuses(tmp_path, response, options):
    files = two_files(tmp_path, "(1) (2)", f"- {response}")
    with refused("usage"):
        corefine.score(*files, **options)


def test_missing_documents(tmp_path, capsys):
    files = two_files(tmp_path, "(1) (1)", "(1) (1)")
    with Path(files[0]).open("a") as key:
        key.write("\n#begin document (b)\nb 0 0 w (1)\nb 0 1 w (1)\n\n#end document\n")
    assert main(["score", *files, "--as", "coval"]) == 2
    assert "--missing-documents count" in capsys.readouterr().err
    scores = corefine.score(*files, "muc", scorer="coval", missing_documents="count")
    assert scores["muc"].recall == 1 / 2


def conllu(*lines: str, names: str = "eid-etype-head-other") -> Corpus:
    """Sentences of CoNLL-U; a line is a comment, or id, Entity (or _), dependencies and head."""
    rows = ["# newdoc id = d", f"# global.Entity = {names}"]
    for line in lines:
        if line.startswith("#"):
            rows += ["", line]
            continue
        number, entity, deps, head, *_ = [*line.split(), "_", "_"]
        misc = "_" if entity == "_" else f"Entity={entity}"
        rows.append("\t".join([number, "w", *"____", head, "_", deps, misc]))
    source = Source("x.conllu", content=("\n".join(rows) + "\n").encode())
    return conllu_format.read(source)


def as_corefud(key: Corpus, response: Corpus, metric: str, **settings: str) -> tuple[Any, Any]:
    scores = count_as(key, response, PROFILES["corefud"], settings=settings).scores()
    return scores[metric].precision, scores[metric].recall


def test_corefud_takes_a_repeated_mention_for_one_of_the_entity_that_begins_last():
    key = conllu("1 (b--1-)(a--1-", "2 a)", "3 (b--1-)", "4 (a--1-)")
    # Of the two that begin at the first word the longer one comes first, whatever the brackets say.
    response = conllu("1 (b--1-)(a--1-", "2 a)", "3 (a--1-)(b--1-)", "4 _")
    assert as_corefud(key, response, "muc", match="exact") == (1 / 2, 1 / 2)
    assert as_corefud(key, response, "b3", match="exact") == (3 / 4, 5 / 8)


def test_corefud_orders_entities_by_the_first_mention_of_their_id_in_the_whole_file():
    first = ("1 (a--1-)", "# newdoc id = e")
    key = conllu(*first, "1 (b--1-)", "2 (a--1-)", "3 (b--1-)", "4 _")
    response = conllu(*first, "1 (b--1-)", "2 (a--1-)", "3 (a--1-)(b--1-)", "4 _")
    # In the second document b begins first, but in the file a does: the third word is one of b.
    assert as_corefud(key, response, "muc", match="exact") == (1 / 2, 1)


def test_corefud_tells_the_same_words_with_other_heads_apart():
    key = conllu("1 (e--1-", "2 e)", "3 (e--1-)")
    response = conllu("1 (e--1-(e--2-", "2 e)e)", "3 _")
    assert as_corefud(key, response, "b3") == (1 / 4, 1 / 4)
    assert as_corefud(key, response, "b3", match="exact") == (0, 0)


def test_corefud_mixes_up_zeros_at_one_anothers_places():
    """The key's 1.1 is the response's 1.2, and its 2.1 is 1.1; as 1.1 it is sought at 2.1."""
    key = conllu("1 _", "1.1 (e--1-) 3:nsubj", "2 _", "2.1 (e--1-) 2:obj", "3 _")
    response = conllu("1 _", "1.1 (e--1-) 2:obj", "1.2 (e--1-) 3:nsubj", "2 _", "3 _")
    plain: dict[str, Any] = {"match": "head", "singletons": "drop"}
    assert corefine.score(key, response, **plain)["b3"].recall == 1
    assert as_corefud(key, response, "muc") == (1, 0)
    assert as_corefud(key, response, "b3") == (1, 1 / 4)
    assert as_corefud(key, response, "ceafe") == (1 / 2, 1 / 2)
    assert as_corefud(key, response, "b3", zeros="linear") == (1 / 4, 1 / 4)
    steps = why_differs(key, response, "corefud", "b3").steps
    assert [step.convention for step in steps if step.moved["b3"]] == [
        "zeros at the same position are confused"
    ]


def test_zeros_with_the_same_dependency():
    """The key's zero is matched with the earlier of two; corefud-scorer finds it at its place."""
    key = conllu("1 (e1--1-) 0:root 0", "1.1 (e1--1-) 1:obj")
    response = conllu("0.1 (e1--1-) 1:obj", "1 (e1--1-) 0:root 0", "1.1 (e1--1-) 1:obj")
    scores = corefine.score(key, response, "conll,b3,zero,mor", match="head", singletons="drop")
    # Its counterpart, 0.1, is the first of its entity. corefud-scorer: P = R = F = 1.
    assert (scores["zero"].precision, scores["zero"].recall) == (0, 0)
    assert scores["conll"].f1 == pytest.approx((2 / 3 + 8 / 13 + 4 / 5) / 3)
    # It seeks the key's zero at its own place first, and so do its profile and its presets.
    for options in ({"scorer": "corefud"}, {"preset": "crac25"}, {"preset": "crac23"}):
        other = corefine.score(key, response, **options)
        assert (other["zero"].precision, other["zero"].recall) == (1, 1)


def test_mention_overlap_counts_a_mention_of_two_entities_twice():
    """As corefud-scorer does; corefine keeps the first and warns."""
    key = conllu("1 (e1--1-)", "2 (e1--1-)", "3 (e1--1-)")
    response = conllu("1 (e1--1-)", "2 (e1--1-)(e2--1-)", "3 (e2--1-)")
    assert as_corefud(key, response, "mor") == (3 / 4, 1)
    assert as_corefud(key, response, "muc") == (1, 1 / 2)
    # Without the repeated mention e2 is a singleton; it is dropped after that.
    scores = corefine.score(key, response, "conll,b3,zero,mor", match="head", singletons="drop")
    assert (scores["mor"].recall, scores["mor"].precision) == (2 / 3, 1)
    assert any("is in two entities" in warning for warning in scores.warnings)
    lists = corefine.score([["a", "b"]], [["a"], ["b", "c"]], "mor", scorer="corefud")
    assert lists["mor"].recall == 1 / 2


def test_corefud_takes_the_first_word_where_no_head_is_known() -> None:
    names = "GRP-etype-infstat"
    key = conllu("1 (1", "2 1)", "3 (1)", names=names)
    response = conllu("1 (1)", "2 _", "3 (1)", names=names)
    assert as_corefud(key, response, "b3") == (1, 1)


def conll(*cells: str, words: str = "w") -> Corpus:
    rows = "".join(f"x 0 {number} {words} {cell}\n" for number, cell in enumerate(cells))
    source = Source("f.conll", content=f"#begin document (x); part 000\n{rows}".encode())
    return conll_format.read(source)


def json_lines(clusters: list[list[list[int]]]) -> Corpus:
    line = {"doc_key": "x", "sentences": [list("abcdef")], "clusters": clusters}
    source = Source("f.jsonl", content=json.dumps(line).encode())
    return format_named("e2e").corpus(source)


def test_e2e_takes_the_last_cluster_of_the_file():
    """Run there: its mapping from mentions to clusters is overwritten cluster by cluster."""
    key = json_lines([[[2, 2], [4, 4]]])
    response = json_lines([[[2, 2], [4, 4]], [[1, 1], [4, 4]]])
    assert count_as(key, response, PROFILES["e2e"]).scores()["muc"].recall == 0
    swapped = json_lines([[[1, 1], [4, 4]], [[2, 2], [4, 4]]])
    assert count_as(key, swapped, PROFILES["e2e"]).scores()["muc"].recall == 1


def test_perl_does_not_look_at_words_and_says_that_it_cuts():
    key, response = conll("(1)", "(1)", "(1)"), conll("(1)", "(1)", "(2)", words="v")
    scores = corefine.score(key, response, ["muc"], scorer="perl-8.01")
    assert scores["muc"].recall == 1 / 2
    written = scores.to_dict(documents=True)
    assert "cut" in written
    assert written["scores"]["muc"]["f1"] == 0.6666
    assert written["documents"]["x"]["muc"]["f1"] == 0.6666
    assert why_differs(key, response, "perl-8.01").steps[-1].scores["muc"].recall == 1 / 2
    assert "cut" not in corefine.score(key, key).to_dict()
    with refused("different-text", "f.conll:2"):
        corefine.score(key, response, ["muc"], scorer="coval")


def test_brackets_that_are_not_imitated_are_named():
    corpus = conll("(1", "1)|(1", "1)")
    for tool in ("perl-8.01", "coval"):
        scores = corefine.score(corpus, corpus, scorer=tool)
        assert any("not imitated" in text for text in scores.warnings), tool
    others = corefine.score(corpus, corpus, scorer="e2e").warnings
    assert not any("not imitated" in text for text in others)
    assert any("coval skips" in text for text in conll("(1(2", "1)|2)").warnings)


# --- the Universal Anaphora scorer: numbers seen by running it, see docs/shared-tasks.md ----------

COLUMNS = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING DISCOURSE_DEIXIS"


def write_ua(path: Path, entities: dict[str, list[int]], sets: dict[str, str]) -> str:
    """Entities of single words by number; a set's elements are entities of one letter."""
    elements: dict[str, list[str]] = {}
    for whole, parts in sets.items():
        for part in parts:
            elements.setdefault(part, []).append(whole)
    cells = ["_"] * 20
    for entity, words in entities.items():
        for number, word in enumerate(words):
            of = elements.get(entity, []) if number == 0 else []
            element_of = f"|ElementOf={','.join(of)}" if of else ""
            cells[word] = f"(EntityID={entity}|MarkableID=m_{word}{element_of})"
    lines = [f"# global.columns = {COLUMNS} REFERENCE NOM_SEM", "# newdoc id = d", "# sent_id = 1"]
    lines += ["\t".join([str(n + 1), "w", *"________", cell, *"____"])
              for n, cell in enumerate(cells)]  # fmt: skip
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    return str(path)


def test_links_of_a_set_do_not_depend_on_its_place(tmp_path):
    """In the Universal Anaphora scorer a set's worth also weighs the links that come after it."""
    sets = {"T": "AB"}
    key = write_ua(tmp_path / "k.ua", {"T": [0, 5], "A": [1, 2], "B": [3, 4]}, sets)
    response = write_ua(tmp_path / "r.ua", {"T": [0, 5], "A": [1, 2], "B": [3]}, sets)
    scores = corefine.score(key, response, "lea,blanc(rule=corefud)", split_antecedents="score")
    # LEA: the set is worth 1/2 in recall, 2/3 in precision. T has the links 0-5, set-0 and set-5:
    # recall (2·1 + 2·0 + 3·(1 + 1/2 + 1/2)/3)/7; the other scorer gives 1/2 where T is first.
    assert scores["lea"].recall == pytest.approx(4 / 7)
    assert scores["lea"].precision == pytest.approx((2 + 0 + 3 * (1 + 2 / 3 + 2 / 3) / 3) / 6)
    # BLANC: the set is worth 2/3 of a coreferent link; the other scorer gives 0.5792.
    assert scores["blanc(rule=corefud)"].recall == pytest.approx(((1 + 1 + 4 / 3) / 5 + 5 / 8) / 2)
    # The profile does not reproduce the order in which the other scorer visits mentions.
    other = corefine.score(key, response, scorer="ua")
    assert other["lea"].recall == scores["lea"].recall
    assert other["blanc"].recall == scores["blanc(rule=corefud)"].recall
    assert (other["b3"].recall, other["muc"].recall) == pytest.approx((307 / 448, 5 / 8))


def test_blanc_of_sets_alone(tmp_path):
    """Sets of singletons have no coreferent links; the other scorer asks the whole document."""
    made = write_ua(tmp_path / "k.ua", {"A": [0], "B": [1], "T": [2]}, {"T": "AB"})
    scores = corefine.score(made, made, "blanc(rule=corefud),lea", split_antecedents="only")
    assert scores["blanc(rule=corefud)"].f1 == 1  # Universal Anaphora scorer: 1/2
    assert scores["lea"].f1 == 1
    other = corefine.score(made, made, scorer="ua", split_antecedents="only")
    assert (other["blanc"].f1, other["lea"].f1) == (1, 1)


def test_a_mention_of_two_entities_beside_sets(tmp_path):
    """The response has the third word in B and in T; it counts in B, as without a profile."""
    entities = {"A": [0, 1], "B": [2], "T": [3]}
    key = write_ua(tmp_path / "k.ua", entities, {"T": "AB"})
    response = Path(write_ua(tmp_path / "r.ua", entities, {"T": "AB"}))
    text = response.read_text("utf-8")
    of_b = "(EntityID=B|MarkableID=m_2|ElementOf=T)"
    assert of_b in text
    response.write_text(text.replace(of_b, f"{of_b}(EntityID=T|MarkableID=m_9)"), "utf-8")
    scores = corefine.score(key, str(response), scorer="ua")
    own = corefine.score(key, str(response), "muc,b3,ceafe,lea", split_antecedents="score")
    for name in own:
        assert scores[name] == own[name]
    # Without sets, entities are lists: a mention that its entity repeats is counted twice.
    repeated = text.replace("(EntityID=A|MarkableID=m_1)", "(EntityID=A|MarkableID=m_1)" * 2)
    repeated = repeated.replace(
        "m_1)(EntityID=A|MarkableID=m_1)", "m_1)(EntityID=A|MarkableID=m_8)"
    )
    response.write_text(repeated, "utf-8")
    lists = corefine.score(key, str(response), "b3", scorer="ua", split_antecedents="ignore")
    assert lists["b3"].precision == pytest.approx((3 + 1 + 1) / 5)
    assert lists["b3"].recall == pytest.approx(1)
    assert corefine.score(key, str(response), "b3", scorer="ua")["b3"].f1 == 1


def test_other_layers_as_the_universal_anaphora_scorer_counts_them(tmp_path):
    """Discourse deixis by the metrics of identity; one bridging antecedent, the last."""
    sets = {"T": "AB"}
    key = Path(write_ua(tmp_path / "k.ua", {"T": [0, 5], "A": [1, 2], "B": [3, 4]}, sets))
    response = Path(write_ua(tmp_path / "r.ua", {"T": [0, 5], "A": [1, 2], "B": [3]}, sets))
    for path, links in ((key, ["m_1"]), (response, ["m_0", "m_2"])):
        lines = []
        for line in path.read_text("utf-8").split("\n"):
            cells = line.split("\t")
            if len(cells) > 1:
                cells[12] = cells[10]
                if "MarkableID=m_3" in cells[10]:
                    anchors = (f"(MarkableID=m_3|MentionAnchor={one})" for one in links)
                    cells[11] = "".join(anchors)
            lines.append("\t".join(cells))
        path.write_text("\n".join(lines), "utf-8")
    scores = corefine.score(str(key), str(response), scorer="ua", layer="all")
    assert scores["lea(layer=deixis)"].recall == scores["lea"].recall == pytest.approx(4 / 7)
    assert scores["conll(layer=deixis)"].f1 == scores["conll"].f1
    of_blanc = scores["blanc(rule=corefud,layer=deixis)"]
    assert of_blanc.recall == scores["blanc"].recall
    # m_1 and m_2 are mentions of A: the entity is right, the mention is not.
    assert (scores["bridging.entity"].precision, scores["bridging.mention"].precision) == (1, 0)
    own = corefine.score(str(key), str(response), layer="bridging")
    assert own["bridging.entity"].precision == 1 / 2
    alone = corefine.score(str(key), str(response), "bridging.entity", scorer="ua")
    assert alone["bridging.entity"].f1 == 1
    with refused("usage"):
        why_differs(str(key), str(response), "ua", layer="all")
    steps = why_differs(str(key), str(response), "ua").steps
    assert steps[-1].scores["lea"].recall == pytest.approx(4 / 7)


def test_an_element_that_refers_to_nothing_is_none(tmp_path):
    """The other scorer has it in the set all the same: there B³ recall is 17/24."""
    response = write_ua(tmp_path / "r.ua", {"A": [0], "T": [2]}, {"T": "A"})
    text = Path(response).read_text("utf-8").split("\n")
    cells = text[4].split("\t")
    cells[10] = "(EntityID=9-Pseudo|MarkableID=m_1|ElementOf=T)"
    key = tmp_path / "k.ua"
    key.write_text("\n".join([*text[:4], "\t".join(cells), *text[5:]]), "utf-8")
    scores = corefine.score(str(key), response, "b3", scorer="ua")
    assert scores["b3"].recall == 1
    assert any("ElementOf" in warning and "ignored" in warning for warning in scores.warnings)
