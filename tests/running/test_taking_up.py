"""A plan's folder: found under the names of all versions, completed, and safe against kills."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import RunError
from benchwright.progress import Silent
from benchwright.running.judging import judge_answers
from benchwright.running.plan import Plan
from benchwright.running.run_folders import (
    default_folder,
    find_folder,
    has_other_rules,
    open_folder,
    rejudge,
)
from benchwright.running.self_check import SelfChecking
from benchwright.store.keys import rules_of
from benchwright.store.runfolder import RunFolder
from benchwright.store.task_snapshot import NAME, check
from kit.processes import HANG_S
from kit.run_stages import Listener, Pretender, answer, by_text, folder_of, judged_as, plan_of, store
from kit.small_data import read_rows

OLD_RULES = {"judging": 1, "python": "3.9"}


def begun(plan: Plan, path: Path, **identity: Any) -> Path:
    """Create a run of this plan in a folder of this name, as another version would have done."""
    manifest = {**plan.manifest(), "identity": {**plan.identity, **identity}, "started": "2026-01-01"}
    RunFolder.open(path, manifest, mode="new").close()
    return path


def opened(plan: Plan, path: Path | None, listener: Listener | None = None) -> RunFolder:
    """Open and close the folder."""
    folder = open_folder(plan, path, "either", listener or Silent())
    folder.close()
    return folder


# --- by which name


def test_a_new_run_has_its_default_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any folder there is no search."""
    monkeypatch.chdir(tmp_path)
    plan = plan_of(tmp_path)

    assert find_folder(plan) == default_folder(plan)


def test_a_folder_of_an_earlier_name_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its identity decides, not its name; the user gets a note."""
    monkeypatch.chdir(tmp_path)
    plan, listener = plan_of(tmp_path), Listener()
    earlier = begun(plan, Path("runs/humaneval-replay-.jsonl-86e4af9c"), **OLD_RULES)
    folder = opened(plan, None, listener)

    assert folder.path == earlier
    assert any("started by an earlier version" in str(each) for each in listener.heard)


@pytest.mark.parametrize(
    "name", ["humaneval-mine", "mine-0123abcd", "humaneval-x-0123ABCD", "humaneval-x-0123abcd0"]
)
def test_a_folder_that_a_user_named_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """It belongs to its --out."""
    monkeypatch.chdir(tmp_path)
    plan = plan_of(tmp_path)
    begun(plan, Path("runs") / name)

    assert find_folder(plan) == default_folder(plan)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"identity": []}', '{"identity": {"data": 7}}'])
def test_a_damaged_neighbour_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str
) -> None:
    """It is not related to this run."""
    monkeypatch.chdir(tmp_path)
    plan = plan_of(tmp_path)
    bad = Path("runs/humaneval-x-0123abcd")
    bad.mkdir(parents=True)
    (bad / "run.json").write_text(content)

    assert find_folder(plan) == default_folder(plan)


def test_a_fresh_run_takes_no_earlier_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--fresh starts a new one."""
    monkeypatch.chdir(tmp_path)
    plan = plan_of(tmp_path)
    begun(plan, Path("runs/humaneval-gold-0123abcd"))
    folder = open_folder(plan, None, "new", Silent())
    folder.close()

    assert folder.path == default_folder(plan)


# --- with its tasks


def test_the_tasks_are_in_the_folder(tmp_path: Path) -> None:
    """run.json has their hash; opening again changes neither."""
    plan = plan_of(tmp_path)
    folder = opened(plan, tmp_path / "run")
    before = [(tmp_path / "run" / name).read_bytes() for name in ("run.json", NAME)]
    again = opened(plan_of(tmp_path), tmp_path / "run")

    check(folder.path / NAME, folder.manifest["tasks"])
    assert again.manifest["tasks"]["sha256"] == plan.identity["data"]
    assert [(tmp_path / "run" / name).read_bytes() for name in ("run.json", NAME)] == before


@pytest.mark.parametrize("loss", [lambda path: path.unlink(), lambda path: path.write_bytes(b"x")])
def test_lost_or_damaged_tasks_are_made_anew(tmp_path: Path, loss: Any) -> None:
    """They are copied from the data set with the same hash."""
    plan = plan_of(tmp_path)
    loss(opened(plan, tmp_path / "run").path / NAME)
    folder = opened(plan, tmp_path / "run")

    check(folder.path / NAME, folder.manifest["tasks"])


def test_an_earlier_folder_gets_its_tasks(tmp_path: Path) -> None:
    """This happens when its command is repeated."""
    plan = plan_of(tmp_path)
    folder = opened(plan, begun(plan, tmp_path / "run"))

    check(folder.path / NAME, folder.manifest["tasks"])
    assert folder.manifest["started"] == "2026-01-01"


@pytest.mark.parametrize("moment", ["keep", "note"])
def test_killed_before_run_json_knows_the_tasks(tmp_path: Path, moment: str) -> None:
    """Before and after the tasks are written, the same call completes the folder."""
    plan = plan_of(tmp_path)
    where = {"keep": "task_snapshot.store_tasks", "note": "RunFolder.note"}[moment]
    program = (
        "import os, signal, sys\n"
        "from benchwright.running import run_folders\n"
        "from benchwright.running.plan import RunOptions, make_plan\n"
        "from benchwright.progress import Silent\n"
        "def die(*given, **more):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        f"run_folders.{where} = die\n"
        "plan = make_plan(RunOptions(track='humaneval', data=sys.argv[1], model='gold:'))\n"
        "run_folders.open_folder(plan, sys.argv[2], 'either', Silent())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "tasks.jsonl", tmp_path / "run"],
        check=False,
        timeout=HANG_S,
    )
    left = {path.name for path in (tmp_path / "run").iterdir()}
    folder = opened(plan, tmp_path / "run")

    assert (done.returncode, left) == (-9, {"run.json"} | ({NAME} if moment == "note" else set()))
    check(folder.path / NAME, folder.manifest["tasks"])


def test_withheld_tasks_stay_out_for_good(tmp_path: Path) -> None:
    """This holds if the option is missing in the next call."""
    first = opened(plan_of(tmp_path, keep_tasks=False), tmp_path / "run")
    plan = plan_of(tmp_path)
    second = opened(plan, tmp_path / "run")

    assert (first.manifest["tasks"], second.manifest["tasks"], plan.withheld) == (None, None, True)
    assert not (tmp_path / "run" / NAME).exists()


def test_kept_tasks_cannot_be_withheld_afterwards(tmp_path: Path) -> None:
    """Reasons of verdicts quote them already. The folder is released, so that it can be used."""
    opened(plan_of(tmp_path), tmp_path / "run")
    with pytest.raises(RunError, match="already contains its tasks"):
        opened(plan_of(tmp_path, keep_tasks=False), tmp_path / "run")

    opened(plan_of(tmp_path), tmp_path / "run")


# --- by other rules


def judged(plan: Plan, folder: RunFolder, pool: Pretender) -> None:
    """Check and judge the answers of a folder."""
    SelfChecking(plan, folder, Silent()).prove(pool)
    if has_other_rules(plan, folder):
        rejudge(plan, folder, Silent())
    for profile in plan.profiles:
        judge_answers(plan, folder, pool, Silent(), profile=profile)


def test_verdicts_of_other_rules_are_made_anew_once(tmp_path: Path) -> None:
    """Gold, stub and answers are executed again, and the next time none of them."""
    plan = plan_of(tmp_path, tasks=2)
    begun(plan, tmp_path / "run", **OLD_RULES)
    with folder_of(plan, tmp_path) as folder:
        store(folder, [answer(0), answer(1)])
        folder.write_json("scores.json", {"of": "before"})
        executed = []
        for _ in range(2):
            pool = Pretender(by_text)
            judged(plan, folder, pool)
            executed.append(len(pool.executed))
        manifest = json.loads((tmp_path / "run" / "run.json").read_text())

    assert executed == [6, 0]
    assert (rules_of(manifest["identity"]), manifest["judged_anew"]["was"]) == (
        rules_of(plan.identity),
        OLD_RULES,
    )
    assert not (tmp_path / "run" / "scores.json").exists()


def test_where_nothing_can_be_judged_the_old_verdicts_stay(tmp_path: Path) -> None:
    """The self-check comes first: a machine without a sandbox destroys no result."""
    plan = plan_of(tmp_path)
    begun(plan, tmp_path / "run", **OLD_RULES)
    kept = {"scores.json": b"{}", "verdicts.jsonl": b"", "verdicts.mera-code.jsonl": b""}
    for name, content in kept.items():
        (tmp_path / "run" / name).write_bytes(content)
    with (
        folder_of(plan, tmp_path) as folder,
        pytest.raises(Exception, match=r"self-check|cannot run answers"),
    ):
        judged(plan, folder, Pretender(lambda job: judged_as("sandbox_error")))

    assert {name: (tmp_path / "run" / name).read_bytes() for name in kept} == kept
    assert RunFolder.read(tmp_path / "run").manifest["identity"]["judging"] == 1


@pytest.mark.parametrize("step", range(4))
def test_killed_while_it_begins_anew_it_begins_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """No state has the new rules with verdicts of the old ones."""
    plan = plan_of(tmp_path)
    path = begun(plan, tmp_path / "run", **OLD_RULES)
    for name in ("scores.json", "verdicts.jsonl", "verdicts.mera-code.jsonl"):
        (path / name).touch()
    done = 0

    def dying(act: Any) -> Any:
        def once(*given: Any, **more: Any) -> Any:
            nonlocal done
            done += 1
            if done > step:
                raise KeyboardInterrupt
            return act(*given, **more)

        return once

    folder = RunFolder.open(path, plan.manifest(), mode="either")
    with monkeypatch.context() as patch, folder, pytest.raises(KeyboardInterrupt):
        patch.setattr(Path, "unlink", dying(Path.unlink))
        patch.setattr(RunFolder, "event", dying(RunFolder.event))
        folder.judge_anew(rules_of(plan.identity))
    left = RunFolder.read(path)

    assert left.manifest["identity"]["judging"] == 1
    assert step == 0 or not (path / "scores.json").exists()
    shutil.rmtree(path)


def test_an_event_says_so(tmp_path: Path) -> None:
    """It has the old and the new rules."""
    plan = plan_of(tmp_path)
    begun(plan, tmp_path / "run", **OLD_RULES)
    with folder_of(plan, tmp_path) as folder:
        folder.judge_anew(rules_of(plan.identity))
    (event,) = read_rows(tmp_path / "run" / "events.jsonl")

    assert (event["kind"], event["detail"]) == (
        "judged_anew",
        {"was": OLD_RULES, "now": rules_of(plan.identity)},
    )
