"""Where corefud-scorer and the Universal Anaphora scorer count otherwise: the smallest documents.

The numbers of the other scorers were seen by running them on these documents; docs/shared-tasks.md
gives the reasons.
"""

from __future__ import annotations

from pathlib import Path

import pytest

import corefine
from corefine.errors import UsageError
from corefine.scoring.scorers.why_differs import why_differs

Node = tuple[str, str, str]
"""An id, a dependency and an entity."""


def write(path: Path, *nodes: Node) -> str:
    lines = ["# global.Entity = eid-etype-head-other", "# newdoc id = d", "# sent_id = 1"]
    for number, dependency, entity in nodes:
        head, relation = dependency.split(":")
        basic = "_\t_" if "." in number else f"{head}\t{relation}"
        misc = f"Entity=({entity}-x-1-)" if entity else "_"
        lines.append(f"{number}\tw\t_\tX\t_\t_\t{basic}\t{dependency}\t{misc}")
    path.write_text("\n".join([*lines, "", ""]), "utf-8")
    return str(path)


def test_zeros_with_the_same_dependency(tmp_path):
    """The key's zero is matched with the earlier of two; corefud-scorer finds it at its place."""
    key = write(tmp_path / "k.conllu", ("1", "0:root", "e1"), ("1.1", "1:obj", "e1"))
    response = write(
        tmp_path / "r.conllu",
        ("0.1", "1:obj", "e1"), ("1", "0:root", "e1"), ("1.1", "1:obj", "e1"),
    )  # fmt: skip
    scores = corefine.score(key, response, "conll,b3,zero,mor", match="head", singletons="drop")
    # Its counterpart, 0.1, is the first of its entity. corefud-scorer: P = R = F = 1.
    assert (scores["zero"].precision, scores["zero"].recall) == (0, 0)
    assert scores["conll"].f1 == pytest.approx((2 / 3 + 8 / 13 + 4 / 5) / 3)
    # It seeks the key's zero at its own place first, and so does --as corefud.
    for options in ({"scorer": "corefud"}, {"preset": "crac25"}):
        other = corefine.score(key, response, **options)
        assert (other["zero"].precision, other["zero"].recall) == (1, 1)
    by_place = corefine.score(key, response, preset="crac23")
    assert (by_place["zero"].precision, by_place["zero"].recall) == (1, 1)


def test_mention_overlap_counts_a_mention_of_two_entities_twice(tmp_path):
    """As corefud-scorer does; corefine keeps the first and warns."""
    key = write(tmp_path / "k.conllu", *((str(n), f"{n - 1}:dep", "e1") for n in (1, 2, 3)))
    response = write(
        tmp_path / "r.conllu",
        ("1", "0:dep", "e1"), ("2", "1:dep", "e1-x-1-)(e2"), ("3", "2:dep", "e2"),
    )  # fmt: skip
    other = corefine.score(key, response, scorer="corefud")
    assert (other["mor"].recall, other["mor"].precision) == (1, 3 / 4)
    assert (other["muc"].recall, other["muc"].precision) == (1 / 2, 1)
    # Without the repeated mention e2 is a singleton; it is dropped after that.
    scores = corefine.score(key, response, "conll,b3,zero,mor", match="head", singletons="drop")
    assert (scores["mor"].recall, scores["mor"].precision) == (2 / 3, 1)
    assert any("is in two entities" in warning for warning in scores.warnings)
    assert corefine.score([["a", "b"]], [["a"], ["b", "c"]], "mor", scorer="corefud")[
        "mor"
    ].recall == 1 / 2  # fmt: skip


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
    with pytest.raises(UsageError):
        corefine.score(str(key), str(response), scorer="coval", layer="all")
    with pytest.raises(UsageError):
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
