"""Trials: each executed once, whatever is killed or asked again, under variations that bring out chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
import pytest

from benchwright.contracts import BatchSpec, CallsSpec, Job, Judgement, ProgramSpec, RepliesSpec, Variation
from benchwright.executing import trials
from benchwright.executing.pool import Pool
from benchwright.executing.trials import Trial, Trials, vary, with_cpu_limit
from benchwright.records import Outcome
from benchwright.sandbox.codec import decode, encode

ADDS = BatchSpec(
    entry_point="f",
    calls=encode([((1, 2), {}), ((5,), {"y": 5})]),
    expected=[encode(3), encode(10)],
    cpu_limit_s=1.0,
)
RIGHT = "def f(x, y):\n    return x + y\n"
WRONG = "def f(x, y):\n    return x * y\n"


class Counting:
    """An executor that gives each program what the test says, and counts."""

    size = 1

    def __init__(self, outcomes: dict[str, Outcome], *, stops_after: int = 10**9) -> None:
        self.outcomes, self.executed, self.left = outcomes, Counter[str](), stops_after
        self.order: list[int] = []

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """The last job first: order is nothing to rely on."""
        given = list(jobs)
        for job in given:
            assert isinstance(job.criterion.spec, ProgramSpec)
            self.order.append(job.criterion.spec.variation.number)
        for job in reversed(given):
            if self.left == 0:
                raise KeyboardInterrupt
            self.left -= 1
            assert isinstance(job.given, str)
            self.executed[job.given] += 1
            yield job.number, Judgement(outcome=self.outcomes[job.given], detail=job.given, cpu_s=0.5)


OUTCOMES = {f"program {n}": (Outcome.passed, Outcome.wrong)[n % 2] for n in range(10)}
WANTED = [Trial(program, ADDS) for program in OUTCOMES]


def test_results_come_in_the_order_given(tmp_path: Path) -> None:
    """Whatever order the executor ends them in, and equal trials are one."""
    executor = Counting(OUTCOMES)
    with Trials(tmp_path / "trials.jsonl", executor) as trials:
        found = trials.run([*WANTED, *WANTED])

    assert [each.outcome for each in found] == [*OUTCOMES.values()] * 2
    assert set(executor.executed.values()) == {1}


def test_what_was_stopped_goes_on(tmp_path: Path) -> None:
    """A command that ends in the middle leaves what had ended; the next executes the others alone."""
    path = tmp_path / "trials.jsonl"
    first, second = Counting(OUTCOMES, stops_after=4), Counting(OUTCOMES)
    with pytest.raises(KeyboardInterrupt), Trials(path, first) as trials:
        trials.run(WANTED)
    with Trials(path, second) as trials:
        found = trials.run(WANTED)

    assert trials.earlier == 4
    assert first.executed + second.executed == Counter(dict.fromkeys(OUTCOMES, 1))
    assert [each.outcome for each in found] == [*OUTCOMES.values()]


def test_a_torn_line_is_done_again(tmp_path: Path) -> None:
    """What a kill tore off the end of the file is one trial more to do."""
    path = tmp_path / "trials.jsonl"
    with Trials(path, Counting(OUTCOMES)) as trials:
        whole = trials.run(WANTED)
    path.write_bytes(path.read_bytes()[:-7])
    executor = Counting(OUTCOMES)
    with Trials(path, executor) as trials:
        assert trials.run(WANTED) == whole
    assert executor.executed.total() == 1


def test_a_failure_of_the_sandbox_is_not_remembered(tmp_path: Path) -> None:
    """It is told, and tried again by the next who asks."""
    path = tmp_path / "trials.jsonl"
    with Trials(path, Counting({RIGHT: Outcome.sandbox_error})) as trials:
        assert trials.run([Trial(RIGHT, ADDS)])[0].outcome is Outcome.sandbox_error
    with Trials(path, Counting({RIGHT: Outcome.passed})) as trials:
        assert trials.run([Trial(RIGHT, ADDS)])[0].passed


@pytest.mark.parametrize(
    "other",
    [
        Trial(WRONG, ADDS),
        Trial(RIGHT, with_cpu_limit(ADDS, 2.0)),
        Trial(RIGHT, msgspec.structs.replace(ADDS, variation=Variation(number=1, hash_seed=1))),
        Trial(RIGHT, CallsSpec(entry_point="f", test="def check(candidate): pass", cpu_limit_s=1.0)),
    ],
)
def test_another_content_is_another_trial(tmp_path: Path, other: Trial) -> None:
    """Program, spec, limit and variation each make a key of their own."""
    executor = Counting({RIGHT: Outcome.passed, WRONG: Outcome.wrong})
    with Trials(tmp_path / "trials.jsonl", executor) as trials:
        one, two = trials.run([Trial(RIGHT, ADDS), other])

    assert one.key != two.key
    assert executor.executed.total() == 2


def test_those_of_one_variation_stand_together(tmp_path: Path) -> None:
    """An interpreter is started once for each variation, and that of no variation is the one left warm."""
    executor = Counting(OUTCOMES)
    with Trials(tmp_path / "trials.jsonl", executor) as trials:
        trials.run([trial for program in OUTCOMES for trial in vary(program, ADDS, 3)])

    assert executor.order == [1] * 10 + [2] * 10 + [0] * 10


HASHES = "def f():\n    return list({'alpha', 'beta', 'gamma', 'delta', 'epsilon'})\n"
DRAWS = "import random\ndef f():\n    return random.random()\n"
ZONE = "import time\ndef f():\n    return time.tzname[0]\n"
CLOCK = "import datetime\ndef f():\n    return datetime.datetime.now().strftime('%Y-%m')\n"
COUNTS = "seen = []\ndef f(x):\n    seen.append(x)\n    return len(seen)\n"


def values(trials: Trials, program: str, calls: list[tuple[tuple[int, ...], dict[str, int]]]) -> set[bytes]:
    """The payloads of five varied executions."""
    spec = RepliesSpec(entry_point="f", calls=encode(calls), count=len(calls), cpu_limit_s=1.0)
    found = trials.run(vary(program, spec))
    assert all(each.passed for each in found), found
    return {each.payload for each in found}


@pytest.mark.usefixtures("jail")
def test_variations_bring_out_chance(tmp_path: Path) -> None:
    """The order of sets, random numbers, the zone and the clock differ; what is steady does not."""
    with Pool(workers=1) as pool, Trials(tmp_path / "trials.jsonl", pool) as trials:
        varying = [len(values(trials, program, [((), {})])) for program in (HASHES, DRAWS, ZONE, CLOCK)]
        steady = len(values(trials, "def f():\n    return 1\n", [((), {})]))
        ordered = trials.run(vary(COUNTS, BatchSpec(
            entry_point="f",
            calls=encode([((n,), {}) for n in range(3)]),
            expected=[encode(n) for n in (1, 2, 3)],
            cpu_limit_s=1.0,
        )))  # fmt: skip

    assert all(count > 1 for count in varying), varying
    assert steady == 1
    assert ordered[0].passed


@pytest.mark.usefixtures("jail")
def test_calls_are_made_in_another_order(tmp_path: Path) -> None:
    """A program that keeps a state between calls passes in the tests' own order and in no other."""
    state = "last = -1\ndef f(x):\n    global last\n    last, before = x, last\n    return before < x\n"
    spec = BatchSpec(
        entry_point="f",
        calls=encode([((n,), {}) for n in range(6)]),
        expected=[encode(True)] * 6,
        cpu_limit_s=1.0,
    )
    with Pool(workers=1) as pool, Trials(tmp_path / "trials.jsonl", pool) as trials:
        found = trials.run(vary(state, spec))
        right = trials.run(vary(RIGHT, ADDS))

    assert [each.passed for each in found] == [True, False, False, False, False]
    assert all(each.passed for each in right)


@pytest.mark.usefixtures("jail")
def test_replies_are_what_each_call_gave(tmp_path: Path) -> None:
    """Values as they are, exceptions and what cannot be sent as texts, and where the program ended."""
    program = (
        "def f(x):\n    if x == 1: raise ValueError('no')\n    if x == 2: return object()\n"
        "    if x == 3: return 'a' * 100_000\n    if x == 4:\n        while True: pass\n    return [x]\n"
    )
    calls = [((n,), {}) for n in (0, 1, 2, 3, 4, 5)]
    spec = RepliesSpec(entry_point="f", calls=encode(calls), count=6, cpu_limit_s=0.3)
    with Pool(workers=1) as pool, Trials(tmp_path / "trials.jsonl", pool) as trials:
        (found,) = trials.run([Trial(program, spec)])
    replies = msgspec.msgpack.decode(found.payload, type=list[tuple[str, bytes]])

    assert [kind for kind, _ in replies] == ["value", "exception", "unsendable", "large", "ended"]
    assert decode(replies[0][1]) == [0]
    assert replies[1][1].startswith(b"ValueError: no")
    assert replies[4][1].startswith(b"timed_out")


LINKED = RepliesSpec(entry_point="f", environment="torch", calls=b"", count=0, links={"hub": "/twins/A/hub"})


def test_a_trial_beside_stand_ins_is_one_of_those_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made otherwise, they are others; a program that names none, or is given none, is tried once."""
    monkeypatch.setattr(trials, "environment_lock", lambda name: {name: "1"})
    digests = {"gpt2": "1", "sst": "1"}
    monkeypatch.setattr(trials, "twin_digests", lambda name: digests)
    programs = ["load('gpt2')", "load('sst')", "nothing()"]
    plain = msgspec.structs.replace(LINKED, links={})
    wanted = [Trial(program, spec) for program in programs for spec in (LINKED, plain)]
    executed = []
    for digests["gpt2"] in ("1", "2", "1"):
        executor = Counting(dict.fromkeys(programs, Outcome.passed))
        with Trials(tmp_path / "trials.jsonl", executor) as kept:
            kept.run(wanted)
        executed.append(executor.executed)

    assert executed == [Counter(dict.fromkeys(programs, 2)), Counter(["load('gpt2')"]), Counter()]


class Busy(Counting):
    """An executor on a machine so busy that time runs out wherever programs are executed together."""

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """Only a job that comes by itself ends as it would on an idle machine."""
        given = list(jobs)
        for number, judgement in super().judge(given):
            busy = Judgement(outcome=Outcome.timed_out, detail="30 s of the clock")
            yield number, judgement if len(given) == 1 else busy


@pytest.mark.parametrize(
    ("outcome", "again", "expected", "executed"),
    [
        (Outcome.passed, True, Outcome.passed, 2),
        (Outcome.wrong, True, Outcome.wrong, 2),
        (Outcome.timed_out, True, Outcome.timed_out, 2),
        (Outcome.passed, False, Outcome.timed_out, 1),
        (Outcome.sandbox_error, True, Outcome.sandbox_error, 2),
    ],
)
def test_what_time_ended_is_executed_again_alone(
    tmp_path: Path, outcome: Outcome, again: bool, expected: Outcome, executed: int
) -> None:
    """Only where that is asked for, once, and with nothing beside it; the second end is remembered."""
    programs = ["program 0", "program 1"]
    busy = Busy(dict.fromkeys(programs, outcome))
    with Trials(tmp_path / "trials.jsonl", busy) as trials:
        found = trials.run([Trial(program, ADDS, again) for program in programs])
    with Trials(tmp_path / "trials.jsonl", Busy(dict.fromkeys(programs, outcome))) as later:
        known = later.run([Trial(programs[0], ADDS, again)])

    assert [each.outcome for each in (*found, *known)] == [expected] * 3
    assert busy.executed == Counter(dict.fromkeys(programs, executed))
    assert later.earlier == (0 if expected is Outcome.sandbox_error else 2)


def test_a_time_out_of_an_earlier_version_is_executed_again(tmp_path: Path) -> None:
    """A file that remembers one from among many programs: asked again once, and then known."""
    slow = Counting({"program 0": Outcome.timed_out})
    with Trials(tmp_path / "trials.jsonl", slow) as trials:
        trials.run([Trial("program 0", ADDS)])
    quick = Counting({"program 0": Outcome.passed})
    for _ in range(2):
        with Trials(tmp_path / "trials.jsonl", quick) as trials:
            [found] = trials.run([Trial("program 0", ADDS, again=True)])
        assert found.passed

    assert quick.executed == Counter({"program 0": 1})


class RecordingExecutor(Counting):
    """An executor that records the calls of each observed program, as the judge does, and keeps its jobs."""

    def judge(self, jobs: Iterable[Job]) -> Iterator[tuple[int, Judgement]]:
        """The payload of a recording is its program, ten bytes long."""
        given = list(jobs)
        self.specs = {job.given: job.criterion.spec for job in given}
        for number, judgement in super().judge(given):
            spec = given[number].criterion.spec
            observed = isinstance(spec, CallsSpec) and spec.observed
            payload = judgement.detail.encode().ljust(10, b".") if observed else b""
            yield number, msgspec.structs.replace(judgement, payload=payload, call_s=0.25 * observed)

    def recorded(self) -> list[bytes]:
        """What the last jobs had, in the order of their programs."""
        return [getattr(self.specs[name], "recorded", b"") for name in sorted(map(str, self.specs))]


def test_recorded_calls_are_kept_in_memory_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Later programs with the same check receive them; the file has none, so a command that continues
    executes one call at a time, under the same keys and with the same results."""
    path = tmp_path / "trials.jsonl"
    one, two = (CallsSpec(entry_point="f", test=f"check {n}", cpu_limit_s=1.0) for n in (1, 2))
    observed = [Trial("program 0", one, observed=True), Trial("program 2", two, observed=True)]
    later = [Trial("program 1", with_cpu_limit(one, 2.0)), Trial("program 3", two), Trial("program 4", ADDS)]
    executor = RecordingExecutor(OUTCOMES)
    with Trials(path, executor) as kept:
        first = kept.run(observed)
        content = path.read_bytes()
        whole = kept.run(later)
    path.write_bytes(content)  # as if the command had been killed before the later programs
    again = RecordingExecutor(OUTCOMES)
    with Trials(path, again) as continued:
        results = [*continued.run(observed), *continued.run(later)]
    monkeypatch.setattr(trials, "MAX_HELD", 15)  # one recording
    limited = RecordingExecutor(OUTCOMES)
    with Trials(tmp_path / "limited.jsonl", limited) as kept:
        kept.run([*observed, *observed[:1]])
        kept.run(later)

    assert executor.recorded() == [b"program 0.", b"program 2.", b""]
    assert [(each.payload, each.call_s) for each in first] == [(b"", 0.25)] * 2
    assert b"payload" not in content
    assert (results, again.recorded()) == ([*first, *whole], [b""] * 3)
    assert sorted(limited.recorded()) in ([b"", b"", b"program 0."], [b"", b"", b"program 2."])
