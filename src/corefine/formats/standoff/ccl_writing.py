"""Writing CCL: a file of tokens and annotations, and one of relations, for each document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from corefine.corpus.columns import Kind, Tokens
from corefine.corpus.corpus import Corpus
from corefine.corpus.selection import keep_mentions
from corefine.formats.building.written_text import in_one_sentence, with_text
from corefine.formats.input.folders import file_names, lost_names

RELATIONS = ".rel.xml"
CHANNELS = {
    Kind.UNKNOWN: "mention",
    Kind.NAME: "nam",
    Kind.NOMINAL: "anafora_wyznacznik",
    Kind.PRONOUN: "anafora_wyznacznik",
    Kind.ZERO: "anafora_verb_null",
}
_HEADER = '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE chunkList SYSTEM "ccl.dtd">\n'
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_RETURN = {"\r": "&#13;"}


def losses(corpus: Corpus) -> list[str]:
    """What CCL cannot say of this corpus, besides what no CCL file says."""
    lost = lost_names(corpus.documents)
    if corpus.tokens is None:
        return lost
    wrong = [word for word in corpus.tokens.words if _NOT_IN_XML.search(word)]
    if wrong:
        lost.append(f"characters not allowed in XML, in words such as {wrong[0]!r}")
    across = int(np.count_nonzero(~in_one_sentence(corpus)))
    if across:
        lost.append(f"mentions across a sentence boundary ({across})")
    repeats = _repeated_singletons(corpus)
    if repeats:
        lost.append(f"singletons with the same words as another mention ({repeats})")
    return lost


def _repeated_singletons(corpus: Corpus) -> int:
    sizes = np.bincount(corpus.mentions.entity, minlength=len(corpus.entities))
    single = sizes[corpus.mentions.entity] == 1
    seen: dict[object, int] = {}
    spans = [
        (document, *corpus.pieces_of(row))
        for row, document in enumerate(corpus.mentions.document.tolist())
    ]
    for span in spans:
        seen[span] = seen.get(span, 0) + 1
    return sum(seen[spans[row]] > 1 for row in np.flatnonzero(single).tolist())


@dataclass(slots=True)
class _WrittenAnnotation:
    """A mention as an annotation: its channel, its number there, and what else is said of it."""

    channel: str
    number: int
    sentence: int
    head: int
    properties: dict[str, str]


def write_files(corpus: Corpus) -> Iterator[tuple[str, bytes]]:
    """The files of all documents: ``x.xml`` and ``x.rel.xml``."""
    corpus, tokens = with_text(corpus, "CCL")
    corpus = keep_mentions(corpus, in_one_sentence(corpus))
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    opens[tokens.offsets] = True
    bounds = np.searchsorted(corpus.mentions.document, np.arange(len(corpus) + 1)).tolist()
    for document, name in enumerate(file_names(corpus.documents)):
        first, last = tokens.offsets[document : document + 2].tolist()
        sentences = [*(np.flatnonzero(opens[first:last]) + first).tolist(), last]
        rows = range(bounds[document], bounds[document + 1])
        annotations, by_token = _annotations(corpus, rows, first, sentences)
        # A file that ends in .rel.xml would be taken for one of relations.
        name = re.sub(r"\.rel$", "%2Erel", name)
        yield f"{name}.xml", _text(tokens, sentences, by_token).encode()
        yield f"{name}{RELATIONS}", _relations(corpus, rows, annotations).encode()


ByToken = dict[int, list[tuple[_WrittenAnnotation, bool]]]
"""For each token its annotations, and whether it is the first token of each."""


def _annotations(
    corpus: Corpus, rows: Sequence[int], base: int, sentences: Sequence[int]
) -> tuple[list[_WrittenAnnotation], ByToken]:
    """The mentions of a document as annotations.

    A token has one number in a channel: mentions that overlap stand in channels of their own.
    """
    mentions = corpus.mentions
    annotations: list[_WrittenAnnotation] = []
    by_token: ByToken = {}
    taken: set[tuple[int, str]] = set()
    count: dict[tuple[int, str], int] = {}
    for row in rows:
        covered = [
            base + token for part in corpus.pieces_of(row) for token in range(part[0], part[1])
        ]
        kind = Kind.UNKNOWN if mentions.kind is None else Kind(int(mentions.kind[row]))
        number = -1 if mentions.type is None else int(mentions.type[row])
        type = corpus.types[number] if number >= 0 else None
        channel, layer = CHANNELS[kind], 1
        if kind is Kind.NAME and type is not None and type.startswith("nam_"):
            channel = type
        free = channel
        while any((token, free) in taken for token in covered):
            layer += 1
            free = f"{channel}{layer}"
        taken.update((token, free) for token in covered)
        sentence = int(np.searchsorted(sentences, covered[0], side="right")) - 1
        count[sentence, free] = count.get((sentence, free), 0) + 1
        properties = {}
        if kind in (Kind.NOMINAL, Kind.PRONOUN):
            properties["kind"] = kind.name.lower()
        if type is not None and type != free:
            properties["type"] = type
        head = -1 if mentions.head is None or mentions.head[row] < 0 else int(mentions.head[row])
        head = base + head if head >= 0 else -1
        annotation = _WrittenAnnotation(free, count[sentence, free], sentence, head, properties)
        annotations.append(annotation)
        for token in covered:
            by_token.setdefault(token, []).append((annotation, token == covered[0]))
    return annotations, by_token


def _text(tokens: Tokens, sentences: Sequence[int], by_token: ByToken) -> str:
    lines = [_HEADER + "<chunkList>"]
    lines += [' <chunk id="ch1">'] if len(sentences) > 1 else []
    lemma, pos = tokens.layers.get("lemma"), tokens.layers.get("pos")
    for number, (first, last) in enumerate(pairwise(sentences), 1):
        lines.append(f'  <sentence id="sent{number}">')
        channels = dict.fromkeys(
            annotation.channel
            for token in range(first, last)
            for annotation, _ in by_token.get(token, ())
        )
        for token in range(first, last):
            lines += ["   <tok>", f"    <orth>{_escaped(tokens.words[token])}</orth>"]
            if lemma is not None or pos is not None:
                base = "" if lemma is None else _escaped(lemma[token])
                tag = "" if pos is None else _escaped(pos[token])
                lines.append(f'    <lex disamb="1"><base>{base}</base><ctag>{tag}</ctag></lex>')
            here = {annotation.channel: annotation for annotation, _ in by_token.get(token, ())}
            for channel in channels:
                annotation = here.get(channel)
                head = ' head="1"' if annotation and annotation.head == token else ""
                value = annotation.number if annotation else 0
                lines.append(f"    <ann chan={_quoted(channel)}{head}>{value}</ann>")
            for annotation, begins in by_token.get(token, ()):
                for key, said in annotation.properties.items() if begins else ():
                    name = _quoted(f"{annotation.channel}:{key}")
                    lines.append(f"    <prop key={name}>{_escaped(said)}</prop>")
            lines.append("   </tok>")
        lines.append("  </sentence>")
    lines += [" </chunk>"] if len(sentences) > 1 else []
    return "\n".join([*lines, "</chunkList>", ""])


def _relations(corpus: Corpus, rows: range, annotations: Sequence[_WrittenAnnotation]) -> str:
    """Relations that lead from each mention to the one before it of the same entity."""
    lines = [_HEADER.replace("chunkList", "relations") + "<relations>"]
    last: dict[int, _WrittenAnnotation] = {}
    entities = corpus.mentions.entity[rows.start : rows.stop].tolist()
    for entity, annotation in zip(entities, annotations, strict=True):
        before = last.get(entity)
        last[entity] = annotation
        if before is not None:
            lines += [
                ' <rel name="coreference" set="Coreference">',
                *(
                    f'  <{end} sent="sent{given.sentence + 1}" chan={_quoted(given.channel)}>'
                    f"{given.number}</{end}>"
                    for end, given in (("from", annotation), ("to", before))
                ),
                " </rel>",
            ]
    return "\n".join([*lines, "</relations>", ""])


def _escaped(text: str) -> str:
    return escape(_NOT_IN_XML.sub("\ufffd", text), _RETURN)


def _quoted(text: str) -> str:
    return quoteattr(_NOT_IN_XML.sub("\ufffd", text))
