"""Scales: from values to places on a drawing, and where the ticks go."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from corefine.output.grid import Column, Unit


class Scale(Protocol):
    """A mapping from values to coordinates, with ticks."""

    def __call__(self, value: float) -> float: ...

    def ticks(self) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class Linear:
    """Equal steps of the value are equal steps on the drawing."""

    low: float
    high: float
    begin: float
    end: float
    count: int = 5

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.begin + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        return round_values(self.low, self.high, self.count)


@dataclass(frozen=True, slots=True)
class Logarithmic:
    """Equal factors of the value are equal steps on the drawing; values are above 0."""

    low: float
    high: float
    begin: float
    end: float

    def __call__(self, value: float) -> float:
        if self.high == self.low:
            return (self.begin + self.end) / 2
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self) -> list[float]:
        powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
        for factors in ((1,), (1, 3), (1, 2, 5)):
            values = [factor * 10.0**power for power in powers for factor in factors]
            inside = [value for value in values if self.low <= value <= self.high]
            if len(inside) >= 3:
                return inside
        return inside or [self.low, self.high]


def round_values(low: float, high: float, count: int = 5) -> list[float]:
    """About ``count`` round numbers between two values: steps of 1, 2 or 5 times a power of ten.

    >>> round_values(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if not high > low:
        return [low]
    step = 10.0 ** math.floor(math.log10((high - low) / count))
    step *= min((1, 2, 5, 10), key=lambda factor: abs((high - low) / (factor * step) - count))
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 12) for number in range(first, last + 1)]


def limits_of(
    values: Iterable[float | None], *, zero: bool = False, margin: float = 0.05
) -> tuple[float, float]:
    """The least and the greatest value with some room; ``zero`` keeps 0 within, without room."""
    known = [value for value in values if present(value)]
    if zero:
        known.append(0.0)
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    room = (high - low) * margin or abs(high) * margin or 1.0
    return (
        low if zero and low == 0 else low - room,
        high if zero and high == 0 else high + room,
    )


def fitted_limits(
    values: Iterable[float | None], *, ends: tuple[float, float] = (0.0, 1.0), step: float = 0.05
) -> tuple[float, float]:
    """Ends of an axis that fit the values: round ones outside of all of them, within ``ends``.

    >>> fitted_limits([0.47, 0.78])
    (0.45, 0.8)
    """
    known = [value for value in values if present(value)]
    if not known:
        return ends
    low = math.floor(round(min(known) / step, 6) - 0.2) * step
    high = math.ceil(round(max(known) / step, 6) + 0.2) * step
    return round(max(low, ends[0]), 9), round(min(high, ends[1]), 9)


def present(value: float | None) -> TypeGuard[float]:
    """True if there is a value to draw."""
    return value is not None and math.isfinite(value)


def shown(value: float | None, unit: Unit) -> str:
    """A value as shown in tables and tooltips."""
    if value is None or not math.isfinite(value):
        return ""
    return Column("", unit).shown(value)


def tick_labels(values: Sequence[float], unit: Unit) -> list[str]:
    """Ticks in percent or as they are, with as many decimals as the steps between them need."""
    factor = 100 if unit == "percent" else 1
    scaled = [value * factor for value in values]
    if scaled and max(map(abs, scaled)) >= 1e15:
        return [f"{value:.3g}" for value in scaled]
    for decimals in range(7):
        if all(abs(value - round(value, decimals)) < 1e-9 * max(1, abs(value)) for value in scaled):
            break
    return [f"{value + 0.0:,.{decimals}f}".replace("-", "−") for value in scaled]
