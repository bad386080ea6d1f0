"""Answers of a language model on the command line: prompts, scores, and what got lost."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import corefine
from corefine.formats.tagged.dialects import WRITTEN
from tests.building.commands import run

EXAMPLE = Path(__file__).resolve().parents[2] / "docs" / "examples" / "tagged"
KEY, ANSWERS = str(EXAMPLE / "key.jsonl"), str(EXAMPLE / "answers.jsonl")
TOTAL = {
    "words": 114,
    "copied": 76,
    "changed": 1,
    "deleted": 37,
    "inserted": 34,
    "reordered": 23,
    "mentions": 38,
    "moved": 1,
    "lost": 9,
    "malformed": 5,
    "failed": 1,
}


@pytest.fixture
def poor(tmp_path):
    """Answers of a model that fails more often."""
    lines = Path(ANSWERS).read_text().splitlines()
    records = [json.loads(line) for line in lines]
    records[0]["output"] = "Sorry, I cannot do [that](#1)!"
    path = tmp_path / "poor.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


@pytest.mark.parametrize("dialect", WRITTEN)
def test_prompt_answer_and_score_are_two_commands(dialect, tmp_path):
    """A model that answers with gold scores 100; what it is asked holds no entity."""
    prompts, answers = tmp_path / "prompts.jsonl", tmp_path / "answers.txt"
    assert run("convert", KEY, prompts, "--to", dialect, "--blind")[0] == 0
    asked = [json.loads(line) for line in prompts.read_text().splitlines()]
    key = corefine.read(KEY)
    assert [one["doc_id"] for one in asked] == list(key.documents)
    assert not any(WRITTEN[dialect].hint.search(one["text"]) for one in asked)
    corefine.write(key, answers, dialect, lossy=True)
    status, out, _ = run("score", KEY, answers, "--response-format", dialect, "-m", "muc,lea")
    assert status == 0
    assert re.search(r"muc +100.00 +100.00 +100.00", out)
    assert "|align:tolerant(case,unicode,quotes,tokens)|copied:114/114|" in out


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("score", ()),
        ("explain", ()),
        ("audit", ()),
        ("compare", (ANSWERS,)),
    ],
)
def test_every_command_tells_what_got_lost(command, more, poor):
    arguments = [command, KEY, poor, *more] if more else [command, KEY, ANSWERS]
    arguments += ["-m", "muc,lea"]
    status, out, err = run(*arguments)
    assert status == 0
    # An audit judges metrics; it shows the alignment on request.
    assert ("Alignment with the source (tolerant)" in out) is (command != "audit")
    assert "no answer; all of its mentions count as missed" in err
    assert "documents were not copied completely" in err
    found = json.loads(run(*arguments, "--output", "json")[1])
    told = found["alignment"]["answers"] if more else found["alignment"]
    assert {name: told[name] for name in TOTAL} == TOTAL
    assert told["align"] == "tolerant"
    assert [one["failure"] for one in told["documents"]] == ["", "", "no answer", "", ""]
    tables = run(*arguments, "--tables", "losses,alignment,tags")[1]
    assert "closes an unopened mention: dropped" in tables
    if more:
        assert found["alignment"]["poor"]["failed"] == 2
        assert re.search(r"^poor +market +0\.00", tables, re.MULTILINE)


def test_a_baseline_keeps_what_got_lost(tmp_path, poor):
    baseline = tmp_path / "baseline.json"
    assert run("score", KEY, ANSWERS, "--save", baseline)[0] == 0
    kept = corefine.load_scores(baseline)
    assert kept.to_dict() == corefine.score(KEY, ANSWERS).to_dict()
    status, out, _ = run("gate", KEY, poor, "--against", baseline, "--output", "json")
    assert status in (0, 1)
    told = json.loads(out)["alignment"]
    assert (told["baseline"]["failed"], told["response"]["failed"]) == (1, 2)
    text = run("gate", KEY, ANSWERS, "--against", baseline)
    assert text[0] == 0
    assert re.search(r"^baseline +5 +1 +66.67", text[1], re.MULTILINE)
    damaged = json.loads(baseline.read_text())
    damaged["numbers"]["copies"]["documents"][0]["copied"] += 1
    baseline.write_text(json.dumps(damaged))
    status, _, err = run("gate", KEY, ANSWERS, "--against", baseline)
    assert status == 2
    assert "its numbers have been changed" in err


@pytest.mark.parametrize("command", ["score", "gate", "report"])
def test_a_rule_of_alignment_is_honoured_or_refused(command, tmp_path):
    """With align=crac a tag that closes nothing is a mention of one word: 9 mentions, not 7."""
    key, storm = EXAMPLE / "storm.jsonl", EXAMPLE / "storm.txt"
    page, baseline = tmp_path / "page.html", tmp_path / "baseline.json"
    run("score", key, storm, "--align", "crac", "--save", baseline)
    more: tuple[object, ...] = ("--align", "crac", *(("-o", page) if command == "report" else ()))
    if command == "gate":
        more = ("--against", baseline)  # by the rule of the baseline
    status, out, err = run(command, key, storm, *more)
    assert status == 0, err
    assert "align:crac" in (page.read_text() if command == "report" else out)
    status, _, err = run(command, key, key, *more)
    assert status == 2
    assert "applies to text tagged by a language model" in err


HEADED = """\
# newdoc id = d
# global.Entity = eid-etype-head-other
# sent_id = 1
1\tThe\t_\tDET\t_\t_\t3\tdet\t_\tEntity=(e1-x-3-
2\told\t_\tADJ\t_\t_\t3\tamod\t_\t_
3\tman\t_\tNOUN\t_\t_\t4\tnsubj\t_\tEntity=e1)
4\tslept\t_\tVERB\t_\t_\t0\troot\t_\t_
5\thimself\t_\tPRON\t_\t_\t4\tobj\t_\tEntity=(e1-x-1-)

"""


def test_heads_of_tagged_mentions_come_from_the_key(tmp_path):
    """ "man" is found by its head, though the key's mention is "The old man"."""
    key, answer = tmp_path / "key.conllu", tmp_path / "answer.txt"
    key.write_text(HEADED)
    answer.write_text("The old [man](#1) slept [himself](#1)")
    options: dict[str, Any] = {"metrics": "muc", "match": "head"}
    assert corefine.score(key, answer, **options)["muc"].f1 == 1
    assert corefine.explain(key, answer, **options).scores["muc"].f1 == 1
    assert corefine.score(key, answer, "muc")["muc"].f1 == 0


def test_losses_are_those_of_each_part():
    """An Evaluator that sees one document after another tells the same as one call."""
    key = corefine.read(KEY)
    judge = corefine.Evaluator("muc")
    judge.update(KEY, ANSWERS)
    whole = corefine.score(KEY, ANSWERS, "muc")
    assert judge.compute().to_dict() == whole.to_dict()
    assert whole.tables("losses")[0].rows[0][:3] == (len(key.documents), 1, 76 / 114)


def test_a_folder_has_a_file_for_each_document(tmp_path):
    """Also where a model wrapped its answer into JSON, and where it refused."""
    folder = tmp_path / "answers"
    folder.mkdir()
    for line in Path(ANSWERS).read_text().splitlines():
        record = json.loads(line)
        if record["output"] is not None:
            (folder / f"{record['doc_id']}.txt").write_text(record["output"])
    (folder / "market.txt").write_text(json.dumps({"output": "[Anna](#1) met [Tom](#2) at"}))
    status, out, err = run("score", KEY, folder, "-m", "muc", "--output", "json")
    assert status == 0, err
    told = {one["document"]: one for one in json.loads(out)["alignment"]["documents"]}
    assert (told["market"]["copied"], told["market"]["mentions"]) == (4, 2)
    assert told["night"]["failure"] == "no answer"
    (folder / "night.txt").write_text("I'm sorry, I can't help with that.")
    (folder / "elsewhere.txt").write_text("[a](#1)")
    assert "document 'elsewhere' is not in the key" in run("score", KEY, folder)[2]
    (folder / "elsewhere.txt").unlink()
    out = run("score", KEY, folder, "--response-format", "markdown", "--output", "json")[1]
    told = {one["document"]: one for one in json.loads(out)["alignment"]["documents"]}
    assert told["night"]["failure"] == "the model refused to answer"


def test_answers_may_stand_under_the_names_of_their_documents(tmp_path):
    path = tmp_path / "answers.json"
    path.write_text(json.dumps({"market": "[Anna](#1) met [Tom](#2)", "night": None}))
    status, out, err = run("score", KEY, path, "-m", "muc", "--output", "json")
    assert status == 0, err
    assert json.loads(out)["alignment"]["mentions"] == 2


def test_prompts_with_mentions_need_no_leave_to_lose_the_rest(tmp_path):
    key, prompts = tmp_path / "key.conllu", tmp_path / "prompts.jsonl"
    key.write_text(HEADED)
    status, _, err = run("convert", key, prompts, "--to", "brackets", "--blind", "mentions")
    assert (status, err) == (0, "")
    assert json.loads(prompts.read_text())["text"] == "[The old man]_ slept [himself]_"
    assert run("convert", key, prompts, "--to", "brackets")[0] == 2
