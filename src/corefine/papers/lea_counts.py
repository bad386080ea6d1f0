"""What the counts and scores that Moosavi & Strube (2016) print say of one another.

MUC's recall times the links of the key is the number of right links, and divided by precision that
of the response's links; CEAFe does the same for entities. So the rows of their Table 1 tell how
many links and entities were added, which section 2 tells too.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from corefine.papers.lea_tables import (
    ENTITIES,
    ENTITIES_ADDED,
    MENTIONS,
    PAIRS_ADDED,
    SECTIONS,
    TABLE_1,
    TABLE_4,
)
from corefine.papers.printed import f_measure
from corefine.papers.results import Cell, Claim, Explanation

HALF = 0.005
NOT_PRINTED = "a count on the output of a system, which is not printed"
CORPUS = "a count of the CoNLL-2012 test set, which is licensed"


@dataclass(frozen=True, slots=True)
class Range:
    """All that a number can be, when the printed ones are rounded."""

    low: float
    high: float

    @classmethod
    def of(cls, values: list[float]) -> Range:
        return cls(min(values), max(values))

    def holds(self, number: float) -> bool:
        return self.low <= number <= self.high

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    def __str__(self) -> str:
        return f"{self.low:,.0f} to {self.high:,.0f}"


def _ends(number: float) -> tuple[float, float]:
    return number - HALF, number + HALF


def links_added(row: str) -> Range:
    """Links that a row of Table 1 has more than its base, by MUC."""
    base, after = TABLE_1["base"], TABLE_1[row]
    links = MENTIONS - ENTITIES
    return Range.of(
        [
            recall * links * (1 / later - 1 / before)
            for recall, before, later in product(
                _ends(base["muc.R"]), _ends(base["muc.P"]), _ends(after["muc.P"])
            )
        ]
    )


def entities_added(row: str) -> Range:
    """Entities that a row of Table 1 has more than its base, by CEAFe."""
    base, after = TABLE_1["base"], TABLE_1[row]
    return Range.of(
        [
            ENTITIES * (later / p_later - before / p_before)
            for later, p_later, before, p_before in product(
                _ends(after["ceafe.R"]),
                _ends(after["ceafe.P"]),
                _ends(base["ceafe.R"]),
                _ends(base["ceafe.P"]),
            )
        ]
    )


def sections_with_mentions() -> tuple[Range, Range]:
    """How many parts have a mention: by MUC of section 3.1, and by CEAFe of ``sys-1ent``."""
    links = MENTIONS - ENTITIES
    by_muc = Range.of([MENTIONS - 100 * links / precision for precision in _ends(ONE_ENTITY[1])])
    row = TABLE_4["sys-1ent"]
    by_ceafe = Range.of(
        [
            ENTITIES * recall / precision
            for recall, precision in product(_ends(row["ceafe.R"]), _ends(row["ceafe.P"]))
        ]
    )
    return by_muc, by_ceafe


def mentions_of_boundaries() -> tuple[Range, Range]:
    """How many mentions the boundary systems have: singletons by CEAFe, one entity by MUC."""
    alone, one = TABLE_4["sys-sing"], TABLE_4["sys-1ent"]
    singletons = Range.of(
        [
            ENTITIES * recall / precision
            for recall, precision in product(_ends(alone["ceafe.R"]), _ends(alone["ceafe.P"]))
        ]
    )
    _, sections = sections_with_mentions()
    joined = Range.of(
        [
            recall * (MENTIONS - ENTITIES) / precision + parts
            for recall, precision, parts in product(
                _ends(one["muc.R"]), _ends(one["muc.P"]), (sections.low, sections.high)
            )
        ]
    )
    return singletons, joined


#: Section 3.1: MUC of all key mentions in one entity.
ONE_ENTITY = (100.0, 78.44, 87.91)


def text_cells() -> list[Cell]:
    """The results in the text of sections 2, 3.1, 6 and 7.4."""
    corpus = {"documents": 222, "sections": SECTIONS, "mentions": MENTIONS, "entities": ENTITIES}
    cells = [
        Cell("section 2", "test set", name, count, None, 0, source="not derivable", reason=CORPUS)
        for name, count in corpus.items()
    ]
    cells.append(
        Cell(
            "section 2", "more precise", "mentions removed", 1075, None, 0,
            source="not derivable", reason=NOT_PRINTED,
        )
    )  # fmt: skip
    for row, count in (("less_precise_a", PAIRS_ADDED), ("less_precise_b", ENTITIES_ADDED)):
        found = links_added(row)
        cells.append(
            Cell(
                "section 2", row, "entities added", count, found.middle, 0, source="derived",
                slack=(found.high - found.low) / 2,
            )
        )  # fmt: skip
    cells += _one_entity()
    told = {
        "chen": (75.08, 1850), "chunyuang": (75.23, 1735), "fernandes": (72.75, None),
        "martschat": (74.23, None), "xu": (None, 757),
    }  # fmt: skip
    for system, (recall, wrong) in told.items():
        for column, number, decimals in (
            ("mention recall", recall, 2), ("mentions without a right link", wrong, 0),
        ):  # fmt: skip
            if number is not None:
                cells.append(
                    Cell(
                        "section 6", system, column, number, None, decimals,
                        source="not derivable", reason=NOT_PRINTED,
                    )
                )  # fmt: skip
    sizes = range(2, 21)
    errors = {round((n + 1) * (1 - n * (n - 1) / ((n + 1) * n)), 9) for n in sizes}
    assert len(errors) == 1
    cells.append(Cell("section 7.4", "one extra mention", "error × importance", 2, min(errors), 0))
    return cells


def _one_entity() -> list[Cell]:
    """Section 3.1 from the counts of section 2: all key mentions of a part in one entity."""
    recall, precision, f1 = ONE_ENTITY
    computed = 100 * (MENTIONS - ENTITIES) / (MENTIONS - SECTIONS)
    by_muc, by_ceafe = sections_with_mentions()
    explanation = Explanation(
        f"it is {precision} where {by_muc.low:.1f} to {by_muc.high:.1f} of the {SECTIONS} sections "
        f"have mentions; by CEAFe of sys-1ent in Table 4 {by_ceafe.low:.0f} "
        f"to {by_ceafe.high:.0f} do",
        by_muc.low <= by_ceafe.high and by_ceafe.low <= by_muc.high and by_muc.high < SECTIONS,
    )
    ends = [f_measure(one, recall) for one in _ends(precision)]
    value = f_measure(precision, recall)
    # Nothing is lost when every mention of the key is in one entity.
    return [
        Cell("section 3.1", "one entity", "muc R", recall, 100.0, 0, source="derived"),
        Cell(
            "section 3.1", "one entity", "muc P", precision, computed, 2, source="derived",
            explanation=explanation,
        ),
        Cell(
            "section 3.1", "one entity", "muc F", f1, value, 2, source="derived",
            slack=max(abs(end - value) for end in ends),
        ),
    ]  # fmt: skip


def count_claims() -> list[Claim]:
    """What the text says of the rows of Tables 1, 4 and 5, decided by their numbers."""
    links, entities = links_added("less_precise_b"), entities_added("less_precise_b")
    singles, joined = mentions_of_boundaries()
    base, wiseman = TABLE_1["base"], TABLE_4["wiseman"]
    shared = [column for column in base if column in wiseman]
    same = [column for column in shared if base[column] == wiseman[column]]
    blanc = [
        (row, printed["blanc.F"], f_measure(printed["blanc.P"], printed["blanc.R"]))
        for row, printed in TABLE_1.items()
    ]
    return [
        Claim(
            "2",
            f"less precise (a) adds {PAIRS_ADDED:,} entities of two mentions",
            links_added("less_precise_a").holds(PAIRS_ADDED)
            and entities_added("less_precise_a").holds(PAIRS_ADDED),
            f"by MUC {links_added('less_precise_a')} links, by CEAFe "
            f"{entities_added('less_precise_a')} entities",
        ),
        Claim(
            "2",
            f"less precise (b) adds {ENTITIES_ADDED} entities, which are larger than two mentions",
            links.low >= 2 * ENTITIES_ADDED and entities.holds(ENTITIES_ADDED),
            f"by MUC {links} links, by CEAFe {entities} entities",
            f"{ENTITIES_ADDED} entities of three mentions have {2 * ENTITIES_ADDED} links; the row "
            f"was scored on pairs, and on about {entities.middle - ENTITIES_ADDED:,.0f} entities "
            "without a link besides: singletons",
        ),
        Claim(
            "6",
            "the base of Table 1 is the system of Wiseman et al. in Table 4",
            len(same) == len(shared),
            f"{len(same)} of {len(shared)} numbers are the same",
        ),
        Claim(
            "6",
            "the two boundary systems of Table 4 have the same mentions",
            singles.low <= joined.high and joined.low <= singles.high,
            f"sys-sing has {singles} by CEAFe, sys-1ent {joined} by MUC",
        ),
        Claim(
            "Table 1",
            "BLANC's F, a mean of two F, is at most the F of its P and R",
            all(printed <= bound + HALF for _, printed, bound in blanc),
            "; ".join(f"{row}: {printed} and {bound:.2f}" for row, printed, bound in blanc),
        ),
    ]
