"""The run folder of a plan: found by its name or by what it says, opened, and given what it lacks."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchwright.display.escape import escaped_name, escaped_path
from benchwright.errors import BenchwrightError, RunError
from benchwright.progress import Watcher
from benchwright.running.options import check_name
from benchwright.running.plan import NAME, Plan
from benchwright.store import kept_tasks
from benchwright.store.keys import JUDGES, address_of, content_key, differences, rules_of, without_rules
from benchwright.store.runfolder import Mode, RunFolder, utc_now

_PLAIN = "._-"
_CHARACTERS, _BYTES = 40, 120  # of a name's middle: a file system takes 255 bytes in all


def short_key(identity: Mapping[str, Any]) -> str:
    """Eight hex digits for a run; the same whichever version of the rules judges it."""
    return content_key(without_rules(identity))[:8]


def folder_name(track: str, spec: str, identity: Mapping[str, Any]) -> str:
    """The name of a run folder: letters and digits of any script, and what no shell acts on."""
    return f"{track}-{_plain(spec.rsplit('/', maxsplit=1)[-1])}-{short_key(identity)}"


def _plain(text: str) -> str:
    """The text with `-` for what is no letter, digit or mark of one, cut to what a file name can hold."""
    letters = "".join(each if _is_plain(each) else " " for each in unicodedata.normalize("NFC", text))
    name = "-".join(letters.split()).strip("-.")[:_CHARACTERS]
    return name.encode()[:_BYTES].decode(errors="ignore")


def _is_plain(character: str) -> bool:
    return character.isalnum() or character in _PLAIN or unicodedata.category(character).startswith("M")


def default_folder(plan: Plan) -> Path:
    """The folder where the user names none. It depends on what is run, so the same command resumes it."""
    return Path("runs") / folder_name(plan.track.name, plan.model.spec, plan.identity)


def open_folder(plan: Plan, out: str | Path | None, mode: Mode, watch: Watcher) -> RunFolder:
    """The plan's run folder, new or taken up again, with the tasks in it unless they are withheld."""
    if out is not None:
        check_name("--out", str(out))
    path = Path(out) if out is not None else _default(plan, mode, watch)
    folder = RunFolder.open(path, plan.manifest(), mode=mode)
    try:
        _check_judges(plan, folder)
        plan.go_on(folder.manifest["identity"], withheld=_is_withheld(plan, folder))
        if (name := plan.options.name) and folder.manifest.get(NAME) != name:
            folder.note(**{NAME: name})
        told = _keep_tasks(plan, folder)
        if "started" not in folder.manifest or folder.manifest.get("tasks", "") != told:
            # A run that goes on began when it began.
            folder.note(tasks=told, started=folder.manifest.get("started") or utc_now())
    except BaseException:
        folder.close()
        raise
    return folder


def find_folder(plan: Plan) -> Path:
    """The default folder of a plan; where there is none, the one in which an earlier version began the run.

    Earlier versions chose names in other ways, by the server's address too. Of several runs the one from the
    plan's own address is taken, then the one that began last.
    """
    named = default_folder(plan)
    if (named / "run.json").exists():
        return named
    known = [(*_rank(plan, folder), folder.path) for folder in _same_runs(plan, named.parent)]
    return max(known)[-1] if known else named


def is_judged_by_other_rules(plan: Plan, folder: RunFolder) -> bool:
    """Whether the verdicts in the folder were made by other rules than the plan's."""
    return rules_of(folder.manifest["identity"]) != rules_of(plan.identity)


def judge_anew(plan: Plan, folder: RunFolder, watch: Watcher) -> None:
    """Keep the answers and drop the verdicts. Not before the self-check has shown that judging works here."""
    was, now = rules_of(folder.manifest["identity"]), rules_of(plan.identity)
    folder.judge_anew(now)
    watch.note(
        f"judged anew: the verdicts were made by rules {was['judging']} with Python {was['python']}, and now "
        f"they are {now['judging']} with Python {now['python']}; the answers are kept"
    )


def note_address(plan: Plan, folder: RunFolder) -> None:
    """Remember from where the answers to come are, where that is not where the others came from."""
    was = address_of(folder.manifest)
    if plan.address and plan.address != was:
        folder.event("moved", was=was, now=plan.address)
        folder.note(base_url=plan.address)


def _default(plan: Plan, mode: Mode, watch: Watcher) -> Path:
    if mode == "new":
        return default_folder(plan)
    path = find_folder(plan)
    if path != default_folder(plan):
        watch.note(f"goes on with {escaped_path(path)}, which an earlier version began")
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
    """Whoever has assessed a run's answers goes on doing so; others may join."""
    had: dict[str, object] = folder.manifest["identity"].get(JUDGES) or {}
    have = {judge.name for judge in plan.judges}
    if gone := sorted(set(had) - have):
        message = f"{escaped_path(folder.path)} was assessed by {', '.join(map(escaped_name, gone))}"
        hint = "give the same --judge as before, beside any new one, or start another run with --out OTHER"
        raise RunError(message, hint=hint)


def _is_withheld(plan: Plan, folder: RunFolder) -> bool:
    """Whether the tasks stay out of the folder: once withheld, they are withheld for good."""
    told = folder.manifest.get("tasks", {})
    if told and plan.withheld:
        hint = "start another run with `--out OTHER`, or leave --without-tasks out"
        raise RunError(f"{escaped_path(folder.path)} keeps its tasks already", hint=hint)
    return told is None or plan.withheld


def _keep_tasks(plan: Plan, folder: RunFolder) -> dict[str, object] | None:
    """What run.json says of the tasks, which are in the folder then."""
    told: dict[str, object] | None = folder.manifest.get("tasks")
    if plan.withheld or kept_tasks.is_whole(folder.path / kept_tasks.NAME, told):
        return told
    return kept_tasks.keep(plan.options.data, folder.path, data=str(plan.identity["data"]))
