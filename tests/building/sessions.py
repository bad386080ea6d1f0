"""Sessions of adjudication: seeded annotators who differ, and a curator who answers them all."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import corefine
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, Span

NAMES = ("anna", "ben", "eva")
NOUNS = ("letter", "river", "painter", "museum", "sister", "garden", "captain", "island")
PRONOUNS = ("she", "he", "it", "they")
WORDS_OF_SENTENCE = 10
Entities = list[list[Span]]


def words_of(random: Random, sentences: int) -> list[str]:
    """Sentences "the old river saw she near the old garden ."."""
    found: list[str] = []
    for _ in range(sentences):
        noun, other = random.sample(NOUNS, 2)
        pronoun = random.choice(PRONOUNS)
        found += ["the", "old", noun, "saw", pronoun, "near", "the", "old", other, "."]
    return found


def versions_of(random: Random, sentences: int) -> dict[str, Entities]:
    """Entities of each annotator: those of a common truth, with spans and links of their own."""
    truth: Entities = [[] for _ in range(max(sentences // 4, 2))]
    for row in range(sentences):
        first = row * WORDS_OF_SENTENCE
        for start, stop in ((0, 3), (4, 5), (6, 9)):
            random.choice(truth).append((first + start, first + stop))
    found: dict[str, Entities] = {}
    for name in NAMES:
        entities: Entities = [[] for _ in truth]
        for number, mentions in enumerate(truth):
            for start, stop in mentions:
                drawn = random.random()
                if drawn < 0.06:
                    continue
                if drawn < 0.2 and stop - start > 1:
                    start += 1
                owner = random.randrange(len(truth)) if drawn > 0.9 else number
                entities[owner].append((start, stop))
        found[name] = [entity for entity in entities if entity]
    return found


def put_versions(folder: Path, sentences: int, seed: int = 1) -> list[str]:
    """Write two documents of three annotators; returns the files."""
    random = Random(seed)
    documents: dict[str, list[Document]] = {name: [] for name in NAMES}
    for title in ("one", "two"):
        words = words_of(random, sentences)
        starts = list(range(0, len(words), WORDS_OF_SENTENCE))
        for name, entities in versions_of(random, sentences).items():
            mentions = [
                Mention(f"e{n}", [one]) for n, spans in enumerate(entities) for one in spans
            ]
            documents[name].append(Document(title, words, mentions, starts=starts))
    for name, listed in documents.items():
        corefine.write(Corpus.from_documents(listed), folder / f"{name}.conll")
    return [str(folder / f"{name}.conll") for name in NAMES]


def chosen(question: dict[str, Any], number: int) -> str:
    """The key that answers a question; an answer depends on its number alone."""
    if number % 4 == 0 and question["proposal"] is not None:
        return "Enter"
    if question["kind"] == "span" and number % 7 == 0:
        return "b"
    if question["kind"] == "link" and number % 9 == 0:
        return "o"
    return str(1 + number % len(question["options"]))


def pressed(page: Any, key: str) -> None:
    page.keyboard.press(key)


def clicked(page: Any, key: str) -> None:
    """Click on what a key stands for."""
    if key == "Enter":
        page.locator(".option.proposed").click()
    else:
        label = page.locator("#options .option", has=page.locator("kbd", has_text=key))
        label.first.click()


def open_question(page: Any) -> dict[str, Any]:
    """The question that the page shows, as the server has it; waits until both agree."""
    while True:
        text, name = page.inner_text("#question-title"), page.input_value("#document")
        data = page.evaluate("name => fetch(`document?name=${name}`).then((r) => r.json())", name)
        for question in data["questions"]:
            if question["decision"] is None and question["text"] == text:
                return dict(question)
        page.wait_for_timeout(20)


def counts(page: Any) -> tuple[int, int]:
    """Questions that are decided, and all."""
    found = re.match(r"([\d]+) of ([\d]+)", page.inner_text("#progress"))
    assert found is not None
    return int(found[1]), int(found[2])


def answer_all(page: Any, act: Callable[[Any, str], None]) -> int:
    """Answer all questions; returns the number of answers."""
    number = 0
    page.locator("#question").focus()
    while counts(page)[0] < counts(page)[1]:
        number += 1
        before = page.inner_text("#progress"), page.inner_text("#question-title")
        act(page, chosen(open_question(page), number))
        page.wait_for_function(
            "([progress, title]) => document.getElementById('progress').innerText !== progress"
            " || document.getElementById('question-title').innerText !== title",
            arg=list(before),
        )
    return number


def gold_of(page: Any) -> dict[str, Any]:
    """The gold of both documents, as the server has it."""
    found = page.evaluate(
        "() => Promise.all(['one', 'two'].map((name) => fetch(`document?name=${name}`)"
        ".then((r) => r.json()).then((data) => [name, data.gold])))"
    )
    return {name: sorted(map(sorted, gold)) for name, gold in found}


def digest(gold: dict[str, Any]) -> str:
    """A short name of a gold."""
    return hashlib.sha256(json.dumps(gold, sort_keys=True).encode()).hexdigest()[:16]
