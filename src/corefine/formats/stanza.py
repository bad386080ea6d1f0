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
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from corefine.corpus.columns import Mentions
from corefine.corpus.corpus import Corpus
from corefine.corpus.words import refuse_nests
from corefine.errors import FormatError
from corefine.formats import conllu
from corefine.formats.io.brackets import Brackets, Places, crossing
from corefine.formats.io.conllu_lines import (
    LAYERS,
    corpus_of_tokens,
    newdoc,
    token_lines,
    written,
)
from corefine.formats.io.lines import shown
from corefine.formats.io.sources import Source
from corefine.formats.io.token_rows import heads_of
from corefine.formats.registry import Format, register

_PART = r"(?:unit|start|middle|end)-(?:repr-)?id[0-9]{1,18}"
_CHAINS = re.compile(rf"(?:coref_chains|ner)=({_PART}(?:,{_PART})*)")
_ROLES = ("end", "start", "unit", "middle")
_REMEDY = "It is a list of parts such as unit-id0, start-repr-id1 and end-id1."


def read(source: Source, layers: frozenset[str] | None = None) -> Corpus:
    """Documents of a source."""
    corpus, _ = corpus_of_tokens(source, {**LAYERS, "misc": "MISC"})
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.lines is not None
    places = Places(source, corpus.documents, tokens.offsets, tokens.lines)
    chains = _chains(tokens.layers.get("misc", ()), places)
    entities, mentions = _brackets(chains).mentions(places, "start-{}")
    _check_middles(mentions, entities.names, chains, places)
    kept = {
        name: column
        for name, column in tokens.layers.items()
        if name != "misc" and (layers is None or name in layers)
    }
    return replace(
        corpus,
        entities=entities,
        mentions=replace(mentions, head=heads_of(tokens, mentions)),
        tokens=replace(tokens, layers=kept),
        format="stanza",
    )


def _chains(cells: Sequence[str], places: Places) -> list[tuple[int, str, str]]:
    """Tokens, roles and chains of all parts, as ``(3, "start", "id0")``, in the order of tokens.

    A word that ends a mention and starts another of the same chain ends the first one.
    """
    chains: list[tuple[int, str, str]] = []
    for token, cell in enumerate(cells):
        for attribute in cell.split("|") if cell != "_" else ():
            found = _CHAINS.fullmatch(attribute)
            if found is not None:
                roles = (part.partition("-") for part in found[1].split(","))
                chains += [(token, role, rest.removeprefix("repr-")) for role, _, rest in roles]
            elif attribute.startswith("coref_chains="):
                message = f"malformed {shown(attribute)!r}"
                raise FormatError(message, places.where(token), _REMEDY)
    return sorted(chains, key=lambda part: (part[0], _ROLES.index(part[1])))


def _brackets(chains: Sequence[tuple[int, str, str]]) -> Brackets:
    """The words that start and end mentions, as brackets."""
    edges = [part for part in chains if part[1] != "middle"]
    names = list(dict.fromkeys(chain for _, _, chain in edges))
    number = {name: code for code, name in enumerate(names)}
    return Brackets(
        names,
        np.array([number[chain] for _, _, chain in edges], np.int64),
        np.array([token for token, _, _ in edges], np.int64),
        np.array([role != "end" for _, role, _ in edges], bool),
        np.array([role != "start" for _, role, _ in edges], bool),
    )


def _check_middles(
    mentions: Mentions,
    names: Sequence[str] | None,
    chains: Sequence[tuple[int, str, str]],
    places: Places,
) -> None:
    """Refuse words that are in the middle of a mention without a start, or lack this part."""
    written = Counter((token, chain) for token, role, chain in chains if role == "middle")
    base = places.offsets[mentions.document]
    columns = (mentions.entity, base + mentions.start, base + mentions.stop)
    expected = Counter(
        (token, (names or ())[entity])
        for entity, start, stop in zip(*(column.tolist() for column in columns), strict=True)
        for token in range(start + 1, stop - 1)
    )
    if written != expected:
        token, chain = min((written - expected) + (expected - written))
        message = f"{'a' if (token, chain) in written else 'no'} part middle-{chain}"
        raise FormatError(message, places.where(token), _REMEDY)


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
        read_columns=read,
        write=write,
    )
)
