"""Run folders: their names, how a plan creates or resumes one, and how they are found in a parent folder."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import BenchwrightError, RunError, command_name
from benchwright.progress import Watcher
from benchwright.records import Event
from benchwright.running.options import check_name
from benchwright.running.plan import NAME, Plan
from benchwright.store import task_snapshot
from benchwright.store.keys import JUDGES, address_of, content_key, differences, rules_of, without_rules
from benchwright.store.runfolder import Mode, RunFolder, utc_now
from benchwright.store.writing import read_records

VOTES_FILE = "votes.jsonl"  # votes of people on the answers
PEOPLE_FACT = "people"  # in the details of a score, and in run.json where people decided answers
_PLAIN = "._-"
_CHARACTERS, _BYTES = 40, 120  # of a name's middle: a file system takes 255 bytes in all


def has_votes(folder: RunFolder) -> bool:
    """Return whether people have judged the run, or had before they withdrew it."""
    return (folder.path / VOTES_FILE).exists() or PEOPLE_FACT in folder.manifest


def short_key(identity: Mapping[str, Any]) -> str:
    """Return eight hex digits that identify a run, independent of the version of the judging rules."""
    return content_key(without_rules(identity))[:8]


def folder_name(track: str, spec: str, identity: Mapping[str, Any]) -> str:
    """Return the name of a run folder: letters and digits of any script, nothing that a shell interprets."""
    return f"{track}-{_plain(spec.rsplit('/', maxsplit=1)[-1])}-{short_key(identity)}"


def _plain(text: str) -> str:
    """Replace everything but letters, digits and their marks by `-`, and cut to the length of a file name."""
    letters = "".join(each if _is_plain(each) else " " for each in unicodedata.normalize("NFC", text))
    name = "-".join(letters.split()).strip("-.")[:_CHARACTERS]
    return name.encode()[:_BYTES].decode(errors="ignore")


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in _PLAIN or unicodedata.category(character).startswith("M")


def default_folder(plan: Plan) -> Path:
    """Return the folder for a run without --out. The same command gets the same folder, and so resumes."""
    return Path("runs") / folder_name(plan.track.name, plan.model.spec, plan.identity)


def open_folder(plan: Plan, out: str | Path | None, mode: Mode, watch: Watcher) -> RunFolder:
    """Create or resume the run folder of a plan. Stores the tasks unless they are withheld."""
    if out is not None:
        check_name("--out", str(out))
    path = Path(out) if out is not None else _default_path(plan, mode, watch)
    folder = RunFolder.open(path, plan.manifest(), mode=mode)
    try:
        _check_judges(plan, folder)
        plan.go_on(folder.manifest["identity"], withheld=_is_withheld(plan, folder))
        if (name := plan.options.name) and folder.manifest.get(NAME) != name:
            folder.note(**{NAME: name})
        entry = _keep_tasks(plan, folder)
        if "started" not in folder.manifest or folder.manifest.get("tasks", "") != entry:
            # A continued run keeps its start time.
            folder.note(tasks=entry, started=folder.manifest.get("started") or utc_now())
    except BaseException:
        folder.close()
        raise
    return folder


def find_folder(plan: Plan) -> Path:
    """Return the default folder of a plan; if it does not exist, the folder of an earlier version's run.

    Earlier versions named folders differently, also by the server's address. Of several runs the one with the
    plan's address is taken, then the latest.
    """
    default = default_folder(plan)
    if (default / "run.json").exists():
        return default
    known = [(*_rank(plan, folder), folder.path) for folder in _same_runs(plan, default.parent)]
    return max(known)[-1] if known else default


def has_other_rules(plan: Plan, folder: RunFolder) -> bool:
    """Whether the rules behind the folder's verdicts differ from the plan's."""
    return rules_of(folder.manifest["identity"]) != rules_of(plan.identity)


def rejudge(plan: Plan, folder: RunFolder, watch: Watcher) -> None:
    """Keep the answers and drop the verdicts. Call it only after the self-check has passed."""
    old_rules, new_rules = rules_of(folder.manifest["identity"]), rules_of(plan.identity)
    folder.judge_anew(new_rules)
    watch.note(
        f"re-judged: verdicts used rules {old_rules['judging']} with Python {old_rules['python']}; now rules "
        f"{new_rules['judging']} with Python {new_rules['python']}; the answers are kept"
    )


def note_address(plan: Plan, folder: RunFolder) -> None:
    """Record the address of the model where it differs from that of earlier answers."""
    old_address = address_of(folder.manifest)
    if plan.address and plan.address != old_address:
        folder.event("moved", was=old_address, now=plan.address)
        folder.note(base_url=plan.address)


def _default_path(plan: Plan, mode: Mode, watch: Watcher) -> Path:
    if mode == "new":
        return default_folder(plan)
    path = find_folder(plan)
    if path != default_folder(plan):
        watch.note(f"resuming {escaped_path(path)}, started by an earlier version")
    return path


def _rank(plan: Plan, folder: RunFolder) -> tuple[bool, str]:
    return address_of(folder.manifest) == plan.address, str(folder.manifest.get("started", ""))


def _same_runs(plan: Plan, runs: Path) -> Iterator[RunFolder]:
    name = re.compile(re.escape(plan.track.name) + "-.*-[0-9a-f]{8}", re.DOTALL)
    for path in sorted(runs.glob("*/run.json")):
        if name.fullmatch(path.parent.name):
            try:
                folder = RunFolder.read(path.parent)
            except BenchwrightError:  # damaged, and not the business of this run
                continue
            if not differences(folder.manifest["identity"], plan.identity):
                yield folder


def _check_judges(plan: Plan, folder: RunFolder) -> None:
    """Raise RunError where a judge that has assessed the run is missing. Others may join."""
    recorded: dict[str, object] = folder.manifest["identity"].get(JUDGES) or {}
    present = {judge.name for judge in plan.judges}
    if missing := sorted(set(recorded) - present):
        message = f"{escaped_path(folder.path)} was assessed by {', '.join(map(escaped_name, missing))}"
        hint = "repeat the earlier --judge options and add new ones, or start another run with --out OTHER"
        raise RunError(message, hint=hint)


def _is_withheld(plan: Plan, folder: RunFolder) -> bool:
    """Whether the tasks stay out of the folder. Once withheld, they stay withheld."""
    entry = folder.manifest.get("tasks", {})
    if entry and plan.withheld:
        hint = "start another run with `--out OTHER`, or leave --without-tasks out"
        raise RunError(f"{escaped_path(folder.path)} already contains its tasks", hint=hint)
    return entry is None or plan.withheld


def _keep_tasks(plan: Plan, folder: RunFolder) -> dict[str, object] | None:
    """Store the tasks in the folder, and return their entry in run.json."""
    entry: dict[str, object] | None = folder.manifest.get("tasks")
    if plan.withheld or task_snapshot.is_whole(folder.path / task_snapshot.NAME, entry):
        return entry
    return task_snapshot.store_tasks(plan.options.data, folder.path, data=str(plan.identity["data"]))


FAILED = "failed"  # the kind of event that says why a run of a suite ended without a score
PAGE, PAGE_ANSWERS = "report.html", "report-answers"  # files of a suite in the folder of its runs


class UnscoredRun(NamedTuple):
    """A run without a score: its name, and the reason."""

    track: str  # the name of the kind of task, not a suite's own
    model: str
    why: str


class NamedRuns(NamedTuple):
    """The runs behind the names that a user gave."""

    runs: list[str]
    unscored: list[UnscoredRun]


def named_runs(paths: Sequence[str]) -> NamedRuns:
    """Return the runs of these names; a folder of run folders stands for all of them.

    Skips other files of a suite, since `runs/nightly/*` matches them. Raises RunError for a folder in which
    no run has a score.
    """
    runs: list[str] = []
    unscored: list[UnscoredRun] = []
    pages = {Path(each).parent for each in paths if Path(each).name in (PAGE, PAGE_ANSWERS)}
    for path in paths:
        folders = _folders_in(Path(path))
        if not folders and Path(path).parent in pages:  # of `runs/nightly/*`
            folders = [Path(path)] if (Path(path) / "run.json").exists() else []
        elif not folders:
            runs.append(path)
        runs += [str(each) for each in folders if _has_score(each)]
        unscored += [_unscored_run(each) for each in folders if not _has_score(each)]
    if not runs:
        message = f"none of the runs in {', '.join(map(escaped_path, paths[:3]))} has a score"
        raise RunError(message, hint=f"{command_name()} suite FILE.toml")
    return NamedRuns(runs, unscored)


def note_failure(path: Path, why: str) -> None:
    """Record in a run folder, if it exists, why its run ended without a score."""
    if not os.path.isfile(path / "run.json"):  # false for a path that no file system takes
        return
    try:
        with RunFolder.open(path, RunFolder.read(path).manifest, mode="resume") as folder:
            folder.event(FAILED, why=why)
    except BenchwrightError:
        return  # another process runs it, or it is damaged: the run itself reports that


def _folders_in(path: Path) -> list[Path]:
    """Return the run folders in a folder that is not a run folder."""
    if not path.is_dir() or (path / "run.json").exists() or (path / "build.json").exists():
        return []
    return sorted(each.parent for each in path.glob("*/run.json"))


def _has_score(path: Path) -> bool:
    return (path / "scores.json").is_file() and "finished" in RunFolder.read(path).manifest


def _unscored_run(path: Path) -> UnscoredRun:
    folder = RunFolder.read(path)
    manifest = folder.manifest
    model = str(manifest.get(NAME) or manifest.get("model") or path.name)
    reasons = [str(event.detail.get("why", "")) for event in _failures(folder)]
    return UnscoredRun(
        str(manifest["identity"].get("track", "")), model, reasons[-1] if reasons else "not finished"
    )


def _failures(folder: RunFolder) -> Iterator[Event]:
    path = folder.path / "events.jsonl"
    events = read_records(path, Event, torn="skip") if path.exists() else iter(())
    return (event for event in events if event.kind == FAILED)
