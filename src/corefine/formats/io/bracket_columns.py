"""Documents with coreference brackets in the last column, as plain lines: reading and writing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError, Location
from corefine.formats.io.brackets import crossing
from corefine.formats.io.lines import shown, text_lines
from corefine.formats.io.sources import Source
from corefine.formats.io.token_rows import is_tabbed
from corefine.formats.registry import BEGIN

PLACEHOLDERS = ("-", "_", "*")
"""Values of a cell that has none."""
NOT_IN_ID = re.compile(r"[\x00-\x20()|]")
"""Characters that an id in brackets cannot have."""
CONTROL = re.compile(r"[\x00-\x1f]")
_CELL = re.compile(r"\|*(?:(?:\([^()|\x00-\x20]++\)?|[^()|\x00-\x20]++\))\|*)+")
_BRACKET = re.compile(r"(\(?)([^()|]+)(\)?)")
_BESIDE = re.compile(r"[0-9]{1,9}[.-][0-9]{1,9}")
"""Number of a multiword token or of an empty node."""
_MARK = re.compile(r"#\s*(begin|end)\s+document\b(.*)", re.IGNORECASE | re.DOTALL)
_PART = re.compile(r"(?:;|(?<=\)))\s*part\s+(\S+)$", re.IGNORECASE)


def canonical_name(text: str) -> str:
    """Name of a document: ``(x); part 000`` and ``x`` are ``x``.

    >>> [canonical_name(n) for n in ("(bc/cctv_0); part 000", "bc/cctv_0", "(a (b)); part 012")]
    ['bc/cctv_0', 'bc/cctv_0', 'a (b); part 12']
    """
    text = text.strip()
    part = ""
    if found := _PART.search(text):
        text, part = text[: found.start()], found.group(1)
        if part.isdecimal() and len(part) < 19:
            part = str(int(part)) if int(part) else ""
    text = text.rstrip("; ")
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return f"{text}; part {part}" if part else text


def document_mark(line: str) -> tuple[bool, str] | None:
    """For a line that begins or ends a document: True if it begins one, and the name."""
    found = _MARK.match(line)
    if found is None:
        return None
    return found.group(1).lower() == "begin", canonical_name(found.group(2))


def begun_name(line: bytes) -> str | None:
    """Name of the document that a line begins; None for any other line."""
    mark = document_mark(line.decode("utf-8", "replace"))
    return mark[1] if mark is not None and mark[0] else None


def is_coreference_cell(cell: str) -> bool:
    """True if a cell is a placeholder or a list of brackets."""
    return cell in PLACEHOLDERS or _CELL.fullmatch(cell) is not None


def unbalanced(
    entity: str, opened: bool, document: str, where: Location, opening: str
) -> FormatError:
    """Error for a bracket without a partner; ``opening`` is the bracket that would open it."""
    what, missing = ("opened", "closed") if opened else ("closed", "opened")
    return FormatError(
        f"a mention of entity {entity!r} is {what} here but never {missing} in document "
        f"{shown(document)!r}",
        where,
        f"Add the missing bracket {f'{entity})' if opened else opening}, or remove this one.",
    )


@dataclass(slots=True)
class TokenTable:
    """A document and the cells of its lines."""

    document: Document
    rows: list[list[str]] = field(default_factory=list)

    def column(self, place: int) -> list[str]:
        """A column before the last one; lines that are too short have an empty cell."""
        return [row[place] if place < len(row) - 1 else "" for row in self.rows]

    def set_layers(self, places: dict[str, int]) -> None:
        """Set layers to columns, unless these have only placeholders."""
        for name, place in places.items():
            column = self.column(place)
            if not {"", *PLACEHOLDERS}.issuperset(column):
                self.document.layers[name] = column


def read_tables(source: Source, is_token: Callable[[list[str]], bool]) -> Iterator[TokenTable]:
    """Documents of a source with their lines, in which the second column is the word.

    ``is_token`` is False for the cells of lines that are not tokens. If no line begins a document,
    all lines are one.
    """
    tabbed = is_tabbed(source.head())
    table, ended, opens, found = None, False, True, False
    for number, text in text_lines(source):
        line = text.rstrip()
        mark = document_mark(line) if line.startswith("#") else None
        if mark is not None:
            if table is not None and (mark[0] or not table.document.named):
                yield _with_mentions(table, source)
                found = found or bool(table.document.mentions)
                table = None
            ended, opens = not mark[0], True
            if mark[0]:
                table = TokenTable(Document(mark[1], []))
        elif not line:
            opens = True
        elif not line.startswith("#"):
            cells = line.split("\t") if tabbed else line.split()
            if not is_token(cells):
                continue
            if ended or len(cells) < 3:
                raise source.error(
                    "a token outside a document" if ended else "a line without columns",
                    number,
                    "Begin documents with '#begin document NAME'; separate columns by tabs.",
                )
            table = table or TokenTable(Document(source.stem, [], named=False))
            document = table.document
            assert document.tokens is not None
            if opens:
                document.starts.append(len(document.tokens))
                opens = False
            document.tokens.append(cells[1])
            document.lines.append(number)
            table.rows.append(cells)
    if table is None and not ended:
        raise source.error(
            "the file has no documents and no tokens", None, "Check that this is the right file."
        )
    if table is not None:
        table = _with_mentions(table, source)
        if not found and not table.document.mentions and not source.part:
            what = "no coreference brackets, so there are no mentions"
            table.document.warnings.append(f"{source.name}: {what}")
        yield table


def _with_mentions(table: TokenTable, source: Source) -> TokenTable:
    """The table with the mentions of its last column, in the order in which they open."""
    document = table.document
    brackets: list[tuple[int, str, str, str]] = []
    for token, (cells, line) in enumerate(zip(table.rows, document.lines, strict=True)):
        if not is_coreference_cell(cells[-1]):
            raise source.error(
                f"malformed coreference cell {shown(cells[-1])!r}",
                line,
                "The last column contains '-', or brackets such as (1, 1), (1) or (1|(2).",
            )
        if cells[-1] not in PLACEHOLDERS:
            brackets += [(token, *found) for found in _BRACKET.findall(cells[-1])]
    document.mentions = paired_mentions(brackets, document, source)
    return table


def paired_mentions(
    brackets: Iterable[tuple[int, str, str, str]],
    document: Document,
    source: Source,
    opening: str = "({}",
) -> list[Mention]:
    """Mentions in the order in which they open: of an entity, the one opened last is closed first.

    A bracket has its token, a sign if it opens, its entity, and a sign if it closes. ``opening`` is
    the form of one that opens, for messages.
    """
    mentions: list[Mention] = []
    still_open: dict[str, list[Mention]] = {}
    for token, opens, entity, closes in brackets:
        if opens:
            mentions.append(Mention(entity, [(token, token + 1)]))
            if not closes:
                still_open.setdefault(entity, []).append(mentions[-1])
        elif stack := still_open.get(entity):
            mention = stack.pop()
            mention.spans = [(mention.start, token + 1)]
        else:
            where = source.where(document.lines[token])
            raise unbalanced(entity, False, document.name, where, opening.format(entity))
    left = [mention for stack in still_open.values() for mention in stack]
    if left:
        mention = min(left, key=lambda one: one.start)
        where = source.where(document.lines[mention.start])
        raise unbalanced(str(mention.entity), True, document.name, where, "")
    return mentions


def check_numbers(table: TokenTable, source: Source) -> None:
    """Refuse lines whose first column does not number the tokens of the sentence from 1."""
    first = set(table.document.starts)
    expected = 0
    for token, cells in enumerate(table.rows):
        expected = 1 if token in first else expected + 1
        if cells[0] != str(expected):
            raise source.error(
                f"token number {shown(cells[0])!r} where {expected} is expected",
                table.document.lines[token],
                "The first column numbers the tokens of a sentence from 1; sentences end with an "
                "empty line.",
            )


def numbered_sentences(head: bytes) -> list[list[list[str]]] | None:
    """Sentences of a file with these first bytes, as lines of cells; None if not numbered.

    Tokens are numbered from 1 in the first column; multiword tokens and empty nodes may be between.
    """
    text = head[: head.rfind(b"\n") + 1] if len(head) > 1 << 15 else head
    sentences: list[list[list[str]]] = []
    number = 0
    for line in text.decode("utf-8", "replace").removeprefix("\ufeff").split("\n"):
        cells = line.rstrip().split("\t") if line.count("\t") > 1 else line.split()
        if not line.strip() or BEGIN.match(line.encode()):
            number = 0
        elif not line.startswith("#"):
            number += cells[0].isdecimal()
            beside = _BESIDE.fullmatch(cells[0]) is not None
            if len(cells) < 3 or not (beside or cells[0] == str(number)):
                return None
            if (number == 1 and not beside) or not sentences:
                sentences.append([])
            sentences[-1].append(cells)
    return sentences


def entity_labels(
    corpus: Corpus, forbidden: re.Pattern[str], prefix: str = ""
) -> Callable[[Document], dict[str | int, str]]:
    """Function from a document to the labels of its entities.

    Labels are names or, if any name of the corpus has a forbidden character, numbers.
    """
    names = corpus.entities.names
    named = names is not None and not any(
        not name or forbidden.search(name) for name in names.tolist()
    )

    def labels(document: Document) -> dict[str | int, str]:
        return {
            entity: str(entity) if named else f"{prefix}{number}"
            for number, entity in enumerate(document.entities, start=1)
        }

    return labels


def bracket_cells(document: Document, labels: dict[str | int, str], placeholder: str) -> list[str]:
    """The coreference cell of each token; mentions that cross others of their entity are left out.

    In a cell, mentions open with the longest first, then come those of one word, then those that
    close, the latest opened first. A bracket that closes comes before all of these if its entity
    opens another mention in the same cell: else it would close that one.
    """
    numbers = {entity: number for number, entity in enumerate(document.entities)}
    spans = [
        (numbers[m.entity], m.spans[0][0], m.spans[-1][1] - 1, labels[m.entity])
        for m in document.mentions
    ]
    out = crossing([span[:3] for span in spans])
    kept = [span for number, span in enumerate(spans) if number not in out]
    opening = {(first, entity) for entity, first, last, _ in kept if first < last}
    brackets: dict[int, list[tuple[int, int, int, str]]] = {}
    for number, (entity, first, last, label) in enumerate(kept):
        if first == last:
            brackets.setdefault(first, []).append((2, 0, number, f"({label})"))
            continue
        brackets.setdefault(first, []).append((1, -last, number, f"({label}"))
        order = 0 if (last, entity) in opening else 3
        brackets.setdefault(last, []).append((order, -first, -number, f"{label})"))
    cells = [placeholder] * len(document.tokens or ())
    for token, found in brackets.items():
        cells[token] = "|".join(bracket[3] for bracket in sorted(found))
    return cells


def layer_cells(document: Document, name: str, missing: str) -> Sequence[str]:
    """A layer as the content of cells."""
    values = document.layers.get(name)
    if values is None:
        return [missing] * len(document.tokens or ())
    return [CONTROL.sub(" ", value).strip(" ") or missing for value in values]


def written_document(begin: str, rows: Iterable[str], document: Document, end: str) -> bytes:
    """A document as lines; an empty line ends each sentence."""
    first = {0, *document.starts}
    lines = [begin]
    for token, row in enumerate(rows):
        if token and token in first:
            lines.append("")
        lines.append(row)
    if len(lines) > 1:
        lines.append("")
    return "\n".join([*lines, end, ""]).encode("utf-8", "replace")
