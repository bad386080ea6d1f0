"""KoCoNovel: four annotations of characters in Korean novels in one file, their text in another.

The smallest valid document is two files. ``text.jsonl``::

    {"doc_id": "1_0", "text": "Anna saw her house."}

``coref.jsonl`` has clusters of characters, one list per perspective and treatment of groups::

    {"doc_id": "1_0", "omniscent_separate": [[["0", "4", "Anna", "A"], ["9", "12", "her", "A"]]]}

A mention has its first character, the one after its last, its words and its entity. The annotation
is ``omniscent_separate`` unless the format is named with another: ``koconovel:reader_separate``,
``koconovel:omniscent_overlapped`` or ``koconovel:reader_overlapped``.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError, UsageError
from corefine.formats.io.records import keys_of, read_records
from corefine.formats.io.sources import Source, companion
from corefine.formats.registry import Format, register

_DEFAULT = "omniscent_separate"
_Clusters = list[list[tuple[str, str, str, str]]]


class _Text(msgspec.Struct):
    doc_id: str
    text: str


class _Annotations(msgspec.Struct):
    doc_id: str
    omniscent_separate: _Clusters | None = None
    omniscent_overlapped: _Clusters | None = None
    reader_separate: _Clusters | None = None
    reader_overlapped: _Clusters | None = None


def read(source: Source, label: str = _DEFAULT) -> Iterator[Document]:
    """The documents of a file, with the annotation of this name."""
    known = _Annotations.__struct_fields__[1:]
    if label not in known:
        raise UsageError(
            f"no annotation {label!r} in KoCoNovel", None, f"Known: {', '.join(known)}."
        )
    beside = companion(source, ("text.jsonl",))
    if beside is None:
        raise source.error("the text is missing", None, "Put text.jsonl next to the file.")
    texts: dict[str, str] = {}
    for text, line in read_records(beside, _Text):
        if text.doc_id in texts:
            message = f"a second text of document {text.doc_id[:60]!r}"
            raise beside.error(message, line, "Keep one.")
        texts[text.doc_id] = text.text
    for record, line in read_records(source, _Annotations):
        where = source.where(line)
        if record.doc_id not in texts:
            message = f"no text of document {record.doc_id[:60]!r}"
            raise FormatError(message, where, f"Add it to {beside.name}.")
        clusters: _Clusters | None = getattr(record, label)
        if clusters is None:
            given = ", ".join(name for name in known if getattr(record, name) is not None)
            message = f"document {record.doc_id[:60]!r} has no annotation {label}"
            raise FormatError(message, where, f"It has: {given or 'none'}.")
        mentions = []
        for number, cluster in enumerate(clusters):
            for start, stop, words, name in cluster:
                if not (start.isdecimal() and stop.isdecimal() and len(start + stop) < 19):
                    message = f"not a span of characters: {start[:20]!r} to {stop[:20]!r}"
                    raise FormatError(message, where, "Count characters from 0.")
                span = (int(start), int(stop))
                mention = Mention(number, [span], attributes={"name": name}, where=where)
                mention.quoted = words
                mentions.append(mention)
        yield Document.from_text(record.doc_id, texts[record.doc_id], mentions, source=source.name)


def detect(head: bytes, name: str) -> bool:
    """True if the first record has one of the annotations."""
    if b'"doc_id"' not in head or head.lstrip()[:1] != b"{":
        return False
    keys = keys_of(Source(name, content=head)).keys()
    return "doc_id" in keys and not keys.isdisjoint(_Annotations.__struct_fields__[1:])


KOCONOVEL = register(
    Format(
        name="koconovel",
        title="KoCoNovel JSON lines",
        companions=("text.jsonl",),
        read=read,
        detect=detect,
    )
)
