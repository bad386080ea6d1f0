"""The report: its chunks agree with the explanation, its options choose, its file is safe."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import corefine
from corefine.cli import main
from corefine.corpus.arrays import Strings
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.report.document_text import LONGEST_ROW, Texts
from corefine.report.report import Report
from tests.building.explained_corpora import sides
from tests.building.report_corpora import (
    HOSTILE_NAME,
    corpus_of,
    harbour_key,
    harbour_wrong,
    hostile_corpus,
)

CHUNK = r'<script type="text/plain" id="chunk-(\w+)">([^<]*)</script>'


def unpacked(report: Report) -> dict[str, Any]:
    return {
        name: json.loads(gzip.decompress(base64.b64decode(packed)))
        for name, packed in re.findall(CHUNK, report.html)
    }


def shown_in(data: dict[str, Any]) -> list[str]:
    """The names of the documents whose text is in a report, in its order."""
    documents = data["meta"]["documents"]
    named = zip(documents["shown"], documents["id"], strict=True)
    return [name for place, name in sorted(named) if place >= 0]


@given(sides())
def test_chunks_hold_what_the_explanation_says(corpora):
    key, response = corpora
    explanation = corefine.explain(key, response, "lea")
    matching = explanation.matching
    data = unpacked(corefine.report(key, {"r": response}, metrics="lea", replicates=5))
    listed = iter(explanation.errors)
    sizes: list[int] = []
    metric = explanation.entities.metrics[0]
    f1: list[float] = []
    for number in range(len(key.documents)):
        chunk = data[f"d{number}"]
        view = chunk["responses"][0]
        own = np.flatnonzero(matching.key.mentions.document == number)
        theirs = np.flatnonzero(matching.response.mentions.document == number)
        for side, corpus, rows in ((chunk["key"], matching.key, own),
                                   (view, matching.response, theirs)):  # fmt: skip
            start = np.cumsum(side["step"]).tolist()
            length = side["length"]
            spans = [(low, low + width) for low, width in zip(start, length, strict=True)]
            assert len(spans) == len(rows)
            for at, row in enumerate(rows.tolist()):
                parts = side["pieces"].get(str(at), [spans[at]])
                words = " ".join(" ".join(chunk["words"][low:high]) for low, high in parts)
                assert words == corpus.text_of(row)
            same = corpus.mentions.entity[rows]
            for one in range(len(rows)):
                for other in range(len(rows)):
                    together = side["entity"][one] == side["entity"][other]
                    assert together == (same[one] == same[other])
        known = {
            int(b): int(a)
            for a, b in zip(matching.key_mention, matching.response_mention, strict=True)
            if a >= 0 and b >= 0
        }
        twins = [None if step is None else at + step for at, step in enumerate(view["twin"])]
        for twin, row in zip(twins, theirs.tolist(), strict=True):
            assert (-1 if twin is None else own[twin]) == known.get(row, -1)
        columns = view["errors"]
        for at, type_ in enumerate(columns["type"]):
            error = next(listed)
            assert type_ == error.type
            ours = np.cumsum(columns["key"][at], dtype=int).tolist()
            assert [int(own[row]) for row in ours] == list(error.key_mentions)
            packed = columns["response"][at]
            others = [twins.index(row) for row in ours] if packed is None else np.cumsum(packed)
            found = [int(theirs[int(row)]) for row in others]
            assert found == list(error.response_mentions)
            assert columns["worth"][at] == pytest.approx(100 * error.impact, abs=1e-4)
            assert columns["kind"][at] == error.kind
        sizes += [size for size in view["scores"]["keySize"] if size is not None]
        f1 += [value for value in view["scores"][metric] if value is not None]
    assert next(listed, None) is None
    assert len(sizes) == len(explanation.entities)

    assert sorted(f1) == pytest.approx(
        sorted(explanation.entities.scores[metric][2].tolist()), abs=1e-4
    )
    assert data["meta"]["documents"]["f1"][0]["lea"] == pytest.approx(
        [scores["lea"].f1 for scores in explanation.scores.documents.values()], abs=1e-4
    )


def with_empty_nodes(words: str, mentions: list[list[tuple[int, int]]]) -> Corpus:
    """A corpus of one document and two sentences, in which words like _1 are empty nodes."""
    corpus = corpus_of(("d", words.split(" | "), mentions))
    assert corpus.tokens is not None
    forms = corpus.tokens.words.tolist()
    empty = np.array([form.startswith("_") for form in forms])
    tokens = Tokens(
        Strings.from_list(forms), corpus.tokens.offsets, corpus.tokens.sentences, empty=empty
    )
    return replace(corpus, tokens=tokens)


def test_empty_nodes_of_all_sides_stand_in_one_text():
    key = with_empty_nodes("_1 Came home | Slept _2", [[(0, 0), (4, 4)], [(2, 2)]])
    response = with_empty_nodes("Came home _3 | _4 Slept", [[(3, 3)], [(1, 2)]])
    text = Texts.of(key, [response]).document(0)
    assert text.words == ["_1", "Came", "home", "_3", "_4", "Slept", "_2"]
    assert text.empty == [0, 3, 4, 6]
    assert text.rows == [0, 4, 7]
    assert text.sentences == [0, 1]
    assert text.key.spans == [[(0, 1)], [(6, 7)], [(2, 3)]]
    assert text.responses[0].spans == [[(4, 5)], [(2, 4)]]
    assert text.text_of(text.responses[0], 1) == "home _3"


def test_long_sentences_are_cut():
    text = Texts.of(corpus_of(("d", [" ".join(["w"] * (2 * LONGEST_ROW + 1))], [])), []).document(0)
    assert text.rows == [0, LONGEST_ROW, 2 * LONGEST_ROW, 2 * LONGEST_ROW + 1]
    assert text.sentences == [0, 0, 0]


def test_documents_are_chosen_by_name_and_by_score():
    key, wrong = harbour_key(), harbour_wrong()
    data = unpacked(corefine.report(key, wrong, documents=["mill"], replicates=5))
    assert shown_in(data) == ["mill"]
    assert "d1" not in data
    assert data["meta"]["documents"]["shown"] == [-1, 0]
    assert len(data["meta"]["documents"]["id"]) == 2
    made = corefine.report(key, wrong, worst=1, replicates=5)
    scores = made.scores["response"].documents
    lowest = min(scores, key=lambda name: scores[name]["conll"].f1)
    assert shown_in(unpacked(made)) == [lowest]
    assert len(shown_in(unpacked(corefine.report(key, wrong, worst=9, replicates=5)))) == 2


def test_only_metrics_of_coreference_are_audited():
    """That mention detection rises when mentions are added is no fault of it."""
    made = corefine.report(harbour_key(), harbour_wrong(), metrics="mentions,lea", replicates=5)
    audit = made.html.partition('<details id="audit"')[2].partition("</table>")[0]
    assert ">LEA<" in audit
    assert ">mentions<" not in audit
    alone = corefine.report(harbour_key(), harbour_wrong(), metrics="mentions", replicates=5)
    assert '<section id="audit"' not in alone.html


@pytest.mark.parametrize(
    "options",
    [
        {"documents": ["mil"]},
        {"documents": ["mill"], "worst": 1},
        {"worst": 0},
        {"alpha": 1.5},
        {"replicates": 0},
        {"metrics": "nonsense"},
        {"nonsense": 1},
        *({"split_antecedents": choice} for choice in ("score", "only")),
        *({"layer": choice} for choice in ("bridging", "deixis", "all")),
    ],
)
def test_bad_options_are_refused(options):
    with pytest.raises(UsageError):
        corefine.report(harbour_key(), harbour_wrong(), **options)
    with pytest.raises(UsageError):
        corefine.report(harbour_key())


def test_a_hostile_corpus_makes_a_page_that_runs_its_own_script_alone():
    """Text is escaped, the policy allows one script and one style, and no address leads outside."""
    html = corefine.report(
        hostile_corpus(),
        {HOSTILE_NAME: hostile_corpus(response=True)},
        title="</title><script>window.pwned=1</script>",
        replicates=5,
    ).html
    markup = re.sub(CHUNK, "", html)
    (policy,) = re.findall(r'Security-Policy" content="([^"]*)"', markup)
    assert policy.startswith("default-src &#x27;none&#x27;;")
    for kind in ("script", "style"):  # text can only add elements by a bracket that is not escaped
        (code,) = re.findall(f"<{kind}>(.*?)</{kind}>", markup, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        assert f"{kind}-src &#x27;sha256-{digest}&#x27;;" in policy
        assert "pwned" not in code
        markup = markup.replace(f"<{kind}>{code}</{kind}>", "")
    assert not re.search("<(script|style|img|iframe|object|embed|base)\\b", markup)
    addresses = re.findall(r'\b(?:src|href|action)="([^"]*)"', markup)
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    html.encode("utf-8")
    assert "url(" not in html
    outside = set(re.findall(r"https?://[^\s\"'<>]+", html)) - {"http://www.w3.org/2000/svg"}
    assert outside == set()


def test_progress_goes_from_nothing_to_all():
    told: list[tuple[str, int, int]] = []
    corefine.report(
        harbour_key(),
        harbour_wrong(),
        replicates=5,
        progress=lambda *step: told.append(step),
    )
    assert {"analysing response", "packing documents"} <= {task for task, _, _ in told}
    assert all(0 <= done <= total for _, done, total in told)
    assert told[-1][1] == told[-1][2]


@pytest.mark.slow
def test_command_line_takes_ids_with_commas(tmp_path):
    lines = "".join(
        f"#begin document ({name}); part 000\nx 0 0 it PRP * - - - - * (1)\n\n#end document\n"
        for name in ("a,b", "c", "d")
    )
    path = tmp_path / "k.conll"
    path.write_text(lines, "utf-8")
    out = tmp_path / "out.html"
    base = ["report", str(path), str(path), "-o", str(out)]
    assert main([*base, "--documents", "a,b", "--documents", "d"]) == 0
    shown = shown_in(unpacked(Report(out.read_text("utf-8"), {})))
    assert len(shown) == 2
    assert shown[1].startswith("d")


def test_entities_that_reach_beyond_documents():
    columns = {
        "mentions": ["a", "b", "c", "d", "e", "f"],
        "documents": ["t1_x", "t1_x", "t1_y", "t1_y", "t2_x", "t2_x"],
    }
    key = Corpus.from_labels(["A", "A", "A", "B", "A", "C"], **columns)
    response = Corpus.from_labels(["A", "B", "B", "B", "C", "C"], **columns)
    for scope, units in (("topic", 2), ("corpus", 1)):
        made = corefine.report(key, response, metrics="lea", scope=scope, replicates=5)
        explanation = corefine.explain(key, response, "lea", scope=scope)
        data = unpacked(made)
        assert len(made.scores["response"].documents) == units
        assert shown_in(data) == ["t1_x", "t1_y", "t2_x"]
        assert sum(data["meta"]["documents"]["errors"][0]) == len(explanation.errors)
        views = [data[f"d{number}"]["responses"][0] for number in range(3)]
        sizes = [size for view in views for size in view["scores"]["keySize"] if size is not None]
        assert len(sizes) == len(explanation.entities)
        assert sum(len(view["errors"]["type"]) for view in views) == len(explanation.errors)
        for number, view in enumerate(views):
            errors, key_side = view["errors"], data[f"d{number}"]["key"]
            for type_, other in zip(errors["type"], errors["other"], strict=True):
                split = type_ == "split entity"
                assert other < (view if split else key_side)["entities"]
    chosen = corefine.report(key, response, metrics="lea", scope="topic", worst=2, replicates=5)
    assert len(shown_in(unpacked(chosen))) == 2
