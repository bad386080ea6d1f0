"""Conversions within a format as edits of the source text, and the losses of other conversions.

A corpus holds words, mentions and some columns. Files of CoNLL-U and CoNLL hold more: comments,
multiword tokens, further columns. Written in their own format, they are not made from the corpus:
lines are copied, and only the annotation of entities is replaced in documents where it differs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.corpus.selection import select_documents
from corefine.errors import CorefineError
from corefine.formats.conllu import EntityAttributes
from corefine.formats.io.brackets import NOT_IN_ID, bracket_cells, entity_labels
from corefine.formats.io.sources import HEAD, STANDARD_INPUT, Source, find_sources, is_stream
from corefine.formats.io.token_rows import is_tabbed, leaves_last_cells_empty
from corefine.formats.registry import Format, takes

_ENTITY = re.compile(rb"#[ \t]*global\.Entity[ \t]*=")
_NEWDOC = re.compile(rb"^#[ \t]*newdoc\b", re.MULTILINE)
_BEGIN = re.compile(rb"^#[ \t]*begin[ \t]+document\b", re.MULTILINE | re.IGNORECASE)
_OWN_COMMENTS = re.compile(rb"#[ \t]*(?:newdoc\b|global\.|sent_id[ \t]*=)")
_OWN_MISC = ("Entity", "Bridge", "SplitAnte", "Split")
_PLACEHOLDERS = (b"-", b"_", b"*", b"")


def edited(
    corpus: Corpus, format: Format, target: str, contents: Mapping[str, bytes]
) -> bytes | None:
    """The files of a corpus with its entities; None if their text cannot be edited.

    This is so if a file cannot be read again, and if the corpus has other documents or words than
    its files. Other formats than CoNLL-U and CoNLL are copied if nothing has changed. ``contents``
    are those of sources that cannot be read again.
    """
    if corpus.format != format.name or format.write is None or format.files:
        return None
    if format.name not in _EDITS:
        return _copied(corpus, format, target, contents)
    if corpus.tokens is None or not corpus.sources:
        return None
    pieces: list[bytes] = []
    start = 0
    several = len(set(corpus.sources)) > 1
    for name, group in groupby(corpus.sources):
        count = len(list(group))
        part = select_documents(corpus, range(start, start + count))
        start += count
        content = _content_of(name, contents)
        before = _read_again(name, content, format)
        if content is None or before is None or not _same_words(part, before):
            return None
        edit, marked = _EDITS[format.name]
        piece = edit(content, part, before)
        pieces.append(marked(piece, part) if several else piece)
    return b"".join(pieces)


def _copied(
    corpus: Corpus, format: Format, target: str, contents: Mapping[str, bytes]
) -> bytes | None:
    """The only file of a corpus, if it has the suffix of the target and the same documents."""
    assert format.write is not None
    names = set(corpus.sources)
    name = names.pop() if len(names) == 1 else ""
    suffixes = {Path(one.removesuffix(".gz")).suffix for one in (name, target)}
    streamed = name in contents or target == "-"
    alike = len(suffixes) == 1 or (streamed and not takes(format.write, "suffix"))
    content = _content_of(name, contents) if alike and format.read_against is None else None
    before = _read_again(name, content, format)
    if before is None or corpus.documents != before.documents:
        return None
    return content if list(corpus) == list(before) else None


def _content_of(name: str, contents: Mapping[str, bytes]) -> bytes | None:
    """The content of a file, decompressed; None if it is not a file that can be read."""
    if name in contents:
        return contents[name]
    if not name or name == STANDARD_INPUT or is_stream(name):
        return None
    try:
        (source,) = find_sources(name)
        return source.read_all()
    except (CorefineError, ValueError):
        return None


def _read_again(name: str, content: bytes | None, format: Format) -> Corpus | None:
    """The corpus of a file; None if it cannot be read again."""
    try:
        return None if content is None else format.corpus(Source.of_content(name, content))
    except CorefineError:
        return None


def _same_words(corpus: Corpus, before: Corpus) -> bool:
    one, other = corpus.tokens, before.tokens
    assert one is not None
    assert other is not None
    return (
        corpus.documents == before.documents
        and one.lines is not None
        and other.lines is not None
        and one.words.tolist() == other.words.tolist()
        and one.lines.tolist() == other.lines.tolist()
    )


def _changed(corpus: Corpus, before: Corpus) -> list[tuple[int, Document]]:
    """Documents with other mentions or relations than before, by number."""
    return [
        (number, document)
        for number, (document, other) in enumerate(zip(corpus, before, strict=True))
        if document.mentions != other.mentions or document.relations != other.relations
    ]


# --- CoNLL-U --------------------------------------------------------------------------------------


def _edit_conllu(content: bytes, corpus: Corpus, before: Corpus) -> bytes:
    """Replace the attributes of entities in the last column, and the header if it differs."""
    changed = _changed(corpus, before)
    if not changed:
        return content
    lines = content.split(b"\n")
    writer = EntityAttributes.of(corpus)
    headers = [number for number, line in enumerate(lines) if _ENTITY.match(line)]
    header = f"# global.Entity = {writer.header}".encode()
    if not headers or any(_value(lines[number]) != writer.header for number in headers):
        changed = list(enumerate(corpus))
    for _, document in changed:
        attributes = writer.attributes(document)
        for token, line in enumerate(document.lines):
            cells = lines[line - 1].rstrip(b" \r").split(b"\t")
            end = lines[line - 1][len(b"\t".join(cells)) :]
            cells[9] = _misc(cells[9].decode(), attributes.get(token, ())).encode()
            lines[line - 1] = b"\t".join(cells) + end
    for number in headers:
        if _value(lines[number]) != writer.header:
            lines[number] = header
    if not headers:
        first = next((n for n, line in enumerate(lines) if _NEWDOC.match(line)), -1)
        lines.insert(first + 1, header)
    return b"\n".join(lines)


def _value(comment: bytes) -> str:
    return comment.decode("utf-8", "replace").partition("=")[2].strip()


def _misc(cell: str, attributes: Iterable[str]) -> str:
    """A last column with these attributes of entities, in the order in which it was."""
    others = [one for one in cell.split("|") if one and one != "_"]
    kept = [one for one in others if one.partition("=")[0] not in _OWN_MISC]
    own = {_plain(one): one for one in others}
    found = [*kept, *(own.get(_plain(one), one) for one in attributes)]
    if kept == sorted(kept, key=str.lower):
        found.sort(key=str.lower)
    return "|".join(found) or "_"


def _plain(attribute: str) -> str:
    """An attribute without hyphens that only separate empty fields at the end of brackets."""
    return re.sub(r"(?<!-)-+(?=[()]|\Z)", "", attribute)


def _marked_conllu(content: bytes, corpus: Corpus) -> bytes:
    """The content, to be followed by that of another file."""
    content = content.removeprefix(b"\xef\xbb\xbf").rstrip(b"\n") + b"\n\n"
    if not _NEWDOC.search(content):
        content = f"# newdoc id = {corpus.documents[0]}\n".encode() + content
    return content


# --- CoNLL ----------------------------------------------------------------------------------------


def _edit_conll(content: bytes, corpus: Corpus, before: Corpus) -> bytes:
    """Replace the last column in documents whose entities differ."""
    lines = content.split(b"\n")
    labels = entity_labels(corpus, NOT_IN_ID)
    tabbed = is_tabbed(content[:HEAD])
    may_be_empty = tabbed and leaves_last_cells_empty(content[:HEAD])
    for _, document in _changed(corpus, before):
        cells = bracket_cells(document, labels(document), "")
        for cell, line in zip(cells, document.lines, strict=True):
            text = lines[line - 1].rstrip(b"\r" if may_be_empty else b" \t\r")
            end = lines[line - 1][len(text) :]
            last = text.split(b"\t")[-1] if tabbed else text.split()[-1]
            old = [] if last in _PLACEHOLDERS else last.split(b"|")
            if sorted(old) != sorted(filter(None, cell.encode().split(b"|"))):
                lines[line - 1] = text[: len(text) - len(last)] + (cell.encode() or b"-") + end
    return b"\n".join(lines)


def _marked_conll(content: bytes, corpus: Corpus) -> bytes:
    """The content, to be followed by that of another file."""
    content = content.removeprefix(b"\xef\xbb\xbf").rstrip(b"\n") + b"\n"
    if not _BEGIN.search(content):
        content = f"#begin document ({corpus.documents[0]});\n".encode() + content
        content += b"\n#end document\n"
    return content


_EDITS = {"conllu": (_edit_conllu, _marked_conllu), "conll": (_edit_conll, _marked_conll)}
"""Functions that edit files of a format, and prepare their content to be joined."""


# --- what a corpus does not hold ------------------------------------------------------------------


def unread(corpus: Corpus, contents: Mapping[str, bytes]) -> list[str]:
    """Name what the files of a corpus have and the corpus does not, with counts.

    Of files that cannot be read again, nothing is known.
    """
    count = _UNREAD.get(corpus.format or "")
    found: Counter[str] = Counter()
    for name in dict.fromkeys(corpus.sources):
        content = _content_of(name, contents)
        if content is not None and count is not None:
            found.update(count(content.split(b"\n")))
        elif content is not None and content.lstrip()[:1] in (b"{", b"["):
            found.update(_unread_keys(Source(name, content=content), corpus.format or ""))
    return [f"{what} ({times:,})" for what, times in found.most_common()]


def _unread_conllu(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        if line.startswith(b"#") and not _OWN_COMMENTS.match(line):
            yield "comments"
        elif line[:1].isdigit():
            cells = line.rstrip(b" \r").split(b"\t")
            if b"-" in cells[0]:
                yield "multiword tokens"
            for one in cells[9].decode("utf-8", "replace").split("|") if len(cells) > 9 else ():
                name = one.partition("=")[0]
                if name not in ("_", "", *_OWN_MISC):
                    yield f"{name[:40]} in MISC"


def _unread_conll(lines: Iterable[bytes]) -> Iterator[str]:
    for line in lines:
        cells = line.split()
        if line.startswith(b"#") and b"document" not in line:
            yield "comments"
        elif len(cells) > 11 and not set(cells[7:9]) <= set(_PLACEHOLDERS):
            yield "senses of words"
        elif len(cells) > 12 and not set(cells[11:-1]) <= set(_PLACEHOLDERS):
            yield "arguments of predicates"


def _unread_keys(source: Source, format: str) -> Iterator[str]:
    """Keys of records that the format does not read."""
    from corefine.formats.io.records import RECORDS, read_records

    if format not in RECORDS:
        return
    known = set(RECORDS[format].__struct_encode_fields__)
    for record, _ in read_records(source, dict):
        yield from (f"the key {key[:40]!r}" for key in record if key not in known)


_UNREAD: Mapping[str, Callable[[Sequence[bytes]], Iterator[str]]] = {
    "conllu": _unread_conllu,
    "stanza": _unread_conllu,
    "conll": _unread_conll,
}
