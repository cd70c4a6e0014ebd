"""Recorded calls: they save time, and no program gets another verdict by them, whatever the bytes are."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.contracts import CallsSpec, Judgement
from benchwright.judges import assertions, recorded_calls
from benchwright.judges.recorded_calls import RecordedCalls, check_of, pack_recorded, unpack_recorded
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.codec import encode
from benchwright.sandbox.limits import Limits
from kit.judging import ProgramJudge

CALLS = 12
TEST = f"def check(candidate):\n    for n in range({CALLS}):\n        assert candidate(n) == 2 * n\n"
SPEC = CallsSpec(entry_point="f", test=TEST, cpu_limit_s=0.25)
CHECK = check_of(SPEC)
GOLD = "def f(n): return 2 * n"
# each call depends on the value before
CHAIN = msgspec.structs.replace(
    SPEC,
    test="def check(candidate):\n    n = 0\n    while n < 4:\n        n = candidate(n)\n    assert n == 4\n",
)
NEXT = "def f(n): return n + 1"
small = st.lists(st.tuples(st.binary(max_size=9), st.binary(max_size=9)), min_size=1, max_size=9)


@pytest.fixture(scope="module")
def judge(jail: None) -> Iterator[ProgramJudge]:
    with Sandbox(limits=Limits(cpu_s=1.0, wall_s=20.0, memory_mb=256, processes=32)) as sandbox:
        yield ProgramJudge(sandbox)


def with_calls(judge: ProgramJudge, spec: CallsSpec, gold: str) -> CallsSpec:
    """The spec with the calls of a program that passes."""
    observed = judge.judge(gold, msgspec.structs.replace(spec, observed=True))
    assert observed.payload
    assert observed.outcome is Outcome.passed
    assert observed.call_s > 0  # of the control group; `cpu_s` is that of the process
    return msgspec.structs.replace(spec, recorded=observed.payload)


def said(judgement: Judgement) -> tuple[Any, ...]:
    return judgement.outcome, judgement.detail, judgement.traceback


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The recordings of the specs whose check runs."""
    ran, run = list[bytes](), assertions.run

    def counted(spec: CallsSpec, session: Any) -> None:
        ran.append(spec.recorded)
        run(spec, session)

    monkeypatch.setattr(assertions, "run", counted)
    return ran


def test_the_same_replies_pass_without_the_check(judge: ProgramJudge, checks: list[bytes]) -> None:
    """Of another program, and of one that prints, in blocks of any size."""
    spec = with_calls(judge, SPEC, GOLD)
    del checks[:]
    programs = ["def f(n): return n + n", "def f(n):\n    print(n)\n    return n << 1"]

    assert [judge.judge(each, spec).outcome for each in programs] == [Outcome.passed] * 2
    assert not checks


@pytest.mark.parametrize(
    "program",
    [
        "def f(n): return 1",
        "def f(n): return 2.0 * n",  # accepted, in other bytes
        "def f(n): return 2 * n if n < 5 else float(2 * n)",
        "def f(n): return 2 * n if n != 9 else 7",
        "def f(n): return 2 * n if n != 9 else 1 / 0",
        "def f(n): return 2 * n if n != 9 else object()",
        "def f(n): return 2 * n if n != 5 else [7] * 100_000",  # more than the rest of its block
        "import os\ndef f(n): return 2 * n if n != 5 else os._exit(3)",
        "def f(n):\n    if n == 5: return 1\n    while n > 5: pass\n    return 2 * n",  # wrong before it hangs
        "def f(n):\n    while n == 11: pass\n    return 2 * n",
        "g = 1",
        "1 / 0",
    ],
)
def test_a_recording_changes_no_verdict(judge: ProgramJudge, program: str) -> None:
    """The outcome and its reason are those of single calls."""
    spec = with_calls(judge, SPEC, GOLD)

    assert said(judge.judge(program, spec)) == said(judge.judge(program, SPEC))


LARGE = "def f(n): return [n] * (20_000 if n in (3, 4, 8) else 1)"
LARGE_SPEC = msgspec.structs.replace(
    SPEC,
    test=TEST.replace("candidate(n) == 2 * n", "candidate(n)[0] == n and len(candidate(n)) in (1, 20_000)"),
)


@pytest.mark.parametrize(
    ("program", "repeated"),
    [
        (LARGE, False),
        (LARGE.replace("[n] * (", "[n for _ in range(1)] * ("), False),
        (LARGE.replace("[n]", "[float(n)]"), False),  # accepted, in other bytes; differs before a large one
        (LARGE.replace("[n]", "[float(n) if n == 9 else n]"), True),
        (LARGE.replace("[n]", "[n + (n == 4)]"), True),
        (LARGE.replace("[n]", "[n + (n == 9)]"), True),  # after large replies
        (LARGE.replace("20_000", "20_001"), True),
        (LARGE.replace("20_000", "(20_000 if n < 8 else 1 // 0)"), True),
        (LARGE.replace("20_000", "(20_000 if n < 8 else 1 << 40)"), True),
        ("import os\n" + LARGE.replace("return", "return n == 4 and os._exit(3) or"), False),
    ],
)
def test_large_replies_are_compared_by_digest(
    judge: ProgramJudge, checks: list[bytes], program: str, repeated: bool
) -> None:
    """The recording stays small, and a program that differs is executed again without it."""
    spec = with_calls(judge, LARGE_SPEC, LARGE)
    del checks[:]
    replayed = judge.judge(program, spec)
    ran = list(checks)

    assert (b"" in ran) is repeated
    assert len(spec.recorded) < 4096
    assert said(replayed) == said(judge.judge(program, LARGE_SPEC))


@pytest.mark.parametrize(
    "program",
    [
        "def f(n): return n + 1 + (n > 0)",  # other calls
        "def f(n): return n + 1 if n == 0 else n + 0.5",  # other calls, and more
        "def f(n): return n + 1 if n == 0 else 4",  # fewer calls, and they are right
        "seen = []\ndef f(n):\n    seen.append(n)\n    return 1 if n == 0 else 2 * len(seen)",  # counts calls
    ],
)
def test_a_check_that_makes_other_calls_is_repeated(
    judge: ProgramJudge, checks: list[bytes], program: str
) -> None:
    """Its program did not receive the calls that the check makes for it."""
    spec = with_calls(judge, CHAIN, NEXT)
    del checks[:]
    replayed = judge.judge(program, spec)

    assert checks == [spec.recorded, b""]
    assert said(replayed) == said(judge.judge(program, CHAIN))


FALSE = pack_recorded(RecordedCalls([encode(((n,), {})) for n in range(3)], [encode((1, None))] * 3), CHECK)


@pytest.mark.parametrize(
    "recorded",
    [
        b"no recording",
        FALSE[:-1],
        FALSE[:32],
        bytes(32) + FALSE[32:],
        pack_recorded(RecordedCalls([encode(((0,), {}))], [encode((1, None))]), check_of(CHAIN)),
    ],
)
def test_a_damaged_recording_is_not_used(judge: ProgramJudge, checks: list[bytes], recorded: bytes) -> None:
    """Nor one of another check: the check runs, a wrong program is wrong and a right one passes."""
    spec = msgspec.structs.replace(SPEC, recorded=recorded)

    assert judge.judge("def f(n): return 1", spec).outcome is Outcome.wrong
    assert judge.judge(GOLD, spec).outcome is Outcome.passed
    assert len(checks) == 2


@given(small)
def test_what_is_packed_is_unpacked(pairs: list[tuple[bytes, bytes]]) -> None:
    """For its own check only."""
    recorded = RecordedCalls([call for call, _ in pairs], [reply for _, reply in pairs])
    packed = pack_recorded(recorded, CHECK)

    assert unpack_recorded(packed, CHECK) == recorded
    assert unpack_recorded(packed, check_of(CHAIN)) is None


@given(small, st.data())
def test_any_other_byte_is_refused(pairs: list[tuple[bytes, bytes]], data: st.DataObject) -> None:
    """One that changed, and an end that is missing."""
    packed = pack_recorded(RecordedCalls([call for call, _ in pairs], [b""] * len(pairs)), CHECK)
    at = data.draw(st.integers(0, len(packed) - 1))
    changed = packed[:at] + bytes([packed[at] ^ data.draw(st.integers(1, 255))]) + packed[at + 1 :]

    assert unpack_recorded(changed, CHECK) is unpack_recorded(packed[:at], CHECK) is None


@pytest.mark.parametrize(
    "plain",
    [
        bytes(8 << 20),  # 8 KiB compressed
        msgspec.msgpack.encode(([b""] * (recorded_calls.MAX_NUMBER + 1),) * 2),
        msgspec.msgpack.encode(([b"a"], [])),
        msgspec.msgpack.encode(([], [])),
        msgspec.msgpack.encode(([1], [2])),
        msgspec.msgpack.encode(([b"a"], [(1,)])),
        msgspec.msgpack.encode(([b"a"], [(b"1", b"2")])),
        msgspec.msgpack.encode([[[[[[b"a"]]]]]] * 2),
        b"\xdd\xff\xff\xff\xff",  # four thousand million calls
        b"",
    ],
)
def test_limits_hold_for_a_sealed_recording(plain: bytes) -> None:
    """Size, count, depth and types are bounded before anything is built."""
    body = zlib.compress(plain)
    packed = recorded_calls._seal(body, CHECK) + body

    assert unpack_recorded(packed, CHECK) is None
    assert unpack_recorded(packed + b"more", CHECK) is None


def test_what_is_too_large_or_raises_is_not_recorded(
    judge: ProgramJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many calls, too many bytes, and a test that expects an exception: it passes, and leaves nothing."""
    raising = msgspec.structs.replace(
        SPEC,
        test="def check(f):\n    try:\n        f(1)\n    except ZeroDivisionError:\n        return\n    1 / 0",
    )
    observed = [(raising, "def f(n): 1 / 0")]
    for limit in ("MAX_NUMBER", "MAX_RECORDED"):
        with monkeypatch.context() as lower:
            lower.setattr(recorded_calls, limit, CALLS - 1)
            found = judge.judge(GOLD, msgspec.structs.replace(SPEC, observed=True))
        assert (found.outcome, found.payload) == (Outcome.passed, b"")
    for spec, program in observed:
        found = judge.judge(program, msgspec.structs.replace(spec, observed=True))
        assert (found.outcome, found.payload) == (Outcome.passed, b"")


@given(st.lists(st.tuples(st.integers(0, 50_000), st.integers(0, 50_000)), min_size=1, max_size=400))
def test_blocks_are_all_calls_in_order(sizes: list[tuple[int, int]]) -> None:
    """Each fits into a socket, unless it is a single call."""
    recorded = RecordedCalls([bytes(size) for size, _ in sizes], [bytes(size) for _, size in sizes])
    blocks = list(recorded.blocks())

    assert [at for first, last in blocks for at in range(first, last)] == list(range(len(sizes)))
    assert all(
        last == first + 1 or max(sum(map(len, each[first:last])) for each in recorded) <= 64 << 10
        for first, last in blocks
    )


BURN = "import time\ndef f(n):\n    until = time.process_time() + {}\n    while time.process_time() < until: pass\n    return 2 * n"


def test_one_call_has_a_limit_of_its_own(judge: ProgramJudge) -> None:
    """Which several calls may exceed together, and one may not, with and without a recording."""
    limited = msgspec.structs.replace(SPEC, call_limit_s=0.125, cpu_limit_s=30.0)
    recorded = msgspec.structs.replace(limited, recorded=with_calls(judge, SPEC, GOLD).recorded)
    for spec in (limited, recorded):
        hangs = judge.judge("def f(n):\n    while n == 3: pass\n    return 2 * n", spec)
        assert judge.judge(BURN.format(0.02), spec).outcome is Outcome.passed
        assert (hangs.outcome, "in one call" in hangs.detail) == (Outcome.timed_out, True)
