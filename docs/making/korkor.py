"""Convert KorKor (github.com/vadno/korkor_pilot, CC BY 4.0) to CoNLL-U with entities.

    python -m docs.making.korkor korkor/xtsv/coreference_with_ud_dependency key.conllu

The corpus annotates head words. A mention is the phrase of the head word in the (automatic) tree,
as the detection of mentions defines it. Links of identity and anaphora make entities; part-whole
links (``holo``) do not. Zero subjects, objects and possessors are empty nodes that depend on their
word; the subjects and objects have its person and number, possessors those of the possessor.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention, connected_components
from corefine.formats import write
from corefine.resolving.detection import phrases_of
from corefine.resolving.words import parents

ROLES = {"SUBJ": "nsubj", "OBJ": "obj", "POSS": "nmod:poss"}


def document_of(path: Path) -> Document:
    """A file of the corpus as a document."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    # A zero copula is a verb, and no mention.
    rows = [row for row in rows if row and row[1] not in ("COP", "")]
    rows = [row for row in rows if "." not in row[0] or row[1] in ROLES]
    document = Document(path.stem, ["_" if row[1] in ROLES else row[1] for row in rows])
    document.empty_nodes = [i for i, row in enumerate(rows) if "." in row[0]]
    document.starts = [i for i, row in enumerate(rows) if not i or row[6] != rows[i - 1][6]]
    words = {(row[6], row[0]): row for row in rows}
    for name, place in (("lemma", 2), ("upos", 4), ("head", 9), ("deprel", 10)):
        document.layers[name] = [row[place] for row in rows]
    document.layers["feats"] = [_features(row, words) for row in rows]
    document.layers["deps"] = [
        f"{row[0].partition('.')[0]}:{ROLES[row[1]]}" if "." in row[0] else "_" for row in rows
    ]
    number = {(row[6], row[12]): place for place, row in enumerate(rows)}
    links = [
        (place, number[sentence, index])
        for place, row in enumerate(rows)
        if row[7] not in ("", "_") and row[8] != "holo"
        for sentence, _, index in [row[7].partition(":")]
        if (sentence, index) in number
    ]
    _add_mentions(document, len(rows), links)
    return document


def _features(row: list[str], words: dict[tuple[str, str], list[str]]) -> str:
    """The features of a word; those of a zero come from the word that it depends on."""
    if "." not in row[0]:
        return row[5]
    above = words[row[6], row[0].partition(".")[0]][5]
    given = dict(part.split("=", 1) for part in above.split("|") if "=" in part)
    owner = "[psor]" if row[1] == "POSS" else ""
    if row[1] == "OBJ":
        given = {"Person": "3", "Number": "Sing"}
    kept = {name: given.get(f"{name}{owner}", "") for name in ("Number", "Person")}
    return "|".join(f"{name}={value}" for name, value in kept.items() if value) or "_"


def _add_mentions(document: Document, count: int, links: list[tuple[int, int]]) -> None:
    """A mention for each linked word, with the span of its phrase."""
    tokens = Corpus.from_documents([document]).tokens
    assert tokens is not None
    above = parents(tokens)
    assert above is not None
    low, high = phrases_of(tokens, above)
    entity = connected_components(count, links)
    linked = sorted({place for link in links for place in link})
    spans: dict[tuple[int, int], int] = {}
    for place in linked:
        top = place
        while document.layers["deprel"][top].startswith("flat") and above[top] >= 0:
            top = int(above[top])
        zero = place in (document.empty_nodes)
        span = (place, place + 1) if zero else (int(low[top]), int(high[top]))
        spans.setdefault(span, entity[place])
    document.mentions = [Mention(f"e{number}", [span]) for span, number in sorted(spans.items())]


def main(folder: str, out: str) -> None:
    """Convert all files of a folder; one of them has only a header."""
    files = [path for path in sorted(Path(folder).rglob("*.tsv")) if path.stat().st_size > 200]
    write(Corpus.from_documents([document_of(path) for path in files], "conllu"), out, "conllu")


if __name__ == "__main__":
    main(*sys.argv[1:])
