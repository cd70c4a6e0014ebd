"""`benchwright build NAME`: a command for each recipe of the registry, imported when it is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import click

from benchwright import registry
from benchwright.cli.main import LazyGroup
from benchwright.cli.metavars import named


class RecipeTable(Mapping[str, tuple[str, str]]):
    """Recipes by name, the built-in ones first: its place and its line in --help. Imports none of them."""

    @cached_property
    def _installed(self) -> list[str]:
        return [name for name in registry.names("recipe") if name not in registry.RECIPES]

    def __iter__(self) -> Iterator[str]:
        return iter([*registry.RECIPES, *self._installed])

    def __len__(self) -> int:
        return len(registry.RECIPES) + len(self._installed)

    def __contains__(self, name: object) -> bool:
        return name in registry.RECIPES or name in self._installed

    def __getitem__(self, name: str) -> tuple[str, str]:
        return registry.RECIPES.get(name, ""), registry.summary("recipe", name)


class RecipeGroup(LazyGroup):
    """The group of the recipes' commands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, table=RecipeTable(), **options)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a recipe."""
        return named(registry.find("recipe", cmd_name).command) if cmd_name in self._table else None


@click.group(cls=RecipeGroup)
def build() -> None:
    """Build a data set, every row of which was executed before it was published."""
