"""Runs as runs of a Weights & Biases project: a summary with bounds, a configuration, a table of verdicts.

The id of a run follows from its key, so a second export updates the run of the first. The client's own
records (console, git, code, machine) are switched off: a run says nothing of this machine.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.display.escape import escaped_name
from benchwright.errors import PrerequisiteError, RunError, install_command
from benchwright.interop.exports.finished_runs import FinishedRun, finished_runs
from benchwright.interop.exports.tracked_run import (
    ExportedToTracker,
    tracked_figures,
    tracked_settings,
    verdict_table,
)

KEY, SERVER = "WANDB_API_KEY", "WANDB_BASE_URL"
_DATA = "WANDB_DATA_DIR"
PUBLIC = "https://api.wandb.ai"
_WAIT_S = 30.0
_QUIET = {
    "silent": True,
    "console": "off",
    "disable_git": True,
    "disable_code": True,
    "save_code": False,
    "disable_job_creation": True,
    "x_disable_stats": True,
    "x_disable_meta": True,
    "x_disable_machine_info": True,
    "x_save_requirements": False,
    "init_timeout": _WAIT_S,
}


def export_wandb(
    runs: Sequence[str | Path], *, project: str, entity: str | None = None, out: str | Path | None = None
) -> ExportedToTracker:
    """Log finished runs to a project of the server, or offline into the folder `out`, for `wandb sync`.

    The key comes from WANDB_API_KEY and the address of an own server from WANDB_BASE_URL. Raises RunError for
    a server that refuses or cannot be reached, PrerequisiteError without the client or the key.
    """
    library = _library()
    if out is None:
        _check_server(_key())
    loaded_runs = finished_runs(runs)
    ids = {run.name: run_id(run) for run in loaded_runs}
    with _folder(out) as folder, _staged_in(folder), _explained(library), _ended(library):
        known = [
            run.name for run in loaded_runs if _log(library, run, folder, project, entity, online=out is None)
        ]
    return ExportedToTracker(
        place=f"project {project}" if out is None else str(out),
        runs=ids,
        updated=known,
        figures=sum(len(tracked_figures(run)) for run in loaded_runs),
    )


def run_id(run: FinishedRun) -> str:
    """Return the id of a run: 16 hex digits of its key, since ids have at most 64 plain characters."""
    return hashlib.sha256(run.key.encode()).hexdigest()[:16]


def _log(
    library: Any, run: FinishedRun, folder: Path, project: str, entity: str | None, *, online: bool
) -> bool:
    """Log a run; return whether the server had it."""
    settings = library.Settings(mode="online" if online else "offline", root_dir=str(folder), **_QUIET)
    logged = library.init(
        project=project,
        entity=entity,
        id=run_id(run),
        name=run.name,
        resume="allow" if online else None,
        tags=["benchwright", run.track],
        config=tracked_settings(run),
        settings=settings,
    )
    try:
        for name, value in tracked_figures(run).items():
            logged.summary[name] = value
        table = verdict_table(run)
        artifact = library.Artifact(f"verdicts-{run_id(run)}", type="verdicts")
        artifact.add(library.Table(columns=table.columns, data=table.data), "verdicts")
        logged.log_artifact(artifact)  # an equal one is not stored again
        return bool(logged.resumed)
    finally:
        logged.finish()


def _library() -> Any:
    """Return the client. Raises PrerequisiteError if it is not installed."""
    os.environ.setdefault("WANDB_ERROR_REPORTING", "false")  # to its makers
    try:
        import wandb  # noqa: PLC0415 (an extra)
    except ImportError as error:
        message = f"exporting to Weights & Biases needs wandb: {error}"
        raise PrerequisiteError(message, hint=install_command("wandb")) from None
    return wandb


def _key() -> str:
    key = os.environ.get(KEY, "").strip()
    if not key:
        hint = f"export {KEY}=…, or write a folder for `wandb sync`: --out FOLDER"
        raise PrerequisiteError(f"{KEY} is not set", hint=hint)
    return key


def _check_server(key: str) -> None:
    """Raise RunError unless the server accepts the key: the client itself would retry for minutes."""
    import httpx  # noqa: PLC0415 (only an upload needs it)

    server = os.environ.get(SERVER, "").strip().rstrip("/") or PUBLIC
    query = {"query": "query Viewer { viewer { id } }"}
    try:
        reply = httpx.post(f"{server}/graphql", json=query, auth=("api", key), timeout=_WAIT_S)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        hint = f"check the network and the address of the server ({SERVER})"
        message = f"{escaped_name(server)} cannot be reached: {escaped_name(str(error), 200)}"
        raise RunError(message, hint=hint) from None
    if reply.status_code != httpx.codes.OK or not _viewer(reply):
        hint = f"set {KEY} to a valid key of this server"
        raise RunError(f"{escaped_name(server)} refused the key (status {reply.status_code})", hint=hint)


def _viewer(reply: Any) -> bool:
    """Return whether a reply names a user."""
    try:
        return bool(reply.json()["data"]["viewer"])
    except (ValueError, KeyError, TypeError):
        return False


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    """Yield the folder of the client's files."""
    if out is None:
        with TemporaryDirectory(prefix="benchwright-") as folder:
            yield Path(folder)
        return
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--out {escaped_name(str(out))}: {error.strerror}"
        raise RunError(message, hint="choose another folder with --out") from None
    yield Path(out)


@contextmanager
def _ended(library: Any) -> Iterator[None]:
    """End the client's process, which writes the files, unless it also serves a run of the caller."""
    has_run = library.run is not None
    try:
        yield
    finally:
        if not has_run:
            library.teardown()


@contextmanager
def _staged_in(folder: Path) -> Iterator[None]:
    """Have the client keep artifacts in the folder and not in the user's home."""
    before = os.environ.get(_DATA)
    os.environ[_DATA] = str(folder.resolve())
    try:
        yield
    finally:
        if before is None:
            del os.environ[_DATA]
        else:
            os.environ[_DATA] = before


@contextmanager
def _explained(library: Any) -> Iterator[None]:
    """Turn the client's errors into RunErrors."""
    try:
        yield
    except library.errors.Error as error:
        text = " ".join(str(error).split())
        hint = f"check the project, the entity and the address of the server ({SERVER})"
        raise RunError(f"Weights & Biases: {escaped_name(text, 300)}", hint=hint) from None
