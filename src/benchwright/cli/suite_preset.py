"""The preset `mera-code` of a suite: a run of each task of MERA Code, and one submission for each model.

Data sets are found in one folder by the names of tasks: `CodeLinterEval/test.json`, `code_linter_eval.jsonl`.
A task without a data set, or without a track here, is listed as missing. If outputs are hidden, or the
environment is missing, answers are asked for and packed, but not scored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.contracts import PartwiseTrack
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import BenchwrightError, DataError, nearest_hint
from benchwright.interop.mera.run_results import from_run
from benchwright.interop.mera.submission import TEXT, ExportedSubmission, export
from benchwright.interop.mera.task_sets import EXECUTED, KINDS, TaskSetKind, hides_outputs
from benchwright.progress import Silent
from benchwright.registry import declaration
from benchwright.running.suite import CellResult, PlannedRun

MERA_CODE = "mera-code"
PRESETS = (MERA_CODE,)
_SUFFIXES = (".json", ".jsonl", ".json.gz", ".jsonl.gz", ".parquet")
_PROFILES = ("strict", "mera-exact", "mera-code")  # of MERA's rules the ones of MERA Code
_STORED = ("gold:", "stub:", "replay:")  # models that take no parameters of requests
# Parameters of MERA's task files that a live model is asked with; the number of answers is the track's.
_ASKED: Mapping[str, Mapping[str, Any]] = {
    "ruHumanEval": {"max-tokens": 1024},
    "ruCodeEval": {"max-tokens": 1024},
    "CodeLinterEval": {"max-tokens": 1024},
    "ruCodeReviewer": {"max-tokens": 1000},
    "stRuCom": {"max-tokens": 512},
    "UnitTests": {"max-tokens": 1024},
    "RealCode": {"max-tokens": 4096, "temperature": 0.7, "top-p": 0.8},
    "RealCodeJava": {"max-tokens": 4096, "temperature": 0.7, "top-p": 0.8},
}


class PresetSuite(NamedTuple):
    """A suite document with the preset's tracks, and the missing task sets with the reason."""

    document: dict[str, Any]
    missing: dict[str, str]


def expand(path: Path, document: Mapping[str, Any]) -> PresetSuite:
    """Replace `preset` and `data` by tracks. Tables of `[[tracks]]` change those with the same `track`."""
    name, folder = document["preset"], document.get("data")
    if name not in PRESETS:
        message = f"unknown preset {escaped_name(str(name))!r}"
        raise DataError(message, path=str(path), field="preset", hint=nearest_hint(str(name), PRESETS))
    if not isinstance(folder, str) or not (path.parent / folder).is_dir():
        message = "`data` must be the folder with the data sets of the preset"
        raise DataError(message, path=str(path), field="data", hint='data = "mera"')
    tables, missing = list[dict[str, Any]](), dict[str, str]()
    own = {table.get("track"): table for table in _tables_of(document)}
    is_live = _is_live(document)
    for kind in KINDS.values():
        if not (track := _track_of(kind)):
            missing[kind.name] = "no track here judges it"
        elif (found := _data_of(kind, path.parent / folder)) is None:
            missing[kind.name] = f"no data set in {escaped_path(path.parent / folder)}"
        else:
            tables.append(_table(kind, found, own.pop(track, {}), document.get("defaults"), is_live=is_live))
    rest = {key: value for key, value in document.items() if key not in ("preset", "data")}
    return PresetSuite({**rest, "tracks": [*tables, *own.values()]}, missing)


def _tables_of(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    tables = document.get("tracks", [])
    return [each for each in tables if isinstance(each, dict)] if isinstance(tables, list) else []


def _is_live(document: Mapping[str, Any]) -> bool:
    models = document.get("models", [])
    specs = [str(each.get("model", "")) for each in models if isinstance(each, dict)]
    return not any(spec.startswith(_STORED) for spec in specs)


def _table(
    kind: TaskSetKind, data: Path, own: Mapping[str, Any], defaults: object, *, is_live: bool
) -> dict[str, Any]:
    """The table of a track: the user's keys override the preset's."""
    usual = defaults if isinstance(defaults, dict) else {}
    parameters = _ASKED.get(kind.name, {}) if is_live else {}
    preset_values = {key: value for key, value in parameters.items() if key not in usual}
    track = _track_of(kind)
    profiles = [each for each in declaration(track).profiles if each in _PROFILES]
    given = {"profile": profiles} if "profile" not in usual else {}
    return {"track": track, "data": str(data.resolve()), **given, **preset_values, **own}


def _data_of(kind: TaskSetKind, folder: Path) -> Path | None:
    """The data set of a task set. Raises DataError for more than one."""
    found = list(_candidates(kind, folder))
    if len(found) > 1:
        candidates = " and ".join(escaped_path(each) for each in found[:2])
        raise DataError(f"two data sets of {kind.name}: {candidates}", hint="keep one of them in the folder")
    return found[0] if found else None


def _candidates(kind: TaskSetKind, folder: Path) -> Iterator[Path]:
    names = {_plain(kind.name), _plain(_track_of(kind))}
    for each in sorted(folder.iterdir()):
        if each.is_dir() and _plain(each.name) in names:
            yield from (each / f"test{suffix}" for suffix in _SUFFIXES if (each / f"test{suffix}").is_file())
        for suffix in _SUFFIXES:
            if each.is_file() and each.name.endswith(suffix) and _plain(each.name[: -len(suffix)]) in names:
                yield each


def _track_of(kind: TaskSetKind) -> str:
    """The track that judges a task set: the one with its name, else the first; empty if there is none."""
    return kind.log_name if kind.log_name in kind.tracks else kind.track


def _kind_of(track: str) -> TaskSetKind:
    """The task set whose track this is."""
    return next(kind for kind in KINDS.values() if _track_of(kind) == track)


def _plain(name: str) -> str:
    return name.casefold().replace("_", "").replace("-", "")


def why_unscored(planned: PlannedRun) -> str:
    """Why a run cannot be scored here; empty if it can. Its answers can be packed."""
    kind = _kind_of(planned.plan.track.name)
    if kind.name in EXECUTED:
        return ""
    if any(hides_outputs(task, kind) for task in planned.plan.tasks.values()):
        return "its outputs are hidden: MERA's server scores it"
    return ""


def without_judges(planned: Sequence[PlannedRun]) -> dict[str, str]:
    """Runs whose answers need a model judge and have none, with what is missing."""
    reason = "no model judge, so figures by a judge are missing: set `judge` in a table of [[tracks]]"
    lacking = (
        each for each in planned if isinstance(each.plan.track, PartwiseTrack) and not each.plan.judges
    )
    return {each.cell.name: reason for each in lacking}


class PackedModel(NamedTuple):
    """The submission of a model, if any run is complete, and the runs that were left out, with the reason."""

    model: str
    submission: ExportedSubmission | None
    left_out: dict[str, str]


def pack(results: Sequence[CellResult], out: Path, *, workers: int | None = None) -> list[PackedModel]:
    """Write a submission for each model with all of its complete runs. Equal runs give equal bytes."""
    models = dict.fromkeys(each.planned.cell.model for each in results)
    return [_pack(model, results, out, workers=workers) for model in models]


def _pack(model: str, results: Sequence[CellResult], out: Path, *, workers: int | None) -> PackedModel:
    sources, left_out = [], {}
    for each in results:
        if each.planned.cell.model != model:
            continue
        try:
            if each.error is not None:
                raise each.error
            name = _kind_of(each.planned.plan.track.name).name
            sources.append(from_run(each.planned.folder, task_name=name, data=None, missing="refuse"))
        except BenchwrightError as error:
            left_out[each.planned.cell.track] = error.message
    if not sources:
        return PackedModel(model, None, left_out)
    written = export(
        sources,
        out=out / f"submission-{model}.zip",
        none=TEXT,
        logs=True,
        samples=None,
        workers=workers,
        watch=Silent(),
    )
    return PackedModel(model, written, left_out)


def preset_lines(missing: Mapping[str, str], packed: Sequence[PackedModel]) -> Iterator[str]:
    """The missing task sets, the submissions, and what they lack, one line each."""
    yield from (f"missing: {name}: {reason}" for name, reason in missing.items())
    for each in packed:
        yield from (
            f"left out of {each.model}'s submission: {name}: {reason}"
            for name, reason in each.left_out.items()
        )
        if each.submission is not None:
            sets = ", ".join(part.checked.kind.name for part in each.submission.parts)
            yield f"submission of {each.model}: {escaped_path(each.submission.path)} ({sets})"


def preset_document(missing: Mapping[str, str], packed: Sequence[PackedModel]) -> dict[str, Any]:
    """The same as a JSON document."""
    return {
        "missing": dict(missing),
        "submissions": [
            {
                "model": each.model,
                "submission": str(each.submission.path) if each.submission else None,
                "task_sets": [part.checked.kind.name for part in each.submission.parts]
                if each.submission
                else [],
                "left_out": each.left_out,
            }
            for each in packed
        ],
    }
