"""Scoring as other scorers do: what each printed on the documents that tell them apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corefine
from corefine.cli import main
from corefine.cli.samples import sample_path
from corefine.corpus.corpus import Corpus
from corefine.corpus.joining import concatenate
from corefine.errors import AlignmentError, UsageError
from corefine.formats import Source, format_named
from corefine.formats.columns import conll as conll_format
from corefine.formats.conllu import conllu as conllu_format
from corefine.scoring.count import Counts, count
from corefine.scoring.scorers.emulation import opening_first, request_as, without_adjacent_brackets
from corefine.scoring.scorers.profiles import COREFINE, PROFILES, ScorerProfile
from corefine.scoring.scorers.why_differs import why_differs
from tests.conftest import load_cases

REPEATING = st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=5), max_size=5)


def count_as(
    key: Corpus, response: Corpus, profile: ScorerProfile, settings: dict[str, Any] | None = None
) -> Counts:
    return count(key, response, request_as(profile, settings=settings))


@pytest.mark.parametrize("case", load_cases("tools"), ids=lambda case: case["name"])
@pytest.mark.parametrize("tool", [tool for tool in PROFILES if tool != "bookcoref"])
def test_every_value_that_a_tool_printed_is_reproduced(case: dict[str, Any], tool: str) -> None:
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


@given(key=REPEATING, response=REPEATING)
def test_our_own_conventions_give_our_own_scores(
    key: list[list[int]], response: list[list[int]]
) -> None:
    ours = corefine.score(key, response)
    sides = Corpus.from_entities(key), Corpus.from_entities(response)
    listed = count_as(*sides, COREFINE).scores()
    for name in listed:
        assert listed[name].f1 == pytest.approx(ours[name].f1, abs=1e-12), name


@pytest.mark.parametrize("tool", PROFILES.values(), ids=lambda tool: tool.name)
@given(key=REPEATING, response=REPEATING)
def test_the_steps_lead_from_our_numbers_to_the_tools(
    tool: Any, key: list[list[int]], response: list[list[int]]
) -> None:
    if tool.settings.match != "exact":
        tool = PROFILES["coval"]
    ours, theirs = Corpus.from_entities(key), Corpus.from_entities(response)
    known = {mention for entity in key for mention in entity}
    found = [mention for entity in response for mention in entity if mention in known]
    if tool.name == "perl-8.01" and len(found) - len(set(found)) > 10:
        with pytest.raises(UsageError, match=r"perl-8\.01 rejects this response"):
            count_as(ours, theirs, tool)
        return
    steps = why_differs(ours, theirs, tool.name).steps
    scores = corefine.score(key, response)
    last = count_as(ours, theirs, tool).scores()
    for name in last.metrics:
        assert steps[0].scores[name].f1 == pytest.approx(scores[name].f1, abs=1e-12)
        total = steps[0].scores[name].f1 + sum(step.moved[name] for step in steps)
        assert total == pytest.approx(last[name].f1, abs=1e-12)


def test_a_metric_that_the_tool_lacks_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    files = (sample_path("key"), sample_path("eager"))
    assert main(["score", *files, "--as", "e2e", "-m", "lea"]) == 2
    assert "e2e has no metric lea" in capsys.readouterr().err


def test_perl_cuts_where_others_round(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, cells in (("key", "(1) (1) (1)"), ("response", "(1) (1) -")):
        rows = [f"a 0 {n} w{n} {cell}" for n, cell in enumerate(cells.split())]
        (tmp_path / name).write_text("\n".join(["#begin document (a)", *rows, "#end document"]))
    files = [str(tmp_path / name) for name in ("key", "response")]
    assert main(["score", *files, "--as", "perl-8.01", "-m", "muc", "--output", "json"]) == 0
    perl = json.loads(capsys.readouterr().out)
    assert perl["scores"]["muc"]["f1"] == 0.6666
    assert "as:perl-8.01" in perl["signature"]
    steps = why_differs(files[0], files[1], "perl-8.01", "muc").steps
    assert steps[0].scores["muc"].f1 == pytest.approx(2 / 3)
    assert steps[-1].scores["muc"].f1 == 0.6666


def test_conventions_can_be_overridden(capsys: pytest.CaptureFixture[str]) -> None:
    files = (sample_path("key"), sample_path("eager"))
    assert main(["score", *files, "--as", "coval", "--singletons", "drop", "--output", "json"]) == 0
    dropped = json.loads(capsys.readouterr().out)["scores"]
    expected = corefine.score(*files, singletons="drop")
    assert dropped["ceafe"]["f1"] == pytest.approx(expected["ceafe"].f1)


def two_files(folder: Path, key: str, response: str) -> list[str]:
    """A document in CoNLL a side, given by the cells of its tokens."""
    for name, cells in (("key.conll", key), ("response.conll", response)):
        rows = [f"a 0 {n} w{n} {cell}" for n, cell in enumerate(cells.split())]
        (folder / name).write_text("\n".join(["#begin document (a)", *rows, "", "#end document"]))
    return [str(folder / name) for name in ("key.conll", "response.conll")]


def counted(capsys: pytest.CaptureFixture[str], files: list[str], *options: str) -> Any:
    assert main(["score", *files, *options, "--output", "json"]) == 0
    result = json.loads(capsys.readouterr().out)
    return result["scores"] if isinstance(result, dict) else result


def test_perl_meets_entities_where_they_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Entity 7 opens first and 8 is complete first; the token alone stays in 7.
    files = two_files(tmp_path, "- (1) - (1)", "(7 (8)|(7) 7) (8)")
    scores = counted(capsys, files, "--as", "perl-8.01")
    assert scores["muc"]["f1"] == 0
    assert scores["b3"]["recall"] == 1 / 2
    assert scores["b3"]["precision"] == 1 / 2


def test_perl_refuses_repeats_of_the_keys_mentions_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    repeated = "|".join(["(2)"] * 12)
    files = two_files(tmp_path, "(1) (1) -", f"(1) (1) {repeated}")
    # Twelve times the same mention that the key lacks: none of them is dropped.
    assert counted(capsys, files, "--as", "perl-8.01")["b3"]["precision"] == 0.1428  # 2/14, cut
    files = two_files(tmp_path, "(1) (1) (2)", f"(1) (1) {repeated}")
    assert main(["score", *files, "--as", "perl-8.01"]) == 2
    assert "it repeats 11 mentions of the key" in capsys.readouterr().err


@pytest.mark.parametrize(("closed", "recall"), [("2)|1)", 1), ("1)|2)", 0)])
def test_a_mention_of_two_entities_is_of_the_one_that_coval_meets_last(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], closed: str, recall: int
) -> None:
    files = two_files(tmp_path, "(1 1) (1)", f"(1|(2 {closed} (1)")
    muc = counted(capsys, files, "--as", "coval")["muc"]
    assert (muc["precision"], muc["recall"]) == (1, recall)


def test_other_scorers_read_brackets_that_open_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = two_files(tmp_path, "(1 (1) 1)", "(1 1)|(1 1)")
    assert counted(capsys, files, "-m", "mentions")["mentions"]["f1"] == 0
    assert counted(capsys, files, "--as", "perl-8.01")["mentions"]["f1"] == 1
    assert counted(capsys, files, "--as", "coval")["muc"]["f1"] == 1
    assert counted(capsys, files, "--as", "e2e")["muc"]["f1"] == 0
    steps = counted(capsys, files, "--why-differs", "coval")
    moved = {step["convention"]: step["moved"]["muc"] for step in steps}
    assert moved["brackets at the same token: opening first"] == 1
    # Read so, the second token is twice a mention, and that of two brackets is complete later.
    files = two_files(tmp_path, "(1 (1) 1)", "(2 (3)|2)|(2 2)")
    assert counted(capsys, files, "--as", "coval")["muc"]["recall"] == 1
    # A mention of another entity in between, and one that is repeated, take part as they stand.
    files = two_files(tmp_path, "(1|(2 (1) (3) 2)|1)", "(1|(2 1)|(1 (3) 1)|2)|(3)")
    assert counted(capsys, files, "--as", "perl-8.01")["mentions"]["recall"] == 1


def test_an_entity_that_repeats_its_mention_is_no_singleton_to_coval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = two_files(tmp_path, "(1)|(1)", "(1)|(1)")
    drop = ("--singletons", "drop")
    assert counted(capsys, files, "--as", "coval", *drop)["muc"]["f1"] == 1
    assert counted(capsys, files, *drop, "-m", "muc")["muc"]["f1"] == 0


def test_the_first_step_keeps_a_repeated_mention_where_scoring_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Entity 1 is met first, but the second token is given to entity 2 first.
    files = two_files(tmp_path, "- (1) (1)", "(1) (2)|(1) (2)")
    assert counted(capsys, files, "-m", "muc")["muc"]["f1"] == 1
    for tool in ("perl-8.01", "coval", "e2e"):
        steps = counted(capsys, files, "--why-differs", tool)
        assert steps[0]["scores"]["muc"]["f1"] == 1, tool


def test_settings_beside_a_tools_are_taken_or_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = two_files(tmp_path, "(1) (1)", "(1) (1)")
    with Path(files[0]).open("a") as key:
        key.write("\n#begin document (b)\nb 0 0 w (1)\nb 0 1 w (1)\n\n#end document\n")
    assert main(["score", *files, "--as", "coval"]) == 2
    assert "--missing-documents count" in capsys.readouterr().err
    missing = ("--missing-documents", "count")
    assert counted(capsys, files, "--as", "coval", *missing)["muc"]["recall"] == 1 / 2
    assert counted(capsys, files, "--why-differs", "coval", *missing)
    for option in ("--as", "--why-differs"):
        assert main(["score", *files, option, "coval", "--duplicates", "error"]) == 2
        assert "--duplicates cannot be combined with" in capsys.readouterr().err


def test_perl_loses_the_last_bit_of_ceafe_before_it_cuts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # One mention in common of five and five: φ is 1/5, and 1 − (1 − 1/5) a little less.
    files = two_files(tmp_path, "(1) " * 5 + "- " * 4, "- " * 4 + "(1) " * 5)
    assert counted(capsys, files, "--as", "perl-8.01")["ceafe"]["f1"] == 0.1999
    assert counted(capsys, files, "--as", "coval")["ceafe"]["recall"] == 1 / 5


def conllu(*lines: str) -> Corpus:
    """One sentence of CoNLL-U; a line is id, Entity (or _) and an empty node's dependencies."""
    rows = ["# newdoc id = d", "# global.Entity = eid-etype-head-other"]
    for line in lines:
        number, entity, *deps = line.split()
        misc = "_" if entity == "_" else f"Entity={entity}"
        rows.append("\t".join([number, "w", *"______", *(deps or "_"), misc]))
    source = Source("x.conllu", content=("\n".join(rows) + "\n").encode())
    return conllu_format.read(source)


def as_corefud(key: Corpus, response: Corpus, metric: str, **settings: str) -> tuple[Any, Any]:
    scores = count_as(key, response, PROFILES["corefud"], settings=settings).scores()
    return scores[metric].precision, scores[metric].recall


def test_corefud_takes_a_repeated_mention_for_one_of_the_entity_that_begins_last() -> None:
    key = conllu("1 (b--1-)(a--1-", "2 a)", "3 (b--1-)", "4 (a--1-)")
    # Of the two that begin at the first word the longer one comes first, whatever the brackets say.
    response = conllu("1 (b--1-)(a--1-", "2 a)", "3 (a--1-)(b--1-)", "4 _")
    assert as_corefud(key, response, "muc", match="exact") == (1 / 2, 1 / 2)
    assert as_corefud(key, response, "b3", match="exact") == (3 / 4, 5 / 8)


def test_corefud_orders_entities_by_the_first_mention_of_their_id_in_the_whole_file() -> None:
    def two(*cells: str) -> Corpus:
        first = ["# newdoc id = c", "# global.Entity = eid-etype-head-other"]
        first += ["\t".join(["1", "w", *"_______", "Entity=(a--1-)"]), "", "# newdoc id = d"]
        second = [
            "\t".join([str(n), "w", *"_______", "_" if cell == "_" else f"Entity={cell}"])
            for n, cell in enumerate(cells, start=1)
        ]
        text = "\n".join([*first, *second]) + "\n"
        return conllu_format.read(Source("x.conllu", content=text.encode()))

    key = two("(b--1-)", "(a--1-)", "(b--1-)", "_")
    response = two("(b--1-)", "(a--1-)", "(a--1-)(b--1-)", "_")
    # In the second document b begins first, but in the file a does: the third word is one of b.
    assert as_corefud(key, response, "muc", match="exact") == (1 / 2, 1)


def test_corefud_tells_the_same_words_with_other_heads_apart() -> None:
    key = conllu("1 (e--1-", "2 e)", "3 (e--1-)")
    response = conllu("1 (e--1-(e--2-", "2 e)e)", "3 _")
    assert as_corefud(key, response, "b3") == (1 / 4, 1 / 4)
    assert as_corefud(key, response, "b3", match="exact") == (0, 0)


MIXED = (
    ("1 _", "1.1 (e--1-) 3:nsubj", "2 _", "2.1 (e--1-) 2:obj", "3 _"),
    ("1 _", "1.1 (e--1-) 2:obj", "1.2 (e--1-) 3:nsubj", "2 _", "3 _"),
)


def test_corefud_mixes_up_zeros_at_one_anothers_places() -> None:
    """The key's 1.1 is the response's 1.2, and its 2.1 is 1.1; as 1.1 it is sought at 2.1."""
    key, response = (conllu(*lines) for lines in MIXED)
    plain: dict[str, Any] = {"match": "head", "singletons": "drop"}
    assert corefine.score(key, response, **plain)["b3"].recall == 1
    assert as_corefud(key, response, "muc") == (1, 0)
    assert as_corefud(key, response, "b3") == (1, 1 / 4)
    assert as_corefud(key, response, "ceafe") == (1 / 2, 1 / 2)
    steps = why_differs(key, response, "corefud", "b3").steps
    assert [step.convention for step in steps if step.moved["b3"]] == [
        "zeros at the same position are confused"
    ]


def test_zeros_can_be_matched_by_place_as_corefud_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key, response = (conllu(*lines) for lines in MIXED)
    assert as_corefud(key, response, "b3", zeros="linear") == (1 / 4, 1 / 4)
    files = [str(tmp_path / name) for name in ("key.conllu", "response.conllu")]
    for corpus, file in zip((key, response), files, strict=True):
        corefine.write(corpus, file, "conllu")
    assert main(["score", *files, "--as", "corefud", "--zeros", "linear", "--output", "json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["scores"]["b3"]["recall"] == 1 / 4
    assert "zeros:linear" in shown["signature"]


def test_corefud_takes_the_first_word_where_a_file_gives_no_heads() -> None:
    def text(*lines: str) -> Corpus:
        rows = ["# newdoc id = d", "# global.Entity = GRP-etype-infstat"]
        for number, line in enumerate(lines, start=1):
            head, entity = line.split()
            misc = "_" if entity == "_" else f"Entity={entity}"
            rows.append("\t".join([str(number), "w", *"____", head, "_", "_", misc]))
        content = ("\n".join(rows) + "\n").encode()
        return conllu_format.read(Source("x.conllu", content=content))

    # The second word is the highest of both first mentions, but only the response's begins with it.
    key = text("2 (1", "0 1)", "2 (1)")
    response = text("2 _", "0 (1)", "2 (1)")
    assert corefine.score(key, response, "b3", match="head")["b3"].recall == 1
    assert as_corefud(key, response, "b3") == (1 / 4, 1 / 4)
    both = concatenate([replace(key, documents=("e",)), key])
    other = concatenate([replace(response, documents=("e",)), response])
    assert as_corefud(both, other, "b3") == (1 / 4, 1 / 4)
    steps = why_differs(key, response, "corefud", "b3").steps
    moving = [step.convention for step in steps if step.moved["b3"]]
    assert [name.partition(":")[0] for name in moving] == [
        "mention matching",
        "head, if the file has none",
    ]


def test_a_bracket_without_a_name_closes_what_opened_last() -> None:
    """As Universal Anaphora reads mentions that cross: 0 to 2 and 1 to 3 are 0 to 3 and 1 to 2."""
    crossing = "(1\n(2\n1)\n2)\n"
    nested = "(1\n(2\n2)\n1)\n"
    sides = []
    for cells in (crossing, nested):
        lines = [f"d\t0\t{n}\tw\t{cell}" for n, cell in enumerate(cells.split())]
        text = "\n".join(["#begin document (d); part 000", *lines, "", "#end document", ""])
        sides.append(conll_format.read(Source("x", content=text.encode())))
    key, response = sides
    assert corefine.score(key, response, "b3")["b3"].f1 == 0
    assert corefine.score(key, response, "b3", tool="ua")["b3"].f1 == 1


def conll(*cells: str, words: str = "w") -> Corpus:
    rows = "".join(f"x 0 {number} {words} {cell}\n" for number, cell in enumerate(cells))
    source = Source("f.conll", content=f"#begin document (x); part 000\n{rows}".encode())
    return conll_format.read(source)


def json_lines(clusters: list[list[list[int]]]) -> Corpus:
    line = {"doc_key": "x", "sentences": [list("abcdef")], "clusters": clusters}
    source = Source("f.jsonl", content=json.dumps(line).encode())
    return format_named("e2e").corpus(source)


def test_e2e_takes_the_last_cluster_of_the_file() -> None:
    """Run there: its mapping from mentions to clusters is overwritten cluster by cluster."""
    key = json_lines([[[2, 2], [4, 4]]])
    response = json_lines([[[2, 2], [4, 4]], [[1, 1], [4, 4]]])
    assert count_as(key, response, PROFILES["e2e"]).scores()["muc"].recall == 0
    swapped = json_lines([[[1, 1], [4, 4]], [[2, 2], [4, 4]]])
    assert count_as(key, swapped, PROFILES["e2e"]).scores()["muc"].recall == 1


def test_perl_does_not_look_at_words_and_says_that_it_cuts() -> None:
    key, response = conll("(1)", "(1)", "(1)"), conll("(1)", "(1)", "(2)", words="v")
    scores = corefine.score(key, response, ["muc"], tool="perl-8.01")
    assert scores["muc"].recall == 1 / 2
    written = scores.to_dict(documents=True)
    assert written["cut"] == "percentages are truncated to two decimals, not rounded"
    assert written["scores"]["muc"]["f1"] == 0.6666
    assert written["documents"]["x"]["muc"]["f1"] == 0.6666
    assert why_differs(key, response, "perl-8.01").steps[-1].scores["muc"].recall == 1 / 2
    assert "cut" not in corefine.score(key, key).to_dict()
    with pytest.raises(AlignmentError):
        corefine.score(key, response, ["muc"], tool="coval")


@pytest.mark.parametrize(
    ("cells", "spans"),
    [
        (("(1(1", "-", "1)1)"), [(0, 3)]),
        (("(1|(1", "-", "1)|1)"), [(0, 3), (0, 3)]),
        (("(1(2", "-", "1)|2)", "(1)"), [(3, 4), (0, 3)]),
        (("(2", "(1(1", "1)", "1)|2)"), [(1, 3), (0, 4)]),
        (("(1(2)", "1)"), [(0, 1)]),
    ],
)
def test_coval_overlooks_a_bracket_right_before_another(
    cells: tuple[str, ...], spans: list[tuple[int, int]]
) -> None:
    """As its reader gives them: a bracket that opens forgets one that no bar ended."""
    corpus = conll(*cells)
    found = without_adjacent_brackets(corpus).mentions
    assert sorted(zip(found.start.tolist(), found.stop.tolist(), strict=True)) == sorted(spans)
    parts = [corpus, replace(corpus, documents=("y",))]
    assert len(without_adjacent_brackets(concatenate(parts)).mentions) == 2 * len(spans)


def test_a_file_without_repeats_beside_one_with_them() -> None:
    """A mention of one token has no closing bracket of its own, wherever it came from."""
    repeating, other = conll("(1|(1", "1)|1)"), replace(conll("(1)|(1", "1)"), documents=("y",))
    joined = opening_first(concatenate([repeating, other])).mentions
    assert joined.stop.tolist()[2:] == opening_first(other).mentions.stop.tolist() == [1, 2]


@pytest.mark.parametrize(
    "option",
    [["--kinds", "nosuchfile"], ["--jobs", "3"], ["--engine", "dask"], ["--twinless", "drop"]],
)
def test_an_option_that_a_profile_cannot_honour_is_refused(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    files = (sample_path("key"), sample_path("eager"))
    for way in ("--as", "--why-differs"):
        assert main(["score", *files, way, "coval", *option]) == 2
        error = capsys.readouterr()
        assert option[0] in error.err
        assert not error.out


@pytest.mark.parametrize("options", [{"kinds": "guess"}, {"jobs": 2}, {"memory": 1 << 30}])
def test_a_keyword_that_a_profile_cannot_honour_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        corefine.score([["a", "b"]], [["a", "b"]], scorer="coval", **options)
