"""Inputs and outputs of a sandbox, and the limits of an answer."""

from __future__ import annotations

import collections
import errno
import random
import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from benchwright.errors import SandboxError, UsageError
from benchwright.records import Outcome
from benchwright.sandbox import box as box_module
from benchwright.sandbox.box import Reply, Result, Sandbox
from benchwright.sandbox.claims import RemoteError
from benchwright.sandbox.codec import CodecError
from benchwright.sandbox.environments import find_environment
from benchwright.sandbox.jail import JAILS
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.zygote import AnswerEnded, AnswerUsage
from kit.needs import need_jail, need_module
from kit.processes import python, said_under

LIMITS = Limits(cpu_s=0.5, wall_s=20.0, memory_mb=256, processes=32, tmp_mb=16)
NO_ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [((), {})]


@pytest.fixture(scope="module", params=JAILS)
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    need_jail(request.param)
    with Sandbox(jail=request.param, limits=LIMITS) as box:
        yield box


def ask(box: Sandbox, body: str, **options: Any) -> Result:
    """Call a function without arguments."""
    return box.run(f"import os, sys, time\ndef f():\n    {body}\n", "f", NO_ARGUMENTS, **options)


def said(box: Sandbox, body: str) -> Any:
    return ask(box, body).replies[0].value


def test_positional_and_named_arguments(box: Sandbox) -> None:
    """Both kinds are passed, and each call returns one value."""
    result = box.run("def add(x, y): return x + y", "add", [((1, 2), {}), ((3,), {"y": 4})])

    assert (Outcome.passed, [3, 7]) == (result.outcome, [reply.value for reply in result.replies])


NESTED: list[Any] = [
    {"a": [1, (2.5, None), {"b": {1, 2}}], 3: b"\x00", (1, "x"): True},
    [frozenset({1}), 1j, 2**100, -(2**70), -0.0, True],
    "текст \ud800 \x00",
    [[[[[]]]]],
    {},
    float("inf"),
]


@pytest.mark.parametrize("value", NESTED, ids=lambda value: type(value).__name__)
def test_nested_values_go_in_and_out(box: Sandbox, value: Any) -> None:
    """Every plain type, nested, comes back equal and with the same type."""
    result = box.run("def same(value): return value", "same", [((value,), {})])

    assert (value, type(value)) == (result.replies[0].value, type(result.replies[0].value))


MARKED = [collections.deque([1]), range(3), bytearray(b"x"), Fraction(1, 3)]
MAKE_MARKED = """
import collections, fractions
def f(): return [collections.deque([1]), range(3), bytearray(b"x"), fractions.Fraction(1, 3)]
"""


def test_values_that_marshal_lacks_come_out(box: Sandbox) -> None:
    """Deques, ranges, bytearrays and fractions keep their types."""
    value = box.run(MAKE_MARKED, "f", NO_ARGUMENTS).replies[0].value

    assert (MARKED, [type(item) for item in MARKED]) == (value, [type(item) for item in value])


@pytest.mark.parametrize("argument", MARKED, ids=lambda argument: type(argument).__name__)
def test_values_that_marshal_lacks_go_in(box: Sandbox, argument: Any) -> None:
    """The program gets an argument of the type that was passed."""
    result = box.run("def f(x): return type(x).__name__", "f", [((argument,), {})])

    assert type(argument).__name__ == result.replies[0].value


def test_calls_share_one_process(box: Sandbox) -> None:
    """The program is loaded once; a call sees the changes of earlier ones."""
    result = box.run(
        "seen = []\ndef f(x):\n    seen.append(x)\n    return seen", "f", [((1,), {}), ((2,), {})]
    )

    assert [reply.value for reply in result.replies] == [[1], [1, 2]]


def test_a_failed_call_does_not_end_the_batch(box: Sandbox) -> None:
    """Later calls are still made; the result names the first failure."""
    result = box.run("def f(x): return 1 / x", "f", [((1,), {}), ((0,), {}), ((2,), {})])

    assert (
        Outcome.exception,
        ["value", "exception", "value"],
        "ZeroDivisionError: division by zero (line 1)",
    ) == (
        result.outcome,
        [reply.kind for reply in result.replies],
        result.detail,
    )


def test_arguments_that_were_changed(box: Sandbox) -> None:
    """In a session, changes of lists, dicts and sets by the answer are made for the caller too."""
    program = (
        "def f(rows, table, seen):\n    rows.sort()\n    table.clear()\n    seen.add(9)\n    return len(rows)"
    )
    rows, table, seen = [3, 1, 2], {"a": 1}, {1}
    with box.session(program, "f") as session:
        value = session.call((rows, table), {"seen": seen})

    assert (3, [1, 2, 3], {}, {1, 9}) == (value, rows, table, seen)


def test_a_session_keeps_the_program(box: Sandbox) -> None:
    """Calls of one session share the program; an error of one does not end it."""
    with box.session("n = [0]\ndef f(x):\n    n[0] += 1\n    return n[0] // x", "f") as session:
        first = session.call((1,), {})
        with pytest.raises(ZeroDivisionError, match="line 4"):
            session.call((0,), {})
        third = session.call((1,), {})

    assert (first, third) == (1, 3)


def test_a_session_raises_what_is_not_built_in_as_remote(box: Sandbox) -> None:
    """An exception class of the program is only named."""
    program = "class Own(Exception): pass\ndef f(): raise Own('text')"
    with box.session(program, "f") as session, pytest.raises(RemoteError, match=r"Own: text \(line 2\)"):
        session.call((), {})


def test_a_session_that_dies(box: Sandbox) -> None:
    """The end of the process ends the session, with its exit status."""
    with box.session("import os\ndef f(): os._exit(3)", "f") as session, pytest.raises(AnswerEnded) as caught:
        session.call((), {})

    assert (Outcome.exception, "the process exited with status 3 before it had answered") == (
        caught.value.outcome,
        caught.value.detail,
    )


@pytest.mark.parametrize(
    ("program", "outcome", "words"),
    [
        ("def f(:", Outcome.syntax_error, "SyntaxError"),
        ("x = 1", Outcome.no_entry_point, "does not define"),
        ("raise ValueError('at load')", Outcome.exception, "ValueError: at load (line 1)"),
        ("def f(): return object()", Outcome.exception, "object"),
        ("def f(): return [0] * 10**9", Outcome.exception, "MemoryError"),
        ("x = [0] * 10**9", Outcome.out_of_memory, "MemoryError"),
        ("import os\ndef f(): os.kill(os.getpid(), 11)", Outcome.passed, ""),
        ("import os\ndef f(): os.abort()", Outcome.exception, "before it had answered"),
        ("def f():\n  while True: pass", Outcome.timed_out, "0.5 s of processor time"),
        ("def f(): return 'x' * (20 << 20)", Outcome.output_limit, "a reply of"),
    ],
)
def test_how_programs_end(box: Sandbox, program: str, outcome: Outcome, words: str) -> None:
    """Each kind of failure has its outcome and its reason."""
    result = box.run(program, "f", NO_ARGUMENTS)

    assert (outcome, True) == (result.outcome, words in result.detail)


def test_sleeping_ends_by_wall_time() -> None:
    """A program that uses no processor time is ended by the guard."""
    with Sandbox(limits=Limits(cpu_s=0.5, wall_s=0.5)) as box:
        result = ask(box, "time.sleep(60)")

    assert (Outcome.timed_out, "did not end within 0.5 s of wall time") == (result.outcome, result.detail)


def test_the_processor_limit_can_be_set_for_a_run(box: Sandbox) -> None:
    """A task has its own limit."""
    result = ask(box, "while True: pass", cpu_s=0.2)

    assert "more than 0.2 s" in result.detail


def test_what_is_printed_is_kept(box: Sandbox) -> None:
    """Standard output and standard error, in order: their first bytes, and their number of bytes."""
    usage = ask(
        box,
        "print('out', flush=True); print('err', file=sys.stderr, flush=True); print('x' * 5000, flush=True)",
    ).usage

    assert (usage.stdout[:11], len(usage.stdout), usage.printed) == (b"out\nerr\nxxx", 2048, 5009)


def test_printing_is_not_answering(box: Sandbox) -> None:
    """No output of a program can be taken for a value."""
    result = ask(box, "print('D', flush=True); return 5")

    assert ([reply.value for reply in result.replies], result.usage.stdout) == ([5], b"D\n")


def test_output_has_a_limit(box: Sandbox) -> None:
    """Endless output fails, and no more than the limit is stored."""
    result = ask(box, "os.write(1, b'x' * (1 << 20)); os.write(1, b'y'); return 1")

    assert (Outcome.exception, 1 << 20) == (result.outcome, result.usage.printed)


def test_memory_is_limited_for_a_process(box: Sandbox) -> None:
    """A process may map a limited amount of memory."""
    value = said(box, "import resource; return resource.getrlimit(resource.RLIMIT_AS)")

    assert value == (256 << 20, 256 << 20)


def test_processes_are_limited(box: Sandbox) -> None:
    """Forking ends at the limit, with an error that the program can see."""
    result = ask(box, "while os.fork(): pass\n    time.sleep(9)")

    assert "BlockingIOError" in result.detail


def test_the_folder_is_limited_and_fresh(box: Sandbox) -> None:
    """Each answer has an empty /tmp of the set size."""
    body = "open('/tmp/x', 'w'); s = os.statvfs('/tmp'); return s.f_blocks * s.f_frsize, os.listdir('/tmp')"
    first, second = said(box, body), said(box, body)

    assert (first, second) == ((16 << 20, ["x"]),) * 2


def test_answers_are_reproducible(box: Sandbox) -> None:
    """Random numbers, hashes of text and the time zone are the same in every run."""
    body = "import random; return random.random(), hash('x'), time.tzname[0], sorted(os.environ)"
    first, second = said(box, body), said(box, body)
    expected = random.Random(0).random()

    assert (first, expected, "UTC") == (second, first[0], first[2])


def test_another_sandbox_gives_the_same() -> None:
    """The order of a set of texts is equal in every interpreter: replacing a worker changes nothing."""
    body = "return str({'one', 'two', 'three', 'four'}), hash('x')"
    results = []
    for _ in range(2):
        with Sandbox() as box:
            results.append(said(box, body))

    assert results[0] == results[1]


def test_an_answer_is_alone_and_without_rights(box: Sandbox) -> None:
    """It is process 1 of its namespace, has no child and no capability, cannot gain any, and is filtered."""
    body = (
        "s = dict(l.split(':\\t') for l in open('/proc/self/status').read().splitlines() if ':\\t' in l); "
        "return os.getpid(), os.getppid(), [s[k] for k in ('CapEff', 'CapPrm', 'NoNewPrivs', 'Seccomp')]"
    )

    assert said(box, body) == (1, 0, ["0" * 16, "0" * 16, "1", "2"])


@pytest.mark.parametrize("scope", ["slot", "answer"])
def test_an_answer_cannot_build(scope: str) -> None:
    """Mounting and each kind of namespace are refused, by the filter or because a capability is missing."""
    body = (
        "import ctypes; c = ctypes.CDLL(None, use_errno=True); results = []\n"
        "    for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):\n"
        "        results.append((c.syscall(56, flag | 17, 0, 0, 0, 0), ctypes.get_errno()))\n"
        "    results.append((c.mount(b'none', b'/tmp', b'tmpfs', 0, None), ctypes.get_errno()))\n"
        "    return set(results)"
    )
    with Sandbox(limits=Limits(namespaces=scope)) as box:
        assert said(box, body) == {(-1, errno.EPERM)}


def test_no_harness_module_can_be_imported(box: Sandbox) -> None:
    """An answer cannot import what this process can."""
    names = ("benchwright", "msgspec", "pytest")
    body = f"import importlib.util as u; return [n for n in {names} if u.find_spec(n)]"

    assert said(box, body) == []


@pytest.mark.parametrize("jail", JAILS)
def test_namespaces_for_every_answer(jail: str) -> None:
    """The more expensive scope gives each answer separate user and network namespaces, and works the same."""
    need_jail(jail)
    body = "return [os.readlink(f'/proc/self/ns/{name}') for name in ('user', 'net', 'pid', 'mnt', 'ipc')]"
    with Sandbox(jail=jail, limits=Limits(namespaces="answer")) as box:
        first, second = said(box, body), said(box, body)
    with Sandbox(jail=jail, limits=Limits()) as box:
        third, fourth = said(box, body), said(box, body)
    shared = [name for name, other in zip(third, fourth, strict=True) if name == other]

    assert (True, third[:2]) == (first != second, shared[:2])


def test_values_kept_have_a_limit(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many calls that return a large value do not fill this process."""
    monkeypatch.setattr(box_module, "KEPT_BYTES", 3000)
    result = box.run("def f(): return 'x' * 1000", "f", NO_ARGUMENTS * 10)

    assert (Outcome.output_limit, 3) == (result.outcome, len(result.replies))


def test_a_malformed_value_raises_when_asked_for() -> None:
    """A reply is decoded when its value is requested."""
    with pytest.raises(CodecError):
        _ = Reply("value", b"junk").value


def test_results_show_themselves() -> None:
    """Short, for people at a prompt."""
    usage = AnswerUsage(0.25, 0.5, 1, 0, 0, b"")
    replies = [Reply("value", b"i\x03\x00\x00\x00"), Reply("exception", b"", "ValueError: no")]

    assert [
        *map(repr, replies),
        repr(Result(Outcome.exception, "", replies, usage)),
    ] == ["Reply(3)", "Reply(exception: ValueError: no)", "Result(exception, 2 replies, 0.250 s CPU)"]


def test_few_interpreters_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least recently used one is ended, and started again when it is needed."""
    monkeypatch.setattr(box_module, "KEPT_WARM", 2)
    seeds = [find_environment("bare")] + [
        msgspec.structs.replace(find_environment("bare"), name=f"seed {seed}", hash_seed=seed)
        for seed in (1, 2)
    ]
    pids = []
    with Sandbox(limits=LIMITS) as box:
        for at in (0, 1, 0, 2, 0, 1):
            result = ask(
                box,
                "return sys.flags.hash_randomization, os.environ['PYTHONHASHSEED']",
                environment=seeds[at],
            )
            assert result.replies[0].value[1] == str(seeds[at].hash_seed)
            pids.append({name: id(zygote) for name, zygote in box._zygotes.items()})

    assert [sorted(each) for each in pids] == [
        ["bare"], ["bare", "seed 1"], ["bare", "seed 1"], ["bare", "seed 2"], ["bare", "seed 2"], ["bare", "seed 1"]
    ]  # fmt: skip
    assert len({each["bare"] for each in pids}) == 1


def test_the_time_of_day_can_be_moved() -> None:
    """`time` and `datetime` are shifted, in another zone, and no variable reveals it."""
    moved = msgspec.structs.replace(
        find_environment("bare"), name="moved", clock_shift_s=86400 * 400, timezone="Asia/Tokyo"
    )
    body = "import datetime; return time.time(), datetime.datetime.now().year, time.tzname[0], 'CLOCK_SHIFT' in os.environ"
    with Sandbox(limits=LIMITS) as box:
        now, year, zone, told = ask(box, body, environment=moved).replies[0].value

    assert now - time.time() > 86400 * 399
    assert year > time.gmtime().tm_year
    assert (zone, told) == ("JST", False)


def test_an_unknown_profile_is_refused(box: Sandbox) -> None:
    """The error lists the existing ones."""
    with pytest.raises(UsageError, match="nump"):
        box.run("def f(): pass", "f", NO_ARGUMENTS, environment="nump")


def test_arrays_come_out_of_their_profile() -> None:
    """The numpy profile has numpy, already imported."""
    numpy = need_module("numpy")
    with Sandbox("numpy", limits=Limits(cpu_s=5)) as box:
        result = box.run(
            "import numpy as np\ndef f(n): return np.arange(n), np.float64(1.5)", "f", [((3,), {})]
        )
    array, number = result.replies[0].value

    assert (isinstance(array, numpy.ndarray), array.tolist(), number) == (True, [0, 1, 2], 1.5)


def test_what_an_answer_used_is_measured(box: Sandbox) -> None:
    """Processor time and peak memory are the kernel's figures."""
    usage = ask(box, "end = time.process_time() + 0.2\n    while time.process_time() < end: pass").usage

    assert (0.2 <= usage.cpu_s < 2, usage.peak_kb > 1000) == (True, True)


def test_the_docstring_of_the_module_is_true() -> None:
    """Executes the example of the documentation."""
    code = "\n".join(
        line[8:]
        for line in (box_module.__doc__ or "").splitlines()
        if line.startswith(("    >>> ", "    ... "))
    )
    code = f"from benchwright.sandbox.box import Sandbox\n{code.replace('[reply', 'print([reply')})"
    done = python(code)

    assert (done.stderr, done.stdout) == ("", "[3, 7]\n")


def test_a_failed_sandbox_is_an_error_not_an_outcome(monkeypatch: pytest.MonkeyPatch) -> None:
    """If no jail can be built, SandboxError is raised."""
    monkeypatch.setattr("benchwright.sandbox.jail.launcher_command", lambda config: ["/bin/false"])
    with Sandbox() as box, pytest.raises(SandboxError, match="did not start"):
        ask(box, "return 1")


@pytest.mark.parametrize("limit", ["ulimit -v 786432", "ulimit -t 20", "ulimit -n 128"])
def test_under_lower_limits_of_the_user(limit: str) -> None:
    """If the user allows less than an answer's limit, the user's limit applies, and the sandbox works."""
    program = (
        "from benchwright.sandbox.box import Sandbox; from benchwright.sandbox.limits import Limits\n"
        "with Sandbox(limits=Limits(cpu_s=60)) as box:\n"
        "    print(box.run('def f(): return 1', 'f', [((), {})]).outcome.value)"
    )

    assert said_under(limit, program) == "passed"
