"""Clean files of several formats, and faults to plant in them: one rule broken per file."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

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


@dataclass
class Text:
    """Documents of sentences of words."""

    documents: list[list[list[Word]]]
    comments: dict[tuple[int, int], list[str]] = field(default_factory=dict)
    header: str = HEADER
    ranges: dict[tuple[int, int], str] = field(default_factory=dict)
    """MISC of the multiword token over the first two words of a sentence."""

    def sentence(self, rng: random.Random) -> list[Word]:
        """A sentence of the first document that nothing special is in."""
        return self.documents[0][rng.randrange(2)]


def opening(entity: str, words: int, kind: str, identity: str = "") -> str:
    fields = f"({entity}-{kind}-{words}-{words}-{identity}"
    return fields.rstrip("-") if not identity else fields


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
    return Text(documents, ranges={(1, 1): "SpaceAfter=No"})


def conllu(text: Text) -> str:
    lines = []
    for number, document in enumerate(text.documents):
        lines.append(f"# newdoc id = doc{number}")
        lines += [text.header] if text.header and not number else []
        for row, words in enumerate(document):
            lines.append(f"# sent_id = s{number}-{row}")
            lines += text.comments.get((number, row), [])
            forms = [word.form for word in words]
            if (number, row) in text.ranges:
                forms[:2] = ["".join(forms[:2])]
            if not any(one.startswith("# text") for one in text.comments.get((number, row), [])):
                lines.append(f"# text = {' '.join(forms)}")
            for place, word in enumerate(words, 1):
                if place == 1 and (number, row) in text.ranges:
                    lines.append(f"1-2\t{forms[0]}" + "\t_" * 7 + f"\t{text.ranges[number, row]}")
                tree = "0\troot" if place == 1 else "1\tdep"
                cells = f"{place}\t{word.form}\t{word.form}\tX\t_\t_\t{tree}\t_"
                lines.append(f"{cells}\t{word.misc()}")
            lines.append("")
    return "\n".join([*lines, ""])


def conll(text: Text) -> str:
    """The brackets without fields, in the last column."""
    lines = []
    for number, document in enumerate(text.documents):
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
    for number, document in enumerate(text.documents):
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
    for number, document in enumerate(text.documents):
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
    for number, document in enumerate(text.documents):
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


Plant = Callable[[Text, random.Random], None]


def replaced(old: str, new: str) -> Plant:
    """Replace a part of a bracket of the mention of two words."""

    def plant(text: Text, rng: random.Random) -> None:
        word = text.sentence(rng)[0]
        assert old in word.brackets[0]
        word.brackets[0] = word.brackets[0].replace(old, new, 1)

    return plant


def added(place: int, name: str, value: str) -> Plant:
    """Add a relation at a word; {0} to {3} are the entities of the sentence, in order."""

    def plant(text: Text, rng: random.Random) -> None:
        words = text.sentence(rng)
        ids = [_id(words[0]), _id(words[3]), _id(words[4]), _id(words[4], 1)]
        words[place].more[name] = value.format(*ids)
        text.documents[0][2][0].more.pop(name, None)
        text.documents[0][2][3].more.pop(name, None)

    return plant


def _id(word: Word, place: int = 0) -> str:
    return word.brackets[place].strip("()").partition("-")[0]


def _header(text: Text, rng: random.Random, header: str) -> None:
    text.header = header


def _late_header(text: Text, rng: random.Random) -> None:
    text.comments[1, rng.randrange(3)] = [HEADER.replace("identity", "link")]


def _at_range(text: Text, rng: random.Random) -> None:
    text.ranges[1, 1] = "Entity=" + "".join(text.documents[1][1][0].brackets)
    text.documents[1][1][0].brackets = []


def _twice(text: Text, rng: random.Random) -> None:
    word = text.sentence(rng)[3]
    word.more["Entity=" + "".join(word.brackets) + "|SpaceAfter"] = "No"


def _malformed(text: Text, rng: random.Random) -> None:
    word = text.sentence(rng)[3]
    word.brackets = [word.brackets[0].strip("()")]


def _closing_fields(text: Text, rng: random.Random) -> None:
    word = text.sentence(rng)[6]
    word.brackets = [f"{_id(word)}-person)"]


def _order(text: Text, rng: random.Random) -> None:
    text.sentence(rng)[4].brackets.reverse()


def _swap_closing(text: Text, rng: random.Random) -> None:
    """A mention of one word after a bracket that closes."""
    words = text.sentence(rng)
    used = {_id(words[n], m) for n, m in ((0, 0), (3, 0), (4, 0), (4, 1))}
    free = next(f"e{n + 1}" for n in range(ENTITIES) if f"e{n + 1}" not in used)
    words[6].brackets.append(opening(free, 1, TYPES[int(free[1:]) - 1]) + ")")


def _unclosed(text: Text, rng: random.Random) -> None:
    text.sentence(rng)[rng.choice((1, 6))].brackets = []


def _unopened(text: Text, rng: random.Random) -> None:
    text.sentence(rng)[0].brackets = []


def _across(text: Text, rng: random.Random) -> None:
    first, second = text.documents[0][:2]
    id = _id(first[0])
    first[1].brackets = []
    second[7].brackets.append(f"{id})")
    for word in second:
        word.brackets = [b for b in word.brackets if _bare(b) != id or word is second[7]]


def _bare(bracket: str) -> str:
    return bracket.strip("()").partition("-")[0]


def _parts(text: Text, rng: random.Random, last: str, kind: str | None = None) -> None:
    """Make the mentions of words 1 and 4 parts of one mention."""
    words = text.sentence(rng)
    id = _id(words[0])
    place = int(id[1:]) - 1
    words[0].brackets = [f"({id}[1/2]-{TYPES[place]}-1-1)"]
    words[1].brackets = []
    words[3].brackets = [f"({id}[{last}]-{kind or TYPES[place]}-1-1)"] if last else []


def _again(text: Text, rng: random.Random) -> None:
    words = text.sentence(rng)
    words[3].brackets *= 2


def _other_entity(text: Text, rng: random.Random) -> None:
    words = text.sentence(rng)
    used = {_id(words[3])}
    free = next(f"e{n + 1}" for n in range(ENTITIES) if f"e{n + 1}" not in used)
    words[3].brackets.append(opening(free, 1, TYPES[int(free[1:]) - 1]) + ")")


def _crossing(text: Text, rng: random.Random) -> None:
    words = text.sentence(rng)
    closing = words[1].brackets.pop()
    words[5].brackets.append(closing)
    words[0].brackets[0] = words[0].brackets[0].replace("-2-2", "-1-1")


def _crossing_itself(text: Text, rng: random.Random) -> None:
    """The mentions of words 1, 4 and of words 3, 4 of one entity."""
    words = text.sentence(rng)
    id = _id(words[0])
    _parts_of(words, id)


def _parts_of(words: list[Word], id: str) -> None:
    kind = TYPES[int(id[1:]) - 1]
    words[0].brackets = [f"({id}[1/2]-{kind}-1-1)"]
    words[1].brackets = []
    words[2].brackets = [f"({id}-{kind}-1-1"]
    words[3].brackets = [f"({id}[2/2]-{kind}-1-1)", f"{id})"]


def _other_type(text: Text, rng: random.Random) -> None:
    first, second = text.documents[0][:2]
    id = _id(second[3])
    first[3].brackets = [opening(id, 1, TYPES[int(id[1:]) - 1]) + ")"]
    other = TYPES[int(id[1:]) % ENTITIES]
    second[3].brackets = [opening(id, 1, other) + ")"]


def _identity(text: Text, rng: random.Random) -> None:
    words = text.documents[0][0]
    id = "e77"
    for place, name in ((7, "Rome"), (2, "Oslo")):
        words[place].brackets = [f"({id}-place-1-1-{name})"]


def _reused(text: Text, rng: random.Random) -> None:
    id = _id(text.documents[0][0][3])
    kind = TYPES[int(id[1:]) - 1]
    text.documents[1][0][7].brackets = [f"({id}-{kind}-1-1)"]


def _other_text(text: Text, rng: random.Random) -> None:
    text.comments[0, rng.randrange(3)] = ["# text = something else"]


def _second_bridge(text: Text, rng: random.Random) -> None:
    target, _, rest = text.documents[0][2][3].more["Bridge"].partition("<")
    source = rest.partition(":")[0]
    kind = TYPES[int(source[1:]) - 1]
    words = text.documents[0][0]
    for word in words:
        if any(_bare(one) == source for one in word.brackets):
            return _second_bridge_at(word, target, source)
    words[7].brackets = [f"({source}-{kind}-1-1)"]
    return _second_bridge_at(words[7], target, source)


def _second_bridge_at(word: Word, target: str, source: str) -> None:
    if not any(_bare(one) == source and one.startswith("(") for one in word.brackets):
        raise AssertionError
    word.more["Bridge"] = f"{target}<{source}:set"


def _no_mentions(text: Text, rng: random.Random) -> None:
    for word in (word for words in text.documents[1] for word in words):
        word.brackets, word.more = [], {}


def _misnumbered(text: Text, rng: random.Random) -> None:
    text.sentence(rng)[rng.randrange(1, 7)].more["A\tB"] = "C"


def last_word(bracket: str) -> Plant:
    """Put a bracket at a word that has none."""

    def plant(text: Text, rng: random.Random) -> None:
        text.sentence(rng)[7].brackets = [bracket]

    return plant


def _unknown_rule(text: Text, rng: random.Random) -> None:
    text.comments[0, 1] = ["# corefine.ignore = CU999"]


CONLLU: dict[str, list[Plant]] = {
    "CU001": [_misnumbered],
    "CU004": [_no_mentions],
    "CU101": [lambda text, rng: _header(text, rng, "")],
    "CU102": [lambda text, rng: _header(text, rng, "# global.Entity = etype-head-eid-head"),
              lambda text, rng: _header(text, rng, "# global.Entity = etype-head")],
    "CU103": [lambda text, rng: _header(text, rng, HEADER.replace("head-minspan", "minspan-head"))],
    "CU104": [_late_header],
    "CU105": [_at_range],
    "CU106": [_twice],
    "CU107": [added(7, "Bridge", "{0}<{1}"), added(2, "SplitAnte", "{0}<{1},{2}<{1}")],
    "CU108": [_malformed],
    "CU109": [_closing_fields, replaced("-2-2", "-2-2--y")],
    "CU110": [_order, _swap_closing],
    "CU002": [_unknown_rule],
    "CU111": [last_word("(e77-PER-1-1)")],
    "CU115": [last_word("(e77[1/1]-person-1-1)"), last_word("(e[7]-person-1-1)")],
    "CU112": [replaced("-2-2", "-02-2"), replaced("-2-2", "-x-2")],
    "CU113": [replaced("-2-2", "-3-2"), replaced("-2-2", "-99-2")],
    "CU114": [replaced("-2-2", "-2-2,3"), replaced("-2-2", "-2-0")],
    "CU201": [_unclosed],
    "CU202": [_unopened],
    "CU204": [_across],
    "CU205": [lambda text, rng: _parts(text, rng, "")],
    "CU206": [lambda text, rng: _parts(text, rng, "2/2", "-2")],
    "CU207": [_again],
    "CU208": [_other_entity],
    "CU209": [_crossing_itself],
    "CU210": [_crossing],
    "CU301": [_other_type],
    "CU302": [_identity],
    "CU303": [_reused],
    "CU304": [added(3, "Bridge", "{0}>{1}"), added(3, "SplitAnte", "{0}<{1}:x,{2}<{1}")],
    "CU306": [added(3, "Bridge", "{1}<{1}")],
    "CU307": [added(3, "Bridge", "{1}<{0}"), added(4, "SplitAnte", "{1}<{0},{2}<{0}")],
    "CU308": [added(3, "Bridge", "{0}<{1},{0}<{1}")],
    "CU309": [added(3, "Bridge", "e99<{1}"), added(3, "SplitAnte", "{0}<{1},e99<{1}")],
    "CU310": [_second_bridge],
    "CU311": [added(3, "SplitAnte", "{0}<{1}")],
    "CU401": [_other_text],
}  # fmt: skip
"""Faults of CoNLL-U by rule."""
BRACKETS = {
    "CU201": [_unclosed],
    "CU202": [_unopened],
    "CU207": [_again],
    "CU208": [_other_entity],
    "CU210": [_crossing],
    "CU004": [_no_mentions],
}
"""Faults of formats with brackets without fields."""


def planted(folder: Path, count: int) -> Iterator[tuple[str, Path]]:
    """Files with one fault each, and the rule that it breaks."""
    kinds: list[tuple[str, str, Plant]] = [
        ("conllu", code, plant) for code, plants in CONLLU.items() for plant in plants
    ]
    kinds += [("conll", code, plant) for code, plants in BRACKETS.items() for plant in plants]
    kinds += [("conll", "CU203", last_word(cell)) for cell in ("5", "(", "5))")]
    kinds += [
        ("ua", code, plant) for code, (plant,) in BRACKETS.items() if code not in ("CU202", "CU210")
    ]
    kinds += [("csv", code, BRACKETS[code][0]) for code in ("CU207", "CU208")]
    kinds += [("jsonl", code, _again) for code in ("CU207", "CU208", "CU305", "CU001")]
    for number in range(count):
        rng = random.Random(number)
        format, code, plant = kinds[number % len(kinds)]
        text = clean(rng)
        if format != "jsonl":
            plant(text, rng)
        path = folder / f"{number}-{code}.{format}"
        writers = {"conllu": conllu, "conll": conll, "ua": ua, "csv": labels}
        if format == "jsonl":
            path.write_text(jsonlines(_in_records(records(text), code, rng)), "utf-8")
        else:
            path.write_text(writers[format](text), "utf-8")
        yield code, path


def _in_records(
    found: list[dict[str, object]], code: str, rng: random.Random
) -> list[dict[str, object]]:
    clusters = found[rng.randrange(2)]["clusters"]
    assert isinstance(clusters, list)
    one, other = rng.sample(range(len(clusters)), 2)
    if code == "CU305":
        clusters.insert(one, [])
    elif code == "CU001":
        clusters[one].append([9999, 9999])
    else:
        clusters[one if code == "CU207" else other].append(clusters[one][0])
    return found
