"""Write the page of the command line from its own help: `python docs/make_cli_page.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from sherd.cli import main

HERE = Path(__file__).parent

TOP = """# Command line

<!-- Written by docs/make_cli_page.py: edit the help of the commands, not this page. -->

`sherd COMMAND --help` prints these texts. Exit codes: 0 all went well; 1 some of several puzzles
failed; 2 an input or an option cannot be used (one line on standard error says what, where and the
cure); 130 interrupted.

## Completion

The shell completes commands and options after one of these lines (put it into the start file of the
shell):

```sh
eval "$(_SHERD_COMPLETE=bash_source sherd)"   # bash, in ~/.bashrc
eval "$(_SHERD_COMPLETE=zsh_source sherd)"    # zsh, in ~/.zshrc
_SHERD_COMPLETE=fish_source sherd | source    # fish, in ~/.config/fish/completions/sherd.fish
```
"""


def cli_page() -> str:
    """Give the whole page as Markdown."""
    sections = [
        f"## {name}\n\n```text\n{text}\n```\n" for name, text in _helps(main, "sherd", None)
    ]
    return "\n".join([TOP, *sections])


def _helps(
    command: click.Command, name: str, parent: click.Context | None
) -> Iterator[tuple[str, str]]:
    """Give name and help text of a command and of all below it."""
    context = click.Context(
        command,
        info_name=name,
        parent=parent,
        terminal_width=88,
        max_content_width=88,
        **command.context_settings,
    )
    yield context.command_path, command.get_help(context)
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from _helps(found, below, context)


if __name__ == "__main__":
    (HERE / "cli.md").write_text(cli_page(), encoding="utf-8")
