"""CoNLL-U's columns in CoNLL's documents, as the French corpora ANCOR and Democrat have them."""

from __future__ import annotations

import corefine
from tests.building.format_files import parse
from tests.fuzzing.samples import sample

(SAMPLE,) = (data.decode() for data in sample("conll-ud").values())
MULTIWORD = "3-4\tdu" + "\t_" * 8 + "\t-\n"


def test_words_layers_lines_and_heads() -> None:
    corpus = parse(SAMPLE)
    (document,) = corpus
    assert document.tokens == ["Anna", "parle", "de", "le", "chat"]
    assert document.layers["upos"] == ["PROPN", "VERB", "ADP", "DET", "NOUN"]
    assert document.layers["lemma"][1] == "parler"
    assert document.lines == [2, 3, 5, 6, 7]
    assert [(mention.spans, mention.head) for mention in document.mentions] == [
        ([(0, 1)], 0), ([(3, 5)], 4),
    ]  # fmt: skip
    scores = corefine.score(corpus, corpus, ["parent"])
    assert not any("type" in warning for warning in scores.warnings)


def test_files_without_multiword_lines_or_tags_are_recognised() -> None:
    untagged = "\n".join(
        "\t".join("_" if place == 3 else cell for place, cell in enumerate(line.split("\t")))
        for line in SAMPLE.split("\n")
    )
    for text in (SAMPLE.replace(MULTIWORD, ""), untagged):
        assert parse(text).format == "conll-ud"
