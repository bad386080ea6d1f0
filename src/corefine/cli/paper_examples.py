"""Two examples from papers that only metrics with mention kinds distinguish."""

from __future__ import annotations

from dataclasses import dataclass

Entities = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Contrast:
    """A key and two responses that make the same errors on different mentions."""

    title: str
    story: str
    key: Entities
    responses: dict[str, Entities]
    kinds: dict[str, str]


CLINTON = Contrast(
    "Hillary Clinton, she, she (Chen & Ng 2013)",
    "One response links a pronoun to the name. The other links the two pronouns to each other, "
    "and neither is resolved.",
    (("Hillary Clinton", "she#1", "she#2"),),
    {
        "pronoun linked to name": (("Hillary Clinton", "she#1"), ("she#2",)),
        "pronouns linked": (("Hillary Clinton",), ("she#1", "she#2")),
    },
    {"Hillary Clinton": "name", "she#1": "pronoun", "she#2": "pronoun"},
)

ROMEO = Contrast(
    "Romeo and Juliet (Kaczmarek & Marcińczuk 2015)",
    "Each character has three pronouns. One response swaps two pronouns; the other swaps the two "
    "names, so that everything said about Romeo is attributed to Juliet.",
    (("Romeo", "he#1", "he#2", "he#3"), ("Juliet", "she#1", "she#2", "she#3")),
    {
        "pronouns swapped": (
            ("Romeo", "she#1", "he#2", "he#3"),
            ("Juliet", "he#1", "she#2", "she#3"),
        ),
        "names swapped": (
            ("Juliet", "he#1", "he#2", "he#3"),
            ("Romeo", "she#1", "she#2", "she#3"),
        ),
    },
    {"Romeo": "name", "Juliet": "name"}
    | {f"{pronoun}#{number}": "pronoun" for pronoun in ("he", "she") for number in (1, 2, 3)},
)

CONTRASTS = (CLINTON, ROMEO)
