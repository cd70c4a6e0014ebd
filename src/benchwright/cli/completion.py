"""`benchwright completion SHELL`."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for a shell.

    It completes commands, options and their choices, run folders, tracks and schemes of models, for the
    command `benchwright`, which must be on your PATH.

    \b
    bash: benchwright completion bash >> ~/.bashrc
    zsh:  benchwright completion zsh >> ~/.zshrc
    fish: benchwright completion fish > ~/.config/fish/completions/benchwright.fish
    """
    from benchwright.cli.main import cli  # noqa: PLC0415 (this module is loaded by it)

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    click.echo(kind(cli, {}, "benchwright", "_BENCHWRIGHT_COMPLETE").source())
