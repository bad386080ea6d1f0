"""One planted fault per file is found, and nothing else; damaged files are repaired lawfully."""

from __future__ import annotations

import random

import pytest

import corefine
from tests.building.damaged import run
from tests.building.planted import clean, conll, conllu, jsonlines, labels, planted, records, ua

ROUND = 68
"""Files that hold every fault in every format once."""


def found(folder, count):
    return {
        path.name: ({finding.code for finding in checked.findings}, {code})
        for code, path in planted(folder, count)
        for checked in corefine.check(path)
    }


def test_clean_files_have_no_findings(tmp_path):
    text = clean(random.Random(0))
    contents = {"conllu": conllu(text), "conll": conll(text), "ua": ua(text), "csv": labels(text)}
    contents["jsonl"] = jsonlines(records(text))
    for suffix, content in contents.items():
        path = tmp_path / f"clean.{suffix}"
        path.write_text(content, "utf-8")
        assert corefine.check(path)[0].findings == ()


def test_every_planted_fault_is_found_and_nothing_else(tmp_path):
    result = found(tmp_path, ROUND)
    assert len(result) == ROUND
    assert {name: codes for name, codes in result.items() if codes[0] != codes[1]} == {}


@pytest.mark.slow
def test_five_hundred_planted_faults(tmp_path):
    result = found(tmp_path, 500)
    assert {name: codes for name, codes in result.items() if codes[0] != codes[1]} == {}


def test_damaged_files_are_repaired_lawfully(tmp_path):
    repaired = run(tmp_path, range(150))
    assert {"CU110", "CU201", "CU202", "CU207", "CU303", "CU305"} <= set(repaired)
