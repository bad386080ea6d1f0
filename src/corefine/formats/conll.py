"""CoNLL-2011 and CoNLL-2012: one token per line, coreference brackets in the last column.

The smallest valid file::

    #begin document (x); part 000
    x 0 0 Anna  NNP * - - - - * (1)
    x 0 1 saw   VBD * - - - - * -
    x 0 2 her   PRP * - - - - * (2|(1)
    x 0 3 house NN  * - - - - * 2)

    #end document

Columns are separated by tabs or by blanks; the first token of a file decides. Any number of columns
is read: the word is the fourth, or the last but one of fewer than five.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from corefine.corpus.arrays import IntArray, Strings
from corefine.corpus.columns import Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, without_empty_nodes
from corefine.errors import MOST_PROBLEMS, FormatError, with_others
from corefine.formats.io.brackets import (
    NAME_BYTES,
    NOT_IN_ID,
    OPEN,
    PLACEHOLDERS,
    Brackets,
    Cells,
    Places,
    bracket_cells,
    entity_labels,
    is_coreference_cell,
)
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import HEAD, Source
from corefine.formats.io.token_rows import (
    BLANK,
    BLOCK,
    HASH,
    Comment,
    Grid,
    TokenRows,
    grids,
    has_values,
    is_tabbed,
    leaves_last_cells_empty,
    sentence_starts,
)
from corefine.formats.registry import BEGIN, DocumentMark, Format, register

LAYERS = {"pos": 4, "parse": 5, "lemma": 6, "speaker": 9, "ner": 10}
WORD, NUMBER = 3, 2
NARROWEST = 11
"""Columns of a line that has layers."""
CONTROL = re.compile(r"[\x00-\x1f]")

_JUDGED = 1000
"""Tokens by which the columns of a file are judged."""
_MARKS = "Begin each document with a line '#begin document (name); part 000'."
_MARK = re.compile(r"(?ais)#\s*(begin|end)\s+document\b(.*)")
_ENDED = re.compile(rb"^#[ \t]*end[ \t]+document\b", re.IGNORECASE | re.MULTILINE)
_PART_OF_MARK = re.compile(r"(?:;|(?<=\)))\s*part\s+(\S+)$", re.IGNORECASE)
_PART = re.compile(r"(.*); part ([1-9][0-9]{0,17})", re.DOTALL)
_PLACEHOLDERS = "".join(PLACEHOLDERS).encode()
_PLACEHOLDER = np.isin(np.arange(256), list(_PLACEHOLDERS))
BEGUN, ENDED = "#begin", "#end"
"""Names of lines that begin and end documents."""
_COLUMNS = {"document": 0, "part": 1, "number": 2}
BRACKETS = "brackets"
"""Columns that are not layers: those before the word, and the last one."""


def canonical_name(text: str) -> str:
    """Name of a document: ``(x); part 000`` and ``x`` are ``x``.

    >>> [canonical_name(n) for n in ("(bc/cctv_0); part 000", "bc/cctv_0", "(a (b)); part 012")]
    ['bc/cctv_0', 'bc/cctv_0', 'a (b); part 12']
    """
    text = text.strip()
    part = ""
    if found := _PART_OF_MARK.search(text):
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


def read(source: Source, layers: frozenset[str] | None = None, block_size: int = BLOCK) -> Corpus:
    """Documents of a source.

    ``layers`` names the token layers to extract, by default all.
    """
    head = source.head()
    tabbed, marked = is_tabbed(head), BEGIN.search(head) is not None
    places = {name: at for name, at in LAYERS.items() if layers is None or name in layers}
    last_empty = tabbed and leaves_last_cells_empty(head)
    blocks = [
        _rows_of(grid, line, places, tabbed, marked)
        for line, grid in grids(source, block_size, tabbed, last_empty)
    ]
    _check_layout(source, blocks)
    for block in blocks if marked else ():
        for name in _COLUMNS:  # of the first tokens alone
            block.layers.pop(name, None)
    rows = not_empty(source, TokenRows.joined(blocks) if blocks else None)
    names, tokens = tokens_of(source, rows, lambda: _implied_name(source, rows))
    _check_widths(source, rows.numbers, tokens)
    warnings = [] if tabbed else _blank_words_read(source, rows)
    places_of_tokens = Places(source, names, tokens.offsets, rows.lines)
    cells = _cells(rows)
    brackets, malformed = Brackets.find(cells)
    if malformed:
        raise malformed_cells(cells, malformed, places_of_tokens)
    brackets, ignored = _without_bare(brackets, cells, places_of_tokens)
    corpus = corpus_of(brackets, places_of_tokens, tokens)
    warnings += [*corpus.warnings, *ignored, *_unbarred(cells, places_of_tokens)]
    return replace(corpus, format="conll", warnings=tuple(warnings))


def _rows_of(
    grid: Grid, first_line: int, places: Mapping[str, int], tabbed: bool, marked: bool
) -> TokenRows:
    """Columns of a block; ``places`` gives the column of each layer."""
    lines, breaks, comments = _lines_of(grid, first_line, tabbed)
    first, counts = grid.first[lines], grid.last[lines] - grid.first[lines] + 1
    blank = np.zeros(0, np.int64) if tabbed else _blank_words(grid, first, counts, breaks)
    # The word is the last but one of a line that is too narrow for its column.
    words = grid.column(first, counts, np.clip(counts - 2, 0, WORD))
    if len(blank):
        words = _replaced(words, blank, " ")
        first[blank] -= 1
        counts[blank] += 1
    layers = {}
    if len(counts) and counts.max() >= NARROWEST:
        layers = {name: grid.column(first, counts, at, NARROWEST) for name, at in places.items()}
    if not marked:
        layers |= {name: grid.column(first, counts, at) for name, at in _COLUMNS.items()}
    elif first_line <= _JUDGED:
        first, few = first[:_JUDGED], counts[:_JUDGED]
        layers |= {name: grid.column(first, few, at) for name, at in _COLUMNS.items()}
    layers[BRACKETS] = _coreference_cells(grid, lines)
    return TokenRows(lines + first_line, words, layers, breaks, comments, counts)


def _lines_of(
    grid: Grid, first_line: int, tabbed: bool
) -> tuple[IntArray, IntArray, list[Comment]]:
    """Lines of tokens, tokens that follow the end of a sentence, and lines that mark documents.

    In a file with tabs, a line that starts with # may be a token.
    """
    ends, is_token = grid.empty, ~grid.empty
    marks = {}
    for line in np.flatnonzero(grid.initial == HASH).tolist():
        content = grid.line(line)
        if mark := document_mark(content.decode()):
            marks[line] = mark
        is_token[line] = not mark and tabbed and _is_token(content)
    ends[list(marks)] = True
    following: IntArray = np.cumsum(is_token) - is_token
    comments = [
        Comment(int(following[line]), first_line + line, BEGUN if begins else ENDED, name)
        for line, (begins, name) in marks.items()
    ]
    return np.flatnonzero(is_token), np.unique(following[ends]), comments


def _is_token(line: bytes) -> bool:
    """True if a line that starts with # is not a comment, but has a word such as #."""
    first, *others = line.split(b"\t")
    return bool(others) and b" " not in first and is_coreference_cell(others[-1].decode())


def _coreference_cells(grid: Grid, lines: IntArray) -> Strings:
    """The last cells of lines with the byte that follows; placeholders are blank."""
    starts, stops = grid.bounds(grid.last[lines])
    plain = (stops - starts == 1) & _PLACEHOLDER[grid.block[starts]]
    return Strings.cut(grid.block, starts, np.where(plain, starts, stops + 1))


def _cells(rows: TokenRows) -> Cells:
    """Cells with brackets."""
    column = rows.layers[BRACKETS]
    token = np.flatnonzero(column.lengths)
    return Cells.cut(column.data, column.offsets[token], column.offsets[token + 1] - 1, token)


def _blank_words(grid: Grid, first: IntArray, counts: IntArray, breaks: IntArray) -> IntArray:
    """Tokens whose word is a blank: lines with one column fewer than others of their sentence.

    Of the columns of the shared tasks only a word can be blank. The third column must be the number
    of the token and the fifth, in place of the sixth, a part of the parse tree.
    """
    if not len(counts) or counts.min() == counts.max():
        return np.zeros(0, np.int64)
    starts = np.union1d([0], breaks[breaks < len(counts)])
    widest = np.repeat(np.maximum.reduceat(counts, starts), np.diff(starts, append=len(counts)))
    base = np.repeat(starts, np.diff(starts, append=len(counts)))
    narrow = np.flatnonzero((counts == widest - 1) & (widest > NARROWEST))
    numbers, parses = (
        grid.column(first[narrow], counts[narrow], at).tolist() for at in (NUMBER, WORD + 1)
    )
    expected = (narrow - base[narrow]).tolist()
    rows = zip(numbers, parses, expected, strict=True)
    found: IntArray = narrow[[number == str(at) and "*" in parse for number, parse, at in rows]]
    return found


def _blank_words_read(source: Source, rows: TokenRows) -> list[str]:
    """A warning about lines without a word."""
    blanks = np.flatnonzero(rows.words.block == BLANK)
    if not len(blanks):
        return []
    token = np.searchsorted(rows.words.offsets, blanks[0], side="right") - 1
    where = source.where(int(rows.lines[token]))
    return [f"{where}: lines without a word are read as blank words"]


def _replaced(column: Strings, rows: IntArray, value: str) -> Strings:
    """Column with another value in some rows."""
    source = np.arange(len(column))
    source[rows] = len(column)
    return Strings.concatenate([column, Strings.from_list([value])]).take(source)


def _check_layout(source: Source, blocks: Sequence[TokenRows]) -> None:
    """Refuse a file with words in another column, in which more values differ."""
    names: list[str] = []
    words: list[str] = []
    numbers: list[str] = []
    for rows in blocks:
        if _COLUMNS.keys() <= rows.layers.keys():
            names += rows.layers["document"][:_JUDGED].tolist()
            words += rows.words[:_JUDGED].tolist()
            numbers += rows.layers["number"][:_JUDGED].tolist()
    words = words[:_JUDGED]
    if not words or 2 * sum(map(str.isdecimal, numbers[:_JUDGED])) > len(words):
        return
    # A row of two columns has its word in the first one, and says nothing about wider rows.
    wider = [(name, word) for name, word in zip(names, words, strict=False) if name != word]
    distinct = {name for name, _ in wider}
    more_differ = len(distinct) > len({word for _, word in wider})
    words_first = more_differ and not all(map(str.isdecimal, distinct))
    if words_first or set(words) <= set(PLACEHOLDERS):
        raise source.error(
            "the words are in another column",
            next(int(rows.lines[0]) for rows in blocks if len(rows.lines)),
            "Columns are document, part, number in the sentence, word, and others, brackets last; "
            "or at most four, with the word before the brackets.",
        )


def not_empty(source: Source, rows: TokenRows | None) -> TokenRows:
    """The columns of a file, which must have documents or tokens."""
    comments = [] if rows is None else rows.comments
    if rows is None or (not len(rows.lines) and BEGUN not in {one.name for one in comments}):
        raise source.error(
            "the file is empty" if rows is None else "the file has no documents and no tokens",
            None,
            "Check that this is the right file.",
        )
    return rows


def tokens_of(
    source: Source, rows: TokenRows, implied: Callable[[], str]
) -> tuple[list[str], Tokens]:
    """Names of documents and their tokens; if no line begins a document, there is one."""
    marks, count = rows.comments, len(rows.lines)
    begins = [mark for mark in marks if mark.name == BEGUN]
    outside = [Comment(0, 1, ENDED, ""), *marks] if begins else [m for m in marks if m.token]
    for mark, following in pairwise([*outside, Comment(count, 0, ENDED, "")]):
        if mark.name == ENDED and following.token > mark.token:
            where = source.where(int(rows.lines[mark.token]))
            raise FormatError("a token outside a document", where, _MARKS)
    names = [mark.value for mark in begins] if begins else [implied()]
    offsets = np.array([*([mark.token for mark in begins] or [0]), count])
    sentences = sentence_starts(rows.breaks, offsets)
    layers = {
        name: column
        for name, column in rows.layers.items()
        if name not in (*_COLUMNS, BRACKETS) and has_values(column, _PLACEHOLDERS)
    }
    return names, Tokens(rows.words, offsets, sentences, layers, lines=rows.lines)


def _implied_name(source: Source, rows: TokenRows) -> str:
    """Name of the only document of a file without marks: its first column, if that is constant.

    The first two columns may also be words or numbers. If they are a name and a number throughout
    each sentence, and the name changes, there are several documents.
    """
    starts = sentence_starts(rows.breaks, np.array([0, len(rows.lines)]))
    ends = np.append(starts[1:], len(rows.lines)) - 1
    columns = [rows.layers[name] for name in ("document", "part")]
    firsts, lasts = (
        [
            (name, part) if wide else ("", "")
            for name, part, wide in zip(
                *(column.take(tokens) for column in columns), rows.numbers[tokens] > 4, strict=True
            )
        ]
        for tokens in (starts, ends)
    )
    both = [*firsts, *lasts]
    named = all(name and not name.isdecimal() and part.isdecimal() for name, part in both)
    numbered = len({part for _, part in both}) == len(firsts)
    for sentence, (before, one) in enumerate(pairwise(firsts), 1):
        if named and firsts == lasts and not numbered and one[0] != before[0]:
            line = int(rows.lines[starts[sentence]])
            what = "the first column names another document than before"
            raise source.error(what, line, _MARKS)
    documents, parts = map(set, zip(*both, strict=True))
    if len(documents) != 1 or "" in documents:
        return source.stem
    name, part = documents.pop(), parts.pop() if len(parts) == 1 else ""
    return canonical_name(f"({name}); part {part}" if part.isdecimal() else name)


def _check_widths(source: Source, counts: IntArray, tokens: Tokens) -> None:
    """Refuse lines that have more or fewer columns than others of their sentence.

    Between sentences the number may differ: files of 2012 have a column for each predicate.
    """
    if not len(counts):
        return
    sentences, lines = tokens.sentences, tokens.lines
    assert lines is not None
    uneven = np.minimum.reduceat(counts, sentences) != np.maximum.reduceat(counts, sentences)
    problems = []
    bounds = np.append(sentences, len(counts))
    for sentence in np.flatnonzero(uneven)[:MOST_PROBLEMS].tolist():
        start, stop = int(bounds[sentence]), int(bounds[sentence + 1])
        widths = counts[start:stop].tolist()
        usual = max(dict.fromkeys(widths), key=widths.count)
        at = next(row for row, width in enumerate(widths) if width != usual)
        problems.append(
            source.error(
                f"a line with {widths[at]} columns in a sentence with {usual}",
                int(lines[start + at]),
                "Every line of a sentence needs the same columns, separated as in the first line; "
                "write - in empty cells.",
            )
        )
    if problems:
        raise with_others(problems)


def corpus_of(brackets: Brackets, places: Places, tokens: Tokens) -> Corpus:
    """The corpus of tokens and their brackets, with a warning if it has no brackets."""
    entities, mentions = brackets.mentions(places)
    name, documents = places.source.name, tuple(places.documents)
    warnings: tuple[str, ...] = ()
    if not len(brackets.token) and not places.source.part:
        warnings = (f"{name}: no coreference brackets, so there are no mentions",)
    return Corpus(
        documents, entities, mentions, tokens, sources=(name,) * len(documents), warnings=warnings
    )


def malformed_cells(cells: Cells, malformed: Sequence[int], places: Places) -> FormatError:
    return with_others(
        [
            FormatError(
                f"malformed coreference cell {shown(cells.content(cell))!r}",
                places.where(int(cells.token[cell])),
                "The last column contains '-', or brackets such as (1, 1), (1) or (1|(2).",
            )
            for cell in malformed[:MOST_PROBLEMS]
        ]
    )


def _without_bare(brackets: Brackets, cells: Cells, places: Places) -> tuple[Brackets, list[str]]:
    """The brackets without ids that have none, and a warning about these.

    They are refused, except inside a mention of their entity.
    """
    kept = brackets.opens | brackets.closes
    if kept.all():
        return brackets, []
    groups = places.document(brackets.token) * len(brackets.names) + brackets.code
    depth: dict[int, int] = {}
    columns = (groups.tolist(), brackets.opens.tolist(), brackets.closes.tolist())
    for row, (group, opens, closes) in enumerate(zip(*columns, strict=True)):
        if not opens and not closes and not depth.get(group):
            cell = int(np.searchsorted(cells.token, brackets.token[row]))
            raise malformed_cells(cells, [cell], places)
        depth[group] = depth.get(group, 0) + opens - closes
    first, count = places.where(int(brackets.token[np.argmin(kept)])), np.count_nonzero(~kept)
    warning = f"{first}: {count:,} ids without brackets inside mentions are ignored"
    return brackets.take(np.flatnonzero(kept)), [warning]


def _unbarred(cells: Cells, places: Places) -> list[str]:
    """A warning about brackets that open directly after the id of another bracket."""
    text = cells.texts.block
    signs = np.flatnonzero(text == OPEN)
    found = signs[NAME_BYTES[text[signs - 1]]]
    if not len(found):
        return []
    cell = np.searchsorted(cells.texts.offsets, found[0], side="right") - 1
    what = "brackets follow one another without |, as in (1(2: read as separate mentions"
    return [f"{places.where(int(cells.token[cell]))}: {what} (coval skips the first)"]


def detect(head: bytes, name: str) -> bool:
    """True if a document begins or ends in a line of its own, or by the cells of the last column.

    A file in which a document only ends is damaged; reading it gives the line.
    """
    if b"#" in head and (BEGIN.search(head) or _ENDED.search(head)):
        return True
    usual = name.removesuffix(".gz").endswith(CONLL.suffixes)
    return _has_brackets(head, 1 if usual else 4, usual)


def is_meant(head: bytes, name: str) -> bool:
    """True if the last column has coreference brackets, whatever the other columns hold."""
    return _has_brackets(head, 0, False)


def _has_brackets(head: bytes, columns: int, usual: bool) -> bool:
    """True if all lines end in coreference cells, and have more than this number of columns.

    One of them must have brackets, unless the file has a usual name.
    """
    lines = head.decode("utf-8", "replace").splitlines()
    if len(head) >= HEAD:
        lines.pop()
    rows = [line.split() for line in lines if line.strip() and line[:1] != "#"][:1000]
    return (
        bool(rows)
        and len(rows[0]) > columns
        and all(is_coreference_cell(cells[-1]) for cells in rows)
        and (usual or any(cells[-1] not in PLACEHOLDERS for cells in rows))
    )


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document.

    There are twelve columns, separated by tabs: ``document part number word pos parse lemma - -
    speaker ner coreference``. Unknown values are ``-``, or ``*`` for parse and ner.
    """
    labels = entity_labels(corpus, NOT_IN_ID)
    for document in map(without_empty_nodes, corpus):
        plain, part = name_and_part(document.name)
        label = re.sub(r"[\s\x00-\x1f]", "_", plain) or "-"
        pos, lemma, speaker = (
            layer_cells(document, name, "-") for name in ("pos", "lemma", "speaker")
        )
        parse, ner = (layer_cells(document, name, "*") for name in ("parse", "ner"))
        columns = [label, str(part), numbers_of(document, 0), words_of(document), pos, parse, lemma]
        columns += ["-", "-", speaker, ner, bracket_cells(document, labels(document), "-")]
        begin = f"#begin document ({CONTROL.sub(' ', plain)}); part {part:03d}"
        yield written_document(begin, columns, document, "#end document")


def numbers_of(document: Document, first: int) -> list[str]:
    """The number of each token in its sentence, counted from the first."""
    bounds = pairwise(sorted({0, *document.starts, len(document.words)}))
    return [str(number + first) for start, stop in bounds for number in range(stop - start)]


def words_of(document: Document) -> list[str]:
    """The words as the content of cells."""
    return [CONTROL.sub(" ", word) for word in document.words]


def layer_cells(document: Document, name: str, missing: str) -> Sequence[str]:
    """A layer as the content of cells."""
    values = document.layers.get(name) or [""] * len(document.words)
    return [CONTROL.sub(" ", value).strip(" ") or missing for value in values]


def written_document(
    begin: str, columns: Sequence[str | Sequence[str]], document: Document, end: str
) -> bytes:
    """A document as lines of these columns, of which some have one value throughout.

    An empty line ends each sentence.
    """
    count = len(document.words)
    rows = zip(*([one] * count if isinstance(one, str) else one for one in columns), strict=True)
    lines = [begin]
    starts = set(document.starts)
    for token, cells in enumerate(rows):
        if token and token in starts:
            lines.append("")
        lines.append("\t".join(cells))
    if count:
        lines.append("")
    return "\n".join([*lines, end, ""]).encode("utf-8", "replace")


def name_and_part(name: str) -> tuple[str, int]:
    """Name of a document without its part, and the number of the part."""
    found = _PART.fullmatch(name)
    return (found.group(1), int(found.group(2))) if found else (name, 0)


CONLL = register(
    Format(
        name="conll",
        title="CoNLL-2011 and CoNLL-2012",
        suffixes=(".conll", "_conll", ".v4_gold_conll", ".v4_auto_conll"),
        detect=detect,
        read_columns=read,
        write=write,
        document_mark=DocumentMark(ord("#"), begun_name),
    )
)
