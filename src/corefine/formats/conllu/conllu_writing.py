"""Writing CoNLL-U: one document after another, each with its header and its Entity attributes.

A column that the corpus does not know is ``_``. Bridging and split antecedents stand at the first
mention of the entity that has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from corefine.corpus.columns import Relation, Tokens
from corefine.corpus.corpus import Corpus
from corefine.errors import UsageError
from corefine.formats.conllu.conllu_brackets import Brackets, brackets_of, listed
from corefine.formats.conllu.conllu_cells import LAYERS

_BREAKS = re.compile(r"[\x00\t\n\r]")
_ATTRIBUTES = {"bridge": "Bridge", "split": "SplitAnte"}
_NOT_IN_LABEL = re.compile(r"[\x00-\x20|,]")


def losses(corpus: Corpus) -> list[str]:
    """What a CoNLL-U file cannot say of this corpus."""
    if corpus.tokens is None:
        return []
    brackets = brackets_of(corpus)
    renamed = [name for name in corpus.documents if name != _line(name) or not name]
    changed = [word for word in corpus.tokens.words if word != _cell(word)]
    relations = len(corpus.relations) - sum(map(len, _relations(corpus, brackets).values()))
    return [
        *listed(renamed, "document name"),
        *listed(changed, "word"),
        *brackets.losses,
        *([f"relations that cannot be put to a mention ({relations})"] if relations else []),
    ]


def write(corpus: Corpus) -> Iterator[bytes]:
    """The documents of a corpus, each as one piece of the file."""
    tokens = corpus.tokens
    if tokens is None:
        raise UsageError(
            "a corpus without text cannot be written as CoNLL-U",
            None,
            "Choose a format that names mentions.",
        )
    brackets = brackets_of(corpus)
    relations = _relations(corpus, brackets)
    columns = [_column(tokens, name) for name in LAYERS]
    words = [_cell(word) for word in tokens.words]
    sentence_ids = tokens.layers.get("sent_id")
    nodes = tokens.layers.get("node")
    empty = np.zeros(len(tokens), bool) if tokens.empty is None else tokens.empty
    is_empty = empty.tolist()
    opens = np.zeros(len(tokens) + 1, bool)
    opens[tokens.sentences] = True
    opens_sentence = opens.tolist()
    offsets = tokens.offsets.tolist()
    for document, name in enumerate(corpus.documents):
        lines = [
            f"# newdoc id = {_line(name)}" if _line(name) else "# newdoc",
            f"# global.Entity = {brackets.header}",
        ]
        word = node = 0
        for token in range(offsets[document], offsets[document + 1]):
            if token == offsets[document] or opens_sentence[token]:
                if word or node:
                    lines.append("")
                word = node = 0
                if sentence_ids is not None and (called := _line(sentence_ids[token])):
                    lines.append(f"# sent_id = {called}")
            if is_empty[token]:
                given = "" if nodes is None else nodes[token]
                node = int(given) if given.isdecimal() else node + 1
                number = f"{word}.{node}"
            else:
                word, node = word + 1, 0
                number = str(word)
            links = relations.get(token, ())
            misc = [f"Entity={brackets.cells[token]}"] if token in brackets.cells else []
            misc += _attributes(links)
            layers = "\t".join([column[token] for column in columns])
            lines.append(f"{number}\t{words[token]}\t{layers}\t{'|'.join(sorted(misc)) or '_'}")
        lines += ["", ""] if word or node else [""]
        yield "\n".join(lines).encode("utf-8", "replace")


def _line(text: str) -> str:
    """A text as the value of a comment."""
    return _BREAKS.sub(" ", text).strip(" ")


def _cell(text: str) -> str:
    """A text as the content of one cell, which cannot be empty."""
    return _BREAKS.sub(" ", text) or "_"


def _column(tokens: Tokens, name: str) -> Sequence[str]:
    column = tokens.layers.get(name)
    return ["_"] * len(tokens) if column is None else [_cell(value) for value in column]


def _relations(corpus: Corpus, brackets: Brackets) -> dict[int, list[tuple[str, str]]]:
    """The attributes of relations and their values, by the token at which they stand."""
    names = corpus.entities.names
    if names is None or not corpus.relations:
        return {}
    document = corpus.entities.document.tolist()
    number = {pair: row for row, pair in enumerate(zip(document, names.tolist(), strict=True))}
    found: dict[int, list[tuple[str, str]]] = {}
    for relation in corpus.relations:
        link = _link(relation, number, brackets)
        if link is not None:
            found.setdefault(link[0], []).append(link[1:])
    return found


def _link(
    relation: Relation, number: dict[tuple[int, str], int], brackets: Brackets
) -> tuple[int, str, str] | None:
    """A relation as token, attribute and value; None if it cannot be written."""
    source = number.get((relation.document, relation.source))
    target = number.get((relation.document, relation.target))
    token = None if source is None else brackets.first_token.get(source)
    attribute = _ATTRIBUTES.get(relation.kind)
    unfit = relation.label and (relation.kind == "split" or _NOT_IN_LABEL.search(relation.label))
    if token is None or source is None or target is None or attribute is None or unfit:
        return None
    label = f":{relation.label}" if relation.label else ""
    return token, attribute, f"{brackets.ids[target]}<{brackets.ids[source]}{label}"


def _attributes(links: Sequence[tuple[str, str]]) -> list[str]:
    """Links of one token as attributes, those of a kind together."""
    values: dict[str, list[str]] = {}
    for attribute, value in links:
        values.setdefault(attribute, []).append(value)
    return [f"{attribute}={','.join(found)}" for attribute, found in values.items()]
