"""A reader of CoNLL-U as plain as can be, line by line, to hold the fast one against."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from tests.building.conll_reference import CONTROLS, Bracketed, RefusedError, decoded, paired

OTHER_NAMES = {"GRP": "eid", "entity": "etype", "MIN": "minspan"}

MISPLACED = re.compile(r"(?ais)(.*[^\w=.-])?entit(y|ies|iy)[^\w(]*\(")


@dataclass
class PlainMention:
    entity: str
    parts: list[tuple[int, int]]
    fields: dict[str, str]
    headless: bool

    def words(self) -> list[int]:
        return [token for first, last in self.parts for token in range(first, last + 1)]


@dataclass
class PlainDocument:
    name: str | None
    lines: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    empty: list[bool] = field(default_factory=list)
    parents: list[int | None] = field(default_factory=list)
    """The token that is a token's parent."""
    sentences: list[int] = field(default_factory=list)
    sentence_ids: dict[int, str] = field(default_factory=dict)
    cells: list[tuple[int, str, list[str]]] = field(default_factory=list)
    relations: list[tuple[str, str, str, str]] = field(default_factory=list)


def plain_documents(data: bytes) -> list[PlainDocument]:
    text = decoded(data)
    header = ["eid", "etype", "head", "other"]
    documents: list[PlainDocument] = []
    current: PlainDocument | None = None
    sentence: list[int] | None = None
    heads: list[str] = []
    named = ""
    lines = text.split("\n")

    def close() -> None:
        if current is not None and sentence is not None:
            for token, head in zip(sentence, heads, strict=True):
                known = re.fullmatch("[0-9]{1,9}", head) and 0 < int(head) <= len(sentence)
                current.parents[token] = sentence[int(head) - 1] if known else None

    for number, line in enumerate(lines, start=1):
        if not re.search(r"[^\x00-\x20]", line):
            close()
            sentence = None
            continue
        if line.startswith("#"):
            found = re.fullmatch(
                r"(?a)#\s*(newdoc(?:\s+id)?|global\.Entity|sent_id)(\s*=.*)?", line, re.DOTALL
            )
            if not found:
                found = re.fullmatch(r"(?a)#\s*(newdoc(?:\s+id)?)\s*()", line)
            if not found and re.match(r"(?ai)#\s*newdoc(?![A-Za-z])", line):
                raise RefusedError("no beginning")
            if found:
                value = (found.group(2) or "").strip(CONTROLS).removeprefix("=").strip(CONTROLS)
                if found.group(1).startswith("newdoc"):
                    close()
                    sentence = None
                    current = PlainDocument(value or None)
                    documents.append(current)
                elif found.group(1) == "global.Entity":
                    header = [OTHER_NAMES.get(name, name) for name in value.split("-")]
                    if "eid" not in header or "" in header or len(set(header)) < len(header):
                        raise RefusedError("header")
                elif value:
                    named = value
            continue
        if not re.match("[0-9]", line):
            raise RefusedError("line")
        cells = line.rstrip(CONTROLS).split("\t")
        if len(cells) != 10:
            raise RefusedError("columns")
        cells[9] = cells[9].removesuffix("\r")
        attributes = [part.partition("=") for part in cells[9].split("|")]
        entities = [value for name, sign, value in attributes if name == "Entity" and sign]
        if len(entities) > 1:
            raise RefusedError("twice")
        if re.fullmatch("[0-9]+-[0-9]+", cells[0]):
            if entities:
                raise RefusedError("on a multiword token")
        else:
            for piece in cells[9].split("|"):
                known = piece.startswith("Entity=")
                if not known and (piece.startswith("(") or MISPLACED.match(piece)):
                    raise RefusedError("misplaced")
            if current is None:
                current = PlainDocument(None)
                documents.append(current)
            if sentence is None:
                sentence, heads = [], []
                current.sentences.append(len(current.words))
                if named:
                    current.sentence_ids[len(current.words)] = named
            named = ""
            before = len(sentence)
            if re.fullmatch(r"[0-9]{1,9}\.[0-9]{1,9}", cells[0]):
                if int(cells[0].split(".")[0]) != before:
                    raise RefusedError("order")
            elif re.fullmatch("[0-9]{1,9}", cells[0]) and int(cells[0]) == before + 1:
                sentence.append(len(current.words))
                heads.append(cells[6])
            else:
                raise RefusedError("order")
            current.lines.append(number)
            current.empty.append("." in cells[0])
            current.words.append(cells[1])
            current.parents.append(None)
            if entities:
                current.cells.append((len(current.words) - 1, entities[0], header))
        for name, sign, value in attributes:
            kind = {"Bridge": "bridge", "SplitAnte": "split", "Split": "split"}.get(name)
            if not sign or kind is None:
                continue
            if current is None:
                raise RefusedError("outside")
            for link in value.split(","):
                found = re.fullmatch("([^<]+)<([^:]+)(:.*)?", link, re.DOTALL)
                if not found:
                    raise RefusedError("relation")
                label = (found.group(3) or "")[1:]
                current.relations.append((kind, found.group(2), found.group(1), label))
    close()
    if not documents:
        raise RefusedError("empty")
    if documents[0].name is None and len(documents) > 1 and not first_is_marked(text):
        raise RefusedError("outside")
    return documents


def first_is_marked(text: str) -> bool:
    """Whether a document begins before the first token."""
    for line in text.split("\n"):
        if re.match(r"#[ \t]*newdoc(?:[ \t]+id)?([ \t]*=.*)?[ \t\r]*$", line):
            return True
        if re.match("[0-9]", line):
            return False
    return False


def mentions_of(document: PlainDocument) -> list[PlainMention]:
    """The mentions in the order in which they open."""
    brackets = []
    for token, value, header in document.cells:
        if not re.fullmatch(r"(\([^()\x00-\x20]+\)?|[^()\x00-\x20]+\))+", value):
            raise RefusedError("malformed")
        for opening, content, closing in re.findall(r"(\()?([^()]+)(\))?", value):
            values = content.split("-")
            if not opening and len(values) == 1:
                name = content
            elif header.index("eid") < len(values):
                name = values[header.index("eid")]
                if header[-1] == "eid":
                    name = values[len(header) - 1] if len(values) >= len(header) else ""
            else:
                name = ""
            if not name:
                raise RefusedError("not a token id")
            given = zip(header, content.split("-", len(header) - 1), strict=False)
            fields = {key: value for key, value in given if value and key != "eid"}
            brackets.append((token, opening, name, closing, (fields, "head" not in header)))
    return joined(paired(brackets))


def joined(pairs: list[Bracketed]) -> list[PlainMention]:
    mentions: list[PlainMention] = []
    unfinished: list[tuple[str, int, int, PlainMention]] = []
    for pair in pairs:
        first, last, (fields, headless) = pair.first, pair.last, pair.fields
        found = re.fullmatch(r"(.+)\[([0-9]{1,6})/([0-9]{1,6})\]", pair.name, re.DOTALL)
        if not found and re.fullmatch(r".+\[[^\[\]/]*/[^\[\]/]*\]", pair.name, re.DOTALL):
            raise RefusedError("part")
        if not found:
            mentions.append(PlainMention(pair.name, [(first, last)], fields, headless))
            continue
        entity, number, total = found.group(1), int(found.group(2)), int(found.group(3))
        if not 1 <= number <= total:
            raise RefusedError("part")
        if number == 1:
            mention = PlainMention(entity, [], fields, headless)
            mentions.append(mention)
        else:
            wanted = [u for u in unfinished if u[:3] == (entity, total, number - 1)]
            if not wanted:
                raise RefusedError("part missing")
            unfinished.remove(wanted[-1])
            mention = wanted[-1][3]
            if mention.parts[-1][1] >= first:
                raise RefusedError("overlap")
            mention.fields = {**fields, **mention.fields}
        mention.parts.append((first, last))
        if number < total:
            unfinished.append((entity, total, number, mention))
    if unfinished:
        raise RefusedError("unfinished")
    return mentions


def numbers_in(text: str, size: int) -> list[int]:
    found = [int(n) if re.fullmatch("[0-9]{1,8}", n) else 0 for n in text.split(",")]
    if min(found) < 1 or max(found) > size:
        raise RefusedError("no such word")
    return found


def described(document: PlainDocument) -> list[tuple[object, ...]]:
    """Mentions as (entity, words, head, type, minimum, other fields)."""
    mentions = mentions_of(document)
    result: list[tuple[object, ...]] = []
    types: dict[str, str] = {}
    for mention in mentions:
        if "etype" in mention.fields:
            types.setdefault(mention.entity, mention.fields["etype"])
    for mention in mentions:
        words, fields = mention.words(), mention.fields
        if mention.headless:
            outside = [w for w in words if document.parents[w] not in words]
            words_outside = [w for w in outside if not document.empty[w]] or outside
            head = (words_outside or words)[0]
        elif "head" in fields:
            if not re.fullmatch("[0-9]{1,9}", fields["head"]):
                raise RefusedError("head")
            head = words[numbers_in(str(int(fields["head"])), len(words))[0] - 1]
        else:
            head = words[0]
        minimum = None
        other = {k: v for k, v in fields.items() if k not in ("etype", "head", "minspan")}
        if "minspan" in fields:
            found = numbers_in(fields["minspan"], len(words))
            minimum = (words[min(found) - 1], words[max(found) - 1])
            if found != list(range(found[0], found[0] + len(found))):
                other["minspan"] = fields["minspan"]
        type_ = fields.get("etype", types.get(mention.entity))
        result.append((mention.entity, tuple(words), head, type_, minimum, other))
    return result


def plainly_read(data: bytes, stem: str) -> list[tuple[object, ...]]:
    """What :func:`as_plain` must give for this file."""
    documents = plain_documents(data)
    unnamed = 0
    result: list[tuple[object, ...]] = []
    for document in documents:
        name = document.name
        if name is None:
            unnamed += 1
            name = stem if len(documents) == 1 else str(unnamed)
        result.append(
            (
                name,
                document.lines,
                document.words,
                [token for token, empty in enumerate(document.empty) if empty],
                document.sentences,
                document.sentence_ids,
                described(document),
                sorted(document.relations),
            )
        )
    return result


def as_plain(corpus: Corpus) -> list[tuple[object, ...]]:
    """A corpus as (name, lines, words, empty nodes, sentences, their ids, mentions, relations)."""
    return [
        (
            document.name,
            list(document.lines),
            document.tokens,
            document.empty_nodes,
            document.starts,
            {n: name for n, name in enumerate(document.layers.get("sent_id", [])) if name},
            plain_mentions(document),
            sorted((r.kind, r.source, r.target, r.label) for r in document.relations),
        )
        for document in corpus
    ]


def plain_mentions(document: Document) -> list[tuple[object, ...]]:
    """Mentions as (entity, words, head, type, minimum, other fields)."""
    found: list[tuple[object, ...]] = []
    for mention in document.mentions:
        words = tuple(token for start, stop in mention.spans for token in range(start, stop))
        minimum = mention.minimum and (mention.minimum[0], mention.minimum[1] - 1)
        # Heads that neither a field nor a tree gives are those of the rule: the first word.
        head = words[0] if mention.head is None else mention.head
        found.append((mention.entity, words, head, mention.type, minimum, mention.attributes))
    return found
