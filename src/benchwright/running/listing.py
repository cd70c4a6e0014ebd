"""List tracks, model schemes, run folders, and data sets by name or file."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchwright import registry
from benchwright.contracts import Track
from benchwright.display.escape import escaped_path
from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.records import Metric, Record, Score
from benchwright.running.run_data import measures_of, open_run, read_score
from benchwright.store.data_files import open_rows
from benchwright.store.named_data import NamedData, is_here, known_data
from benchwright.store.runfolder import RunFolder
from benchwright.tracks.row_detection import track_of_row

DEPTH = 4  # folders below the one that is named
MAX_ENTRIES = 20_000  # looked at in all
LOOKED_AT = 5  # rows of a file, to tell whose they are
_RUN = "run.json"
_DATA = (".jsonl", ".json", ".toml", ".parquet", ".jsonl.gz", ".json.gz")
# Descriptions of our schemes. A test compares them with the registry.
_SCHEMES = {
    "openai": "the model NAME of any OpenAI-compatible server; --base-url says where it is",
    "ollama": "a model of the Ollama server on this machine, or of that of --base-url",
    "vllm": "the model of the vLLM server on this machine, or of that of --base-url",
    "openrouter": "a model at OpenRouter; the key is OPENROUTER_API_KEY",
    "anthropic": "a model of Anthropic by its own interface; the key is ANTHROPIC_API_KEY",
    "gemini": "a model of Google by its own interface; the key is GEMINI_API_KEY",
    "azure": "a deployment at Azure; AZURE_OPENAI_ENDPOINT and AZURE_OPENAI_API_KEY are required",
    "bedrock": "a model of Amazon Bedrock; AWS_REGION and AWS_BEARER_TOKEN_BEDROCK are required",
    "vertex": "a model of Vertex AI; needs GOOGLE_CLOUD_PROJECT, GOOGLE_CLOUD_LOCATION and an access token",
    "litellm": "a model of a LiteLLM proxy, on this machine or at LITELLM_PROXY_API_BASE",
    "transformers": "the weights in FOLDER, on this machine",
    "replay": "the answers stored in FILE, such as a run's answers.jsonl",
    "gold": "each task's own solution, which must pass everywhere",
    "stub": "an answer that does nothing, which must pass nowhere",
}


class ListedTrack(Record, frozen=True, kw_only=True):
    """A track. `schema NAME` describes its rows."""

    name: str
    title: str
    judged: str  # "executed" or "compared"
    measure: str  # that runs are compared by
    answers: int  # to each question of a sampled model, where nobody says --n
    profiles: list[str]


class ListedModel(Record, frozen=True, kw_only=True):
    """A scheme of models."""

    scheme: str
    about: str


class ListedRun(Record, frozen=True, kw_only=True):
    """A run folder. `state` explains a missing score."""

    run: str  # path
    track: str = ""
    model: str = ""
    measure: str = ""
    score: Metric | None = None
    answers: int = 0
    date: str = ""  # when it was finished, else started: ISO 8601, UTC
    state: str = "finished"  # "not finished", or what is wrong with it


class ListedData(Record, frozen=True, kw_only=True):
    """A data set that --data accepts: a name, or a file whose first rows a track reads."""

    data: str  # the name, or the path
    track: str
    named: bool
    here: bool  # a file, or a named set with a complete copy: no network is needed
    path: str  # of the file, or of the copy, which may be missing
    bytes: int  # of a named set unpacked
    rows: int | None = None  # None of a file: it is not read to its end
    licence: str = ""
    title: str = ""
    homepage: str = ""
    sha256: str = ""


def list_tracks() -> list[ListedTrack]:
    """Return all tracks by name, including those of other packages."""
    return [_track(registry.find("track", name)) for name in registry.names("track")]


def list_models() -> list[ListedModel]:
    """Return all model schemes by name, including those of other packages."""
    return [ListedModel(scheme=name, about=_scheme_description(name)) for name in registry.names("model")]


def list_runs(folder: str | Path) -> list[ListedRun]:
    """Return the run folders in a folder and below, newest first. Raises UsageError for a missing folder."""
    runs = [_run(path) for path in find_run_folders(folder)]
    return sorted(sorted(runs, key=lambda run: run.run), key=lambda run: run.date, reverse=True)


def find_run_folders(folder: str | Path) -> Iterator[Path]:
    """Yield the run folders in a folder and below. Raises UsageError for a missing folder."""
    return (path.parent for path in _files(folder) if path.name == _RUN)


def list_data(folder: str | Path | None = None) -> list[ListedData]:
    """Return the named data sets, then the files in the current folder and below whose rows a track reads.

    For a given folder, only its files. Skips run folders. Raises UsageError for a missing folder.
    """
    named_sets = [listed_name(each) for each in known_data().values()] if folder is None else []
    return [*named_sets, *_data_files(folder or ".")]


def listed_name(data: NamedData) -> ListedData:
    """Return the facts about a named data set, and whether it is on this machine."""
    return ListedData(
        data=data.name,
        track=data.track,
        named=True,
        here=is_here(data),
        path=escaped_path(data.place),
        bytes=data.bytes,
        rows=data.rows,
        licence=data.licence,
        title=data.title,
        homepage=data.homepage,
        sha256=data.sha256,
    )


def _data_files(folder: str | Path) -> list[ListedData]:
    """Return the files by path."""
    found = [path for path in _files(folder) if path.name.endswith(_DATA)]
    entries = (
        ListedData(
            data=escaped_path(path),
            track=track,
            named=False,
            here=True,
            path=escaped_path(path),
            bytes=path.stat().st_size,
        )
        for path in found
        if not (path.parent / _RUN).exists() and (track := _track_of(path))
    )
    return sorted(entries, key=lambda each: each.data)


def _track(track: Track) -> ListedTrack:
    return ListedTrack(
        name=track.name,
        title=track.title,
        judged="executed" if track.executes else "compared",
        measure=track.measures.headline.name,
        answers=track.default_n,
        profiles=list(track.profiles),
    )


def _scheme_description(scheme: str) -> str:
    """Return the description of a scheme; for another package, the docstring of its opener."""
    if scheme in _SCHEMES:
        return _SCHEMES[scheme]
    description = inspect.getdoc(registry.find("model", scheme)) or "of an installed package"
    return description.split("\n")[0]


def _run(path: Path) -> ListedRun:
    try:
        folder = open_run(path)
    except BenchwrightError as error:
        return ListedRun(run=escaped_path(path), state=error.message)
    try:
        score = read_score(folder)
    except BenchwrightError:
        return _listed_run(folder, state="not finished")
    return _scored_run(folder, score)


def _scored_run(folder: RunFolder, score: Score) -> ListedRun:
    """Return the row of a run with the first figure of its track."""
    names = measures_of(score.track).in_order(score.metrics)
    name = measures_of(score.track).headline.name if names else ""
    name = name if name in score.metrics else next(iter(names), "")
    return _listed_run(folder, measure=name, score=score.metrics.get(name), answers=score.answers)


def _listed_run(
    folder: RunFolder,
    *,
    state: str = "finished",
    measure: str = "",
    score: Metric | None = None,
    answers: int = 0,
) -> ListedRun:
    manifest = folder.manifest
    return ListedRun(
        run=escaped_path(folder.path),
        track=str(manifest["identity"].get("track", "")),
        model=str(manifest.get("model", "")),
        measure=measure,
        score=score,
        answers=answers,
        date=str(manifest.get("finished") or manifest.get("started") or ""),
        state=state,
    )


def _track_of(path: Path) -> str:
    """Return the track of a file's first rows; empty where there is none, or the file cannot be read."""
    try:
        rows = islice(open_rows(path), LOOKED_AT)
        return next((track for _, row in rows if (track := track_of_row(row))), "")
    except (DataError, UsageError):
        return ""


def _files(folder: str | Path) -> Iterator[Path]:
    """Yield the files of a folder and of its subfolders, up to a depth and a number of entries."""
    top = Path(folder)
    if not top.is_dir():
        raise UsageError(f"folder not found: {escaped_path(top)}", hint="name the folder that has them")
    entry_count = 0
    for place, folders, names in os.walk(top):
        deep = len(Path(place).relative_to(top).parts)
        folders[:] = sorted(each for each in folders if not each.startswith(".")) if deep < DEPTH else []
        entry_count += len(folders) + len(names)
        if entry_count > MAX_ENTRIES:
            return
        yield from (Path(place) / name for name in sorted(names))
