"""The commands as attributes of a module, for the directive that documents them."""

from __future__ import annotations

import click

from corefine.cli import cli

_CONTEXT = click.Context(cli)
COMMANDS = {name: cli.get_command(_CONTEXT, name) for name in sorted(cli.list_commands(_CONTEXT))}
globals().update({name.replace("-", "_"): command for name, command in COMMANDS.items()})
