"""TBF: event mentions and their coreference in the TAC KBP event nugget tasks.

The smallest valid file has tab-separated cells::

    #BeginOfDocument x
    sys	x	E1	0,5	voted	Personnel_Elect	Actual
    sys	x	E2	20,28	election	Personnel_Elect	Actual
    @Coreference	R1	E1,E2
    #EndOfDocument

A mention has the system, the document, an id, the span (characters or token ids), words, the event
type and the realis. ``@Coreference`` lists mentions of an entity; all others are singletons. The
files have no text: a mention is identified by its span and type.
"""

from __future__ import annotations

from collections.abc import Iterator

from corefine.corpus.document import Document, Mention
from corefine.errors import FormatError
from corefine.formats.io.lines import begins_with, text_lines
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register

_BEGIN, _END, _COREFERENCE = "#BeginOfDocument", "#EndOfDocument", "@Coreference"


def read(source: Source) -> Iterator[Document]:
    """The documents of a file."""
    document: Document | None = None
    mentions: dict[str, Mention] = {}
    clusters: set[str] = set()
    for number, line in text_lines(source):
        if line.startswith(_BEGIN):
            if document is not None:
                raise _error(f"a second {_BEGIN}", source, number)
            document = Document(line.removeprefix(_BEGIN).strip(), source=source.name)
            mentions, clusters = {}, set()
        elif document is None and line.strip():
            raise _error(f"a line before {_BEGIN}", source, number)
        elif line.startswith(_END) and document is not None:
            document.mentions = list(mentions.values())
            yield document
            document = None
        elif line.startswith(_COREFERENCE):
            cells = line.split("\t")
            if len(cells) != 3:
                raise _error(f"a line with {len(cells)} fields", source, number)
            if cells[1] in clusters:
                raise _error(f"a second cluster {cells[1][:60]!r}", source, number)
            clusters.add(cells[1])
            for id in map(str.strip, cells[2].split(",")):
                if id not in mentions:
                    raise _error(f"the unknown mention {id[:60]!r}", source, number)
                if mentions[id].entity in clusters:
                    raise _error(f"mention {id[:60]!r} for the second time", source, number)
                mentions[id].entity = cells[1]
        elif line.strip() and not line.startswith(("@", "#")) and document is not None:
            cells = line.split("\t")
            if len(cells) < 7:
                raise _error(f"a line with {len(cells)} fields", source, number)
            if cells[2] in mentions:
                raise _error(f"duplicate mention id {cells[2][:60]!r}", source, number)
            mentions[cells[2]] = Mention(
                f"{document.name}:{cells[2]}",
                [],
                type=cells[5],
                name=f"{cells[3]} {cells[5]}",
                attributes={"text": cells[4], "realis": cells[6]},
                where=source.where(number),
            )
    if document is not None:
        raise _error(f"no {_END} for document {document.name!r}", source, None)


def _error(message: str, source: Source, line: int | None) -> FormatError:
    return source.error(
        message,
        line,
        "A mention is written, with tabs: system, document, id, span, words, type, realis; "
        "coreference: @Coreference, id, mentions separated by commas.",
    )


register(
    Format(
        "tbf",
        "TBF: event nuggets of TAC KBP",
        (".tbf",),
        read,
        begins_with(rb"#BeginOfDocument[ \t]"),
    )
)
