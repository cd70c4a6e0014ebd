"""Suite files: reading, checking and their JSON Schema."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

import click
import msgspec

from benchwright.cli.run import command as run_command
from benchwright.cli.run import run_options
from benchwright.cli.suite_preset import PRESETS, expand
from benchwright.display.escape import escaped_name
from benchwright.display.wording import counted
from benchwright.errors import BenchwrightError, DataError, UsageError, command_name, nearest_hint
from benchwright.running.prompt_files import run_name
from benchwright.running.suite import (
    PlannedRun,
    SuiteCell,
    SuiteThreshold,
    Threshold,
    check_thresholds,
    plan_cells,
)
from benchwright.store.field_map import SEPARATOR

MOST_BYTES = 1 << 20
MOST_CELLS = 1_000
MOST_PART = 255  # bytes of a part of a path
MOST_NAME = 100  # bytes: the name of a folder contains those of a track and a model
TOP = ("preset", "data", "out", "defaults", "models", "tracks", "fail-under", "fail-over")
OWN = {
    "models": ("model", "name", "tracks"),
    "tracks": ("track", "name"),
}  # keys that are not options of `run`
BOUNDS: tuple[SuiteThreshold, ...] = ("fail-under", "fail-over")
_LEFT_OUT = frozenset(  # set by the suite
    ("track", "models", "out", "summary", "as_json", "quiet", "ask_only", "fresh")
)
_FILES = ("data", "model", "judge", "tasks", "prompt", "repositories")  # options that may name a file
_SCHEMES = ("replay:", "transformers:", "@", "")

Table = Mapping[str, Any]


class SuiteFile(NamedTuple):
    """A parsed suite file."""

    name: str
    out: Path
    cells: list[SuiteCell]
    thresholds: list[Threshold]
    preset: str = ""
    missing: Mapping[str, str] = {}  # task sets of the preset that are not run, with the reason


def options_of_run() -> dict[str, click.Option]:
    """Return the options that a suite may set, by name without dashes."""
    found = {}
    for param in run_command.params:
        if isinstance(param, click.Option) and param.name not in _LEFT_OUT and not param.hidden:
            found[max(param.opts, key=len).removeprefix("--")] = param
    return found


class SelectedRuns(NamedTuple):
    """The selected runs of a suite with their thresholds, and the cells that are not selected."""

    name: str
    out: Path
    planned: list[PlannedRun]
    thresholds: list[Threshold]
    others: list[SuiteCell]
    preset: str = ""
    missing: Mapping[str, str] = {}


def select_runs(suite: SuiteFile, *, only: Sequence[str], out: Path | None) -> SelectedRuns:
    """Plan the runs whose names match a pattern of `only`; all without one. Raises UsageError."""
    out = out or suite.out
    selection = [not only or any(fnmatchcase(each.name, pattern) for pattern in only) for each in suite.cells]
    planned = plan_cells(list(compress(suite.cells, selection)), out)
    if not planned:
        names = ", ".join(each.name for each in suite.cells)
        raise UsageError(f"--only {' '.join(only)} matches no run of the suite", hint=f"one of: {names}")
    cells = [each.cell for each in planned]
    thresholds = [each for each in suite.thresholds if not only or any(map(each.meets, cells))]
    check_thresholds(thresholds, planned)
    others = [each for each, is_wanted in zip(suite.cells, selection, strict=True) if not is_wanted]
    return SelectedRuns(suite.name, out, planned, thresholds, others, suite.preset, suite.missing)


def read_suite(path: Path) -> SuiteFile:
    """Read a suite file. Raises UsageError that names the entry and the key."""
    return parse_suite(path, lambda: _parse_toml(path))


def parse_suite(path: Path, read: Callable[[], dict[str, Any]]) -> SuiteFile:
    """Return the suite of a document that `read` returns; `path` names it and locates its files."""
    try:
        return _parse_document(path, read())
    except DataError as error:  # an invalid file must not have the exit code of a missed threshold
        raise UsageError(error.message, hint=error.hint) from None


def _parse_document(path: Path, document: dict[str, Any]) -> SuiteFile:
    _check_keys(path, "the suite", document, TOP)
    preset, missing = _text(path, "the suite", document, "preset") or "", dict[str, str]()
    if preset:
        document, missing = expand(path, document)
    elif "data" in document:
        message = "`data` of a suite needs a preset"
        raise DataError(message, path=str(path), field="data", hint='preset = "mera-code"')
    tables = {kind: _tables(path, document, kind) for kind in ("models", "tracks", *BOUNDS)}
    defaults = document.get("defaults", {})
    if not isinstance(defaults, dict):
        raise DataError("[defaults] must be a table", path=str(path), hint="[defaults]\nn = 5")
    _check_keys(path, "[defaults]", defaults, options_of_run())
    entries = {kind: dict(_named_entries(path, kind, tables[kind])) for kind in OWN}
    cells = list(_cells(path, defaults, entries["models"], entries["tracks"]))
    if preset:
        cells = [msgspec.structs.replace(cell, asks_anyway=True) for cell in cells]
    if not cells:
        raise DataError("the suite has no runs", path=str(path), hint="check `tracks` of the models")
    thresholds = [_threshold(path, side, each) for side in BOUNDS for each in tables[side]]
    return SuiteFile(path.stem, _out(path, document), cells, thresholds, preset, missing)


def _parse_toml(path: Path) -> dict[str, Any]:
    """Parse the TOML document, after a check of its size."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        message = f"cannot read {escaped_name(str(path), 200)}: {error.strerror}"
        raise UsageError(message, hint="provide the TOML file of a suite") from None
    if len(data) > MOST_BYTES:
        raise DataError(f"the suite file exceeds {MOST_BYTES:,} bytes", path=str(path))
    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError:
        raise DataError("not UTF-8 text", path=str(path), hint="provide the TOML file of a suite") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(f"invalid TOML: {error}", path=str(path), hint="https://toml.io") from None


def _check_keys(path: Path, place: str, table: Table, names: Sequence[str] | Mapping[str, Any]) -> None:
    """Raise DataError for an unknown key, with the nearest known one."""
    for key in table:
        if key not in names:
            message = f"{place}: unknown key {escaped_name(key)!r}"
            raise DataError(message, path=str(path), field=escaped_name(key), hint=nearest_hint(key, names))


def _tables(path: Path, document: Table, kind: str) -> list[Table]:
    found = document.get(kind, [])
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise DataError(f"{kind} must be an array of tables", path=str(path), field=kind, hint=f"[[{kind}]]")
    return found


def _named_entries(path: Path, kind: str, tables: Sequence[Table]) -> Iterator[tuple[str, Table]]:
    """Yield entries by name; the default name is that of the model or track."""
    own, seen = OWN[kind], set()
    if not tables:
        raise DataError(f"missing [[{kind}]]", path=str(path), hint=f'[[{kind}]]\n{own[0]} = "…"')
    for number, table in enumerate(tables, 1):
        place = f"[[{kind}]] {number}"
        entry_name = _text(path, place, table, own[0])
        if entry_name is None:
            message = f"{place}: missing `{own[0]}`"
            raise DataError(message, path=str(path), field=own[0], hint=f'{own[0]} = "…"')
        name = _text(path, place, table, "name") or _short(entry_name)
        _check_keys(path, f"{place} ({escaped_name(name)})", table, [*own, *options_of_run()])
        _check_name(path, place, name)
        if name in seen:
            message = f"{place}: duplicate name {escaped_name(name)!r}"
            raise DataError(message, path=str(path), field="name", hint='set name = "…" in one of them')
        seen.add(name)
        yield name, table


def _check_name(path: Path, place: str, name: str) -> None:
    """Raise DataError for a name that is not a valid file name in the suite's folder."""
    is_part = name not in (".", "..") and not any(each in "/\\" for each in name) and name.isprintable()
    if is_part and len(name.encode("utf-8", "replace")) <= MOST_NAME:
        return
    message = (
        f"{place}: the name {escaped_name(name, 60)!r} must be a file name without / and \\, "
        f"at most {MOST_NAME} bytes long"
    )
    raise DataError(message, path=str(path), field="name", hint='name = "…"')


def _text(path: Path, place: str, table: Table, key: str) -> str | None:
    value = table.get(key)
    if value is not None and not (isinstance(value, str) and value):
        message = f"{place}: `{key}` must be a string, not empty"
        raise DataError(message, path=str(path), field=key, hint=f'{key} = "…"')
    return value


def _short(spec: str) -> str:
    """Return the name of a model without scheme and folders."""
    return spec.partition(":")[2].rstrip("/").rsplit("/", 1)[-1] or spec.rstrip(":")


def _out(path: Path, document: Table) -> Path:
    value = _text(path, "the suite", document, "out")
    if value and any(len(part.encode("utf-8", "replace")) > MOST_PART for part in Path(value).parts):
        message = f"the suite: `out` has a name that is too long for a file system: {escaped_name(value, 60)}"
        raise DataError(message, path=str(path), field="out", hint='out = "runs/nightly"')
    return path.parent / value if value else Path("runs") / path.stem


def _cells(path: Path, defaults: Table, models: Table, tracks: Table) -> Iterator[SuiteCell]:
    if len(models) * len(tracks) > MOST_CELLS:
        message = (
            f"{counted(len(models), 'model')} on {counted(len(tracks), 'track')} exceed {MOST_CELLS:,} runs"
        )
        raise DataError(message, path=str(path), hint="write several suites")
    for model_name, model in models.items():
        patterns = model.get("tracks", ["*"])
        if not isinstance(patterns, list) or not all(isinstance(each, str) for each in patterns):
            message = "`tracks` of a model must be a list of names"
            raise DataError(message, path=str(path), field="tracks", hint='tracks = ["ru", "mbpp*"]')
        for track_name, track in tracks.items():
            if any(fnmatchcase(track_name, each) for each in patterns):
                place = f"{path}: {track_name}/{model_name}"
                merged = {**defaults, **track, **model}
                for given, name in _by_prompt(merged, model_name):
                    yield _cell(given, (track_name, name, model_name), folder=path.parent, place=place)


def _by_prompt(merged: Table, model: str) -> Iterator[tuple[Table, str]]:
    """Yield the options of each run of a model on a track, and its name: one run for each prompt file."""
    prompts = merged.get("prompt")
    if not isinstance(prompts, list) or len(prompts) < 2:
        yield merged, model
        return
    for prompt in prompts:
        yield {**merged, "prompt": prompt}, run_name(model, Path(str(prompt)).stem)


def _cell(merged: Table, names: tuple[str, str, str], *, folder: Path, place: str) -> SuiteCell:
    """Return a cell by the names of its track, its run and its model."""
    track_name, run, model_name = names
    words = {"{track}": track_name, "{model}": model_name}
    given = {key: _fill_placeholders(value, words) for key, value in merged.items()}
    arguments = [str(given["track"]), f"--model={_locate_file('model', given['model'], folder)}"]
    for key, option in options_of_run().items():
        if key in given:
            arguments += _arguments(option, key, given[key], folder)
    return read_cell(arguments, (track_name, run), place=place)


def read_cell(arguments: Sequence[str], names: tuple[str, str], *, place: str) -> SuiteCell:
    """Parse arguments of `run` into a cell. Raises UsageError that begins with `place`."""
    track_name, model_name = names
    try:
        with run_command.make_context("run", list(arguments)) as context:
            params = context.params
            options = run_options(params["track"], params)
    except click.ClickException as error:
        raise UsageError(f"{place}: {error.format_message()}", hint=f"{command_name()} run --help") from None
    except BenchwrightError as error:
        error.message = f"{place}: {error.message}"
        raise
    options = msgspec.structs.replace(options, name=model_name)
    return SuiteCell(model=model_name, track=track_name, options=options, workers=params["workers"])


def _fill_placeholders(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, list):
        return [_fill_placeholders(each, words) for each in value]
    if isinstance(value, str):
        for word, stands_for in words.items():
            value = value.replace(word, stands_for)
    return value


def _arguments(option: click.Option, key: str, value: Any, folder: Path) -> Iterator[str]:
    """Yield the arguments of `run` for a key and its value."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise UsageError(f"`{key}` must be true or false", hint=f"{key} = true")
        if value:
            yield f"--{key}"
        return
    for each in _option_values(key, value, option):
        yield f"--{key}={_locate_file(key, each, folder)}"


def _option_values(key: str, value: Any, option: click.Option) -> list[Any]:
    """Return the values of an option, one for each repetition."""
    if isinstance(value, dict):  # additional fields of a request, weights, or a field map
        if key in ("map", "set", "fields"):
            return [f"{name}={_plain_text(each)}" for name, each in value.items()]
        if key == "weights":
            return [",".join(f"{name}={weight}" for name, weight in value.items())]
        return [f"{name}={msgspec.json.encode(each).decode()}" for name, each in value.items()]
    if isinstance(value, list) and option.multiple:
        return value
    return [value]


def _plain_text(value: Any) -> str:
    """Return the text of a field map's value; a list of texts is separated by `|`."""
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return SEPARATOR.join(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _locate_file(key: str, value: Any, folder: Path) -> str:
    """Format a value for `run`; files are also searched for next to the suite file."""
    if isinstance(value, bool | dict | list) or not isinstance(value, str | int | float):
        raise UsageError(f"`{key}` must be a string or a number, not {escaped_name(str(value))}")
    text = str(value)
    if key in _FILES:
        scheme = next(each for each in _SCHEMES if text.startswith(each))
        local_path = folder / text.removeprefix(scheme)
        if text != scheme and local_path.exists():
            return f"{scheme}{local_path}"
    return text


def _threshold(path: Path, side: SuiteThreshold, table: Table) -> Threshold:
    """Parse a bound on a figure. Raises DataError for an invalid one."""
    place = f"[[{side}]]"
    _check_keys(path, place, table, ("measure", "value", "by", "track", "model"))
    try:
        given = {("bound" if key == "value" else key): value for key, value in table.items()}
        threshold = msgspec.convert({**given, "side": side}, Threshold)
    except msgspec.ValidationError as error:
        hint = f'{place}\nmeasure = "pass@1"\nvalue = 0.6'
        message = f"{place}: {str(error).replace('bound', 'value')}"
        raise DataError(message, path=str(path), field=side, hint=hint) from None
    if not -1 <= threshold.bound <= 1:  # a correlation may be below 0
        message = f"{place}: `value` {threshold.bound:g} must be between 0 and 1"
        raise DataError(message, path=str(path), field=side, hint="value = 0.6   # of 60 %")
    return threshold


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
                "preset": {"enum": list(PRESETS), "description": "Add the tracks of a benchmark."},
                "data": {**_NAME, "description": "Folder with the data sets of the preset."},
                "out": {**_NAME, "description": "Folder of runs and report, relative to the file."},
                "defaults": _object(options),
                **entries,
                **{side: _list(_threshold_schema(side)) for side in BOUNDS},
            },
            required=["models"],
        ),
        "anyOf": [{"required": ["tracks"]}, {"required": ["preset", "data"]}],
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


def _threshold_schema(side: str) -> dict[str, Any]:
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
