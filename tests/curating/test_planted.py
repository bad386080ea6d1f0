"""One fault per file is found, and nothing else; damaged files are repaired lawfully."""

from __future__ import annotations

import pytest

import corefine
from tests.building.damaged import run
from tests.building.rule_examples import whole_file

SECOND = "# sent_id = x-2\n# text = She and he know his dog .\n"
CLEAN = {
    "conllu": """# newdoc id = x
# global.Entity = eid-etype-head-minspan-identity
# sent_id = x-1
# text = Old Anna met Ben here .
1 Old Entity=(e1-person-2-2
2 Anna Entity=e1)
3 met _
4 Ben Entity=(e2-person-1-1)
5 here Entity=(e3-place-1-1)
6 . _

# sent_id = x-2
# text = She and he know his dog .
1 She Entity=(e1-person-1-1)
2 and _
3 he SplitAnte=e1<e2,e3<e2|Entity=(e2-person-1-1)
4 know _
5 his Entity=(e4-animal-2-2(e2-person-1-1)
6 dog Entity=e4)|SpaceAfter=No
7 . _

# newdoc id = y
# sent_id = y-1
# text = Eve has doors .
1-2 Evehas _
1 Eve Entity=(e5-person-1-1)
2 has _
3 doors Bridge=e5<e6:part|Entity=(e6-object-1-1)
4 . _
""",
    "conll": "Old (1\nAnna 1)\nmet -\nher (1)\nold (2\ndog 2)\n",
    "json": '{"doc_key": "x", "sentences": [["Anna", "saw", "her"]], "clusters": '
    "[[[0, 0]], [[2, 2]]]}\n",
    "csv": "document,mention,entity\nd,0-0,1\nd,2-2,1\nd,3-4,2\n",
}
"""Files without faults, as in the examples of rules."""
SUFFIXES = {"json": "jsonl"}
FAULTS: dict[str, list[tuple[str, str, str]]] = {
    "conllu": [
        ("CU001", "3 met _", "4 met _"),
        ("CU002", "# sent_id = x-1", "# corefine.ignore = CU999\n# sent_id = x-1"),
        ("CU004", "# newdoc id = y", "# newdoc id = w\n1 Yes _\n\n# newdoc id = y"),
        ("CU101", "# global.Entity = eid-etype-head-minspan-identity\n", ""),
        ("CU102", "eid-etype-head-minspan-identity", "etype-head-eid-head"),
        ("CU102", "eid-etype-head-minspan-identity", "etype-head"),
        ("CU103", "head-minspan-identity", "minspan-head-identity"),
        ("CU104", "# sent_id = y-1", "# global.Entity = eid-etype-head-minspan-link"),
        ("CU105", "1-2 Evehas _\n1 Eve Entity=(e5-person-1-1)",
         "1-2 Evehas Entity=(e5-person-1-1)\n1 Eve _"),
        ("CU106", "(e3-place-1-1)", "(e3-place-1-1)|Entity=(e3-place-1-1)"),
        ("CU107", "7 . _", "7 . Bridge=e1<e4"),
        ("CU107", "4 know _", "4 know SplitAnte=e1<e2,e3<e2"),
        ("CU108", "(e3-place-1-1)", "e3-place-1-1"),
        ("CU109", "Entity=e1)", "Entity=e1-person)"),
        ("CU109", "(e1-person-2-2", "(e1-person-2-2--y"),
        ("CU110", "(e4-animal-2-2(e2-person-1-1)", "(e2-person-1-1)(e4-animal-2-2"),
        ("CU110", "Entity=e4)", "Entity=e4)(e3-place-1-1)"),
        ("CU111", "e3-place", "e3-PER"),
        ("CU112", "(e1-person-2-2", "(e1-person-02-2"),
        ("CU112", "(e1-person-2-2", "(e1-person-x-2"),
        ("CU113", "(e1-person-2-2", "(e1-person-3-2"),
        ("CU113", "(e1-person-2-2", "(e1-person-99-2"),
        ("CU114", "(e1-person-2-2", "(e1-person-2-2,3"),
        ("CU114", "(e1-person-2-2", "(e1-person-2-0"),
        ("CU115", "7 . _", "7 . Entity=(e77[1/1]-person-1-1)"),
        ("CU115", "7 . _", "7 . Entity=(e[7]-person-1-1)"),
        ("CU201", "Entity=e4)|", ""),
        ("CU202", "Entity=(e1-person-2-2\n", "_\n"),
        ("CU204", f"(e3-place-1-1)\n6 . _\n\n{SECOND}1 She Entity=(e1-person-1-1)",
         f"(e3-place-1-1\n6 . _\n\n{SECOND}1 She Entity=e3)"),
        ("CU205", "3 met _", "3 met Entity=(e3[1/2]-place-1-1)"),
        ("CU206", "3 met _\n4 Ben Entity=(e2-person-1-1)",
         "3 met Entity=(e2[1/2]-person-1-1)\n4 Ben Entity=(e2[2/2]-person-1-2)"),
        ("CU207", "(e3-place-1-1)", "(e3-place-1-1)(e3-place-1-1)"),
        ("CU208", "(e3-place-1-1)", "(e3-place-1-1)(e4-animal-1-1)"),
        ("CU210", "2 Anna Entity=e1)\n3 met _\n4 Ben Entity=(e2-person-1-1)",
         "2 Anna Entity=(e7-event-2-2\n3 met Entity=e1)\n4 Ben Entity=(e2-person-1-1)e7)"),
        ("CU301", "(e2-person-1-1)\n4", "(e2-place-1-1)\n4"),
        ("CU302", "2 has _\n3 doors Bridge=e5<e6:part|Entity=(e6-object-1-1)\n4 . _",
         "2 has Entity=(e8-place-1-1-Oslo)\n3 doors _\n4 . Entity=(e8-place-1-1-Rome)"),
        ("CU303", "2 has _", "2 has Entity=(e3-place-1-1)"),
        ("CU304", "e5<e6:part", "e5>e6"),
        ("CU304", "e3<e2|", "e3<e2:x|"),
        ("CU306", "e5<e6:part", "e6<e6"),
        ("CU307", "e5<e6:part", "e6<e5"),
        ("CU307", "e1<e2,e3<e2", "e2<e1,e3<e1"),
        ("CU308", "e5<e6:part", "e5<e6,e5<e6"),
        ("CU309", "e5<e6:part", "e99<e6"),
        ("CU309", "e3<e2", "e99<e2"),
        ("CU310", "4 . _\n", "4 . Bridge=e5<e6:set|Entity=(e6-object-1-1)\n"),
        ("CU311", "e1<e2,e3<e2", "e1<e2"),
        ("CU401", "Old Anna met", "Old Anna saw"),
    ],
    "conll": [
        ("CU201", "Anna 1)", "Anna -"),
        ("CU202", "Old (1", "Old -"),
        *(("CU203", "met -", f"met {cell}") for cell in ("5", "(", "5))")),
        ("CU207", "her (1)", "her (1)|(1)"),
        ("CU208", "her (1)", "her (1)|(3)"),
        ("CU210", "Anna 1)\nmet -", "Anna 1)|(3\nmet 3)"),
    ],
    "json": [
        ("CU001", "[2, 2]", "[9999, 9999]"),
        ("CU207", "[2, 2]", "[2, 2], [2, 2]"),
        ("CU208", "[2, 2]", "[2, 2], [0, 0]"),
        ("CU305", "[[2, 2]]", "[[2, 2]], []"),
    ],
    "csv": [("CU207", "d,2-2,1", "d,2-2,1\nd,2-2,1"), ("CU208", "d,2-2,1", "d,2-2,1\nd,2-2,2")],
}  # fmt: skip
"""Rules, and the edits of a file without faults that break them."""


def codes(folder, format, text):
    path = folder / f"x.{SUFFIXES.get(format, format)}"
    path.write_text(whole_file(format, text), "utf-8")
    return [finding.code for finding in corefine.check(path)[0].findings]


@pytest.mark.parametrize("format", FAULTS)
def test_every_fault_is_found_and_nothing_else(format, tmp_path):
    assert codes(tmp_path, format, CLEAN[format]) == []
    found = {}
    for code, old, new in FAULTS[format]:
        assert CLEAN[format].count(old) == 1, old
        found[code, new] = set(codes(tmp_path, format, CLEAN[format].replace(old, new)))
    assert {fault: seen for fault, seen in found.items() if seen != {fault[0]}} == {}


def test_damaged_files_are_repaired_lawfully(tmp_path):
    repaired = run(tmp_path, range(70))
    assert {"CU110", "CU201", "CU202", "CU207", "CU303", "CU305"} <= set(repaired)
