"""The executor on nodes made by the test: broken sandboxes, deaths, other versions, missing toolchains. No Ray."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from benchwright.cluster import fleet
from benchwright.cluster.executor import RayExecutor
from benchwright.cluster.probe import NodeFacts, needs_here
from benchwright.cluster.session import NodeAddress
from benchwright.contracts import Criterion, Job, Judgement, LabelSpec, Suite, SuiteAnswerSpec
from benchwright.errors import PrerequisiteError, SandboxError
from benchwright.executing.executors import ExecutorSetup, pack_judgements, unpack_jobs
from benchwright.records import Isolation, Outcome

Judge = Callable[[list[Job]], Iterable[tuple[int, Judgement]]]


def honest(jobs: list[Job]) -> Iterable[tuple[int, Judgement]]:
    """As the judges of labels and programs would."""
    for job in jobs:
        spec = job.criterion.spec
        is_right = job.given == spec.expected if isinstance(spec, LabelSpec) else "+" in str(job.given)
        yield job.number, Judgement(outcome=Outcome.passed if is_right else Outcome.wrong)


def agreeable(jobs: list[Job]) -> Iterable[tuple[int, Judgement]]:
    """A sandbox that passes everything."""
    return [(job.number, Judgement(outcome=Outcome.passed)) for job in jobs]


def forgetful(jobs: list[Job]) -> Iterable[tuple[int, Judgement]]:
    """A node that loses the last judgement."""
    return list(honest(jobs))[:-1]


def facts(**changed: Any) -> NodeFacts:
    needs = needs_here()
    found = NodeFacts(
        host="h",
        user=0,
        kernel="",
        cores=1,
        jail="native",
        layers={},
        isolation=Isolation.separated,
        canary="",
        version=needs.version,
        code=needs.code,
        judging=needs.judging,
        python=needs.python,
        toolchains={},
        missing={"Go": "go is not installed"},
        profiles={},
        disk_mb=10_000,
        utc_s=0.0,
    )
    return msgspec.structs.replace(found, **changed)


class Call:
    """A method of an actor: its future has the result, or the error, at once."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self._work = work

    def remote(self, *args: Any) -> Any:
        future: Future[Any] = Future()
        try:
            future.set_result(self._work(*args))
        except Exception as error:  # noqa: BLE001 (as Ray returns any error)
            future.set_exception(error)
        return SimpleNamespace(future=lambda: future)


class Nodes:
    """A session whose nodes judge in this process. `deaths` counts actors that died."""

    def __init__(self, **judges: Judge | NodeFacts) -> None:
        self.judges, self.deaths, self.placed = judges, Counter[str](), Counter[str]()

    def nodes(self) -> list[NodeAddress]:
        return [NodeAddress(node_id=name, host=name, cores=1, alive=True) for name in self.judges]

    def place(self, node: NodeAddress, actor_class: type, *args: object, calls: int = 1) -> Any:
        self.placed[node.node_id] += 1
        behaviour = self.judges[node.node_id]
        found = behaviour if isinstance(behaviour, NodeFacts) else facts()

        def judge(body: bytes) -> bytes:
            assert callable(behaviour)
            try:
                return pack_judgements(behaviour(unpack_jobs(body)))
            except RuntimeError:
                self.deaths[node.node_id] += 1
                raise

        return SimpleNamespace(
            start=Call(lambda: msgspec.msgpack.encode(found)), judge=Call(judge), close=Call(lambda: None)
        )

    def await_calls(self, calls: list[Any], *, most_s: float) -> None: ...

    def require_raylet(self) -> None: ...

    def kill(self, actor: Any) -> None: ...


def labels(count: int) -> list[Job]:
    return [Job(n, ("yes", "no")[n % 2], Criterion(LabelSpec(expected="yes"))) for n in range(count)]


def judged(nodes: Nodes, jobs: list[Job]) -> tuple[list[tuple[int, str]], str]:
    """The outcomes by number, and what was reported."""
    with RayExecutor(nodes, ExecutorSetup()) as executor:  # type: ignore[arg-type]
        found = sorted(executor.judge(jobs), key=lambda each: each[0])
    troubles = "; ".join(judgement.trouble for _, judgement in found if judgement.trouble)
    return [(number, judgement.outcome.value) for number, judgement in found], troubles


RIGHT = [(n, ("passed", "wrong")[n % 2]) for n in range(40)]


@pytest.mark.parametrize(
    ("broken", "why"),
    [(agreeable, "self-check canary ended passed, expected wrong"), (forgetful, "judgements of")],
)
def test_a_node_with_a_wrong_canary_is_removed_with_its_batch(broken: Judge, why: str) -> None:
    """None of its judgements counts, and it is named."""
    found, troubles = judged(Nodes(broken=broken, sound=honest), labels(40))

    assert found == RIGHT
    assert "node broken (broken) is out" in troubles and why in troubles


def test_without_a_sound_node_a_run_ends_with_the_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each node is named; the hint says that the run can be resumed."""
    monkeypatch.setattr(fleet, "RETURN_S", 0.0)
    with pytest.raises(
        SandboxError, match=r"no node is left: broken \(broken\): self-check canary"
    ) as caught:
        judged(Nodes(broken=agreeable), labels(4))

    assert "--on local" in (caught.value.hint or "")


def test_nodes_that_do_not_fit_are_refused_by_name() -> None:
    """By what the probe found; without another node nothing starts."""
    other = facts(version="0.0.1")
    full = facts(disk_mb=1)

    assert judged(Nodes(other=other, sound=honest), labels(40))[0] == RIGHT
    with pytest.raises(
        PrerequisiteError, match=r"no node can judge: full \(full\): disk full.*other \(other\)"
    ):
        judged(Nodes(full=full, other=other), labels(4))


def test_a_program_that_ends_actors_ends_as_sandbox_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are judged, on the same node if there is no other; the number of deaths is bounded."""
    monkeypatch.setattr(fleet, "LIST_S", 0.0)
    monkeypatch.setattr(fleet, "AGAIN_S", 0.0)

    def mortal(jobs: list[Job]) -> Iterable[tuple[int, Judgement]]:
        if any(job.given == "poison" for job in jobs):
            raise RuntimeError("the actor died")
        return honest(jobs)

    jobs = labels(40)
    jobs[13] = jobs[13]._replace(given="poison")
    nodes = Nodes(one=mortal, two=mortal)
    found, troubles = judged(nodes, jobs)

    assert found == [*RIGHT[:13], (13, "sandbox_error"), *RIGHT[14:]]
    assert "lost with" in troubles
    assert 2 <= nodes.deaths.total() <= 8
    assert nodes.placed.total() == nodes.deaths.total() + 2


def test_jobs_of_a_missing_toolchain_go_to_no_node_without_it() -> None:
    """If no node has it they end as sandbox errors, and the others are judged."""
    suite = Suite(lang="Go", framework="go", files={}, focal="a.go", test="a_test.go", cases=[])
    jobs = [*labels(4), Job(4, "package a", Criterion(SuiteAnswerSpec(suite=suite)))]
    found, troubles = judged(Nodes(one=honest, two=honest), jobs)

    assert found == [*RIGHT[:4], (4, "sandbox_error")]
    assert "gets no Go: no Go toolchain: go is not installed" in troubles


def test_settled_jobs_need_no_node() -> None:
    """And an executor judges again after a caller left early."""
    settled = Judgement(outcome=Outcome.model_error)
    nodes = Nodes(one=honest)
    with RayExecutor(nodes, ExecutorSetup()) as executor:  # type: ignore[arg-type]
        first = next(
            iter(executor.judge([*labels(2), Job(2, "", Criterion(LabelSpec(expected="")), settled)]))
        )
        again = sorted(number for number, _ in executor.judge(labels(40)))
        status = executor.status()

    assert first[0] in (0, 1, 2)
    assert again == list(range(40))
    assert status == "one (one) 40"
