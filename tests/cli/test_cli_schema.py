"""`schema`: names, one schema, and the page that is in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchwright.running.schemas import schema_names
from kit.command_line import benchwright, called

PAGE = Path(__file__).parents[2] / "docs" / "schemas.md"


def test_without_a_name_all_names_are_listed() -> None:
    said = benchwright("schema")

    assert (said.code, [line.split()[0] for line in said.out.splitlines()]) == (0, schema_names())


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_one_json_document(name: str) -> None:
    said = called("schema", name)

    assert (said.code, said.document["title"], said.document["type"]) == (0, name, "object")


def test_the_page_in_the_documentation_is_what_the_command_prints() -> None:
    """Write it again: benchwright schema --page > docs/schemas.md."""
    assert called("schema", "--page").out == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scores"], "did you mean `score`?"),
        (["own", "--page"], "--page prints all"),
        ([""], "NAME is empty"),
    ],
)
def test_a_wrong_call_of_schema_has_a_hint(arguments: list[str], message: str) -> None:
    said = called("schema", *arguments)

    assert (said.code, message in said.err) == (2, True)
