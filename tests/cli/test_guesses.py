"""Calls and command lines that people guess: nearly all of them work, or say what to use.

The calls are those that users of scikit-learn, pandas and spaCy would try.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import corefine
from corefine.cli import main
from corefine.formats.sample import write_samples

WORK = r"""
corefine.score(key, response)
corefine.score(key[0], response[0])
corefine.score("key.conll", "careful.conll")
scores["lea"]
scores["lea"].f1
scores["lea"].precision
scores["lea"].recall
scores["lea"].f
scores["lea"].p
scores.lea
scores.conll.f1
scores["CoNLL"]
scores["LEA"].f1
scores["b-cubed"]
scores.items()
dict(corefine.score(key, response))
scores.to_pandas()
scores.to_dict()
scores.to_json()
scores.to_latex()
scores.to_markdown()
scores.plot()
scores.documents
scores.signature
scores.warnings
scores.intervals()
scores.save("x.json")
corefine.score(key, response, metrics=["lea", "muc"])
corefine.score(key, response, metrics="lea")
corefine.score(key, response, ["muc", "bcub"])
corefine.score(key, response, by="kind")
corefine.score([["a", "b"]], [["a"], ["b"]])
corefine.score([[(0, 1), (3, 4)]], [[(0, 1), (3, 4)]])
corefine.score({"d": [[(0, 1), (3, 4)]]}, {"d": [[(0, 1), (3, 4)]]})
corefine.read("key.conll")
corefine.read("key.conll", format="conll")
corefine.metrics
corefine.__version__
key[0]
key[-1]
key[:10]
key[1:3]
key[key.documents[0]]
len(key)
[document for document in key]
next(iter(key))
key.documents
key.mentions
key.entities
key._repr_html_()
key.to_dict()
document.text
document.words
document.tokens
document.sentences
document.name
document.mentions
document.entities
repr(document)
document._repr_html_()
document.mentions[0].text
document.mentions[0].start
document.mentions[0].end
document.mentions[0].document
document.mentions[0].entity
document.mentions[0].head
document.mentions[0].kind
repr(document.mentions[0])
corefine.Mention(0, 1)
evaluator.update(key[0], response[0])
evaluator.update(key, response)
evaluator.compute()
evaluator.reset()
repr(evaluator)
evaluator._repr_html_()
corefine.Evaluator(metrics="lea")
corefine.compare(key, response, other)
comparison
corefine.compare("key.conll", "careful.conll", "eager.conll")
comparison.scores["a"]["lea"].f1
comparison.to_pandas()
comparison.difference("a", "b", "lea")
corefine.explain(key, response)
corefine.explain(key[0], response[0])
corefine.explain(key, response).errors
corefine.convert("key.conll", "key.json")
corefine.write(key, "key2.conll")
corefine.sample()
corefine.check("key.conll")
corefine.describe(key)
corefine.entities(key, response)
corefine.cite("lea")
"""
HELP = r"""
scores["lea"]["f1"]
scores["lea"].fscore
scores.conll_f1
scores["leaa"]
scores.leaa
scores["conll"]["f2"]
scores.to_frame()
scores.to_html()
scores.per_document
scores.by_document
scores.confidence_intervals()
corefine.score(key, response, metric="lea")
corefine.score(key, response, metrics="leaa")
corefine.score(key, response, metrics=("muc", "b_cubed", "ceafe"))
corefine.score(key, response, singletons=False)
corefine.score(key, response, match="partial")
corefine.score(key, response, match="fuzzy")
corefine.score(key, response, average="macro")
corefine.score(key, response, format="conll")
corefine.score("key.conll", "nowhere.conll")
corefine.scoer(key, response)
corefine.Scorer()
corefine.evaluate(key, response)
corefine.load("key.conll")
corefine.read_conll("key.conll")
corefine.read("key.conll", format="conl")
corefine.list_metrics()
corefine.compute(key, response)
corefine.Entity
corefine.Chain
corefine.Span
key["nothere"]
key.docs
key.clusters
key.sentences
key.text
key.describe()
key.to_pandas()
key.save("out.conll")
key.write("out.conll")
key.shape
document.sents
document.id
document.doc_id
document.clusters
document.ents
document.mentions[0].words
document.mentions[0].span
document.mentions[0].label_
document.mentions[0].start_char
evaluator.add(key[0], response[0])
evaluator.result()
evaluator.scores
evaluator.score()
corefine.compare(key, {"a": response, "b": other}, metrics="lea").pvalue
corefine.compare(key, response)
comparison.best
comparison.standing("c", "lea")
comparison.standing("a", "leaa")
comparison["a"]
comparison.significant
corefine.compare(key, {"a": response, "b": other}, test="ttest")
corefine.compare(key, {"a": response, "b": other}, n_resamples=100)
corefine.demo()
"""
"""Calls that fail, but name what exists."""
NEITHER = r"""
corefine.score(gold=key, predicted=response)
key.name
document[0]
len(document)
document.entities[0].mentions
corefine.Document(name="d", entities=[[(0, 1)]])
corefine.sample("key")
corefine.score.metrics
"""
"""Calls whose errors do not help."""
ADVICE = ("Use ", "use ", "Did you mean", "there is no", "metrics: ")


LINES = {
    "score key.conll careful.conll --json": "Write '--output json'.",
    "score key.conll careful.conll --format json": "Write '--output FORM'",
    "score --gold key.conll careful.conll": "The key is the first argument",
    "score --pred careful.conll": "The key is the first argument",
    "score key.conll careful.conll --metrics muc b3": "Separate metrics with commas",
    "score key.conll careful.conll --metrics muc,bcubb": "Did you mean 'bcub'?",
    "score key.conll careful.conll --partial": "Write '--match partial'.",
    "score key.conll careful.conll --no-singletons": "Write '--singletons drop'.",
    "score key.conll careful.conll --preset conll12": "Did you mean 'conll2012'?",
    "score key.conll careful.conll --as perl": "Did you mean 'perl-8.01'?",
    "score key.conll careful.conll --key-format conl": "Did you mean 'conll' or 'conllu'",
    "score key.conll careful.conll --tables documnets": "Did you mean 'documents'?",
    "score key.conll careful.conll --ci": "Write '--intervals'",
    "score key.conll careful.conll -o out.xlsx": "Use one of the suffixes",
    "score key.conll careful.conll eager.conll": "corefine compare KEY RESPONSE",
    "score all key.conll careful.conll": "score KEY RESPONSE --metrics all",
    "score key.conll nowhere.conll": "no such file or directory",
    "score pixels.png careful.conll": "Name it with --key-format (see 'corefine formats').",
    "scor key.conll careful.conll": "Did you mean 'score'?",
    "evaluate key.conll careful.conll": "Did you mean 'score'?",
    "version": "Did you mean '--version'?",
    "explain key.conll careful.conll eager.conll": "'explain' takes one response",
    "compare careful.conll eager.conll": (
        "the first file, careful.conll, was read as the key; give the key, then two responses"
    ),
    "compare key.conll a=careful.conll a=eager.conll": "two systems are named 'a'",
    "compare key.conll careful.conll eager.conll --baseline x": "Choose one of: careful, eager",
    "compare scores.json key.conll": "'key' is not a file of saved scores",
    "compare key.conll scores.json": "'the key' is not a file of saved scores",
    "gate key.conll careful.conll": "Missing option '--against'",
    "metrics leaa": "Did you mean 'lea'?",
    "resolve trian key.conll": "Did you mean 'train'?",
}
"""Wrong command lines, with what is said."""


def calls(table: str) -> list[str]:
    return table.strip().splitlines()


@pytest.fixture
def names(tmp_path, monkeypatch):
    """The objects that a user has after the first lines of the documentation."""
    monkeypatch.chdir(tmp_path)
    write_samples(tmp_path)
    key, systems = corefine.sample()
    response, other = systems["careful"], systems["eager"]
    evaluator = corefine.Evaluator()
    evaluator.update([["a", "b"]], [["a"], ["b"]])
    return {
        "corefine": corefine, "key": key, "response": response, "other": other,
        "document": key[0], "evaluator": evaluator, "scores": corefine.score(key, response),
    }  # fmt: skip


def guessed(call: str, names: dict[str, object]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", corefine.CorefineWarning)
        if "comparison" in call:
            systems = {"a": names["response"], "b": names["other"]}
            found = corefine.compare(names["key"], systems, "lea", trials=9, replicates=9)
            names = {**names, "comparison": found}
        eval(call, names)


@pytest.mark.parametrize("call", calls(WORK))
def test_guesses_that_work(call, names):
    guessed(call, names)


@pytest.mark.parametrize("call", calls(HELP))
def test_guesses_that_are_helped(call, names):
    with pytest.raises(Exception) as raised:  # noqa: PT011 - of the type that Python expects
        guessed(call, names)
    is_own = isinstance(raised.value, corefine.CorefineError)
    assert is_own or any(words in str(raised.value) for words in ADVICE)


@pytest.mark.parametrize("line", LINES)
def test_wrong_command_lines_get_advice(line, names, capsys):
    if "scores.json" in line:
        names["scores"].save("scores.json")
    Path("pixels.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    assert main(line.split()) == 2
    assert LINES[line] in capsys.readouterr().err


def test_most_guesses_work_or_are_helped():
    fine, all_of_them = len(calls(WORK + HELP)), len(calls(WORK + HELP + NEITHER))
    assert all_of_them >= 150
    assert fine / all_of_them >= 130 / 150
