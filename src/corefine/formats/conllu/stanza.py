"""CoNLL-U as Stanza writes it: coreference in the attribute coref_chains of each word.

The smallest valid file (columns are separated by tabs)::

    # sent_id = 0
    1	Anna	_	_	_	_	0	_	_	coref_chains=unit-repr-id0
    2	saw	_	_	_	_	1	_	_	_
    3	her	_	_	_	_	2	_	_	coref_chains=unit-id0,start-id1
    4	house	_	_	_	_	3	_	_	coref_chains=end-id1

Every word of a mention tells its part in it: ``unit``, ``start``, ``middle`` or ``end``, the
mention that represents its chain with ``repr`` behind, and the number of the chain. Versions of
Stanza before 1.12 write this under the name ``ner``, which is read as well. Everything else is as
in other CoNLL-U files, so that they are read as such: the parts become brackets of an Entity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from corefine.corpus.arrays import offsets_of
from corefine.corpus.columns import Entities
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions, take_mentions
from corefine.errors import FormatError
from corefine.formats.building.bracket_writing import nested
from corefine.formats.conllu import conllu, writing
from corefine.formats.conllu.lines import LAYERS
from corefine.formats.input.sources import Source
from corefine.formats.registry import Capabilities, Format, register

LARGEST = 1 << 30
"""Bytes of a file, which is read as a whole."""
HEADER = b"# global.Entity = eid"

_PART = rb"(?:unit|start|middle|end)-(?:repr-)?id[0-9]+"
_CHAINS = re.compile(
    rb"\b(?:coref_chains|ner)=(" + _PART + rb"(?:," + _PART + rb")*)(?=[|\t\r\n]|$)"
)
_NAMED = re.compile(rb"[\t|]coref_chains=([^|\t\r\n]*)")
_OTHER = re.compile(rb"(?:^|\|)Entity=[^|]*")


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """The documents of a source."""
    content = source.read_all(LARGEST, "Split it into smaller files.")
    lines = content.split(b"\n")
    for number, line in enumerate(lines):
        if b"-id" in line and line[:1] != b"#":
            lines[number] = _with_brackets(line, number + 1, source)
        elif b"\tcoref_chains=" in line or b"|coref_chains=" in line:
            _refuse(line, number + 1, source)
    changed = Source(
        source.name, source.path, content=b"\n".join(lines), part=source.part, carried=HEADER
    )
    corpus = conllu.read(changed, layers)
    warnings = tuple(text.replace("attribute Entity", "chains") for text in corpus.warnings)
    return replace(corpus, format="stanza", warnings=warnings)


def _with_brackets(line: bytes, number: int, source: Source) -> bytes:
    """A line with the brackets of CorefUD's Entity for the parts that it tells."""
    start = line.rfind(b"\t") + 1
    cells, misc = line[:start], line[start:]
    found = _CHAINS.findall(misc)
    if (named := _NAMED.search(line)) is not None and named[1] not in found:
        _refuse(line, number, source)
    if not found:
        return line
    brackets: dict[bytes, list[bytes]] = {b"end": [], b"start": [], b"unit": [], b"middle": []}
    for part in b",".join(found).split(b","):
        role, _, rest = part.partition(b"-")
        name = rest.removeprefix(b"repr-")
        brackets[role].append(
            {b"end": name + b")", b"start": b"(" + name}.get(role, b"(%b)" % name)
        )
    del brackets[b"middle"]
    entity = b"".join(b"".join(some) for some in brackets.values())
    rest = _OTHER.sub(b"", _CHAINS.sub(b"", misc)).rstrip(b"\r").strip(b"|")
    rest = re.sub(rb"\|\|+", b"|", rest)
    parts = [piece for piece in (rest, b"Entity=" + entity if entity else b"") if piece]
    return cells + (b"|".join(parts) or b"_")


def _refuse(line: bytes, number: int, source: Source) -> None:
    named = _NAMED.search(line)
    if named is not None and not _CHAINS.search(named[0][1:]):
        shown = named[1][:60].decode("utf-8", "replace")
        raise FormatError(
            f"malformed coref_chains {shown!r}",
            source.where(number),
            "It is a comma-separated list of parts such as unit-id0, start-repr-id1 and end-id1.",
        )


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file; the first mention represents."""
    chains = _chains(keep_mentions(corpus, nested(corpus)))
    first = [0] if corpus.tokens is None else corpus.tokens.offsets.tolist()
    for document, piece in enumerate(writing.write(_without_mentions(corpus))):
        token = first[document]
        lines = []
        for line in piece.decode("utf-8", "surrogatepass").split("\n"):
            if line.startswith("# global.Entity"):
                continue
            if line[:1].isdigit():
                cells, _, misc = line.rpartition("\t")
                said = f"coref_chains={','.join(chains[token])}" if token in chains else misc
                line = f"{cells}\t{said}"
                token += 1
            lines.append(line)
        yield "\n".join(lines).encode("utf-8", "surrogatepass")


def _without_mentions(corpus: Corpus) -> Corpus:
    none = np.zeros(0, np.int64)
    mentions = take_mentions(corpus.mentions, none)
    return replace(corpus, mentions=mentions, entities=Entities(none), relations=())


def _chains(corpus: Corpus) -> dict[int, list[str]]:
    """What each token says of the mentions that it is in."""
    mentions, tokens = corpus.mentions, corpus.tokens
    found: dict[int, list[str]] = {}
    if tokens is None:
        return found
    first = offsets_of(np.bincount(corpus.entities.document, minlength=len(corpus)))
    base = tokens.offsets[mentions.document]
    number = mentions.entity - first[corpus.entities.document[mentions.entity]]
    # Longer mentions open first and close last, so that parts of one chain nest.
    order = np.lexsort((-mentions.stop, base + mentions.start))
    seen: set[int] = set()
    for row in order.tolist():
        entity = int(mentions.entity[row])
        represents = "" if entity in seen else "repr-"
        seen.add(entity)
        start, stop = int(base[row] + mentions.start[row]), int(base[row] + mentions.stop[row])
        for token in range(start, stop):
            role = ("middle", "end", "start", "unit")[2 * (token == start) + (token == stop - 1)]
            found.setdefault(token, []).append(f"{role}-{represents}id{number[row]}")
    return found


def losses(corpus: Corpus) -> list[str]:
    """What a CoNLL-U file with chains cannot say of this corpus."""
    lost = writing.losses(_without_mentions(corpus))
    crossing = int(np.count_nonzero(~nested(corpus))) if corpus.tokens is not None else 0
    return [
        *lost,
        *([f"crossing mentions of the same entity ({crossing})"] if crossing else []),
    ]


def sniff(head: bytes, name: str) -> float:
    """Sure where it is CoNLL-U whose words tell chains, and no Entity."""
    if not _CHAINS.search(head) or b"Entity=" in head:
        return 0.0
    sure = conllu.sniff(head, name)
    return sure + 0.02 if sure > 0 else 0.0


STANZA = register(
    Format(
        name="stanza",
        title="CoNLL-U with Stanza's coref_chains",
        suffixes=(".conllu",),
        sniff=sniff,
        read_columns=read,
        capabilities=Capabilities(
            layers=frozenset({*LAYERS, "sent_id", "node"}), entity_names=False, zeros=True
        ),
        write=write,
        losses=losses,
        documentation="docs/formats/stanza.md",
    )
)
