"""Plain readings of annotations that stand beside a text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

from tests.building import conll_reference
from tests.fuzzing.readings.plain import Files, Plain, UnclearError, arranged, joined, one, text_of


def brat(files: Files) -> Plain:
    spans: dict[str, tuple[int, int]] = {}
    links = []
    for line in text_of(files["x.ann"]).split("\n"):
        if found := re.fullmatch(r"(T[0-9]+)\tPER ([0-9]{1,9}) ([0-9]{1,9})\t(.*)", line):
            if found[1] in spans:
                raise conll_reference.RefusedError("twice")
            spans[found[1]] = (int(found[2]), int(found[3]))
        elif found := re.fullmatch(r"R[0-9]+\tCoref Arg1:(T[0-9]+) Arg2:(T[0-9]+)", line):
            links.append((found[1], found[2]))
        elif line:
            raise UnclearError("another line")
    text = text_of(files["x.txt"])
    if any(text[low:high] != text[low:high].strip() for low, high in spans.values()):
        raise UnclearError("blanks at the ends of mentions")
    if not {each for link in links for each in link} <= set(spans):
        raise conll_reference.RefusedError("no such mention")
    return {"x": arranged([spans[each] for each in group] for group in joined(links, spans))}


def line_starts(text: str) -> list[int]:
    """The number of the first token of each line."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line.split()))
    return starts


def i2b2(files: Files) -> Plain:
    text = text_of(files["x.txt"])
    if re.search(r"[^\x20-\x7e\n]", text):
        raise UnclearError("other white space")
    first = line_starts(text)
    entities = []
    concept = r'c="[^"|]*" ([0-9]{1,9}):([0-9]{1,9}) ([0-9]{1,9}):([0-9]{1,9})'
    for line in text_of(files["x.txt.chains"]).split("\n"):
        if not line:
            continue
        if not re.fullmatch(rf'({concept}\|\|)+t="[a-z ]*"', line):
            raise UnclearError("another line")
        entities.append(
            [
                (first[int(a) - 1] + int(b), first[int(c) - 1] + int(d))
                for a, b, c, d in re.findall(concept, line)
            ]
        )
    return {"x": arranged(entities)}


def litbank(files: Files) -> Plain:
    text = text_of(files["x.txt"])
    if re.search(r"[^\x20-\x7e\n]", text):
        raise UnclearError("other white space")
    first = line_starts(text)
    spans: dict[str, tuple[int, int]] = {}
    entity_of: list[tuple[str, str]] = []
    for line in text_of(files["x.tsv"]).split("\n"):
        cells = [cell.strip() for cell in line.split("\t")]
        if cells[0] == "MENTION" and len(cells) == 9:
            a, b, c, d = map(int, cells[2:6])
            if cells[1] in spans:
                raise conll_reference.RefusedError("twice")
            spans[cells[1]] = (first[a] + b, first[c] + d)
        elif cells[0] == "COREF" and len(cells) == 3:
            entity_of.append((cells[1], cells[2]))
        elif line:
            raise UnclearError("another line")
    alone = set(spans).difference(id for id, _ in entity_of)
    entities: dict[str, list[tuple[int, int]]] = {f"\0{id}": [spans[id]] for id in alone}
    for id, entity in entity_of:
        entities.setdefault(entity, []).append(spans[id])
    return {"x": arranged(entities.values())}


def ccl(files: Files) -> Plain:
    """Annotations in channels of names; the tokens of a sentence with one number are one."""
    root = _xml(one(files))
    entities, token = [], 0
    for sentence in root.iter("sentence"):
        spans: dict[tuple[str, str], list[int]] = {}
        for tok in sentence.iter("tok"):
            for ann in tok.iter("ann"):
                channel, number = ann.get("chan") or "", (ann.text or "").strip()
                if not re.fullmatch(r"[0-9]", number) or not channel.startswith("nam"):
                    raise UnclearError("another channel")
                if number != "0":
                    spans.setdefault((channel, number), []).append(token)
            token += 1
        for tokens in spans.values():
            if tokens != list(range(tokens[0], tokens[-1] + 1)):
                raise UnclearError("a gap")
            entities.append([(tokens[0], tokens[-1])])
    return {"x": arranged(entities)}


def booknlp(files: Files) -> Plain:
    rows = [line.split("\t") for line in text_of(files["x.entities"]).split("\n") if line.strip()]
    if rows[0] != ["COREF", "start_token", "end_token", "prop", "cat", "text"]:
        raise UnclearError("another header")
    entities: dict[str, list[tuple[int, int]]] = {}
    for number, row in enumerate(rows[1:]):
        if not re.fullmatch(r"[0-9]{1,9}|-1", row[0]):
            raise conll_reference.RefusedError("no entity")
        id = f"alone {number}" if row[0] == "-1" else str(int(row[0]))
        entities.setdefault(id, []).append((int(row[1]), int(row[2])))
    return {"x": arranged(entities.values())}


def ecb(files: Files) -> Plain:
    """Markables at tokens, joined by relations; those of one note are one entity."""
    root = _xml(one(files))
    tokens: dict[str, int] = {}
    for token in root.iter("token"):
        if token.attrib["t_id"] in tokens:
            raise conll_reference.RefusedError("twice")
        tokens[token.attrib["t_id"]] = len(tokens)
    spans: dict[str, tuple[int, int]] = {}
    for group in root.iter("Markables"):
        for markable in group:
            anchors = [tokens[each.attrib["t_id"]] for each in markable.iter("token_anchor")]
            if markable.attrib["m_id"] in spans or len(anchors) > 1:
                raise UnclearError("several tokens")
            if anchors:
                spans[markable.attrib["m_id"]] = (anchors[0], anchors[0])
    entity_of: dict[str, str] = {}
    for relation in root.iter("CROSS_DOC_COREF"):
        for source in relation.iter("source"):
            if source.attrib["m_id"] in entity_of or not relation.get("note"):
                raise UnclearError("two relations")
            entity_of[source.attrib["m_id"]] = relation.attrib["note"]
    if next(root.iter("INTRA_DOC_COREF"), None) is not None or not set(entity_of) <= set(spans):
        raise conll_reference.RefusedError("no such mention")
    entities: dict[str, list[tuple[int, int]]] = {}
    for id, span in spans.items():
        entities.setdefault(entity_of.get(id, f"\0{id}"), []).append(span)
    name = (root.get("doc_name") or "1_1ecb").removesuffix(".xml")
    return {name: arranged(entities.values())}


def _xml(data: bytes) -> ElementTree.Element:
    if re.search(rb"<!|<\?|&#|\x00|[\x80-\xff]", data):
        raise UnclearError("declarations")
    try:
        return ElementTree.fromstring(data.decode("utf-8"))
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from None


def gap(files: Files) -> Plain:
    """A pronoun and two names by characters, each name with whether it is the pronoun's."""
    lines = [line.split("\t") for line in text_of(one(files)).split("\n") if line.strip()]
    names = ["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset",
             "B-coref", "URL"]  # fmt: skip
    if lines[0] != names:
        raise UnclearError("another header")
    found: Plain = {}
    for cells in lines[1:]:
        row = dict(zip(names, cells, strict=True))
        spans = {}
        for name in ("Pronoun", "A", "B"):
            start = int(row[f"{name}-offset"]) if len(row[f"{name}-offset"]) < 10 else -1
            spans[name] = (start, start + len(row[name]))
            if row["Text"][start : start + len(row[name])] != row[name] or not row[name].strip():
                raise conll_reference.RefusedError("no such words")
            if row[name] != row[name].strip():
                raise UnclearError("blanks at the ends of mentions")
        truth = {name: row[f"{name}-coref"].upper() == "TRUE" for name in ("A", "B")}
        if row["ID"] in found or len(set(spans.values())) < 3 or not row["ID"].strip():
            raise UnclearError("a document twice")
        links = [("Pronoun", name) for name in ("A", "B") if truth[name]]
        groups = joined(links, spans)
        found[row["ID"]] = arranged([spans[each] for each in group] for group in groups)
    return found
