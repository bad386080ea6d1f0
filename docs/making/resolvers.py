"""Tables of docs/resolving.md: the baselines, cross-validated on real corpora."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

import corefine
from corefine.comparing.comparison import Comparison
from corefine.corpus.corpus import Corpus
from corefine.resolving import RECIPES, PairReport, cross_validate
from corefine.resolving.attributes import MarkableAttributes
from corefine.resolving.cross_validation import MEAN, RUNS
from corefine.resolving.markables import DETECT_ZEROS, markables_of
from corefine.resolving.resolver import training_pairs
from corefine.resolving.words import governor_of
from corefine.resolving.zeros import insert_zeros
from docs.making import MakeTable, markdown

COMPARED = (*RECIPES, "ruler", "ruler-4", "sieve", "headmatch")
PAIRINGS = ("resolve", "soon", "ng-cardie", "farthest")
FLOORS = ("one-entity", "singletons")
CORPORA = ("LitBank", "GUM")

STEPS: dict[str, tuple[str, dict[str, Any]]] = {
    "`soon-tuned`": ("soon-tuned", {}),
    "with `best-link`": ("soon-tuned", {"clustering": "best-link"}),
    "and the pairs of `ng-cardie`": (
        "soon-tuned",
        {"clustering": "best-link", "pairs": "ng-cardie"},
    ),
    "and its features: `ng-cardie`": ("ng-cardie", {}),
    "… with `pruned-tree`": ("ng-cardie", {"classifier": "pruned-tree"}),
    "… with pairs `farthest`": ("ng-cardie", {"pairs": "farthest"}),
    "… with both": ("ng-cardie", {"pairs": "farthest", "classifier": "pruned-tree"}),
}
"""From soon to ng-cardie, one part after another, and what was tried to mend it at ½."""


def corpus_and_kinds(data: Path, name: str) -> tuple[Path, str]:
    """The key, and the source of its mention kinds."""
    folder = data / name.partition(" ")[0].lower()
    kinds = (
        f"{folder / 'types.tsv'},auto,guess" if (folder / "types.tsv").exists() else "auto,guess"
    )
    key = folder / "key.conllu"
    return (key if key.exists() else folder / "key.conll"), kinds


@lru_cache(maxsize=64)
def validated(
    key: Path, kinds: str, preset: str, folds: int = 2, threshold: str | None = None
) -> tuple[Corpus, float, PairReport]:
    """A preset's response, its CoNLL F1 and its pairs, computed once for all tables."""
    parts: dict[str, Any] = {} if threshold is None else {"threshold": threshold}
    result = cross_validate(key, [preset], folds=folds, metrics="conll", kinds=kinds, **parts)
    return result.responses[preset], result.scores[preset]["conll"].f1, result.pairs[preset]


def f1_of(data: Path, name: str, preset: str) -> str:
    """The CoNLL F1 of a preset on a corpus, two folds."""
    return percent(validated(*corpus_and_kinds(data, name), preset)[1])


def compared(
    data: Path, name: str, presets: Sequence[str], threshold: str | None = None, **plan: Any
) -> Comparison:
    """Compare the CoNLL F1 of presets."""
    key, kinds = corpus_and_kinds(data, name)
    responses = {one: validated(key, kinds, one, 2, threshold)[0] for one in presets}
    return corefine.compare(key, responses, metrics="conll", kinds=kinds, **plan)


def percent(value: float) -> str:
    return f"{100 * value:.2f}"


def p_value(p: float | None) -> str:
    if p is None:
        return "–"
    return f"{p:.4f}".removeprefix("0") if p < 0.01 else f"{p:.3f}".removeprefix("0")


def measured(data: Path) -> str:
    """F1 with intervals, and the difference from head match with its p, on two corpora."""
    rows: dict[str, list[object]] = {name: [f"`{name}`"] for name in (*COMPARED, *FLOORS)}
    for name in CORPORA:
        comparison = compared(data, name, COMPARED, baseline="headmatch")
        for preset, row in rows.items():
            f1 = f1_of(data, name, preset)
            if preset in FLOORS:
                row += [f1, "", ""]
                continue
            low, high = comparison.standing(preset, "conll").intervals["f1"]
            row.append(f"{f1} [{percent(low)}, {percent(high)}]")
            if preset == "headmatch":
                row += ["", ""]
                continue
            difference = comparison.difference(preset, "headmatch", "conll")
            row += [f"{100 * difference.difference:+.2f}", p_value(difference.adjusted_p)]
    columns = ["", *(cell for name in CORPORA for cell in (name, "− headmatch", "p"))]
    return markdown(columns, rows.values())


def line(data: Path) -> str:
    """The differences between the systems of the papers' line, tuned and at ½."""
    names = ("resolve-tuned", "soon-tuned", "ng-cardie")
    rows: list[list[object]] = []
    for threshold, title in ((None, "tuned"), ("half", "½")):
        comparisons = [compared(data, name, names, threshold) for name in CORPORA]
        for better, worse in zip(names[1:], names, strict=False):
            found = [one.difference(better, worse, "conll") for one in comparisons]
            cells = [f"{100 * one.difference:+.2f}, {p_value(one.adjusted_p)}" for one in found]
            rows.append([f"`{better}` − `{worse}`", title, *cells])
    return markdown(["", "threshold", *CORPORA], rows, left=2)


def step_cells(data: Path, name: str, step: str) -> list[str]:
    """One step from soon to ng-cardie on a corpus: CoNLL F1, MUC P and R at ½; F1 tuned by kind."""
    key, kinds = corpus_and_kinds(data, name)
    preset, parts = STEPS[step]
    half, tuned = (
        cross_validate(
            key,
            [preset],
            folds=2,
            metrics="conll,muc",
            kinds=kinds,
            **{**parts, "threshold": threshold},
        ).scores[preset]
        for threshold in ("half", "by-kind")
    )
    precision, recall, _ = half["muc"]
    return [
        percent(half["conll"].f1),
        percent(precision or 0),
        percent(recall or 0),
        percent(tuned["conll"].f1),
    ]


def steps(data: Path) -> str:
    """From soon to ng-cardie, one part after another, at ½ and tuned by kind."""
    rows = [
        [step, *(cell for name in CORPORA for cell in step_cells(data, name, step))]
        for step in STEPS
    ]
    what = ("F1 at ½", "MUC P", "MUC R", "F1 tuned")
    return markdown(["", *(f"{name}: {cell}" for name in CORPORA for cell in what)], rows)


def base_rates(data: Path) -> str:
    """Number of training pairs by rule, and the share of coreferent ones."""
    columns: list[list[str]] = [[f"`{name}`" for name in PAIRINGS]]
    for name in CORPORA:
        key, kinds = corpus_and_kinds(data, name)
        attributes = MarkableAttributes(markables_of(corefine.read(key), kinds=kinds))
        entity = attributes.markables.entity
        made = [
            training_pairs(RECIPES["soon"].changed(pairs=name), attributes) for name in PAIRINGS
        ]
        positive = [(entity[one.antecedent] == entity[one.anaphor]).mean() for one in made]
        columns += [[f"{len(one):,}" for one in made], [percent(share) for share in positive]]
    titles = ["", *(cell for name in CORPORA for cell in (f"{name}: pairs", "coreferent %"))]
    return markdown(titles, zip(*columns, strict=True))


def types(data: Path, presets: Sequence[str] = ("soon-tuned", "ng-cardie")) -> str:
    """Runs by semantic type and together, as the mean over types."""
    key, kinds = corpus_and_kinds(data, "GUM")
    result = cross_validate(
        key, presets, folds=2, metrics="conll,mcores", kinds=kinds, per_type=True
    )
    assert result.types is not None
    rows: list[list[object]] = []
    for preset in presets:
        for runs in RUNS:
            asked = (preset, runs, MEAN)
            (mean,) = [
                one for one in result.types.scores if (one.preset, one.runs, one.type) == asked
            ]
            pairs = [percent(value or 0) for value in mean.pairs]
            rows.append([f"`{preset}`", runs, *pairs, *map(percent, mean.f1.values())])
    columns = ["", "runs", "pairs P", "pairs R", "pairs F1", "CoNLL", "MCORES' average"]
    return markdown(columns, rows, left=2)


def pairs(data: Path) -> str:
    """The classification of coreferent pairs by ng-cardie on GUM."""
    report = validated(*corpus_and_kinds(data, "GUM"), "ng-cardie")[2]
    rows = []
    for group in report.groups():
        number = report.size(group)
        if number >= 500:
            scores = [percent(value or 0) for value in report.score(group)]
            rows.append([group.partition(":")[2] or group, f"{number:,}", *scores])
    return markdown(["pairs", "number", "P", "R", "F1"], rows)


def elsewhere(
    data: Path, presets: Sequence[str] = ("soon-tuned", "ng-cardie", "sieve", "headmatch")
) -> str:
    """F1 where nothing was chosen, and where semantic types or kinds are missing."""
    sources = {
        "OntoGUM": corpus_and_kinds(data, "OntoGUM"),
        "CRAFT": corpus_and_kinds(data, "CRAFT"),
        "GUM, no semantic types": (data / "gum" / "key.conll", "auto,guess"),
        "LitBank, kinds guessed": (data / "litbank" / "key.conll", "guess"),
    }
    rows = [
        [f"`{one}`", *(percent(validated(*source, one)[1]) for source in sources.values())]
        for one in presets
    ]
    return markdown(["", *sources], rows)


SEEDS = range(5)
SEEDED = ("resolve", "resolve-tuned", "soon", "soon-tuned", "yang", "ng-cardie", "bartek", "ikar")


def over_seeds(data: Path, name: str, preset: str) -> list[float]:
    """The CoNLL F1 of a preset by seed, two folds."""
    key, kinds = corpus_and_kinds(data, name)
    runs = (
        cross_validate(key, [preset], folds=2, metrics="conll", kinds=kinds, seed=seed)
        for seed in SEEDS
    )
    return [run.scores[preset]["conll"].f1 for run in runs]


def seeds(data: Path) -> str:
    """Mean and range of F1 and of ranks over seeds, and of two differences."""
    rows: list[list[object]] = [[f"`{preset}`"] for preset in SEEDED]
    differences = (("soon-tuned", "resolve-tuned"), ("ng-cardie", "soon-tuned"))
    lines: list[list[object]] = [[f"`{one}` − `{other}`"] for one, other in differences]
    for name in CORPORA:
        values = {preset: over_seeds(data, name, preset) for preset in SEEDED}
        for row, preset in zip(rows, SEEDED, strict=True):
            mine = values[preset]
            ranks = [
                1 + sum(values[other][seed] > mine[seed] for other in SEEDED) for seed in SEEDS
            ]
            row += [_spread(mine, percent), f"{fmean(ranks):.1f} [{min(ranks)}, {max(ranks)}]"]
        for row, (one, other) in zip(lines, differences, strict=True):
            apart = [a - b for a, b in zip(values[one], values[other], strict=True)]
            row += [_spread(apart, lambda value: f"{100 * value:+.2f}"), ""]
    return markdown(["", *(c for name in CORPORA for c in (name, "rank"))], [*rows, *lines])


def _spread(values: Sequence[float], shown: Callable[[float], str]) -> str:
    return f"{shown(fmean(values))} [{shown(min(values))}, {shown(max(values))}]"


MEASURES = (
    *("text_match", "head_match", "contained", "token_overlap"),
    *("overlap_share", "dice_overlap", "weighted_overlap"),
)


def overlaps(data: Path) -> str:
    """Measures of shared words as the only feature of soon."""
    rows = []
    for measure in MEASURES:
        row = [f"`{measure}`"]
        for name in CORPORA:
            key, kinds = corpus_and_kinds(data, name)
            run = cross_validate(
                key, ["soon"], folds=2, metrics="muc,conll", kinds=kinds, features=(measure,)
            )
            scores = run.scores["soon"]
            row += [percent(value or 0) for value in (*scores["muc"], scores["conll"].f1)]
        rows.append(row)
    cells = ("MUC P", "MUC R", "MUC F1", "CoNLL")
    return markdown(["", *(f"{name}: {cell}" for name in CORPORA for cell in cells)], rows)


TOOLS = ("ikar", "bartek", "ruler")


def tools(data: Path) -> str:
    """Gold and detected mentions, with and without zeros, as Tables 2 and 3 of the paper."""
    rows: list[list[object]] = []
    for name, folds in (("LitBank", 2), ("GUM", 2), ("KorKor", 10)):
        key, kinds = corpus_and_kinds(data, name)
        zeros = name == "KorKor"
        given: dict[str, Any] = {"folds": folds, "metrics": "parent,blanc", "kinds": kinds}
        if name == "LitBank":
            run = cross_validate(key, TOOLS, **given)
            found = {(tool, "gold", "All"): run.scores[tool] for tool in TOOLS}
        else:
            markables = DETECT_ZEROS if zeros else "detected"
            run = cross_validate(key, TOOLS, markables=markables, settings=True, **given)
            found = run.settings or {}
        for (tool, source, setting), scores in found.items():
            if zeros or setting == "All":
                cells = [percent(v or 0) for one in ("parent", "blanc") for v in scores[one]]
                rows.append([name, f"`{tool}`", setting if zeros else "–", source, *cells])
    titles = ["corpus", "", "zeros", "mentions"]
    titles += [f"{metric} {cell}" for metric in ("PARENT", "BLANC") for cell in ("P", "R", "F1")]
    return markdown(titles, rows, left=4)


def zero_governors(corpus: Corpus) -> set[int]:
    """The words that the zero subjects of a corpus depend on."""
    tokens = corpus.tokens
    assert tokens is not None
    assert tokens.empty is not None
    deps, words = tokens.layers["deps"], tokens.words_before
    zeros = np.flatnonzero(tokens.empty).tolist()
    return {
        int(words[governor_of(tokens, zero, deps[zero])])
        for zero in zeros
        if ":nsubj" in deps[zero]
    }


def zeros(data: Path) -> str:
    """Precision and recall of detected zero subjects."""
    key = corefine.read(corpus_and_kinds(data, "KorKor")[0])
    gold, found = zero_governors(key), zero_governors(insert_zeros(key))
    both = len(gold & found)
    numbers = [len(gold), len(found), both]
    rates = [both / len(found), both / len(gold), 2 * both / (len(gold) + len(found))]
    row = ["KorKor", *(f"{number:,}" for number in numbers), *map(percent, rates)]
    return markdown(["", "gold", "detected", "right", "P", "R", "F1"], [row])


TABLES: dict[str, MakeTable] = {
    "resolvers": measured,
    "resolver-line": line,
    "resolver-steps": steps,
    "resolver-base-rates": base_rates,
    "resolver-types": types,
    "resolver-pairs": pairs,
    "resolvers-elsewhere": elsewhere,
    "resolver-seeds": seeds,
    "resolver-overlaps": overlaps,
    "resolver-tools": tools,
    "resolver-zeros": zeros,
}
