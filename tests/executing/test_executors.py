"""Jobs, judgements and setups survive the way to another machine, and executors are found by name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright import registry
from benchwright.contracts import BatchSpec, Criterion, Job, Judgement, LabelSpec
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.executing.executors import (
    ExecutorSetup,
    default_place,
    open_executor,
    pack_jobs,
    pack_judgements,
    parse_place,
    unpack_jobs,
    unpack_judgements,
    work_on,
)
from benchwright.executing.executors import (
    shared as shared_in_command,
)
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.codec import encode
from benchwright.sandbox.limits import Limits

TASK = Task(
    task_id="t", instruction="", inputs={"big": 1 << 80, "lone": "\ud800"}, outputs=1, meta={}, revision="r"
)
CRITERIA = [
    Criterion(LabelSpec(expected="yes"), TASK, "strict"),
    Criterion(BatchSpec(entry_point="f", calls=b"x")),
    Criterion(LabelSpec(expected="no")),
]
JUDGEMENTS = st.builds(
    Judgement, outcome=st.sampled_from(Outcome), detail=st.text(max_size=20), payload=st.binary(max_size=20)
)
GIVEN = st.text(max_size=20) | st.builds(
    Answer,
    key=st.just("k"),
    task_id=st.just("t"),
    sample=st.integers(0, 9),
    model=st.just("m"),
    text=st.text(),
)
JOBS = st.lists(
    st.builds(
        Job,
        number=st.integers(0, 1 << 40),
        given=GIVEN,
        criterion=st.sampled_from(CRITERIA),
        settled=st.none() | JUDGEMENTS,
    ),
    max_size=6,
)


@given(JOBS)
def test_jobs_come_out_as_they_went_in(jobs: list[Job]) -> None:
    """Jobs in a row that share a criterion share one afterwards, so a worker is sent it once."""
    unpacked = unpack_jobs(pack_jobs(jobs))

    assert unpacked == jobs
    assert shared(unpacked) == shared(jobs)


def shared(jobs: list[Job]) -> list[bool]:
    """Whether each job has the very criterion of the job before it."""
    return [one.criterion is other.criterion for one, other in pairwise(jobs)]


@given(st.lists(st.tuples(st.integers(0, 1 << 40), JUDGEMENTS), max_size=4))
def test_judgements_come_out_as_they_went_in(judgements: list[tuple[int, Judgement]]) -> None:
    """With their payloads."""
    assert unpack_judgements(pack_judgements(judgements)) == judgements


def test_a_setup_can_be_sent() -> None:
    """It holds no descriptor and no object of this process."""
    setup = ExecutorSetup(workers=3, limits=Limits(cpu_s=1.5), track="own", form="x", pinned=False)

    assert msgspec.msgpack.decode(msgspec.msgpack.encode(setup), type=ExecutorSetup) == setup


def test_an_unknown_executor_is_refused_with_the_nearest_name() -> None:
    """Before anything starts."""
    with pytest.raises(UsageError, match="unknown executor: locl") as caught:
        open_executor(on="locl")

    assert caught.value.hint == "did you mean `local`?"


def test_a_place_of_an_extra_that_is_not_installed_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name is known, its distribution is missing."""
    monkeypatch.setattr(registry, "_installed", lambda kind: {})
    with pytest.raises(PrerequisiteError, match="the executor ray is not installed") as caught:
        open_executor(on="ray://head:6379")

    assert (caught.value.hint or "").endswith("setup ray") or "[ray]" in (caught.value.hint or "")


def test_a_command_sets_the_place_and_shares_what_it_opens() -> None:
    """Until it ends; outside of a command each opens its own."""
    events: list[str] = []

    @contextmanager
    def opened() -> Iterator[int]:
        events.append("open")
        yield len(events)
        events.append("close")

    with work_on("ray://head:1?trust"):
        place = parse_place(default_place())
        with shared_in_command("key", opened) as first:
            pass
        with shared_in_command("key", opened) as second:
            assert (first, second, events) == (1, 1, ["open"])
    with shared_in_command("key", opened):
        pass

    assert place == ("ray", "ray://head:1", True)
    assert (default_place(), events) == ("local", ["open", "close", "open", "close"])


@pytest.mark.usefixtures("jail")
def test_the_local_executor_is_the_pool_of_this_machine() -> None:
    """Settled jobs come back in turn, and programs are judged."""
    spec = BatchSpec(entry_point="f", calls=encode([((), {})]), expected=[encode(7)])
    settled = Judgement(outcome=Outcome.model_error)
    jobs = [
        Job(1, "def f(): return 7\n", Criterion(spec)),
        Job(2, "def f(): return 8\n", Criterion(spec)),
        Job(3, "", Criterion(spec), settled),
    ]
    with open_executor(ExecutorSetup(workers=1)) as executor:
        ends = {number: each.outcome.value for number, each in executor.judge(unpack_jobs(pack_jobs(jobs)))}

    assert (executor.size, ends) == (1, {1: "passed", 2: "wrong", 3: "model_error"})
