"""JSON Schema of suite files for editors, made from the options of `run`."""

from __future__ import annotations

from typing import Any

import click

from benchwright.cli.suite_file import BOUNDS, options_of_run

_NAME = {"type": "string", "minLength": 1}
_OWN: dict[str, dict[str, Any]] = {
    "models": {
        "model": {**_NAME, "description": "openai:NAME, transformers:FOLDER, replay:FILE, gold: or stub:."},
        "name": {**_NAME, "description": "Name in tables; by default the model's name."},
        "tracks": {
            "type": "array",
            "items": _NAME,
            "description": "Patterns of names of the tracks to run on; by default all.",
        },
    },
    "tracks": {
        "track": {**_NAME, "description": "humaneval, ruhumaneval, codecorrectness and others."},
        "name": {**_NAME, "description": "Name in tables; by default the track's name."},
    },
}


def schema() -> dict[str, Any]:
    """Return the JSON Schema, draft 2020-12."""
    options = {name: _property(option) for name, option in options_of_run().items()}
    entries = {
        kind: _list(_object({**own, **options}, required=[next(iter(own))])) for kind, own in _OWN.items()
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A suite of runs of Benchwright",
        **_object(
            {
                "out": {**_NAME, "description": "Folder of runs and report, relative to the file."},
                "defaults": _object(options),
                **entries,
                **{side: _list(_threshold(side)) for side in BOUNDS},
            },
            required=["models", "tracks"],
        ),
    }


def _object(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        **({"required": required} if required else {}),
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _threshold(side: str) -> dict[str, Any]:
    bound = "Minimum" if side == "fail-under" else "Maximum"
    return _object(
        {
            "measure": {**_NAME, "description": "Metric of the score, such as pass@1."},
            "value": {"type": "number", "description": f"{bound}, as a fraction from 0 to 1."},
            "by": {
                "enum": ["value", "low", "high"],
                "description": "Compare the value, or a limit of its 95 % interval.",
            },
            "track": {**_NAME, "description": "Pattern of names; by default all."},
            "model": {**_NAME, "description": "Pattern of names; by default all."},
        },
        required=["measure", "value"],
    )


def _property(option: click.Option) -> dict[str, Any]:
    """Return the schema of an option's value in TOML."""
    about = {"description": option.help or ""}
    if option.is_flag:
        return {"type": "boolean", **about}
    one = _type(option.type)
    if option.metavar and "=" in option.metavar:  # KEY=JSON, PART=W: a table says the same
        return {"anyOf": [one, {"type": "array", "items": one}, {"type": "object"}], **about}
    return {"anyOf": [one, {"type": "array", "items": one}], **about} if option.multiple else {**one, **about}


def _type(kind: click.ParamType[Any]) -> dict[str, Any]:
    if isinstance(kind, click.Choice):
        return {"enum": list(kind.choices)}
    if isinstance(kind, click.IntRange | click.FloatRange):
        name = "integer" if isinstance(kind, click.IntRange) else "number"
        return {"type": name, **({"minimum": kind.min} if kind.min is not None else {})}
    return {"type": {"integer": "integer", "float": "number"}.get(kind.name, "string")}
