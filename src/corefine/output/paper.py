"""PaperTable: systems by metrics as a paper prints them, with a caption, in LaTeX or Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from corefine.errors import UsageError
from corefine.output.grid import latex_text, markdown_text

LAYOUTS = ("tables", "paper")
FORMS = ("latex", "markdown")
"""The forms in which a paper's table is written."""

Style = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Measured:
    """What a system reached under a metric, from 0 to 1; an average has F1 alone."""

    f1: float
    precision: float | None = None
    recall: float | None = None
    mark: str = ""
    """Of significance, raised behind F1."""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One row a system; for each metric P, R and F1, or F1 alone where that is all there is.

    >>> table = PaperTable(("LEA",), {"mine": (Measured(0.5, 0.4, 0.6667),)}, "On one document.")
    >>> print(table.to_markdown())
    | System | LEA P | LEA R | LEA F₁ |
    | --- | ---: | ---: | ---: |
    | mine | 40.00 | 66.67 | 50.00 |
    <BLANKLINE>
    On one document.
    """

    metrics: tuple[str, ...]
    """Their titles, with the field's symbols: B³, CEAFφ₄."""
    rows: dict[str, tuple[Measured, ...]]
    caption: str
    signature: str = ""

    def to_markdown(self) -> str:
        """A table in Markdown, the best numbers bold, with the caption below."""
        headings, numbers = ["System"], self._cells(lambda text: f"**{text}**", _markdown_mark)
        for title, parts in zip(self.metrics, self._parts, strict=True):
            headings += [f"{title} {part}" if len(parts) > 1 else title for part in parts]
        lines = [_bars(map(markdown_text, headings)), _bars(["---", *["---:"] * _width(numbers)])]
        lines += [_bars([markdown_text(name), *cells]) for name, cells in numbers.items()]
        caption = markdown_text(self.caption)
        if self.signature:
            caption += f" Signature: `{self.signature}`."
        return "\n".join([*lines, "", caption])

    def to_latex(self) -> str:
        """A ``table*`` with booktabs rules, two rows of headings, and the caption."""
        numbers = self._cells(lambda text: rf"\textbf{{{text}}}", _latex_mark)
        groups, rules, headings, column = [""], [], ["System"], 2
        for title, parts in zip(self.metrics, self._parts, strict=True):
            symbol, last = _latex(title), column + len(parts) - 1
            groups.append(
                symbol if len(parts) == 1 else rf"\multicolumn{{{len(parts)}}}{{c}}{{{symbol}}}"
            )
            if len(parts) > 1:
                rules.append(rf"\cmidrule(lr){{{column}-{last}}}")
            headings += map(_latex, parts)
            column = last + 1
        caption = _latex(self.caption)
        if self.signature:
            breakable = latex_text(self.signature).replace(
                r"\textbar{}", r"\textbar{}\allowbreak{}"
            )
            caption += rf" Signature: \texttt{{{breakable}}}."
        lines = [
            "% needs \\usepackage{booktabs}",
            r"\begin{table*}[t]",
            r"\centering\small",
            rf"\begin{{tabular}}{{l{'r' * (column - 2)}}}",
            r"\toprule",
            " & ".join(groups) + r" \\",
            *([" ".join(rules)] if rules else []),
            " & ".join(headings) + r" \\",
            r"\midrule",
            *(" & ".join([latex_text(name), *cells]) + r" \\" for name, cells in numbers.items()),
            r"\bottomrule",
            r"\end{tabular}",
            rf"\caption{{{caption}}}",
            r"\end{table*}",
        ]
        return "\n".join(lines)

    @property
    def _parts(self) -> list[tuple[str, ...]]:
        """For each metric the titles of its columns."""
        columns = zip(*self.rows.values(), strict=True)
        whole = [any(one.precision is not None for one in column) for column in columns]
        return [("P", "R", "F₁") if one else ("F₁",) for one in whole]

    def _cells(self, bold: Style, raised: Style) -> dict[str, list[str]]:
        """The numbers of every system; the best of a column is bold where there are several."""
        shown: dict[str, list[tuple[str, str]]] = {}
        for name, row in self.rows.items():
            cells: list[tuple[str, str]] = []
            for measured, parts in zip(row, self._parts, strict=True):
                if len(parts) > 1:
                    cells += [(_percent(measured.precision), ""), (_percent(measured.recall), "")]
                cells.append((_percent(measured.f1), measured.mark))
            shown[name] = cells
        columns = list(zip(*shown.values(), strict=True))
        best = [max((float(text) for text, _ in column if text), default=0.0) for column in columns]
        several = len(self.rows) > 1
        return {
            name: [
                (bold(text) if several and text and float(text) == most else text)
                + (raised(mark) if mark else "")
                for (text, mark), most in zip(cells, best, strict=True)
            ]
            for name, cells in shown.items()
        }


def check_layout(layout: str, form: str) -> None:
    """Refuse a paper's table in a form that it does not have."""
    if layout == "paper" and form not in FORMS:
        raise UsageError(
            f"--layout paper is not available as {form}",
            remedy="Use --output latex or --output markdown (to_latex, to_markdown).",
        )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


_SYMBOLS = {"φ₃": r"$_{\phi_3}$", "φ₄": r"$_{\phi_4}$", "₁": "$_1$"}


def _latex(text: str) -> str:
    """Text in LaTeX, with φ and its index below the line."""
    parts = re.split("(φ₃|φ₄|₁)", text)
    return "".join(_SYMBOLS.get(part) or latex_text(part) for part in parts)


def _latex_mark(mark: str) -> str:
    return rf"\textsuperscript{{{latex_text(mark)}}}"


def _markdown_mark(mark: str) -> str:
    return f"<sup>{markdown_text(mark)}</sup>"


def _bars(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _width(numbers: dict[str, list[str]]) -> int:
    return max(map(len, numbers.values()), default=0)
