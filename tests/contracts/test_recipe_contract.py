"""Every recipe of the registry satisfies the contract of recipes."""

from __future__ import annotations

import click
import pytest

from benchwright import registry
from benchwright.contracts import BuildRecipe
from benchwright.records import Record

SHARED = {"--from", "--out", "--licence", "--gate", "--json", "--quiet"}


@pytest.fixture(params=registry.RECIPES)
def recipe(request: pytest.FixtureRequest) -> BuildRecipe:
    found: BuildRecipe = registry.find("recipe", request.param)
    assert found.name == request.param
    return found


def test_its_stages_read_earlier_ones(recipe: BuildRecipe) -> None:
    """Names are unique, and each stage reads stages before it or the sources."""
    names = [stage.name for stage in recipe.stages]

    assert len(set(names)) == len(names)
    assert all(set(stage.after) <= set(names[:at]) for at, stage in enumerate(recipe.stages))
    assert all(issubclass(stage.record, Record) for stage in recipe.stages)  # type: ignore[attr-defined]


def test_its_command_has_the_shared_options(recipe: BuildRecipe) -> None:
    """A user finds them in every build; the one line about it is in the registry."""
    options = {name for param in recipe.command.params for name in param.opts}

    assert isinstance(recipe.command, click.Command)
    assert options >= SHARED
    assert registry.summary("recipe", recipe.name)
