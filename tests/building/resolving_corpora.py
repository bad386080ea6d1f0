"""Small made-up documents for the resolvers, written as people would mark them."""

from __future__ import annotations

import random

from corefine.corpus.corpus import Corpus
from corefine.corpus.document import Document, Mention
from corefine.corpus.joining import concatenate


def marked(text: str, name: str = "doc", **layers: str) -> Corpus:
    """One document from a marked text, a line a sentence.

    ``[1 Anna/NNP ]`` is a mention of entity 1; a word may carry its part of speech behind a slash.
    ``layers`` give further columns: as many cells, with blanks between them, as there are words.
    """
    words: list[str] = []
    tags: list[str] = []
    sentences: list[int] = []
    mentions: list[tuple[int, int, str]] = []
    for line in filter(str.strip, text.splitlines()):
        sentences.append(len(words))
        opened: list[tuple[int, str]] = []
        for piece in line.split():
            if piece.startswith("[") and len(piece) > 1:
                opened.append((len(words), piece[1:]))
            elif piece == "]":
                start, entity = opened.pop()
                mentions.append((start, len(words), entity))
            else:
                word, _, tag = piece.rpartition("/") if "/" in piece[1:] else (piece, "", "")
                words.append(word)
                tags.append(tag or "-")
        assert not opened, line
    mentions.sort(key=lambda mention: (mention[0], -mention[1]))
    document = Document(name, words, starts=sentences)
    document.mentions = [Mention(entity, [(start, stop)]) for start, stop, entity in mentions]
    if set(tags) != {"-"}:
        document.layers["pos"] = tags
    document.layers |= {layer: cells.split() for layer, cells in layers.items()}
    return Corpus.from_documents([document], format="conll")


WOMEN = ("Anna", "Clara", "Edith", "Helen")
MEN = ("Albert", "David", "Henry", "Oscar")
THINGS = ("letter", "garden", "lamp", "boat", "coat", "piano")
VERBS = ("saw", "met", "called", "heard")


def story(seed: int, sentences: int = 30) -> Corpus:
    """A document about a woman, a man and some things, with pronouns that can be resolved."""
    draw = random.Random(seed)
    woman, man = draw.choice(WOMEN), draw.choice(MEN)
    lines = [f"[w {woman}/NNP Berg/NNP ] met/VBD [m {man}/NNP Lind/NNP ] ./."]
    for number in range(sentences):
        thing = draw.choice(THINGS)
        verb = draw.choice(VERBS)
        lines.append(
            draw.choice(
                (
                    f"[w She/PRP ] {verb}/VBD [m him/PRP ] ./.",
                    f"[m {man}/NNP ] {verb}/VBD [w her/PRP ] ./.",
                    f"[m He/PRP ] took/VBD [{thing} the/DT {thing}/NN ] ./.",
                    f"[w {woman}/NNP ] liked/VBD [{thing} the/DT {thing}/NN ] ./.",
                    f"[w Mrs./NNP Berg/NNP ] sold/VBD [x{number} a/DT {thing}/NN ] ./.",
                    f"[b{number} [m his/PRP$ ] brother/NN ] slept/VBD ./.",
                )
            )
        )
    return marked("\n".join(lines), f"story-{seed}")


def stories(*seeds: int, sentences: int = 30) -> Corpus:
    """Several documents as one corpus."""
    return concatenate([story(seed, sentences) for seed in seeds])
