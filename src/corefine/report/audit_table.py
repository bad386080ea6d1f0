"""An audit as a table: expected and observed behaviour of each metric."""

from __future__ import annotations

from corefine.auditing.audit import Audit, TrialResult
from corefine.auditing.expectations import Outcome
from corefine.metrics.registry import title_of
from corefine.output.markup import Element, element

RIGHT, WRONG, UNJUDGED = "✓", "✗", "–"
_LETTERS = {"precision": "P", "recall": "R", "f1": "F1"}


def audit_table(audit: Audit, name: str = "") -> Element:
    """One row per judged change, one column per metric; cells have sign, colour and movement."""
    metrics = list(audit.scores.by_name)
    heads = [element("th", title, scope="col") for title in ("change", "expected")]
    heads += [element("th", title_of(metric), scope="col") for metric in metrics]
    rows = [_row(result, audit, metrics) for result in audit.trials if result.outcomes]
    title = f"Expected and observed behaviour of the metrics{f' ({name})' if name else ''}"
    return element(
        "div",
        element("h3", title, dir="auto"),
        element(
            "p",
            element("span", f"{RIGHT} as it should be", class_="good"),
            " · ",
            element("span", f"{WRONG} the wrong way", class_="bad"),
            f" · {UNJUDGED} not judged. Numbers are points: of F1 where all is right, otherwise of "
            "what moved the wrong way (P precision, R recall).",
            class_="note",
        ),
        element(
            "div",
            element(
                "table",
                element("caption", title, class_="hidden"),
                element("thead", element("tr", heads)),
                element("tbody", rows),
                class_="audit",
            ),
            class_="scroll",
            tabindex=0,
            role="region",
            aria_label=title,
        ),
        [element("p", f"Not judged: {words}.", class_="note") for words in audit.left_out],
    )


def _row(result: TrialResult, audit: Audit, metrics: list[str]) -> Element:
    expected = dict.fromkeys(str(one.expectation) for one in result.outcomes)
    cells = [_cell(result, audit, metric) for metric in metrics]
    remark = [element("small", f"({result.remark})")] if result.remark else []
    return element(
        "tr",
        element("th", result.trial.title, scope="row", title=result.trial.why),
        element("td", "; ".join(expected), " " if remark else "", remark, class_="expected"),
        cells,
    )


def _cell(result: TrialResult, audit: Audit, metric: str) -> Element:
    asked: list[Outcome] = [one for one in result.outcomes if one.metric == metric]
    if not asked:
        return element("td", UNJUDGED, class_="number")
    wrong = [one for one in result.violations if one.metric == metric]
    if wrong:
        one = max(wrong, key=lambda outcome: abs(outcome.after - outcome.before))
        letter = _LETTERS[one.expectation.quantity]
        perfect = one.expectation.relation == "is below 100"
        moved = f"is {100 * one.after:.0f}" if perfect else _signed(one.after - one.before)
        return element("td", f"{WRONG} {letter} {moved}", class_="number bad", title=str(one))
    change = result.scores[metric].f1 - audit.scores.by_name[metric].f1
    return element("td", f"{RIGHT} {_signed(change)}", class_="number good")


def _signed(change: float) -> str:
    points = 100 * change
    shown = f"{points:+.1f}" if abs(points) >= 0.05 or not points else f"{points:+.1g}"
    return shown.replace("-", "−")
