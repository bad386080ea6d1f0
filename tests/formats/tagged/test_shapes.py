"""Shapes in which language models answer: each gets its score, and none is misread."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import corefine
from corefine import Corpus
from corefine.errors import FormatError
from corefine.formats.tagged.dialects import DIALECTS, WRITTEN
from tests.building.tagged_answers import documents, spans, strings_of
from tests.building.text_corpora import make

SENTENCES = [
    sentence.split()
    for sentence in (
        "Maria met Tom Smith in the old garden .",
        "She gave him an apple .",
        "Then Maria 's dog ate it .",
        "It was hers .",
    )
]
ENTITIES = [
    [(0, 1), (9, 10), (16, 18)], [(2, 4), (11, 12)], [(12, 14), (20, 21)], [(16, 19), (22, 23)],
]  # fmt: skip
CLUSTERS = [
    ["Maria", "She", "Maria's"], ["Tom Smith", "him"], ["an apple", "it"], ["Maria's dog", "It"],
]  # fmt: skip
NAMES = {"1": "Maria", "2": "Tom Smith", "3": "apple", "4": "dog"}


def tagged(tag: Callable[[str, str], str]) -> str:
    """The text with its mentions tagged."""
    dog = tag(f"{tag('Maria’s', '1')} dog", "4")
    return (
        f"{tag('Maria', '1')} met {tag('Tom Smith', '2')} in the old garden. {tag('She', '1')} "
        f"gave {tag('him', '2')} {tag('an apple', '3')}. Then {dog} ate {tag('it', '3')}. "
        f"{tag('It', '4')} was hers."
    )


def numbered(form: str) -> list[str]:
    return [form.format(number, ", ".join(cluster), cluster[0]) for number, cluster in
            enumerate(CLUSTERS, 1)]  # fmt: skip


def rows(form: str) -> str:
    """A line per word with its brackets."""
    words = [word for sentence in SENTENCES for word in sentence]
    cells = [""] * len(words)
    for number, entity in enumerate(ENTITIES, 1):
        for start, stop in entity:
            cells[start] += f"({number}" + ")" * (stop == start + 1) + "|"
            cells[stop - 1] += f"{number})|" if stop > start + 1 else ""
    return "\n".join(form.format(w, c[:-1] or "-") for w, c in zip(words, cells, strict=True))


PAIRS = [(mention, cluster[0]) for cluster in CLUSTERS for mention in cluster[1:]]
DUMPED = json.dumps({"clusters": CLUSTERS}, indent=2)
TAGGED = {
    "link": "[{0}](#{1})", "link to a cluster": "[{0}](#cluster_{1})", "link to a name":
    "[{0}](#{2})", "letter": "[{0}]({3})", "blank before the id": "[{0}] (E{1})",
    "subscript": "[{0}]_{1}", "LaTeX": "[{0}]_{{{1}}}", "colon": "[{0}: {1}]", "bar": "[{0}|{1}]",
    "name inside": "[{0}: {2}]", "number first": "[{1}: {0}]", "id first": "[E{1} {0}]",
    "two brackets": "[{0}][{1}]", "hash": "[{0}]#{1}", "superscript": "[{0}]{4}",
    "caret": "[{0}]^{1}", "sup": "[{0}]<sup>{1}</sup>", "digit": "[{0}]{1}",
    "equals": "[{0} = {1}]", "round inside": "[{0} (E{1})]", "with blanks": "[ {0} ]_{1}",
    "double": "[[{0}|{1}]]", "brace and bar": "{{{0}|{1}}}", "brace": "{{{0}}}_{1}",
    "brace and colon": "{{{0}:{1}}}", "double brace": "{{{{{0}|{1}}}}}", "round": "({0})_{1}",
    "CoNLL": "({1} {0})", "CoNLL with both": "({1} {0} {1})", "bold": "**{0}**[{1}]",
    "bold and round": "**{0}** ({1})", "bold with the id": "**{0} [{1}]**",
    "entity": '<entity id="{1}">{0}</entity>', "cluster": '<mention cluster="{1}">{0}</mention>',
    "attributes": "<mention type='PER' cluster='{1}' head='x'>{0}</mention>",
    "element": "<E{1}>{0}</E{1}>", "digits": "<{1}>{0}</{1}>", "m": "<m>{0}</m>#{1}",
    "span": '<span class="entity-{1}" style="color:red">{0}</span>',
    "seq2seq": "<m> {0} | {1} </m>",
    "two ids": '<mention id="m7" entity="{1}">{0}</mention>', "angle": "<{0}|{1}>",
    "escaped": "&lt;entity id=&quot;{1}&quot;&gt;{0}&lt;/entity&gt;", "before": "{1}[{0}]",
    "Chinese brackets": "【{0}】{1}", "maths": "[{0}]$_{{{1}}}$", "short maths": "[{0}]$_{1}$",
    "bracketed element": "[E{1}]{0}[/E{1}]", "signs": "@@{0}##{1}",
    "name with a number first": "[ENTITY_{1}: {0}]", "element of a name": "<The_{1}>{0}</The_{1}>",
    "long name first": "[the_{2}: {0}]", "letter element": "<{3}>{0}</{3}>",
    "short end": "<e{1}>{0}</e>", "dot": "[{0}.{1}]", "id with its key": "[{0}, id={1}]",
    "attribute": "[{0}]{{cluster={1}}}", "Pandoc": "[{0}]{{#e{1}}}", "small number first":
    "[{4}{0}]", "LaTeX first": "[_{1} {0}]", "command":
    "\\coref{{{0}}}{{{1}}}", "URL": "[{0}](http://e/{1})", "underscores":
    "_{0}_[{1}]", "bold brackets": "**[{0}]**{4}", "bold link": "**[{0}](#{1})**",
    "number behind a blank": "[{0}] _{1}", "word and number": "[{0}]COREF_{1}",
    "bars": "||{0}||{1}", "double brackets behind": "[{0}][[{1}]]",
    "signs twice": "@@{0}@@{1}", "arrow": "[{0} → {2}]", "begin and end": "<start:{1}>{0}<end:{1}>",
    "B and E": "[B-{1}] {0} [E-{1}]", "BBCode": "[ent={1}]{0}[/ent]", "Greek": "[{0}]_α{1}",
}  # fmt: skip
LISTED = {
    "list of lists": json.dumps(CLUSTERS),
    "object": DUMPED,
    "fenced": f"Certainly!\n```json\n{DUMPED}\n```\nI hope this helps.",
    "entities": json.dumps({"entities": [{"name": c[0], "mentions": c} for c in CLUSTERS]}),
    "entity to mentions": json.dumps({c[0]: c for c in CLUSTERS}),
    "entity to other mentions": json.dumps({c[0]: c[1:] for c in CLUSTERS}),
    "Python": str(dict(enumerate(CLUSTERS))),
    "mention to id": json.dumps({m: n for n, c in enumerate(CLUSTERS) for m in c}),
    "flat": json.dumps([{"text": m, "cluster_id": n} for n, c in enumerate(CLUSTERS) for m in c]),
    "chains": json.dumps({"chains": [{"id": n, "mentions": [{"mention": m, "type": "x"} for m in c]}
                                     for n, c in enumerate(CLUSTERS)]}),
    "surface forms": json.dumps([[{"surface_form": m, "type": "x"} for m in c] for c in CLUSTERS]),
    "comments": "[ // entities\n" + ",\n".join(map(json.dumps, CLUSTERS)) + ", # the last\n]",
    "lines": "\n".join(json.dumps({"entity": c[0], "mentions": c}) for c in CLUSTERS),
    "pairs": json.dumps([{"mention": m, "antecedent": a} for m, a in PAIRS]),
    "numbers": "\n".join(numbered("Entity {0}: {1}")),
    "names": "\n".join(numbered("**Entity {0} ({2}):** {1}")) + "\n\nNote: pronouns were resolved.",
    "numbered list": "Here are the clusters:\n\n" + "\n".join(numbered("{0}. {1}")),
    "bullets": "\n".join(f"- **{c[0]}**: " + ", ".join(f'"{m}"' for m in c) for c in CLUSTERS),
    "smart quotes": "\n".join(f"• “{'”, “'.join(c)}”" for c in CLUSTERS),
    "headings": "\n".join(f"### {c[0]}\n" + "\n".join(f"- {m}" for m in c) for c in CLUSTERS),
    "table": "| Entity | Mentions |\n|---|---|\n" + "\n".join(numbered("| {2} | {1} |")),
    "table of mentions": "| Mention | Entity ID |\n|---|---|\n"
    + "\n".join(f"| {m} | {n} |" for n, c in enumerate(CLUSTERS) for m in c),
    "sets": "\n".join("{" + ", ".join(c) + "}" for c in CLUSTERS),
    "equations": "\n".join(" = ".join(c) for c in CLUSTERS),
    "arrows": "\n".join("- " + " → ".join(c) for c in CLUSTERS),
    "questions": "\n".join(f"Q: Who or what is '{m}'?\nA: {a}" for m, a in PAIRS),
    "statements": "\n".join(f'- "{m}" refers to "{a}"' for m, a in PAIRS),
    "after thoughts": f"<think>\n[Maria](#9) and 1. him, it\n</think>\n{DUMPED}",
    "in JSON": json.dumps({"answer": tagged(lambda x, i: f"[{x}](#{i})")}),
    "legend": f"{tagged(lambda x, i: f'[{x}](#{i})')}\n\n```json\n{json.dumps(NAMES)}\n```",
    "YAML": "\n".join(
        f"- name: {c[0]}\n  mentions:\n" + "\n".join(f"    - {m}" for m in c) for c in CLUSTERS),
    "columns": rows("{0}\t{1}"),
    "table of words": "| word | id |\n|---|---|\n" + rows("| {0} | {1} |").replace(")|", ")\\|"),
    "chain in brackets": "\n".join(numbered("Chain {0}: [{1}]")),
    "named sets": "\n".join(numbered("E{0} = {{{1}}}")),
    "nested bullets": "\n".join(
        f"* **Cluster {n} ({c[0]})**\n" + "\n".join(f"    * {m}" for m in c)
        for n, c in enumerate(CLUSTERS, 1)),
    "nested YAML": "\n".join("- - " + "\n  - ".join(c) for c in CLUSTERS),
    "both arrows": "\n".join(" ↔ ".join(c) for c in CLUSTERS),
    "bars between mentions": "\n".join(" | ".join(c) for c in CLUSTERS),
    "XML": "<clusters>" + "".join(
        f'<cluster id="{n}">' + "".join(f"<mention>{m}</mention>" for m in c) + "</cluster>"
        for n, c in enumerate(CLUSTERS)) + "</clusters>",
    "and": "\n".join(f"- {', '.join(c[:-1])} and {c[-1]}." for c in CLUSTERS),
    "CSV": "mention,cluster\n" + "\n".join(f'"{m}",{n}' for n, c in enumerate(CLUSTERS) for m in c),
    "TSV": "\n".join(f"{m}\t{n}" for n, c in enumerate(CLUSTERS) for m in c),
    "lines in cells": "| Entity | Mentions |\n|---|---|\n"
    + "\n".join(f"| {n} | {'<br>'.join(c)} |" for n, c in enumerate(CLUSTERS)),
    "names in a column": "| Mention | Refers to |\n|---|---|\n"
    + "\n".join(f"| {m} | {c[0]} |" for c in CLUSTERS for m in c),
    "ids of mentions": json.dumps({
        "mentions": [{"id": f"m{n}{k}", "text": m} for n, c in enumerate(CLUSTERS)
                     for k, m in enumerate(c)],
        "clusters": [[f"m{n}{k}" for k in range(len(c))] for n, c in enumerate(CLUSTERS)]}),
    "CoNLL file": "#begin document (x)\n" + rows("x\t0\t{0}\t{1}"),
    "with chatter": f"Sure! Here it is:\n\n{tagged(lambda x, i: f'[{x}]_{i}')}\n\nAnything else?",
}  # fmt: skip


def read(answer: str) -> list[list[Any]]:
    found: Any = corefine.read_tagged(answer, SENTENCES).to_dict()[""]
    return sorted(sorted(entity) for entity in found)


@pytest.mark.parametrize("shape", TAGGED)
def test_tags_in_any_shape_are_read(shape):
    form = TAGGED[shape]

    def tag(text: str, number: str) -> str:
        letter, small = "ABCD"[int(number) - 1], "¹²³⁴"[int(number) - 1]
        return form.format(text, number, NAMES[number], letter, small)

    assert read(tagged(tag)) == sorted(ENTITIES)


@pytest.mark.parametrize("shape", LISTED)
def test_lists_in_any_shape_are_read(shape):
    assert read(LISTED[shape]) == sorted(ENTITIES)


def test_a_string_with_a_comma_is_joined_if_the_text_has_it():
    words = ["Paris", ",", "France", "is", "old", ".", "It", "is", "big", "."]
    assert corefine.read_tagged("- Paris, France, It", words).to_dict()[""] == [[(0, 3), (6, 7)]]


def test_the_whole_of_an_answer_is_read_though_a_part_of_it_is_like_json():
    source = ["Long", "words", "come", "first", "here", "."] * 60
    source += ["Klein", "'s", "house", "is", "it", ",", "he", "says", "'s", "so", "to", "us"] * 60
    tags = {0: "[{}: 1]", 360: "[[{}: 2]", 361: "{}: 1]"}
    answer = " ".join(tags.get(n, "{}").format(word) for n, word in enumerate(source))
    corpus = corefine.read_tagged(answer, source)
    assert corpus.to_dict()[""] == [[(0, 1), (360, 362)], [(360, 361)]]
    assert corpus.copies is not None
    assert corpus.copies.total.coverage == 1


def test_an_unknown_document_is_refused_whatever_its_name():
    key = make({"x": (SENTENCES, [(0, 0, 0)])})
    with pytest.raises(FormatError, match="is not in the key"):
        corefine.score(key, [{"doc_id": "x\0>1A", "output": "It"}])


def test_what_is_complete_in_a_truncated_answer_counts():
    corpus = corefine.read_tagged(json.dumps(CLUSTERS)[:46], SENTENCES)
    assert corpus.to_dict()[""] == [ENTITIES[0], ENTITIES[1][:1]]
    assert corpus.copies is not None
    assert corpus.copies.total.faults[0].outcome.startswith("the answer is cut off")


def test_stated_places_are_used_and_corrected():
    words = ["she", "saw", "her", "and", "she", "left"]
    for unit, start in (("token", 4), ("char", 16), ("char", 15)):
        answer = json.dumps([[{"text": "she", f"start_{unit}": start}, {"text": "her"}]])
        corpus = corefine.read_tagged(answer, words)
        assert corpus.to_dict()[""] == [[(4, 5), (2, 3)]]
        assert corpus.copies is not None
        assert corpus.copies.documents[0].corrected == (start == 15)
    second = '[[{"text": "she", "sentence": 2, "occurrence": 1}]]'
    assert corefine.read_tagged(second, [words[:4], words[4:]]).to_dict()[""] == [[(4, 5)]]


def test_text_behind_an_element_with_an_id_is_no_other_id():
    answer = "<E1>Ann</E1>: met <E2>Bo</E2> (a man) and <E1>she</E1> - who left <E2>him</E2> - ran"
    plain = "Ann : met Bo ( a man ) and she - who left him - ran"
    words = plain.split()
    corpus = corefine.read_tagged(answer, words)
    assert corpus.to_dict()[""] == [[(0, 1), (9, 10)], [(3, 4), (13, 14)]]
    assert corpus.copies is not None
    assert corpus.copies.total.coverage == 1


def test_places_in_an_object_of_their_own_are_read():
    mentions = [{"text": "she", "span": {"start": start, "end": start + 1}} for start in (4, 0)]
    words = ["she", "saw", "her", "and", "she", "left"]
    corpus = corefine.read_tagged(json.dumps([mentions, ["her"]]), words)
    assert corpus.to_dict()[""] == [[(4, 5), (0, 1)], [(2, 3)]]


@pytest.mark.parametrize(
    "answer",
    [
        "Once upon a time there was a king.",
        "Maria met Tom Smith in the old garden. §Maria§§1§ and [§Tom§] {§him§} <§x§>",
        json.dumps({"clusters": [[[0, 4], [40, 43]]]}),
        "The text is about a garden, an apple and a dog, as far as I can tell.",
    ],
)
def test_what_is_not_understood_is_refused_with_its_beginning(answer):
    key = make({"x": (SENTENCES, [(0, 0, 0), (0, 9, 9)])})
    with pytest.raises(FormatError) as caught:
        corefine.score(key, {"x": answer})
    assert answer[:20].replace("\n", " ") in str(caught.value).replace("\\", "")
    reason = "positions instead of words" if "clusters" in answer else "the nearest dialect is"
    assert reason in str(caught.value)
    assert caught.value.remedy


def test_tags_of_words_in_the_manner_of_b_and_i_are_read():
    tags = {0: "B-1", 2: "B-2", 3: "I-2", 9: "B-1", 11: "B-2"}
    words = [word for sentence in SENTENCES for word in sentence]
    answer = "\n".join(f"{word} {tags.get(n, 'O')}" for n, word in enumerate(words))
    assert read(answer) == [[(0, 1), (9, 10)], [(2, 4), (11, 12)]]


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with that.",
        "As a large language model I am not able to do this.",
        '{"error": "I cannot assist with that."}',
    ],
)
def test_refusals_are_named(answer):
    key = make({"x": (SENTENCES, [(0, 0, 0), (0, 9, 9)])})
    scores = corefine.score(key, {"x": answer})
    assert scores.copies is not None
    assert scores.copies.documents[0].failure == "the model refused to answer"
    assert scores["muc"].f1 == 0


# --- files ----------------------------------------------------------------------------------------


def dialects_of(scores: corefine.Scores) -> list[str]:
    assert scores.copies is not None
    return [one.dialect for one in scores.copies.documents]


def test_mixed_answers_score_as_they_do_separately():
    key = make({name: (SENTENCES, [(n, a, b - 1) for n, entity in enumerate(ENTITIES)
                                   for a, b in entity]) for name in "abc"})  # fmt: skip
    answers = {
        "a": tagged(lambda x, i: f'<entity id="{i}">{x}</entity>'),
        "b": tagged(lambda x, i: f"[{x}](#{i})"),
        "c": DUMPED,
    }
    scores = corefine.score(key, answers, "muc,b3,ceafe,conll")
    assert scores["conll"].f1 == 1
    assert dialects_of(scores) == ["xml-entity", "markdown", "JSON"]


ENVELOPES: dict[str, Callable[[str], Any]] = {
    "OpenAI chat": lambda t: {"id": "x", "choices": [{"message": {"content": t}}]},
    "OpenAI responses": lambda t: {"custom_id": "x", "output": [
        {"type": "reasoning", "summary": [{"text": "[Hm](#1)"}]},
        {"type": "message", "content": [{"type": "output_text", "text": t}]}]},
    "OpenAI batch": lambda t: {"id": "batch_1", "custom_id": "x", "response": {"status_code": 200,
        "body": {"id": "r", "choices": [{"message": {"content": t, "refusal": None}}]}}},
    "Anthropic": lambda t: {"custom_id": "x", "result": {"type": "succeeded", "message": {
        "content": [{"type": "thinking", "thinking": "[a](#1)"}, {"type": "text", "text": t}]}}},
    "Gemini": lambda t: {"key": "x", "response": {"candidates": [
        {"content": {"parts": [{"text": t}], "role": "model"}}]}},
    "OpenAI tool call": lambda t: {"custom_id": "x", "response": {"body": {"choices": [{"message": {
        "content": None, "tool_calls": [{"function": {"name": "f", "arguments": t}}]}}]}}},
    "vLLM": lambda t: {"request_id": "x", "prompt": "Tag:", "outputs": [{"text": t}]},
    "lm-eval": lambda t: {"doc_id": 0, "doc": {"id": "x"}, "resps": [[t]], "filtered_resps": [t]},
}  # fmt: skip


def under(key: str) -> Callable[[str], Any]:
    return lambda text: {"doc_id": "x", key: text}


for _key in ("output", "answer", "response", "completion", "prediction", "text"):
    ENVELOPES[_key] = under(_key)


@pytest.mark.parametrize("envelope", [*ENVELOPES, "Inspect"])
def test_envelopes_are_opened(envelope, tmp_path):
    key = make({"x": (SENTENCES, [(0, 0, 0), (0, 9, 9)])})
    text = tagged(lambda x, i: f"[{x}](#{i})")
    record = (
        {"samples": [{"id": "x", "output": {"choices": [{"message": {"content": text}}]}}]}
        if envelope == "Inspect"
        else ENVELOPES[envelope](text)
    )
    path = tmp_path / "answers.jsonl"
    path.write_text(json.dumps(record) + "\n")
    assert corefine.score(key, path, "muc", response_format="answers")["muc"].recall == 1
    if envelope != "Inspect":
        assert corefine.score(key, [record], "muc")["muc"].recall == 1


def test_records_that_are_answers_themselves_belong_to_their_documents(tmp_path):
    key = make({name: (SENTENCES, [(0, 0, 0), (0, 9, 9)][: 1 + (name == "b")]) for name in "ab"})
    for form in ("clusters", "entities"):
        records = [{"doc_id": name, form: [[{"text": "Maria", "start": 0}, {"text": "She"}][:size]]}
                   for name, size in (("b", 2), ("a", 1))]  # fmt: skip
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        assert corefine.score(key, path, "b3")["b3"].f1 == 1
        assert corefine.score(key, records, "b3")["b3"].f1 == 1


def test_answers_in_python_are_those_of_the_command_line():
    key = make({"a": (SENTENCES, [(0, 0, 0), (0, 9, 9)]), "b": (SENTENCES, [(0, 0, 0)])})
    text = tagged(lambda x, i: f"[{x}: {i}]")
    wanted = corefine.score(key, [{"doc_id": name, "output": text} for name in "ab"])
    for answers in ({"a": text, "b": text}, [text, text]):
        assert corefine.score(key, answers).to_dict() == wanted.to_dict()


def test_chunks_are_joined_by_shared_ids_or_by_overlap():
    words = [f"w{number}" for number in range(40)]
    spans = [(0, n, n) for n in range(0, 40, 4)] + [(1, n, n) for n in range(1, 40, 4)]
    key = make({"d": ([words], spans)})

    def part(start: int, stop: int, ids: str) -> str:
        tags = {0: "[{}](#" + ids[0] + ")", 1: "[{}](#" + ids[1] + ")"}
        return " ".join(tags.get(n % 4, "{}").format(words[n]) for n in range(start, stop))

    shared = [{"doc_id": "d", "chunk": 1, "output": part(0, 20, "12")},
              {"doc_id": "d", "chunk": 2, "output": part(20, 40, "12")}]  # fmt: skip
    windows = [{"doc_id": "d_1", "output": part(0, 24, "12")},
               {"doc_id": "d_2", "output": part(16, 40, "71")}]  # fmt: skip
    unnumbered = [{"doc_id": "d", "output": one["output"]} for one in shared]
    for answers, rule in (
        (shared, "shared-ids"), (windows, "overlap"), (unnumbered, "shared-ids"),
    ):  # fmt: skip
        scores = corefine.score(key, answers, "muc")
        assert scores["muc"].f1 == 1
        assert f"|chunks:{rule}|" in str(scores.signature)
        assert scores.copies is not None
        assert scores.copies.total.coverage == 1
    for twice in (part(0, 40, "12"), '[["w0", "w4"]]'):
        with pytest.raises(FormatError, match="answered twice"):
            corefine.score(key, [{"doc_id": "d", "output": twice}] * 2, "muc")


# --- laws -----------------------------------------------------------------------------------------

CHATTER = ("", "Sure! Here is the result:\n\n", "Of course.\n\n", "**Answer**\n\n")
AFTERWARDS = ("", "\n\nLet me know if you need anything else!", "\n\nI hope this helps.")
GENERIC = [name for name in DIALECTS if name not in WRITTEN and name != "X1" and "id=" not in name]


def answer_in(corpus: Corpus, shape: str, draw: random.Random) -> str:
    """The annotation of a corpus as an answer in a shape."""
    document = corpus[0]
    clusters = strings_of(document)
    if shape == "JSON":
        return json.dumps({"clusters": clusters})
    if shape == "list":
        return "\n".join(f"Entity {n}: {', '.join(c)}" for n, c in enumerate(clusters, 1))
    words = list(document.tokens or ())
    number = {label: place for place, label in enumerate(document.entities, 1)}
    before, _, after = shape.partition("X")
    for mention in document.mentions:
        (start, stop), label = mention.spans[0], str(number[mention.entity])
        words[start] = before.replace("1", label) + words[start]
        words[stop - 1] += after.replace("1", label)
    return " ".join(words)


AMBIGUOUS = {'1"X"', "1**X**", "1*X*", "1`X`", "1==X==", "1__X__"}
"""Shapes in which nothing tells a sign that opens from one that closes: often misread."""


@settings(max_examples=60, phases=[Phase.generate], derandomize=True)
@given(
    documents(),
    st.sampled_from(["JSON", *sorted({*GENERIC} - AMBIGUOUS), "[X](#1)", "<E1>X</E1>"]),
    st.data(),
)
def test_a_perfect_answer_in_any_shape_scores_100(key, shape, data):
    answer = answer_in(key, shape, random.Random(0))
    answer = data.draw(st.sampled_from(CHATTER)) + answer + data.draw(st.sampled_from(AFTERWARDS))
    if data.draw(st.booleans()):
        answer = f"Here you are:\n```\n{answer}\n```"
    scores = corefine.score(key, {"x": answer}, "mentions,b3")
    if scores.placement_range is None:
        assert spans(corefine.read_tagged(answer, key[0].tokens)) == spans(key)
    else:
        assert scores.placement_range[2] == 1


def test_invented_strings_lower_precision():
    key = make({"x": (SENTENCES, [(n, a, b - 1) for n, e in enumerate(ENTITIES) for a, b in e])})
    invented = [[*cluster, "a dragon"] for cluster in CLUSTERS]
    plain, lowered, ignored = (
        corefine.score(key, {"x": json.dumps(clusters)}, "mentions,muc,b3,ceafe", **options)
        for clusters, options in ((CLUSTERS, {}), (invented, {}), (invented, {"unfound": "ignore"}))
    )
    for metric in ("mentions", "muc", "b3", "ceafe"):
        assert plain[metric].f1 == ignored[metric].f1 == 1
        assert lowered[metric].precision != 1
    assert lowered["mentions"].precision == 9 / 13
    assert "|unfound:spurious|" in str(lowered.signature)
    assert "|unfound:ignore|" in str(ignored.signature)


@pytest.mark.filterwarnings("ignore::corefine.CorefineWarning")
def test_prompts_ask_for_every_dialect_and_a_perfect_answer_scores_100(tmp_path):
    key = make({"x": (SENTENCES, [(n, a, b - 1) for n, e in enumerate(ENTITIES) for a, b in e])})
    corefine.write(key, tmp_path / "prompts.jsonl", "prompts")
    asked = [json.loads(line) for line in (tmp_path / "prompts.jsonl").read_text().splitlines()]
    assert [one["dialect"] for one in asked] == [*WRITTEN, "strings", "numbered"]
    assert all("old garden" in one["prompt"] for one in asked)
    for dialect in (*WRITTEN, "answers"):
        corefine.write(key, tmp_path / "answers.jsonl", dialect, lossy=True)
        scores = corefine.score(key, tmp_path / "answers.jsonl", response_format=dialect)
        assert scores["lea"].f1 == 1
        assert scores.placement_range is None
