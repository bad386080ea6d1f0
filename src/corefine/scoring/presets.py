"""Presets: the settings and metrics of shared tasks and papers, by name."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corefine.errors import choose


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings and metrics that belong together, what they mean and what to cite."""

    name: str
    metrics: str
    settings: Mapping[str, str]
    meaning: str
    citation: str
    scorer: str | None = None
    """The official scorer, whose profile gives the official numbers."""
    plan: dict[str, Any] = field(default_factory=dict)
    """Parts of the plan of comparisons, if the paper gives them."""

    def label(self, given: Mapping[str, object]) -> str:
        """The name in a signature, with the settings that were changed."""
        others = [
            f"{name}={value}"
            for name, value in given.items()
            if name in self.settings and self.settings[name] != value
        ]
        return f"{self.name}({','.join(others)})" if others else self.name


def _read() -> dict[str, Preset]:
    """The presets of the file."""
    text = Path(__file__).with_name("data").joinpath("presets.toml").read_text("utf-8")
    presets = {name: Preset(name, **fields) for name, fields in tomllib.loads(text).items()}
    for one in presets.values():
        if "tested" in one.plan:
            one.plan["tested"] = tuple(one.plan["tested"])
    return presets


PRESETS = _read()


def preset_named(name: str) -> Preset:
    """The preset of this name."""
    return PRESETS[choose("the preset", name, tuple(PRESETS))]


def settings_of(given: Mapping[str, object]) -> dict[str, object]:
    """Merge explicit settings over the settings of the preset."""
    settings = dict(given)
    name = settings.pop("preset", None)
    return settings if name is None else {**preset_named(str(name)).settings, **settings}
