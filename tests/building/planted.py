"""Random clean files of several formats, to be damaged."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADER = "# global.Entity = eid-etype-head-minspan-identity"
TYPES = ("person", "place", "organization", "object", "event", "abstract")
ENTITIES = 6
"""Entities of a document; the type of each is that of its place."""


@dataclass
class Word:
    """A line of a file: its brackets as entity, opening and closing, and other attributes."""

    form: str
    brackets: list[str] = field(default_factory=list)
    more: dict[str, str] = field(default_factory=dict)

    def misc(self) -> str:
        given = {**self.more}
        if self.brackets:
            given["Entity"] = "".join(self.brackets)
        return "|".join(f"{name}={given[name]}" for name in sorted(given)) or "_"


Text = list[list[list[Word]]]
"""Documents of sentences of words."""


def opening(entity: str, words: int, kind: str) -> str:
    return f"({entity}-{kind}-{words}-{words}"


def clean(rng: random.Random) -> Text:
    """Two documents of three sentences with nested mentions, relations and a multiword token."""
    documents = []
    for number in range(2):
        names = [f"e{number * ENTITIES + place + 1}" for place in range(ENTITIES)]
        sentences = []
        for row in range(3):
            a, b, c, d = rng.sample(range(ENTITIES), 4)
            words = [Word(rng.choice(("tree", "maß", "stone", "łódź")) + str(n)) for n in range(8)]
            words[0].brackets = [opening(names[a], 2, TYPES[a])]
            words[1].brackets = [f"{names[a]})"]
            words[3].brackets = [opening(names[b], 1, TYPES[b]) + ")"]
            words[4].brackets = [
                opening(names[c], 3, TYPES[c]), opening(names[d], 1, TYPES[d]) + ")",
            ]  # fmt: skip
            words[6].brackets = [f"{names[c]})"]
            if row == 2:
                words[3].more["Bridge"] = f"{names[a]}<{names[b]}:part"
                words[0].more["SplitAnte"] = f"{names[b]}<{names[a]},{names[c]}<{names[a]}"
            sentences.append(words)
        documents.append(sentences)
    return documents


def conllu(text: Text) -> str:
    lines = []
    for number, document in enumerate(text):
        lines.append(f"# newdoc id = doc{number}")
        lines += [] if number else [HEADER]
        for row, words in enumerate(document):
            forms = [word.form for word in words]
            if row == 1:  # the first two words are one
                forms[:2] = ["".join(forms[:2])]
            lines += [f"# sent_id = s{number}-{row}", f"# text = {' '.join(forms)}"]
            for place, word in enumerate(words, 1):
                if place == row == 1:
                    lines.append(f"1-2\t{forms[0]}" + "\t_" * 8)
                tree = "0\troot" if place == 1 else "1\tdep"
                cells = f"{place}\t{word.form}\t{word.form}\tX\t_\t_\t{tree}\t_"
                lines.append(f"{cells}\t{word.misc()}")
            lines.append("")
    return "\n".join([*lines, ""])


def conll(text: Text) -> str:
    """The brackets without fields, in the last column."""
    lines = []
    for number, document in enumerate(text):
        lines.append(f"#begin document (doc{number}); part 000")
        for words in document:
            for place, word in enumerate(words):
                cells = [_plain(bracket) for bracket in word.brackets]
                cell = "|".join(cells) or "-"
                lines.append(f"doc{number} 0 {place} {word.form} NN * - - - - * {cell}")
            lines.append("")
        lines.append("#end document")
    return "\n".join([*lines, ""])


def _plain(bracket: str) -> str:
    if not bracket.startswith("("):
        return bracket.replace("e", "")
    id = bracket[1:].partition("-")[0].rstrip(")").replace("e", "")
    return f"({id})" if bracket.endswith(")") else f"({id}"


def ua(text: Text) -> str:
    columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC IDENTITY BRIDGING"
    lines = [f"# global.columns = {columns}"]
    markable = 0
    for number, document in enumerate(text):
        lines.append(f"# newdoc id = doc{number}")
        place = 0
        for words in document:
            for word in words:
                place += 1
                cell = ""
                for bracket in word.brackets:
                    if bracket.startswith("("):
                        markable += 1
                        id = bracket[1:].partition("-")[0].rstrip(")")
                        end = ")" if bracket.endswith(")") else ""
                        cell += f"(EntityID={id}|MarkableID=m{markable}{end}"
                    else:
                        cell += ")"
                cells = f"{place}\t{word.form}" + "\t_" * 8
                lines.append(f"{cells}\t{cell or '_'}\t_")
            lines.append("")
    return "\n".join([*lines, ""])


def spans(text: Text) -> Iterator[tuple[int, str, tuple[int, int]]]:
    """Document, entity and tokens (the last one included) of each mention."""
    for number, document in enumerate(text):
        still_open: dict[str, int] = {}
        for place, word in enumerate(word for words in document for word in words):
            for bracket in word.brackets:
                id = bracket.strip("()").partition("-")[0]
                start = place if bracket.startswith("(") else still_open[id]
                still_open[id] = start
                if bracket.endswith(")"):
                    yield number, id, (start, place)


def labels(text: Text) -> str:
    rows = [f"doc{n},{a}-{b},{entity}" for n, entity, (a, b) in spans(text)]
    return "\n".join(["document,mention,entity", *rows, ""])


def records(text: Text) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number, document in enumerate(text):
        clusters: dict[str, list[list[int]]] = {}
        for owner, entity, span in spans(text):
            if owner == number:
                clusters.setdefault(entity, []).append(list(span))
        words = [[word.form for word in sentence] for sentence in document]
        found.append(
            {"doc_key": f"doc{number}", "sentences": words, "clusters": list(clusters.values())}
        )
    return found


def jsonlines(records: list[dict[str, object]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)
