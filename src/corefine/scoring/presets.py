"""Presets: the settings and metrics of shared tasks and papers, by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
    plan: Mapping[str, Any] = field(default_factory=dict)
    """Parts of the plan of comparisons, if the paper gives them."""

    def label(self, given: Mapping[str, object]) -> str:
        """The name in a signature, with the settings that were changed."""
        others = [
            f"{name}={value}"
            for name, value in given.items()
            if name in self.settings and self.settings[name] != value
        ]
        return f"{self.name}({','.join(others)})" if others else self.name


_CRAC = "conll,muc,b3,ceafe,ceafm,blanc(rule=corefud),lea,mor,zero"
_DEPENDENT = {"match": "head", "zeros": "dependent", "singletons": "drop"}
_FINDINGS = "Findings of the shared task on multilingual coreference resolution, CRAC"

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "crac22",
            _CRAC,
            {"match": "partial", "zeros": "linear", "singletons": "drop"},
            "CRAC 2022: partial matching, zeros by position, no singletons.",
            f"Žabokrtský et al. 2022, {_FINDINGS}",
            "corefud",
        ),
        Preset(
            "crac23",
            _CRAC,
            {"match": "head", "zeros": "linear", "singletons": "drop"},
            "CRAC 2023: head matching, zeros by position, no singletons.",
            f"Žabokrtský et al. 2023, {_FINDINGS}",
            "corefud",
        ),
        *(
            Preset(
                f"crac{year}",
                _CRAC,
                _DEPENDENT,
                f"CRAC 20{year}: head matching, zeros by dependency, no singletons.",
                f"CRAC 20{year}, {_FINDINGS.rpartition(',')[0]}",
                "corefud",
            )
            for year in (24, 25, 26)
        ),
        Preset(
            "conll2012",
            "mentions,muc,b3,ceafm,ceafe,blanc,conll",
            {
                "match": "exact",
                "singletons": "keep",
                "missing_documents": "count",
                "words": "ignore",
            },
            "CoNLL-2012: exact spans. The gold has no singletons; those of a response count "
            "against it, as in the official scorer 8.01.",
            "Pradhan et al. 2012, CoNLL-2012 shared task; Pradhan et al. 2014, ACL",
            "perl-8.01",
        ),
        Preset(
            "codi-crac",
            "conll,muc,b3,ceafe,lea",
            {
                "match": "exact",
                "zeros": "linear",
                "singletons": "keep",
                "words": "ignore",
                "split_antecedents": "score",
            },
            "CODI-CRAC: exact spans; singletons and split antecedents count. --layer bridging, "
            "deixis or all scores the other tasks.",
            "Yu et al. 2022, The CODI-CRAC 2022 shared task, CODI-CRAC",
            "ua",
        ),
        Preset(
            "mcores",
            "muc,b3,ceafe,blanc,mcores",
            {"match": "exact", "singletons": "keep"},
            "MCORES: clinical records, exact spans, singletons count. compare tests as its "
            "appendix IV does: the average F alone, 3,000 shuffles of the pooled documents, "
            "Bonferroni's correction.",
            "Bodnari, Szolovits & Uzuner 2012, MCORES, JAMIA 19(5)",
            None,
            {
                "test": "randomization",
                "scheme": "pooled",
                "trials": 3000,
                "correction": "bonferroni",
                "alpha": 0.05,
                "tested": ("mcores",),
            },
        ),
        Preset(
            "cattan2021",
            "mentions,muc,b3,ceafe,lea,conll",
            {"match": "exact", "singletons": "drop", "scope": "topic"},
            "Cattan et al. 2021: cross-document coreference within topics, no singletons; mention "
            "detection is scored separately.",
            "Cattan et al. 2021, Realistic evaluation principles for cross-document coreference",
        ),
    )
}


def preset_named(name: str) -> Preset:
    """The preset of this name."""
    return PRESETS[choose("the preset", name, tuple(PRESETS))]


def settings_of(given: Mapping[str, object]) -> dict[str, object]:
    """Merge explicit settings over those of the preset."""
    settings = dict(given)
    name = settings.pop("preset", None)
    return settings if name is None else {**preset_named(str(name)).settings, **settings}
