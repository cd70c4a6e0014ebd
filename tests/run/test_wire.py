"""Messages between the runner and its workers keep what is in them, however the pipe cuts them."""

from __future__ import annotations

import io

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import CallSpec
from benchwright.judges.python import Judgement
from benchwright.records import Outcome
from benchwright.run import wire
from benchwright.sandbox.limits import Limits

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
SPECS = st.builds(
    CallSpec,
    form=st.sampled_from(["calls", "batch", "mera"]),
    entry_point=TEXTS,
    test=TEXTS,
    calls=st.binary(max_size=100),
    expected=st.lists(st.binary(max_size=20), max_size=3),
    expected_text=st.lists(TEXTS, max_size=3),
)
WORK = st.builds(wire.Work, number=st.integers(0, 1 << 40), program=TEXTS, spec=st.none() | SPECS)


@given(st.lists(WORK, max_size=5))
def test_messages_come_out_as_they_went_in(messages: list[wire.Work]) -> None:
    """Any number of messages, one after another."""
    stream = io.BytesIO(b"".join(map(wire.frame, messages)))
    decoder = msgspec.msgpack.Decoder(wire.Work)
    read = [decoder.decode(body) for body in iter(lambda: wire.read(stream), None)]

    assert read == messages


@given(WORK, st.data())
def test_a_cut_message_is_the_end(message: wire.Work, data: st.DataObject) -> None:
    """The other side died while it wrote: its last words are not taken for a message."""
    whole = wire.frame(message)
    length = data.draw(st.integers(0, len(whole) - 1))

    assert wire.read(io.BytesIO(whole[:length])) is None


@pytest.mark.parametrize(
    "message",
    [
        wire.Setup(jail="native", limits=Limits(cpu_s=0.5, wall_s=2.0), core=3),
        wire.Done(number=7, judgement=Judgement(outcome=Outcome.wrong, detail="é\n", cpu_s=0.25)),
        wire.Done(number=8, error="the zygote is gone"),
    ],
    ids=["setup", "judgement", "error"],
)
def test_each_kind_of_message_survives(message: wire.Setup | wire.Done) -> None:
    """Records keep their types, an outcome and limits too."""
    body = wire.read(io.BytesIO(wire.frame(message)))

    assert msgspec.msgpack.decode(body or b"", type=type(message)) == message
