"""MCORES (Bodnari et al. 2012), appendices: Tables 2 and 6, and what is said of them."""

from __future__ import annotations

from corefine.papers.printed import derive, f_measure, mean, printed_table
from corefine.papers.results import Cell, Claim, Exhibit, Reproduction, in_words

TYPES = ("persons", "problems", "treatments", "tests")
RUNS = ("entity", "corpus")
EXHIBITS = (
    Exhibit("appendix I", "Scores of other systems"),
    Exhibit("appendix II", "What is said of Table 6"),
    Exhibit("appendix IV", "The corrected α"),
    Exhibit(
        "Table 2",
        "Markables per chain",
        "the row of minima and the maximum of problems cannot be read in the text",
    ),
    Exhibit("Table 6", "Pair classification"),
    Exhibit("Table 7", "F-measures of MCORES and baselines", "only its caption is in the text"),
    Exhibit("Table 8", "Pairs by token overlap", "only its caption is in the text"),
)
TABLE_2 = printed_table("""
row     persons problems treatments tests all
max     149     –        20         10    149
average 13.236  2.932    2.638      2.317 5.280
""")
TABLE_6 = printed_table("""
column            P    R    F
entity.persons    .902 .894 .898
entity.problems   .703 .866 .776
entity.treatments .754 .911 .825
entity.tests      .754 .849 .799
entity.all        .778 .880 .824
corpus.persons    .536 .821 .649
corpus.problems   .429 .833 .566
corpus.treatments .485 .794 .602
corpus.tests      .313 .637 .420
corpus.all        .484 .799 .603
""")
#: Appendix I: what is said of other systems, as they are cited there.
CITED = {
    "RESOLVE, MUC-5": {"F": 0.858},
    "RESOLVE, MUC-6": {"F": 0.472},
    "Soon et al., MUC-6": {"F": 0.626},
    "Soon et al., token overlap alone": {"F": 0.539},
    "BART, MUC-7": {"P": 0.741, "R": 0.563},
    "Ng & Cardie, MUC-6": {"F": 0.704},
    "Ng & Cardie, MUC-7": {"F": 0.634},
    "Yang et al. 2004": {"R": 0.714, "P": 0.697},
    "Castano et al.": {"P": 0.733, "R": 0.700},
    "Son et al.": {"F": 0.672},
    "Yangy et al., MEDLINE": {"F": 0.817},
    "Reconcile, MUC-6": {"F": 0.712},
    "Reconcile, MUC-7": {"F": 0.629},
}
COMPARISONS = 111
ALPHA = 0.05
RECORDS = "needs the system's pairs on clinical records, which cannot be passed on"
CHAINS = "a count of chains in clinical records, which cannot be passed on"
ELSEWHERE = "a result of another paper, cited"


def reproduce() -> Reproduction:
    """Tables 2 and 6: what follows from the other numbers in them, and the claims on them."""
    return Reproduction(
        "mcores",
        "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5), appendices",
        EXHIBITS,
        (*_cited(), *in_words(_said()), *_table2(), *in_words(_table6())),
        (*_pair_claims(), *_cited_claims()),
    )


def _cited() -> list[Cell]:
    return [
        Cell("appendix I", system, part, number, None, 3, source="not derivable", reason=ELSEWHERE)
        for system, parts in CITED.items()
        for part, number in parts.items()
    ]


def _said() -> list[Cell]:
    """Numbers of the text that repeat Table 6, and α over the number of comparisons."""
    said = {
        "entity.all": 0.824,
        "corpus.all": 0.603,
        "entity.persons": 0.898,
        "corpus.persons": 0.649,
        "entity.problems": 0.776,
        "corpus.tests": 0.420,
    }
    cells = [
        Cell("appendix II", column, "F", printed, TABLE_6[column]["F"], 3, source="derived")
        for column, printed in said.items()
    ]
    corrected = ALPHA / COMPARISONS
    cells.append(Cell("appendix IV", "Bonferroni", "α", 0.00045, corrected, 5, source="derived"))
    return cells


def _table2() -> list[Cell]:
    """The last column from the four types: the largest maximum, the plain mean of the means."""
    cells = []
    for row, printed in TABLE_2.items():
        decimals = 0 if row == "max" else 3
        for column, number in printed.items():
            parts = [printed[one] for one in TYPES if one in printed]
            if column != "all":
                cells.append(
                    Cell(
                        "Table 2", column, row, number, None, decimals,
                        source="not derivable", reason=CHAINS,
                    )
                )  # fmt: skip
            elif row == "max":
                cells.append(Cell("Table 2", column, row, number, max(parts), 0, source="derived"))
            else:
                found = derive(mean, *parts, decimals=3)
                cells.append(
                    Cell(
                        "Table 2", column, row, number, found.value, 3, source="derived",
                        slack=found.slack,
                    )
                )  # fmt: skip
    return cells


def _table6() -> list[Cell]:
    """F from P and R; "across all", per entity, as the plain mean of the four types."""
    cells = []
    for run in RUNS:
        for column in (*TYPES, "all"):
            name = f"{run}.{column}"
            for part in "PRF":
                printed = TABLE_6[name][part]
                if (run, column) == ("entity", "all"):
                    parts = [TABLE_6[f"{run}.{one}"][part] for one in TYPES]
                    found = derive(mean, *parts, decimals=3)
                elif part == "F":
                    found = derive(f_measure, TABLE_6[name]["P"], TABLE_6[name]["R"], decimals=3)
                else:
                    cells.append(
                        Cell(
                            "Table 6", name, part, printed, None, 3, source="not derivable",
                            reason=RECORDS,
                        )
                    )  # fmt: skip
                    continue
                cells.append(
                    Cell(
                        "Table 6", name, part, printed, found.value, 3, source="derived",
                        slack=found.slack,
                    )
                )  # fmt: skip
    return cells


def _pair_claims() -> list[Claim]:
    """Appendix II on Table 6."""
    by_run = {run: {one: TABLE_6[f"{run}.{one}"]["F"] for one in TYPES} for run in RUNS}
    best = {run: max(values, key=values.__getitem__) for run, values in by_run.items()}
    worst = {run: min(values, key=values.__getitem__) for run, values in by_run.items()}
    listed = "; ".join(
        f"{run}: " + ", ".join(f"{name} {value:.3f}" for name, value in values.items())
        for run, values in by_run.items()
    )
    claims = [
        Claim(
            "appendix II",
            "person pairs are classified best in both runs",
            set(best.values()) == {"persons"},
            listed,
        ),
        Claim(
            "appendix II",
            "problems are worst in the per-entity runs, tests in the per-corpus runs",
            worst == {"entity": "problems", "corpus": "tests"},
            listed,
        ),
    ]
    for run in RUNS:
        p, r, f = (TABLE_6[f"{run}.all"][part] for part in "PRF")
        own = derive(f_measure, p, r, decimals=3)
        average = derive(mean, *by_run[run].values(), decimals=3)
        holds = abs(own.value - f) <= 0.0005 + own.slack + 1e-9
        claims.append(
            Claim(
                "appendix II",
                f"across all markables, per {run}, F is the harmonic mean of precision and recall",
                holds,
                f"of P {p:.3f} and R {r:.3f} it is {own.value:.4f}; printed {f:.3f}",
                ""
                if holds
                else f"it is the mean of the four types, {average.value:.4f}, as P and R are",
            )
        )
    return claims


def _cited_claims() -> list[Claim]:
    """Appendix I: which system is said to outperform which, by the scores cited there."""
    f1 = {system: parts["F"] for system, parts in CITED.items() if "F" in parts}
    castano = f_measure(CITED["Castano et al."]["P"], CITED["Castano et al."]["R"])
    behind = [
        corpus
        for corpus in ("MUC-6", "MUC-7")
        if f1[f"Reconcile, {corpus}"] <= f1[f"Ng & Cardie, {corpus}"]
    ]
    return [
        Claim(
            "appendix I",
            "Reconcile outperforms Ng & Cardie on MUC-6 and MUC-7",
            not behind,
            "; ".join(
                f"{corpus}: {f1[f'Reconcile, {corpus}']} and {f1[f'Ng & Cardie, {corpus}']}"
                for corpus in ("MUC-6", "MUC-7")
            ),
            f"not on {' and '.join(behind)}" if behind else "",
        ),
        Claim(
            "appendix I",
            "Ng & Cardie improve on Soon et al., and they on RESOLVE (MUC-6)",
            f1["Ng & Cardie, MUC-6"] > f1["Soon et al., MUC-6"] > f1["RESOLVE, MUC-6"],
            f"{f1['Ng & Cardie, MUC-6']}, {f1['Soon et al., MUC-6']}, {f1['RESOLVE, MUC-6']}",
        ),
        Claim(
            "appendix I",
            "Yangy et al. outperform Castano et al.",
            f1["Yangy et al., MEDLINE"] > castano,
            f"{f1['Yangy et al., MEDLINE']} and {castano:.3f}, the F of P and R",
        ),
    ]
