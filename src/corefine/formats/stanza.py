"""CoNLL-U as Stanza writes it: coreference in the attribute coref_chains of each word.

The smallest valid file (columns are separated by tabs)::

    # sent_id = 0
    1	Anna	_	_	_	_	0	_	_	coref_chains=unit-repr-id0
    2	saw	_	_	_	_	1	_	_	_
    3	her	_	_	_	_	2	_	_	coref_chains=unit-id0,start-id1
    4	house	_	_	_	_	3	_	_	coref_chains=end-id1

Every word of a mention has its position in it: ``unit``, ``start``, ``middle`` or ``end``, with
``repr`` in the mention that represents its chain, and the number of the chain. Versions of Stanza
before 1.12 write this under the name ``ner``, which is read as well.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document
from corefine.corpus.words import refuse_nests
from corefine.errors import FormatError
from corefine.formats import conllu
from corefine.formats.io.bracket_columns import paired_mentions
from corefine.formats.io.brackets import crossing
from corefine.formats.io.conllu_lines import LAYERS, LineReader, corpus_of_tokens
from corefine.formats.io.conllu_writing import newdoc, token_lines, written
from corefine.formats.io.heads import set_heads
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import Source
from corefine.formats.registry import Format, register

_PART = r"(?:unit|start|middle|end)-(?:repr-)?id[0-9]{1,18}"
_CHAINS = re.compile(rf"(?:coref_chains|ner)=({_PART}(?:,{_PART})*)")
_REMEDY = "It is a list of parts such as unit-id0, start-repr-id1 and end-id1."


def read(source: Source) -> Iterator[Document]:
    """Documents of a source."""
    corpus, _ = corpus_of_tokens(LineReader(source), {**LAYERS, "MISC": "MISC"})
    for document in corpus:
        chains: list[tuple[int, str]] = []
        for token, cell in enumerate(document.layers.pop("MISC", ())):
            for attribute in cell.split("|") if cell != "_" else ():
                found = _CHAINS.fullmatch(attribute)
                if found is not None:
                    chains += [(token, part) for part in found[1].split(",")]
                elif attribute.startswith("coref_chains="):
                    where = source.where(document.lines[token])
                    raise FormatError(f"malformed {shown(attribute)!r}", where, _REMEDY)
        _add_mentions(document, chains, source)
        _check_middles(document, chains, source)
        set_heads(document)
        yield document


def _add_mentions(document: Document, chains: list[tuple[int, str]], source: Source) -> None:
    """Add the mentions of a document in the order in which they start."""
    # A word that ends a mention and starts another of the same chain ends the first one.
    order = {"end": 0, "start": 1, "unit": 2, "middle": 3}
    brackets: list[tuple[int, str, str, str]] = []
    for token, part in sorted(chains, key=lambda c: (c[0], order[c[1].partition("-")[0]])):
        role, _, rest = part.partition("-")
        opens, closes = "(" * (role in ("start", "unit")), ")" * (role in ("end", "unit"))
        if role != "middle":
            brackets.append((token, opens, rest.removeprefix("repr-"), closes))
    document.mentions = paired_mentions(brackets, document, source, "start-{}")


def _check_middles(document: Document, chains: list[tuple[int, str]], source: Source) -> None:
    """Refuse words that are in the middle of a mention without a start, or lack this part."""
    written = Counter(
        (token, part.rpartition("-")[2]) for token, part in chains if part.startswith("middle")
    )
    expected = Counter(
        (token, str(mention.entity))
        for mention in document.mentions
        for token in range(mention.start + 1, mention.end - 1)
    )
    if written != expected:
        token, chain = min((written - expected) + (expected - written))
        message = f"{'a' if (token, chain) in written else 'no'} part middle-{chain}"
        raise source.error(message, document.lines[token], _REMEDY)


def write(corpus: Corpus) -> Iterator[bytes]:
    """Content of a file, document by document; the first mention represents its chain."""
    for document in corpus:
        numbers = {entity: number for number, entity in enumerate(document.entities)}
        spans = [(numbers[m.entity], m.spans[0][0], m.spans[-1][1] - 1) for m in document.mentions]
        # Every word of a mention repeats it.
        words = sum(last - first for _, first, last in spans)
        refuse_nests(words, len(document.tokens or ()), len(spans))
        out = crossing(spans)
        kept = [span for row, span in enumerate(spans) if row not in out]
        cells: dict[int, list[str]] = defaultdict(list)
        seen: set[int] = set()
        # Longer mentions open first, so that mentions of one chain nest.
        for number, first, last in sorted(kept, key=lambda span: (span[1], -span[2])):
            represents = "" if number in seen else "repr-"
            seen.add(number)
            for token in range(first, last + 1):
                role = ("middle", "end", "start", "unit")[2 * (token == first) + (token == last)]
                cells[token].append(f"{role}-{represents}id{number}")
        misc = {token: f"coref_chains={','.join(parts)}" for token, parts in cells.items()}
        yield written([newdoc(document), *token_lines(document, {"MISC": misc})])


def detect(head: bytes, name: str) -> bool:
    """True for CoNLL-U with chains and without Entity."""
    if (
        (b"-id" not in head and b"coref_chains=" not in head)
        or b"Entity=" in head
        or not conllu.detect(head, name)
    ):
        return False
    return b"coref_chains=" in head or _CHAINS.search(head.decode("utf-8", "replace")) is not None


STANZA = register(
    Format(
        name="stanza",
        title="CoNLL-U with Stanza's coref_chains",
        suffixes=(".conllu",),
        detect=detect,
        read=read,
        write=write,
    )
)
