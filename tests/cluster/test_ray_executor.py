"""Runs and builds on real Ray nodes: what a local one gives, and nothing lost or doubled with a lost node."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.building.alignment import commit_parts, pipeline
from benchwright.building.alignment.options import AlignmentOptions
from benchwright.building.codecorrectness.options import BuildOptions
from benchwright.building.codecorrectness.pipeline import build
from benchwright.building.codecorrectness.verification import verify
from benchwright.building.engine import process_map as on_cores
from benchwright.cluster import fleet, schedule
from benchwright.cluster import process_map as on_nodes
from benchwright.cluster.executor import RayExecutor
from benchwright.cluster.fleet import Fleet
from benchwright.cluster.session import ClusterSession, open_session
from benchwright.contracts import BatchSpec, Criterion, Job
from benchwright.demo.git_history import NAME, make_clone
from benchwright.errors import PrerequisiteError
from benchwright.executing.executors import LOCAL, ExecutorSetup, work_on
from benchwright.running.pipeline import run
from benchwright.sandbox.codec import encode
from kit.examples import SCALE
from kit.go_needs import need_go
from kit.made_repositories import MIT, repository
from kit.processes import HANG_S, all_gone, command_of, descendants
from kit.ray_nodes import STORE, two_nodes
from kit.small_data import CHEAP, answers, humaneval, without_times

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.filterwarnings("default")]

DEMO = Path(pipeline.__file__).parents[2] / "demo/alignment"
GO = "module example.org/gamma\n\ngo 1.21\n"
# Tests at the bound: a changed bound fails in each of them, or in none.
PYTHON = "def alpha(a, b):\n    if b > 2:\n        return b * 10\n    return a + b\n"
PYTHON_TEST = "from alpha import alpha\n" + "".join(
    f"\n\ndef test_{name}():\n    assert alpha(1, {given}) == {wanted}\n"
    for name, given, wanted in (("bound", 2, 3), ("large", 5, 50), ("next", 3, 30))
)
GO_SUM = (
    "package gamma\n\nfunc Sum(a, b int) int {\n\tif b > 2 {\n\t\treturn b * 10\n\t}\n\treturn a + b\n}\n"
)
GO_TEST = 'package gamma\n\nimport "testing"\n' + "".join(
    f"\nfunc Test{name}(t *testing.T) {{\n\tif got := Sum(1, {given}); got != {wanted} {{\n"
    f'\t\tt.Errorf("got %d, want {wanted}", got)\n\t}}\n}}\n'
    for name, given, wanted in (("Bound", 2, 3), ("Large", 5, 50), ("Next", 3, 30))
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as made:
        yield made


def verdicts(folder: Path) -> str:
    """The verdicts of a run without measured times."""
    return without_times(folder / "verdicts.jsonl")


def test_a_run_on_two_nodes_equals_a_local_one(cluster: Any, tmp_path: Path) -> None:
    """Answers byte for byte, verdicts apart from times; each resumes the other."""
    given = {"data": str(humaneval(tmp_path)), "model": f"replay:{answers(tmp_path, outcomes=CHEAP)}"}
    local, remote = tmp_path / "local", tmp_path / "remote"
    place = f"ray://{cluster.address}?trust"
    run("humaneval", out=local, workers=1, **given)
    half = shutil.copytree(local, tmp_path / "half")
    kept = (half / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
    (half / "verdicts.jsonl").write_bytes(b"".join(kept[: len(kept) // 2]))
    (half / "scores.json").unlink()
    run("humaneval", out=remote, on=place, **given)
    run("humaneval", out=half, workers=1, **given)

    assert (remote / "answers.jsonl").read_bytes() == (local / "answers.jsonl").read_bytes()
    assert verdicts(remote) == verdicts(half) == verdicts(local)
    assert (
        run("humaneval", out=remote, workers=1, **given).metrics
        == run("humaneval", out=local, **given).metrics
    )


def files(folder: Path) -> dict[str, bytes]:
    """All files of a build."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_a_history_is_mined_on_nodes(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo's clone and replies, also with refactorings."""
    monkeypatch.setattr(on_nodes, "WORTH_S", 0.0)  # parts are spread from the first one on
    monkeypatch.setattr(on_cores, "WORTH_S", 1e9)
    monkeypatch.setattr(commit_parts, "COMMITS", 2)
    clone = tmp_path / "clone.git"
    make_clone(DEMO / "history.json", clone)
    options = AlignmentOptions(
        sources=(str(clone), f"github-replies:{NAME}={DEMO / 'replies'}"),
        licence_unknown="keep",
        refactorings=True,
    )
    local, spread = tmp_path / "local", tmp_path / "spread"
    spread.mkdir()
    with work_on(LOCAL):
        pipeline.build(options, local)
    shutil.copy2(local / "people.key", spread)
    with work_on(f"ray://{cluster.address}?trust"):
        pipeline.build(options, spread)

    assert files(spread) == files(local)
    assert len(files(local)) > 20


def test_suites_are_built_on_nodes(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a local build. Weekly also in Go, with each stage on the nodes, and every row is confirmed.

    Parts on nodes: `test_a_history_is_mined_on_nodes`.
    """
    repository(tmp_path / "clones/alpha", {"LICENSE": MIT, "alpha.py": PYTHON, "test_alpha.py": PYTHON_TEST})
    languages = {"Python"}
    if SCALE > 1:
        need_go()
        go = {"go.mod": GO, "sum.go": GO_SUM, "sum_test.go": GO_TEST}
        repository(tmp_path / "clones/gamma", {"LICENSE": MIT, **go})
        languages.add("Go")
        monkeypatch.setattr(on_nodes, "WORTH_S", 0.0)
        monkeypatch.setattr(on_cores, "WORTH_S", 1e9)
    options = BuildOptions(sources=(str(tmp_path / "clones"),), repeat=2, history=5, shots=0)
    for on in (LOCAL, f"ray://{cluster.address}?trust"):
        name = "local" if on == LOCAL else "spread"
        with work_on(on):
            build(options, tmp_path / name)
            if SCALE > 1:
                found = verify(tmp_path / name / "test.json", out=tmp_path / f"{name}-verified", repeat=2)
                assert found.counts["agrees"] == found.rows > 0
                assert set(found.languages) == languages

    assert _without_times(tmp_path / "spread") == _without_times(tmp_path / "local")
    assert json.loads((tmp_path / "spread/test.json").read_text())["data"]
    if SCALE > 1:
        local, spread = (
            (tmp_path / f"{name}-verified/findings.jsonl").read_text() for name in ("local", "spread")
        )
        assert spread.replace("/spread/", "/local/") == local


def _without_times(folder: Path) -> dict[str, bytes]:
    """All files of a build but those that say what executions took."""
    return {name: content for name, content in files(folder).items() if "executions" not in name}


def _kill_raylet(session: ClusterSession) -> None:
    signal.pidfd_send_signal(session._raylet, signal.SIGKILL)


def _stop_ray(session: ClusterSession) -> None:
    """As `ray stop` does, but with the processes of this session alone."""
    below = descendants(os.getpid())
    (supervisor,) = (pid for pid in below if "cluster.supervisor" in command_of(pid))
    for pid in descendants(supervisor):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
    select.select([session._raylet], [], [], HANG_S)


ENDS: list[tuple[str, Callable[[ClusterSession], None]]] = [("private", _stop_ray)]
if SCALE > 1:  # the same lines with another node, so weekly
    ENDS.append(("joined", _kill_raylet))


@pytest.mark.parametrize(("on", "end"), ENDS)
def test_without_its_own_raylet_a_run_ends_in_one_line_and_resumes(
    cluster: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    on: str,
    end: Callable[[ClusterSession], None],
) -> None:
    """Not as the loss of all nodes half a minute later. The same command resumes, here locally."""
    given = {"data": str(humaneval(tmp_path)), "model": f"replay:{answers(tmp_path, outcomes=CHEAP)}"}
    monkeypatch.setattr(schedule, "FIRST", 1)
    monkeypatch.setattr(schedule, "MOST", 1)
    monkeypatch.setattr(fleet, "LIST_S", 0.0)  # looks at its nodes after each batch
    finish, ended = RayExecutor._finished, list[str]()

    def finish_and_end(executor: RayExecutor, node: str, *args: Any) -> Any:
        ended.append(node)
        if len(ended) == 10:  # the self-check has 6 programs
            end(executor._fleet._session)
        return finish(executor, node, *args)

    monkeypatch.setattr(RayExecutor, "_finished", finish_and_end)
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    place = f"ray://{cluster.address}?trust" if on == "joined" else "ray"
    with pytest.raises(PrerequisiteError, match="the Ray process of this machine has ended") as caught:
        run("humaneval", out=cut, on=place, **given)
    assert "resumes" in (caught.value.hint or "")
    assert "Raylet" not in capfd.readouterr().out
    assert (cut / "verdicts.jsonl").read_bytes()
    for folder in (cut, whole):
        run("humaneval", out=folder, workers=1, **given)

    assert verdicts(cut) == verdicts(whole)


def test_ctrl_c_twice_ends_all_that_was_started(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second one comes before actors are closed. What was judged is kept, and the same command resumes."""
    given = {"data": str(humaneval(tmp_path)), "model": f"replay:{answers(tmp_path, outcomes=CHEAP)}"}
    monkeypatch.setattr(schedule, "FIRST", 1)
    monkeypatch.setattr(schedule, "MOST", 1)
    finish, own, ended = RayExecutor._finished, set[int](), list[str]()

    def finish_and_interrupt(executor: RayExecutor, node: str, *args: Any) -> Any:
        judged = finish(executor, node, *args)
        ended.append(node)
        if len(ended) == 10:  # the self-check has 6 programs
            own.update(pid for pid in descendants(os.getpid()) if "executing.worker" in command_of(pid))
            signal.raise_signal(signal.SIGINT)
        return judged

    def interrupt(_: Fleet) -> None:
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(RayExecutor, "_finished", finish_and_interrupt)
    monkeypatch.setattr(Fleet, "close", interrupt)
    cut, whole = tmp_path / "cut", tmp_path / "whole"
    with pytest.raises(KeyboardInterrupt):
        run("humaneval", out=cut, on=f"ray://{cluster.address}?trust", **given)
    assert own and all_gone(own)  # nodes keep other processes for the next driver
    assert (cut / "verdicts.jsonl").read_bytes()
    for folder in (cut, whole):
        run("humaneval", out=folder, workers=1, **given)

    assert verdicts(cut) == verdicts(whole)


def test_a_lost_node_loses_and_doubles_nothing(cluster: Any) -> None:
    """Its batches are judged by the other nodes; its name is reported."""
    spec = BatchSpec(entry_point="f", calls=encode([((), {})]), expected=[encode(7)])
    jobs = [Job(n, f"def f(): return {7 + n % 2}\n", Criterion(spec)) for n in range(600)]
    lost = cluster.add_node(num_cpus=1, **STORE)
    ended, troubles = list[tuple[int, str]](), list[str]()
    with (
        open_session(f"ray://{cluster.address}", trust=True) as session,
        RayExecutor(session, ExecutorSetup()) as executor,
    ):
        assert executor.size == 3
        for batch in executor.judge_batches(jobs):
            if not ended:
                cluster.remove_node(lost, allow_graceful=False)
            ended += [(number, judgement.outcome.value) for number, judgement in batch]
            troubles += [judgement.trouble for _, judgement in batch if judgement.trouble]

    assert sorted(ended) == [(n, ("passed", "wrong")[n % 2]) for n in range(600)]
    assert any("lost with" in each for each in troubles)
