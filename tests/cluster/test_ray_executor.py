"""Runs and builds on real Ray nodes equal local ones; with a lost node, nothing is lost or done twice."""

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

import msgspec
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
from benchwright.cluster.session import ClusterSession
from benchwright.contracts import BatchSpec, Criterion, Job, Suite, SuiteReport, SuiteSpec
from benchwright.demo.git_history import NAME, make_clone
from benchwright.errors import PrerequisiteError
from benchwright.executing.executors import LOCAL, ExecutorSetup, open_executor, work_on
from benchwright.running.pipeline import run
from benchwright.sandbox.codec import encode
from kit.examples import SCALE
from kit.go_needs import need_go
from kit.made_repositories import MIT, repository
from kit.needs import need_that
from kit.processes import HANG_S, all_gone, command_of, descendants
from kit.ray_nodes import two_nodes
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
SUITE = Suite(
    lang="Python",
    framework="pytest",
    files={
        "alpha.py": PYTHON,
        "test_alpha.py": "from alpha import alpha\n\ndef test_bound():\n    assert alpha(1, 2) == 3\n",
    },
    focal="alpha.py",
    test="test_alpha.py",
    cases=["test_bound"],
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with two_nodes() as made:
        yield made


@pytest.fixture(scope="class")
def place(cluster: Any) -> Iterator[str]:
    """The default place of all commands of a class, which share one session."""
    address = f"ray://{cluster.address}?trust"
    with work_on(address):
        yield address


def verdicts(folder: Path) -> str:
    """The verdicts of a run without measured times."""
    return without_times(folder / "verdicts.jsonl")


def files(folder: Path) -> dict[str, bytes]:
    """All files of a build."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


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


def _ends_in_one_line_and_resumes(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    place: str,
    end: Callable[[ClusterSession], None],
) -> None:
    """End the raylet of this machine during a run: not reported as the loss of all nodes half a minute later."""
    given = {"data": str(humaneval(folder)), "model": f"replay:{answers(folder, outcomes=CHEAP)}"}
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
    cut, whole = folder / "cut", folder / "whole"
    with pytest.raises(PrerequisiteError, match="the Ray process of this machine has ended") as caught:
        run("humaneval", out=cut, on=place, **given)
    assert "resumes" in (caught.value.hint or "")
    assert "Raylet" not in capfd.readouterr().out
    assert (cut / "verdicts.jsonl").read_bytes()
    for each in (cut, whole):
        run("humaneval", out=each, workers=1, on=LOCAL, **given)

    assert verdicts(cut) == verdicts(whole)


class TestOneSession:
    """Tests that share a session, because starting one takes 3 s. The last two end a node, and the session."""

    def test_a_run_on_two_nodes_equals_a_local_one(self, place: str, tmp_path: Path) -> None:
        """Answers byte for byte, verdicts apart from times; each resumes the other."""
        given = {"data": str(humaneval(tmp_path)), "model": f"replay:{answers(tmp_path, outcomes=CHEAP)}"}
        local, remote = tmp_path / "local", tmp_path / "remote"
        run("humaneval", out=local, workers=1, on=LOCAL, **given)
        half = shutil.copytree(local, tmp_path / "half")
        kept = (half / "verdicts.jsonl").read_bytes().splitlines(keepends=True)
        (half / "verdicts.jsonl").write_bytes(b"".join(kept[: len(kept) // 2]))
        (half / "scores.json").unlink()
        run("humaneval", out=remote, on=place, **given)
        run("humaneval", out=half, workers=1, on=LOCAL, **given)

        assert (remote / "answers.jsonl").read_bytes() == (local / "answers.jsonl").read_bytes()
        assert verdicts(remote) == verdicts(half) == verdicts(local)
        assert (
            run("humaneval", out=remote, workers=1, on=LOCAL, **given).metrics
            == run("humaneval", out=local, on=LOCAL, **given).metrics
        )

    @pytest.mark.usefixtures("place")
    def test_a_history_is_mined_on_nodes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
        pipeline.build(options, spread)

        assert files(spread) == files(local)
        assert len(files(local)) > 20

    def test_a_lost_node_loses_and_doubles_nothing(self, cluster: Any, place: str) -> None:
        """Its batches are judged by the other node; its name is reported. A suite is executed on a node too."""
        spec = BatchSpec(entry_point="f", calls=encode([((), {})]), expected=[encode(7)])
        jobs = [Job(n, f"def f(): return {7 + n % 2}\n", Criterion(spec)) for n in range(300)]
        jobs.append(Job(300, "", Criterion(SuiteSpec(suites=[SUITE]))))
        (lost,) = cluster.worker_nodes
        ended, troubles = list[tuple[int, str]](), list[str]()
        reports: list[tuple[int, SuiteReport]] = []
        with open_executor(ExecutorSetup(), on=place) as executor:
            assert executor.size == 2
            for batch in executor.judge_batches(jobs):
                if not ended:
                    cluster.remove_node(lost, allow_graceful=False)
                ended += [(number, judgement.outcome.value) for number, judgement in batch if number < 300]
                troubles += [judgement.trouble for _, judgement in batch if judgement.trouble]
                for payload in (judgement.payload for number, judgement in batch if number == 300):
                    reports += msgspec.msgpack.decode(payload, type=list[tuple[int, SuiteReport]])

        assert sorted(ended) == [(n, ("passed", "wrong")[n % 2]) for n in range(300)]
        assert [(number, report.state) for number, report in reports] == [(0, "success")]
        assert any("lost with" in each for each in troubles)

    def test_without_its_own_raylet_a_run_ends_in_one_line_and_resumes(
        self,
        place: str,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capfd: pytest.CaptureFixture[str],
    ) -> None:
        """The same command resumes, here locally."""
        _ends_in_one_line_and_resumes(tmp_path, monkeypatch, capfd, place, _kill_raylet)


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


def test_suites_are_built_on_nodes(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of a local build, in Python and Go, with each stage on the nodes; every row is confirmed.

    In every check: parts on nodes in `test_a_history_is_mined_on_nodes`, a suite in
    `test_a_lost_node_loses_and_doubles_nothing`.
    """
    need_that(SCALE > 1, "only the weekly check builds suites on nodes")
    need_go()
    repository(tmp_path / "clones/alpha", {"LICENSE": MIT, "alpha.py": PYTHON, "test_alpha.py": PYTHON_TEST})
    go = {"go.mod": GO, "sum.go": GO_SUM, "sum_test.go": GO_TEST}
    repository(tmp_path / "clones/gamma", {"LICENSE": MIT, **go})
    monkeypatch.setattr(on_nodes, "WORTH_S", 0.0)
    monkeypatch.setattr(on_cores, "WORTH_S", 1e9)
    options = BuildOptions(sources=(str(tmp_path / "clones"),), repeat=2, history=5, shots=0)
    for on in (LOCAL, f"ray://{cluster.address}?trust"):
        name = "local" if on == LOCAL else "spread"
        with work_on(on):
            build(options, tmp_path / name)
            found = verify(tmp_path / name / "test.json", out=tmp_path / f"{name}-verified", repeat=2)
        assert found.counts["agrees"] == found.rows > 0
        assert set(found.languages) == {"Python", "Go"}

    assert _without_times(tmp_path / "spread") == _without_times(tmp_path / "local")
    assert json.loads((tmp_path / "spread/test.json").read_text())["data"]
    local, spread = (
        (tmp_path / f"{name}-verified/findings.jsonl").read_text() for name in ("local", "spread")
    )
    assert spread.replace("/spread/", "/local/") == local


def _without_times(folder: Path) -> dict[str, bytes]:
    """All files of a build but those that say what executions took."""
    return {name: content for name, content in files(folder).items() if "executions" not in name}


def test_a_private_raylet_that_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """As with that of a joined cluster."""
    need_that(SCALE > 1, "only the weekly check ends a private session during a run")
    _ends_in_one_line_and_resumes(tmp_path, monkeypatch, capfd, "ray", _stop_ray)
