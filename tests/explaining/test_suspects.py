"""Suspects: systems that agree against the key, and how many planted errors they find."""

from __future__ import annotations

import json
from random import Random

import pytest

import corefine
from corefine.cli import main
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.errors import UsageError
from corefine.explaining.suspects import Suspect

WORDS = "Ann met old Eve . She saw the dog . Eve left it . Ann ran ."
ANN, EVE, SHE, DOG, EVE_AGAIN, IT, ANN_AGAIN = (
    (0, 1), (2, 4), (5, 6), (7, 9), (10, 11), (12, 13), (14, 15),
)  # fmt: skip
RIGHT = [[ANN, SHE, ANN_AGAIN], [EVE, EVE_AGAIN], [DOG, IT]]


def corpus(*entities: list[tuple[int, int]]) -> Corpus:
    mentions = [Mention(str(n), [span]) for n, entity in enumerate(entities) for span in entity]
    return Corpus.from_documents([Document("d", WORDS.split(), mentions, [0, 5, 10, 14])])


CASES = {
    "missing mention": [[ANN, ANN_AGAIN], [EVE, EVE_AGAIN], [DOG, IT]],
    "missing entity": [[ANN, SHE, ANN_AGAIN], [EVE, EVE_AGAIN]],
    "span": [[ANN, SHE, ANN_AGAIN], [(3, 4), EVE_AGAIN], [DOG, IT]],
    "missing link": [[ANN], [SHE, ANN_AGAIN], [EVE, EVE_AGAIN], [DOG, IT]],
    "wrong link": [[ANN, SHE, ANN_AGAIN, DOG, IT], [EVE, EVE_AGAIN]],
}


@pytest.mark.parametrize("type_", CASES)
def test_two_systems_that_are_right_find_an_error_of_the_key(type_):
    systems = {"a": corpus(*RIGHT), "b": corpus(*RIGHT), "c": corpus(*CASES[type_])}
    found = corefine.suspects(corpus(*CASES[type_]), systems)
    (suspect,) = found
    assert (suspect.type, suspect.systems) == (type_, ("a", "b"))
    assert suspect.gain > 0
    assert found.contested["a"] == pytest.approx(1 - found.f1["a"])
    assert corefine.score(corpus(*RIGHT), found.corrected(), "lea")["lea"].f1 == 1
    assert "[" in suspect.sentence
    assert json.loads(found.to_json())["suspects"][0]["type"] == type_


def test_systems_that_disagree_with_each_other_suspect_nothing():
    other = [[ANN, EVE, SHE], [EVE_AGAIN, ANN_AGAIN], [DOG], [IT]]
    assert len(corefine.suspects(corpus(*RIGHT), {"a": corpus(*RIGHT), "b": corpus(*other)})) == 0
    with pytest.raises(UsageError):
        corefine.suspects(corpus(*RIGHT), {"a": corpus(*RIGHT)})


@pytest.mark.slow
def test_the_command_exports_a_pre_annotation(tmp_path, capsys):
    files = {"key": CASES["missing mention"], "a": RIGHT, "b": RIGHT}
    for name, entities in files.items():
        corefine.write(corpus(*entities), tmp_path / f"{name}.jsonl", "e2e", lossy=True)
    paths = [str(tmp_path / f"{name}.jsonl") for name in files]
    for format in ("brat", "label-studio", "webanno"):
        target = str(tmp_path / format)
        assert main(["suspects", *paths, "--export", target, "--to", format]) == 0
        assert len(corefine.read(target, format).mentions) == 7
    assert "missing mention" in capsys.readouterr().out


def planted(key: Corpus, count: int, random: Random) -> tuple[Corpus, list[tuple[str, str, list]]]:
    """The key with errors of four types, and these with the mentions that they concern."""
    documents, errors = list(key), list[tuple[str, str, list]]()
    touched: set[tuple[str, object]] = set()
    while len(errors) < count:
        type_ = ("missing mention", "span", "missing link", "wrong link")[len(errors) % 4]
        document = random.choice(documents)
        entities = [
            mentions
            for entity, mentions in document.entities.items()
            if (document.name, entity) not in touched
            and len(mentions) > {"span": 1, "wrong link": 1, "missing mention": 2}.get(type_, 3)
        ]
        if len(entities) < (2 if type_ == "wrong link" else 1):
            continue
        one, other = random.sample(entities, 2) if len(entities) > 1 else (entities[0], [])
        mention = random.choice(one)
        used = [mention.entity]
        if type_ == "missing mention":
            document.mentions.remove(mention)
            concerned = [{tuple(mention.spans)}]
        elif type_ == "span":
            start, stop = mention.spans[0]
            cut = [random.choice([(start, stop - 1), (start + 1, stop)])]
            if stop - start < 2 or any(known.spans == cut for known in document.mentions):
                continue
            concerned = [{tuple(mention.spans)}]
            mention.spans, mention.head = cut, None
        else:
            if type_ == "missing link":
                one, other = one[::2], one[1::2]
                new: str | int = f"planted {len(errors)}"
            else:
                new = one[0].entity
            used += [other[0].entity, new]
            concerned = [{tuple(each.spans) for each in part} for part in (one, other)]
            for each in other:
                each.entity = new
        touched |= {(document.name, entity) for entity in used}
        errors.append((type_, document.name, concerned))
    return Corpus.from_documents(documents), errors


def names(suspect: Suspect, error: tuple[str, str, list]) -> bool:
    """True if a suspect names a planted error."""
    type_, document, concerned = error
    if suspect.document != document:
        return False
    if type_ in ("missing mention", "span"):
        return suspect.type in ("missing mention", "span") and set(suspect.mentions) == concerned[0]
    if suspect.type != type_:
        return False
    if type_ == "missing link":
        first, second = suspect.entities
        return any(first in one and second in other for one, other in (concerned, concerned[::-1]))
    mentions = set(suspect.mentions)
    return any(
        2 * len(mentions & one) > len(one) and not mentions & other
        for one, other in (concerned, concerned[::-1])
    )


def noisy(key: Corpus, rate: float, random: Random) -> Corpus:
    """A system: the key with random errors in a share of its mentions."""
    documents = list(key)
    for document in documents:
        entities = list(document.entities)
        for number, mention in enumerate(list(document.mentions)):
            drawn = random.random() / rate
            start, stop = mention.spans[0]
            if drawn < 0.35:
                document.mentions.remove(mention)
            elif drawn < 0.5 and stop - start > 1:
                cut = [random.choice([(start, stop - 1), (start + 1, stop)])]
                if all(known.spans != cut for known in document.mentions):
                    mention.spans, mention.head = cut, None
            elif drawn < 0.75:
                mention.entity = random.choice(entities)
            elif drawn < 1:
                mention.entity = f"alone {number}"
    return Corpus.from_documents(documents)


NOISE = (0.15, 0.3, 0.45)
REAL = {
    "gum": ("arkref-goldsem", "xrenner-rules", "xrenner-xgb"),
    "litbank": ("OURS-headmatch-noisy", "OURS-stringmatch"),
}


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "real", "precision", "recall"),
    [("gum", False, 0.99, 0.76), ("litbank", True, 0.64, 0.34)],
)
def test_planted_errors_are_found(data, name, real, precision, recall):
    """The numbers of docs/data.md: precision of the first 100, recall in the first 500.

    Systems with random errors find at least half of them.
    """
    key = corefine.read(data / name / "key.conll")
    wrong, errors = planted(key, 200, Random(1))
    systems = {f"{rate}": noisy(key, rate, Random(int(100 * rate))) for rate in NOISE}
    if real:
        systems = {one: corefine.read(data / name / f"{one}.conll") for one in REAL[name]}
    result = corefine.suspects(wrong, systems)
    found = [
        next((number for number, error in enumerate(errors) if names(suspect, error)), None)
        for suspect in result
    ]
    curve = {
        count: (
            sum(number is not None for number in found[:count]) / min(count, len(found)),
            len(set(found[:count]) - {None}) / len(errors),
        )
        for count in (20, 50, 100, 200, 500)
    }
    print(name, result.f1, curve)
    assert curve[100][0] == pytest.approx(precision, abs=0.02)
    assert curve[500][1] == pytest.approx(recall, abs=0.02)
