"""The table and the sections of the rules of ``check``."""

from __future__ import annotations

from corefine.curating.rules import Rule, all_rules
from docs.making import markdown

SYNTAX = {"conll": "text", "conllu": "text", "json": "json", "csv": "text"}
"""How examples of a format are highlighted."""


def rules_table() -> str:
    """One row per rule."""
    rows = [
        (f"[{rule.code}](#{rule.code.lower()})", rule.severity, rule.title, _mark(rule.repaired))
        for rule in all_rules().values()
    ]
    return markdown(("rule", "severity", "reports", "repaired"), rows, left=4)


def _mark(value: bool) -> str:
    return "yes" if value else ""


def rule_sections() -> str:
    """A section per rule with its examples."""
    return "\n\n".join(map(_section, all_rules().values()))


def _section(rule: Rule) -> str:
    parts = [f"({rule.code.lower()})=", f"### {rule.code}: {rule.title}", rule.text]
    for title, (format, body) in (("Wrong", rule.wrong), ("Right", rule.right)):
        parts.append(f"{title}:\n\n```{SYNTAX[format]}\n{body}```")
    first, *rest = [part for part in parts if part]
    return "\n".join([first, "\n\n".join(rest)])


REGIONS = {"rules": rules_table, "rule-sections": rule_sections}
