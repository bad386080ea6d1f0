"""Tables, sentences and charts of docs/ with numbers of the papers."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from itertools import combinations

from corefine.explaining import transformations as perturbations
from corefine.explaining.audit import TRIALS
from corefine.explaining.papers import PAPERS, Reproduction, reproduce
from corefine.explaining.papers.evaluation import Paper, load
from corefine.explaining.papers.moosavi_strube import ADDED, DOCUMENTS, changed, counts
from corefine.explaining.papers.output import (
    claims_grid,
    counts_grid,
    differences_grid,
    papers_grid,
    rounding_grid,
    underivable_grid,
)
from corefine.explaining.papers.results import Plot
from corefine.metrics.linguistic import PRESETS
from corefine.output.charts import Figure
from corefine.output.grid import Column, Grid, Value
from corefine.scoring.sanity import CHECKS

TITLES = {
    "muc": "MUC", "b3": "B³", "ceafm": "CEAFm", "ceafe": "CEAFe", "blanc": "BLANC", "lea": "LEA",
    "conll": "the CoNLL average",
}  # fmt: skip
WIDTH = 135
"""Longest line of prose."""

reproduced: Callable[[str], Reproduction] = cache(reproduce)


def plot(name: str) -> Plot:
    return next(one for one in reproduced("moosavi-strube").plots if one.name == name)


def f1(figure: str, metric: str, point: str) -> float:
    """F1 in percent at a point of a figure of the LEA paper."""
    found = plot(figure)
    return 100 * found.curves[metric][found.points.index(point)]


def tau() -> dict[tuple[str, str], float]:
    """Kendall's τ between metrics over the systems of LEA's Table 5."""
    (matrix,) = reproduced("moosavi-strube").matrices
    place = {name: number for number, name in enumerate(matrix.names)}
    return {(a, b): matrix.values[place[a]][place[b]] for a, b in combinations(place, 2)}


def figure_8() -> str:
    """F1 by the share of mentions found, without correct links."""
    facts, found = load("moosavi_strube"), plot("figure-8")
    key = sum(facts["figure_key"])
    rows: list[tuple[Value, ...]] = []
    for number, point in enumerate(found.points):
        mentions = sum(len(chain.split()) for chain in facts[f"fig8_{point}"])
        share = f"{mentions} of {key} ({100 * mentions / key:.1f}%)"
        rows.append((f"{point}%", share, *(values[number] for values in found.curves.values())))
    columns = (
        Column("label"),
        Column("mentions found"),
        *(Column(TITLES[name], "percent") for name in found.curves),
    )
    return Grid(columns, rows).to_markdown()


def mention_effect() -> str:
    """Recall on the generated corpus, before and after the changes of LEA's Table 1."""
    metrics = ("muc", "b3", "ceafe", "blanc", "lea")
    audit = changed()
    wanted = (
        "remove-wrong-mentions", "add-wrong-pairs", "add-wrong-entities", "add-missing-mentions",
    )  # fmt: skip
    trials = {one.trial.name: one for one in audit.trials}
    rows: list[tuple[Value, ...]] = [
        ("the response", *(audit.scores[metric].recall for metric in metrics))
    ]
    rows += [
        (trials[name].trial.title, *(trials[name].scores[metric].recall for metric in metrics))
        for name in wanted
    ]
    columns = (
        Column(f"recall, {DOCUMENTS} generated documents"),
        *(Column(TITLES[metric], "percent") for metric in metrics),
    )
    return Grid(columns, rows).to_markdown()


def blindness() -> str:
    """Blind spots of the metrics, with evidence."""
    at = partial(f1, "figure-7")
    extra = plot("figure-7").points
    of = 11
    shown = [point for point in extra if point not in ("2-20", "4-0", "5-0")]
    assert len(shown) == of
    apart = len({round(at("ceafm", point), 7) for point in shown})
    curves = reproduced("kaczmarek-marcinczuk").plots[0].curves
    split = [f1("figure-6", "muc", point) for point in ("18-2", "10-10")]
    ceafe = [f1("figure-3", "ceafe", point) for point in ("0", "20")]
    swapped = [100 * curves[f"{metric}, names swapped"][-1] for metric in ("muc", "parent")]
    one = {point: at("lea", point) for point in ("1-2", "1-5", "1-10")}
    rows: list[tuple[Value, ...]] = [
        (
            "MUC",
            "the size of wrongly merged entities; it rewards over-merging",
            f"a 20-mention entity split 18-2 or 10-10: {split[0]:.2f} and {split[1]:.2f}",
        ),
        (
            "B³",
            "whether a mention has any correct link",
            f"{f1('figure-3', 'b3', '0'):.2f} for a response without one (Figure 3)",
        ),
        (
            "CEAFm",
            "correct links in unaligned entities",
            f"distinguishes {apart} of {of} responses with extra mentions (Figure 7)",
        ),
        (
            "CEAFe",
            "entity size, and correct links in unaligned entities",
            f"falls from {ceafe[0]:.2f} to {ceafe[1]:.2f} as correct links rise to 20% (Figure 3)",
        ),
        (
            "BLANC",
            "coreferent links, outnumbered by non-coreferent ones",
            f"{f1('figure-3', 'blanc', '0'):.2f} for a response without a correct link (Figure 3)",
        ),
        (
            "LEA",
            "the size of the entity to which an extra mention is added",
            f"1-2, 1-5 and 1-10: {', '.join(f'{value:.2f}' for value in one.values())} (Figure 7)",
        ),
        ("CoNLL", "which of its three metrics changed; it has no precision or recall", "–"),
        (
            "all of these",
            "informativeness: names count as much as pronouns",
            f"Romeo's and Juliet's names swapped: MUC {swapped[0]:.1f}, PARENT {swapped[1]:.1f}",
        ),
    ]
    columns = (Column("metric"), Column("blind to"), Column("evidence"))
    return Grid(columns, rows).to_markdown()


def agreement() -> str:
    between = tau()
    least, most = (pick(between, key=between.__getitem__) for pick in (min, max))
    low, high = between[least], between[most]
    systems = len(Paper("moosavi-strube").tables["TABLE_5"])
    pairs = systems * (systems - 1) // 2

    def apart(value: float) -> int:
        return round(pairs * (1 - value) / 2)

    also = [f"{TITLES[a]} and {TITLES[b]}" for (a, b), value in between.items() if value == low]
    top = [f"{TITLES[a]} and {TITLES[b]}" for (a, b), value in between.items() if value == high]
    return wrapped(
        f"Over the {systems} systems of the CoNLL-2012 shared task, Kendall's τ between two "
        f"metrics ranges from {low:.2f} ({'; '.join(also)}) to {high:.2f} ({'; '.join(top)}): "
        f"they rank {apart(high)} to {apart(low)} of the {pairs} pairs of systems differently."
    )


def totals() -> str:
    """Totals of the reproduction, as a paragraph."""
    papers = [reproduced(name) for name in PAPERS]
    count = {name: sum(paper.counts()[name] for paper in papers) for name in papers[0].counts()}
    claims = sum(len(paper.claims) for paper in papers)
    held = sum(paper.claims_that_hold for paper in papers)
    return wrapped(
        f"The five papers print {count['printed']} numbers in their tables and as results in their "
        f"text. {count['recomputed']} can be recomputed from data in the papers, and "
        f"{count['recomputed, as printed']} of them match; {count['derived']} follow "
        "from other printed numbers (F from P and R, averages, ranks), and "
        f"{count['derived, as printed']} of them match at the printed precision and "
        f"{count['within rounding']} within the rounding of the numbers they follow from; "
        f"{count['not derivable']} need data that the papers do not include. Of the "
        f"others, {count['explained']} are explained by a computation and "
        f"{count['unexplained']} are not. Of {claims} claims, {held} hold."
    )


def wrapped(text: str) -> str:
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}".strip()
    return "\n".join([*lines, line])


def papers() -> str:
    return papers_grid([reproduced(name) for name in PAPERS]).to_markdown().split("\n", 2)[2]


def of_paper(name: str) -> str:
    """Counts, differences and failing claims of a paper."""
    paper = reproduced(name)
    grids = [
        counts_grid(paper),
        differences_grid(paper),
        rounding_grid(paper),
        underivable_grid(paper),
    ]
    if paper.claims_that_hold < len(paper.claims):
        grids.append(claims_grid(paper, failing=True))
    parts = [f"{paper.citation}. {paper.claims_that_hold} of {len(paper.claims)} claims hold."]
    functions = paper.table_functions()
    more = ("directions", *(matrix.name for matrix in paper.matrices))
    grids += [functions[name](paper) for name in more if name in functions]
    parts += [grid.to_markdown() for grid in grids if grid.rows]
    return "\n\n".join([*parts, *paper.notes])


def weights() -> str:
    rows: list[tuple[Value, ...]] = [
        (
            f"{name} (default)" if name == "W4" else name,
            *(f"{getattr(preset, part):g}" for part in ("name", "nominal", "pronoun", "singleton")),
        )
        for name, preset in PRESETS.items()
    ]
    names = ("preset", "name", "nominal", "pronoun", "singleton")
    return Grid(tuple(map(Column, names)), rows).to_markdown()


def transformations() -> str:
    """The perturbations of an audit, what is expected of every metric, and the sources."""
    rows: list[tuple[Value, ...]] = [
        (
            trial.title,
            (getattr(perturbations, trial.change).__doc__ or "").splitlines()[0],
            ", ".join(map(str, trial.expectations)),
            trial.why,
            trial.source,
            trial.known or "–",
        )
        for trial in TRIALS
    ]
    names = (
        "perturbation", "what it does", "expected of every metric", "because", "source",
        "known violations",
    )  # fmt: skip
    return Grid(tuple(map(Column, names)), rows).to_markdown()


def checks() -> str:
    """The checks before the number, the most important first."""
    rows: list[tuple[Value, ...]] = []
    for one in CHECKS:
        text = " ".join(one.text.split())
        finds, _, rest = text.removesuffix(".").partition(". Fires: ")
        fires, _, remedy = rest.partition(". Remedy: ")
        rows.append((one.code, finds[0].lower() + finds[1:], fires, remedy))
    names = ("code", "what it finds", "when it says so", "what to do")
    return Grid(tuple(map(Column, names)), rows).to_markdown()


REGIONS: dict[str, Callable[[], str]] = {
    "checks": checks,
    "transformations": transformations,
    "figure-8": figure_8,
    "mention-effect": mention_effect,
    "blindness": blindness,
    "agreement": agreement,
    "totals": totals,
    "papers": papers,
    **{name: partial(of_paper, name) for name in PAPERS},
    "weights": weights,
}


def sentences() -> dict[str, list[str]]:
    """Sentences that each page must contain, ignoring white space."""
    between = tau()
    chen, holen = (reproduced(name).counts() for name in ("chen-ng", "holen"))
    entities = [
        reproduced("holen").counts(table) for table in ("Table 2", "Table 3", "Table 4", "Table 5")
    ]
    printed, same, explained = (
        sum(one[name] for one in entities)
        for name in ("printed", "recomputed, as printed", "explained")
    )
    of_category = [
        claim.holds for claim in reproduced("holen").claims if " is of category " in claim.text
    ]
    table_1 = reproduced("chen-ng").counts("Table 1")
    assert table_1["printed"] == table_1["recomputed, as printed"] < chen["printed"]
    assert holen["unexplained"] == 0
    added = ADDED["less_precise_b"]
    entities_added = counts(Paper("moosavi-strube").tables)["entities_added"]
    alone = entities_added("less_precise_b").middle - added
    return {
        "trust.md": [f"{added} pairs and about {alone:,.0f} singletons were added"],
        "metrics.md": [f"All {table_1['printed']} numbers of the paper's Table 1 are reproduced."],
        "comparing.md": [
            f"τ between LEA and CEAFe is {between['ceafe', 'lea']:.3f}".replace("0.", "."),
            f"{between['conll', 'lea']:.3f} between LEA and the CoNLL average".replace("0.", "."),
        ],
        "explaining.md": [
            f"These formulas reproduce {same} of the {printed} cells",
            f"The other {explained} follow",
            f"Of the paper's {len(of_category)} entities, {sum(of_category)} agree with its tables",
        ],
    }


def figures() -> dict[str, Figure]:
    """The charts of the LEA paper in docs/images, by file name."""
    drawn = reproduced("moosavi-strube").figures()
    return {
        f"trust-{name}.svg": drawn[f"moosavi-strube-{name}"] for name in ("figure-3", "figure-8")
    }
