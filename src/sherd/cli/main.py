"""The group of commands: it loads a command when it is called and turns errors into one line."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

import click

from sherd import __version__
from sherd.errors import SherdError

__all__ = ["INTERRUPTED", "main"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

_COMMANDS = {
    "bench": "bench",
    "cut": "cut",
    "eval": "evaluate",
    "info": "info",
    "render": "render",
    "solve": "solve",
    "train": "train",
}
"""Name of each command and the module of this package that has it."""


class _Commands(click.Group):
    """Commands that are imported when they are called, so that `sherd --version` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        if cmd_name not in _COMMANDS:
            return None
        module = import_module(f"sherd.cli.{_COMMANDS[cmd_name]}")
        return cast("click.Command", module.command)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; what goes wrong on purpose becomes one line and an exit code."""
        try:
            return super().invoke(ctx)
        except SherdError as error:
            click.echo(f"sherd: {error}", err=True)
            ctx.exit(2)
        except KeyboardInterrupt:
            click.echo("sherd: interrupted, nothing written", err=True)
            ctx.exit(INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sherd")
def main() -> None:
    """Put pictures back together from square pieces whose edges are gone.

    Start with `sherd solve FOLDER`; `sherd COMMAND --help` explains each command.
    """
