"""`benchwright build NAME`: a command for each recipe of the registry, imported when it is called."""

from __future__ import annotations

import click

from benchwright import registry
from benchwright.cli.arguments import with_metavars
from benchwright.cli.commands import CommandLine
from benchwright.cli.main import LazyGroup


class RecipeGroup(LazyGroup):
    """The commands of the registry's recipes: the built-in ones first, then those of other packages."""

    def lines(self) -> dict[str, CommandLine]:
        """Return the lines of --help, without importing a recipe."""
        others = [name for name in registry.names("recipe") if name not in registry.RECIPES]
        return {name: ("", registry.summary("recipe", name)) for name in [*registry.RECIPES, *others]}

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of a recipe, or a command that another package adds to the group."""
        if cmd_name not in self.lines():
            return super().get_command(ctx, cmd_name)
        return with_metavars(registry.find("recipe", cmd_name).command)


@click.group(cls=RecipeGroup, verb="build")
def build() -> None:
    """Build a data set; execution decides each label."""
