"""CoNLL-U's columns in CoNLL's documents, as the French corpora ANCOR and Democrat have them."""

from __future__ import annotations

from tests.building.format_files import parse
from tests.fuzzing.samples import sample

(SAMPLE,) = (data.decode() for data in sample("conll-ud").values())
MULTIWORD = "3-4\tdu" + "\t_" * 8 + "\t-\n"


def test_files_without_multiword_lines_or_tags_are_recognised() -> None:
    untagged = "\n".join(
        "\t".join("_" if place == 3 else cell for place, cell in enumerate(line.split("\t")))
        for line in SAMPLE.split("\n")
    )
    for text in (SAMPLE.replace(MULTIWORD, ""), untagged):
        assert parse(text).format == "conll-ud"
