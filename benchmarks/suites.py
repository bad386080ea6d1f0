"""A made-up suite of the size of CorefUD's development sets, as CoNLL-U files in two folders."""

from __future__ import annotations

import os
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.corpora import CACHE, brackets
from benchmarks.documents import Document, Mentions, Shape, document, vocabulary

#: Documents and words of 27 data sets: about a tenth of each one of CorefUD, as its development
#: sets are.
DATA_SETS: dict[str, tuple[int, int]] = {
    "ca_ancora": (130, 43_000), "cs_pcedt": (231, 116_000), "cs_pdt": (316, 83_000),
    "cs_pdtsc": (60, 74_000), "cu_proiel": (3, 6_200), "de_parcorfull": (2, 1_100),
    "de_potsdamcc": (18, 3_300), "en_fantasycoref": (21, 36_000), "en_gum": (32, 28_000),
    "en_litbank": (10, 21_000), "en_parcorfull": (2, 1_100), "es_ancora": (136, 46_000),
    "fr_ancor": (46, 45_000), "fr_democrat": (13, 28_000), "grc_proiel": (2, 6_400),
    "hbo_ptnk": (9, 2_900), "hi_hdtb": (27, 7_800), "hu_korkor": (9, 2_500),
    "hu_szegedkoref": (40, 12_400), "ko_ecmt": (147, 48_000), "lt_lcc": (10, 3_700),
    "nl_openboek": (2, 10_300), "no_bokmaalnarc": (35, 25_000), "no_nynorsknarc": (39, 21_000),
    "pl_pcc": (183, 54_000), "ru_rucor": (18, 15_700), "tr_itcc": (5, 5_500),
}  # fmt: skip
#: A word in so many is followed by an empty node, a zero subject.
ZERO_EVERY = 60


def suite() -> tuple[Path, Path]:
    """The folder of keys and that of responses, generated once and kept."""
    folder = CACHE / "suite-2"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}.{os.getpid()}.part")
        for side in ("keys", "responses"):
            (unfinished / side).mkdir(parents=True)
        for number, (name, (documents, words)) in enumerate(DATA_SETS.items()):
            made = [document(1000 * number + n, _shape(documents, words)) for n in range(documents)]
            for side in ("keys", "responses"):
                path = unfinished / side / f"{name}-corefud-dev.conllu"
                with path.open("w", encoding="utf-8", newline="\n") as file:
                    for one in made:
                        file.write(_lines(one, one.key if side == "keys" else one.response))
        unfinished.replace(folder)
    return folder / "keys", folder / "responses"


def _shape(documents: int, words: int) -> Shape:
    tokens = words // documents
    return Shape(tokens, tokens // 7, max(4, tokens // 40), 0.3, sentence=18)


@cache
def _columns() -> list[str]:
    """Columns 3 to 6 of each word, as long as those of real treebanks."""
    tags = ("NOUN", "PROPN", "VERB", "ADP", "DET", "ADJ", "PRON", "ADV")
    feats = ("Case=Nom|Gender=Fem|Number=Sing", "Definite=Ind|PronType=Art", "_",
             "Mood=Ind|Number=Plur|Person=3|Tense=Past|VerbForm=Fin", "Degree=Pos")  # fmt: skip
    return [
        f"{word.lower()}\t{tags[n % 8]}\t{tags[n % 8][:2]}-{n % 5}\t{feats[n % 5]}"
        for n, word in enumerate(vocabulary())
    ]


def _lines(made: Document, mentions: Mentions) -> str:
    """One side of a document; each zero is a mention of an entity taken at random."""
    forms, columns, words = vocabulary(), _columns(), made.words.tolist()

    def opening(entity: int, first: int, last: int) -> str:
        return f"(e{entity}--1-)" if first == last else f"(e{entity}--1-"

    cells = {token: "".join(parts) for token, parts in brackets(mentions, opening, "e").items()}
    entities = int(mentions.entity.max(initial=0)) + 1
    rng = np.random.default_rng(made.number)
    lines = [f"# newdoc id = d{made.number}\n# global.Entity = eid-etype-head-other\n"]
    for number, (start, stop) in enumerate(pairwise([*made.sentences.tolist(), len(words)])):
        lines.append(f"# sent_id = d{made.number}-{number}\n# text = made up\n")
        for i, token in enumerate(range(start, stop), start=1):
            head = i - 1
            word, relation = words[token], "root" if i == 1 else "nmod:poss"
            misc = f"Entity={cells[token]}|SpaceAfter=No" if token in cells else "SpaceAfter=No"
            lines.append(
                f"{i}\t{forms[word]}\t{columns[word]}\t{head}\t{relation}\t{head}:{relation}\t"
                f"{misc}\n"
            )
            if token % ZERO_EVERY == 7:
                entity = int(rng.integers(0, entities))
                lines.append(
                    f"{i}.1\t_\t_\tPRON\t_\tCase=Nom|Number=Sing|Person=3\t_\t_\t{i}:nsubj\t"
                    f"Entity=(e{entity}--1-)\n"
                )
        lines.append("\n")
    return "".join(lines)
