"""`benchwright schema [NAME]`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from benchwright.cli import shell_completion
from benchwright.cli.arguments import not_empty
from benchwright.errors import UsageError, command_name

_HEAD = """\
# Schemas of rows and files

Fields of the rows of data sets and of the files in a run folder. `benchwright schema --page` writes this
page; `benchwright schema NAME` prints one schema as JSON Schema (draft 2020-12) for editors and other
programs. Fields in **bold** are required. Readers keep unknown fields, except in own tasks, where they are
errors.
"""


@click.command()
@click.argument("name", required=False, callback=not_empty, shell_complete=shell_completion.schema_names)
@click.option("--page", is_flag=True, help="Print all schemas as one Markdown page.")
def command(name: str | None, page: bool) -> None:
    """Print the JSON Schema of a row, a verdict, a score or a file of a run folder; without NAME, list them.

    \b
    benchwright schema
    benchwright schema own > own.schema.json
    benchwright schema --page > schemas.md
    """
    from benchwright.running.schemas import described, schema_names, schema_of  # noqa: PLC0415 (judges: 0.1 s)

    if page and name:
        raise UsageError("--page prints all schemas", hint=f"{command_name()} schema --page")
    if page:
        click.echo(page_text(), nl=False)
    elif name:
        import json  # noqa: PLC0415

        click.echo(json.dumps(schema_of(name), indent=2, ensure_ascii=False))
    else:
        names = schema_names()
        width = max(map(len, names))
        for each in names:
            click.echo(f"{each:{width}}  {described(each).where}")


def page_text() -> str:
    """All schemas as one Markdown page, with a table of fields for each name and each nested record."""
    from benchwright.running.schemas import schema_names, schema_of  # noqa: PLC0415

    parts = [_HEAD]
    for name in schema_names():
        schema = schema_of(name)
        parts.append(
            f"## {name}\n\n{_sentence(schema['$comment'])} {schema['description']}\n\n{_table(schema)}"
        )
        for inner, definition in schema.get("$defs", {}).items():
            text = _table(definition) if "properties" in definition else f"One of: {_values(definition)}\n"
            parts.append(
                f"### {inner} of {name}\n\n{definition.get('description', '')}\n\n{text}".replace(
                    "\n\n\n\n", "\n\n"
                )
            )
    return "\n".join(parts)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _table(schema: dict[str, Any]) -> str:
    rows = ["| field | type | default | what |", "|---|---|---|---|"]
    return "\n".join([*rows, *_rows(schema)]) + "\n"


def _rows(schema: dict[str, Any]) -> Iterator[str]:
    required = schema.get("required", [])
    for name, field in schema["properties"].items():
        cell = f"**{name}**" if name in required else name
        default = "" if name in required else f"`{_json(field.get('default'))}`"
        yield f"| {cell} | {_type(field)} | {default} | {_cell(field.get('description', ''))} |"


def _type(field: dict[str, Any]) -> str:
    """A field's type in words."""
    if "$ref" in field:
        return f"{field['$ref'].rpartition('/')[2]}"
    if "anyOf" in field:
        return " or ".join(map(_type, field["anyOf"]))
    if "enum" in field:
        return f"one of {_values(field)}"
    kind = str(field.get("type", "any value"))
    inner = field.get("items" if kind == "array" else "additionalProperties")
    if not isinstance(inner, dict) or not inner:
        return kind
    return f"{kind} of ({_type(inner)})" if "anyOf" in inner else f"{kind} of {_type(inner)}"


def _values(field: dict[str, Any]) -> str:
    return ", ".join(f"`{_json(each)}`" for each in field["enum"])


def _json(value: object) -> str:
    import json  # noqa: PLC0415

    return json.dumps(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
