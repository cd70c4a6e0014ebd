"""Runs as a data set of the Hugging Face hub: Parquet files and a card, in a folder or in a repository.

A hub is public or may become so. The data set therefore contains no column that may quote a task: no prompts,
expected values, programs, reasons or output, and no answers of runs that withhold their tasks.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchwright.display.escape import escaped_name, markdown_cell
from benchwright.display.wording import in_order, outcome_label
from benchwright.errors import PrerequisiteError, RunError, UsageError, install_command
from benchwright.interop.exports.finished_runs import CountedFigure, FinishedRun, finished_runs
from benchwright.interop.exports.parquet_files import write_tables
from benchwright.interop.exports.run_tables import run_tables
from benchwright.records import Record
from benchwright.store.writing import replacing

TOKEN = "HF_TOKEN"
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_REASONS = {
    401: f"the token is not valid: set {TOKEN} to one with write access",
    403: f"the token may not write there: set {TOKEN} to one with write access",
    404: "check the name of the repository and the address of the hub (HF_ENDPOINT)",
}
_CARD = """---
pretty_name: {title}
tags:
- benchwright
- evaluation-results
configs:
- config_name: scores
  data_files: data/scores.parquet
  default: true
- config_name: verdicts
  data_files: data/verdicts.parquet
- config_name: answers
  data_files: data/answers.parquet
---

# {title}

Scores, verdicts and answers of benchmark runs, exported by [Benchwright](https://github.com/benchwright/benchwright).
Each value has its 95 % interval, its number of tasks and the outcomes of the answers behind it.

| run | track | model | profile | metric | value | low | high | tasks | answers |
|---|---|---|---|---|---|---|---|---|---|
{rows}

The tables contain no tasks: no prompts, tests, expected values or programs, and no text that may quote them.
{answers}"""


class ExportedDataset(Record, frozen=True, kw_only=True):
    """Summary of an exported data set. `out` or `address` is empty where it was not written."""

    runs: list[str]
    files: dict[str, int]
    withheld: list[str]  # runs whose answers are left out
    out: str = ""
    address: str = ""
    private: bool = True


def export_hub(
    runs: Sequence[str | Path],
    *,
    out: str | Path | None = None,
    to: str | None = None,
    public: bool = False,
    endpoint: str | None = None,
) -> ExportedDataset:
    """Write finished runs as a data set into the folder `out`, into the repository `to` of the hub, or both.

    The repository is created as a private one. One that is public already is refused without `public`. A
    second export replaces the files of the first. The token comes from the environment variable HF_TOKEN.
    Raises RunError for a hub that refuses or cannot be reached.
    """
    if out is None and to is None:
        raise UsageError("missing --out or --to", hint="--out FOLDER, or --to OWNER/NAME")
    if to is not None and not _REPOSITORY.fullmatch(to):
        raise UsageError(f"--to {escaped_name(to)}: not a repository", hint="--to OWNER/NAME")
    token = _token() if to is not None else ""
    hub = _library() if to is not None else None
    loaded_runs = finished_runs(runs)
    with _folder(out) as folder:
        files = _write(loaded_runs, folder)
        address = "" if to is None else _push(hub, folder, to, public=public, token=token, endpoint=endpoint)
    return ExportedDataset(
        runs=[run.name for run in loaded_runs],
        files=files,
        withheld=[run.name for run in loaded_runs if run.withholds_tasks],
        out="" if out is None else str(out),
        address=address,
        private=not public,
    )


@contextmanager
def _folder(out: str | Path | None) -> Iterator[Path]:
    """Yield the user's folder, else a temporary one."""
    if out is not None:
        yield Path(out)
        return
    with TemporaryDirectory(prefix="benchwright-") as folder:
        yield Path(folder)


def _write(runs: Sequence[FinishedRun], folder: Path) -> dict[str, int]:
    files = write_tables(run_tables(runs, quoting=False), folder / "data")
    with replacing(folder / "README.md") as file:
        file.write(_card(runs).encode())
    return files


def _card(runs: Sequence[FinishedRun]) -> str:
    tracks = ", ".join(sorted({run.track for run in runs}))
    rows = "\n".join(_row(run, figure) for run in runs for figure in run.figures())
    withheld = [run.name for run in runs if run.withholds_tasks]
    left_out = (
        f"\nAnswers of runs with private tasks are left out: {', '.join(withheld)}.\n" if withheld else ""
    )
    return _CARD.format(title=f"Benchwright runs: {tracks}", rows=rows, answers=left_out)


def _row(run: FinishedRun, figure: CountedFigure) -> str:
    metric, outcomes = figure.metric, figure.outcomes
    counts = ", ".join(f"{outcomes[name]} {outcome_label(name)}" for name in in_order(outcomes))
    numbers = [f"{value:.4f}" for value in (metric.value, metric.low, metric.high)]
    cells = [run.name, run.track, run.model, figure.profile, figure.name, *numbers, metric.n, counts]
    return f"| {' | '.join(markdown_cell(cell) for cell in cells)} |"


def _token() -> str:
    """Return the token. Raises PrerequisiteError if the environment has none."""
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        hint = f"create one at https://huggingface.co/settings/tokens, then: export {TOKEN}=…"
        raise PrerequisiteError(f"{TOKEN} is not set", hint=hint)
    return token


def _library() -> Any:
    """Return huggingface_hub. Raises PrerequisiteError if it is not installed."""
    try:
        import huggingface_hub.errors  # noqa: PLC0415 (an extra)
    except ImportError:
        hint = install_command("hub")
        raise PrerequisiteError("exporting to the hub needs huggingface_hub", hint=hint) from None
    return huggingface_hub


def _push(hub: Any, folder: Path, name: str, *, public: bool, token: str, endpoint: str | None) -> str:
    """Upload the folder; return the address of the repository."""
    api = hub.HfApi(endpoint=endpoint or os.environ.get("HF_ENDPOINT") or None, token=token)
    hub.utils.disable_progress_bars()
    with _explained(hub, name, token):
        address = api.create_repo(name, repo_type="dataset", private=not public, exist_ok=True)
        if not public and api.repo_info(name, repo_type="dataset").private is not True:
            message = f"--to {name}: the repository is public"
            raise UsageError(message, hint="add --public, or name another repository")
        api.upload_folder(
            repo_id=name,
            repo_type="dataset",
            folder_path=str(folder),
            allow_patterns=["README.md", "data/*.parquet"],
            commit_message="Export runs with Benchwright",
        )
    return str(address)


@contextmanager
def _explained(hub: Any, name: str, token: str) -> Iterator[None]:
    """Turn refusals of the hub and failures to reach it into RunErrors, without the token."""
    http = import_module(type(hub.get_session()).__module__.partition(".")[0])  # of the library's client
    try:
        yield
    except hub.errors.HfHubHTTPError as error:
        status = int(getattr(error.response, "status_code", 0))
        hint = _REASONS.get(status, "try again later; nothing is stored twice")
        raise RunError(
            f"the hub refused {name} with status {status}: {_error_text(error, token)}", hint=hint
        ) from None
    except (http.HTTPError, OSError) as error:
        hint = "check the network and the address of the hub (HF_ENDPOINT)"
        raise RunError(f"the hub cannot be reached: {_error_text(error, token)}", hint=hint) from None
    except ValueError as error:  # an address or a document of an unknown form
        hint = "check the address of the hub (HF_ENDPOINT)"
        raise RunError(f"the reply of the hub is invalid: {_error_text(error, token)}", hint=hint) from None


def _error_text(error: Exception, token: str) -> str:
    lines = str(error).replace(token, "***").strip().splitlines()
    return escaped_name(lines[-1] if lines else type(error).__name__, 200)
