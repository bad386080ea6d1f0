"""The commands as attributes of a module, for the directive that documents them."""

from __future__ import annotations

from corefine.cli import cli

globals().update({name.replace("-", "_"): command for name, command in cli.commands.items()})
