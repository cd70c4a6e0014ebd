"""Messages between the runner and its workers keep what is in them, however the pipe cuts them."""

from __future__ import annotations

import os

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import BatchSpec, CallsSpec, Criterion, Judgement, LabelSpec, MeraSpec
from benchwright.errors import DataError
from benchwright.executing import wire
from benchwright.records import Answer, Outcome, Task
from benchwright.sandbox.limits import Limits

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
CALLS, VALUES, WORDS = st.binary(max_size=100), st.binary(max_size=20), st.lists(TEXTS, max_size=3)
SPECS = st.one_of(
    st.builds(CallsSpec, entry_point=TEXTS, prelude=TEXTS, test=TEXTS),
    st.builds(
        BatchSpec,
        entry_point=TEXTS,
        calls=CALLS,
        expected=st.lists(VALUES, max_size=3),
        expected_text=WORDS,
        cpu_limit_s=st.none() | st.floats(0, 9),
    ),
    st.builds(MeraSpec, entry_point=TEXTS, calls=CALLS, expected_text=WORDS),
    st.builds(LabelSpec, expected=TEXTS),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)
TASKS = st.builds(
    Task,
    task_id=st.integers() | TEXTS,
    instruction=st.text(max_size=50),
    inputs=st.dictionaries(TEXTS, JSON, max_size=3),
    outputs=JSON,
    meta=st.dictionaries(TEXTS, JSON, max_size=3),
    revision=TEXTS,
)
CRITERIA = st.builds(Criterion, spec=SPECS, task=st.none() | TASKS, profile=TEXTS)
ANSWERS = st.builds(
    Answer,
    key=TEXTS,
    task_id=st.integers(0, 1 << 60) | TEXTS,
    sample=st.integers(0, 1 << 40),
    model=TEXTS,
    text=TEXTS,
    finish_reason=st.none() | TEXTS,
)
WORK = st.builds(
    wire.WorkerJob,
    number=st.integers(0, 1 << 40),
    answer=st.none() | ANSWERS,
    program=TEXTS,
    criterion=st.none() | CRITERIA.map(wire.send_criterion),
)


def bodies(stream: bytes) -> list[bytes]:
    """What an inbox gives of these bytes until they end."""
    reading, writing = os.pipe()
    try:
        os.write(writing, stream)
        os.close(writing)
        inbox = wire.Inbox(reading)
        return [body for taken in iter(inbox.take, []) for body in taken]
    finally:
        os.close(reading)


@given(st.lists(WORK, max_size=5))
def test_messages_come_out_as_they_went_in(messages: list[wire.WorkerJob]) -> None:
    """Any number of messages, one after another."""
    decoder = msgspec.msgpack.Decoder(wire.WorkerJob)
    came = bodies(b"".join(map(wire.frame, messages)))

    assert [decoder.decode(body) for body in came] == messages


def test_what_is_there_is_taken_and_the_rest_waited_for() -> None:
    """All whole messages at once; of one that is cut the other part is still to come."""
    frames = [wire.frame(wire.WorkerJob(number=number)) for number in range(3)]
    reading, writing = os.pipe()
    inbox = wire.Inbox(reading)
    taken = []
    for part in (frames[0] + frames[1] + frames[2][:5], frames[2][5:]):
        os.write(writing, part)
        taken.append(inbox.take())
    os.close(writing)

    assert [*taken, inbox.take()] == [[frames[0][4:], frames[1][4:]], [frames[2][4:]], []]
    os.close(reading)


@given(CRITERIA)
def test_a_criterion_comes_out_as_it_went_in(criterion: Criterion) -> None:
    """Whatever a JSON row may hold: integers of any size, lone surrogates, nested lists."""
    work = wire.WorkerJob(number=1, criterion=wire.send_criterion(criterion))
    (body,) = bodies(wire.frame(work))
    sent = msgspec.msgpack.decode(body, type=wire.WorkerJob).criterion

    assert sent is not None
    assert wire.receive_criterion(sent, type(criterion.spec)) == criterion
    assert sent.judge == criterion.spec.judge


def test_a_task_that_no_file_could_hold_is_refused() -> None:
    """The values of another package's track are data, or the error names the task."""
    task = Task(task_id="t/1", instruction="", inputs={"x": object()}, outputs=None, meta={}, revision="r")
    with pytest.raises(DataError, match="task t/1 holds a value"):
        wire.send_criterion(Criterion(CallsSpec(entry_point="f"), task))


@given(WORK, st.data())
def test_a_cut_message_is_the_end(message: wire.WorkerJob, data: st.DataObject) -> None:
    """The other side died while it wrote: its last words are not taken for a message."""
    whole = wire.frame(message)
    length = data.draw(st.integers(0, len(whole) - 1))

    assert bodies(whole[:length]) == []


@pytest.mark.parametrize(
    "message",
    [
        wire.WorkerSetup(jail="native", limits=Limits(cpu_s=0.5, wall_s=2.0), core=3),
        wire.WorkerResult(number=7, judgement=Judgement(outcome=Outcome.wrong, detail="é\n", cpu_s=0.25)),
        wire.WorkerResult(
            number=8, judgement=Judgement(outcome=Outcome.passed, rule="fence", truncated=True)
        ),
        wire.WorkerResult(
            number=9,
            judgement=Judgement(
                outcome=Outcome.wrong, scores={"logic": 0.5}, parts={"a": Outcome.passed, "b": Outcome.wrong}
            ),
        ),
    ],
    ids=["setup", "judgement", "rule", "graded"],
)
def test_each_kind_of_message_survives(message: wire.WorkerSetup | wire.WorkerResult) -> None:
    """Records keep their types, an outcome and limits too."""
    (body,) = bodies(wire.frame(message))

    assert msgspec.msgpack.decode(body, type=type(message)) == message
