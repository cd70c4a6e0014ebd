"""Programs in the sandbox: input files, output files, limits, and distrust of their messages."""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from benchwright.errors import UsageError
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, run_command
from benchwright.sandbox.environments import Environment, interpreter
from benchwright.sandbox.limits import Limits
from benchwright.sandbox.untrusted import UntrustedBytes
from benchwright.sandbox.zygote import AnswerUsage, RunningAnswer
from kit.needs import need_jail

pytestmark = pytest.mark.usefixtures("jail")
PLAIN = Environment(name="plain", open_files=128)
PYTHON = (str(interpreter()), "-I", "-S", "-c")


@pytest.fixture(scope="module", params=["bubblewrap", "native"])
def box(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    need_jail(request.param)
    with Sandbox(PLAIN, jail=request.param, limits=Limits(output_bytes=4 << 20, cpu_s=2.0)) as sandbox:
        yield sandbox


def python(code: str, **fields: object) -> Command:
    return Command(argv=(*PYTHON, code), **fields)  # type: ignore[arg-type]


def test_files_go_in_and_come_out(box: Sandbox) -> None:
    """The command finds its files in its folder; files under the requested paths are returned."""
    code = "import os; os.mkdir('out'); open('out/b', 'w').write(open('in/a').read() * 2); print('done')"
    ran = run_command(box, python(code, files={"in/a": b"xy"}, collect=("out", "in/a", "absent")))

    assert (Outcome.passed, 0, {"out/b": b"xyxy", "in/a": b"xy"}, b"done\n") == (
        ran.outcome,
        ran.status,
        ran.files,
        ran.output,
    )


@pytest.mark.parametrize(
    ("code", "status", "detail"),
    [
        ("import sys; sys.exit(3)", 3, "the command exited with status 3"),
        ("import os; os.kill(os.getpid(), 9)", -9, "the command was ended by signal 9"),
        ("import os; os.abort()", -6, "the command was ended by signal 6"),
    ],
)
def test_how_it_ended(box: Sandbox, code: str, status: int, detail: str) -> None:
    """An exit status is unchanged, a signal is a negative number."""
    ran = run_command(box, python(code))

    assert (Outcome.exception, status, detail) == (ran.outcome, ran.status, ran.detail)


def test_a_program_that_is_not_there(box: Sandbox) -> None:
    """The status is a shell's."""
    ran = run_command(box, Command(argv=("/no/such/program",)))

    assert (ran.status, ran.output) == (127, b"/no/such/program: No such file or directory\n")


def test_the_clock_ends_it(box: Sandbox) -> None:
    """A command that loops has no status."""
    ran = run_command(box, python("while True: pass"), cpu_s=0.3)

    assert (Outcome.timed_out, None) == (ran.outcome, ran.status)


@pytest.mark.parametrize("box", ["native"], indirect=True)  # the zygote sets the limit, in either jail
def test_the_kernels_limit_is_the_clocks(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """If this process cannot look at the clock, the program still ends with a timeout."""
    monkeypatch.setattr(RunningAnswer, "_check_clock", lambda *_, **__: None)
    ran = run_command(box, python("while True: pass"), cpu_s=0.2)

    assert (ran.outcome, ran.status, ran.detail) == (
        Outcome.timed_out,
        None,
        "used more than 0.2 s of processor time",
    )


def test_environment_variables(box: Sandbox) -> None:
    """They are added to the few variables of the jail."""
    ran = run_command(box, python("import os; print(os.environ['A'], os.environ['TZ'])", env={"A": "b"}))

    assert ran.output == b"b UTC\n"


def test_children_left_behind_are_ended(box: Sandbox) -> None:
    """A process that outlives the command cannot change the collected files, nor delay the end."""
    code = (
        "import os, time\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    while True:\n"
        "        open('out', 'w').write('late')\n"
        "        time.sleep(0.01)\n"
        "while not os.path.exists('out'):\n"
        "    time.sleep(0.01)\n"
    )
    ran = run_command(box, python(code, collect=("out",)))

    assert (Outcome.passed, True) == (ran.outcome, "out" in ran.files)


def test_links_are_not_followed(box: Sandbox) -> None:
    """A link out of the folder returns nothing, nor does a fifo."""
    code = "import os; os.mkdir('out'); os.symlink('/proc/self/environ', 'out/a'); os.mkfifo('out/b')"
    code += "; os.symlink('/usr', 'out/c')"
    ran = run_command(box, python(code, collect=("out",)))

    assert (Outcome.passed, {}) == (ran.outcome, ran.files)


def test_what_comes_back_is_bounded(box: Sandbox) -> None:
    """Files beyond the total size are left out."""
    code = "for n in 'abc': open(n, 'w').write('x' * 1000)"
    ran = run_command(box, python(code, collect=("a", "b", "c"), collect_bytes=2500))

    assert (Outcome.passed, ["a", "b"]) == (ran.outcome, sorted(ran.files))


def test_one_command_sees_nothing_of_another(box: Sandbox) -> None:
    """The folder is new each time."""
    run_command(box, python("open('/tmp/mark', 'w'); open('mark', 'w')"))
    ran = run_command(box, python("import os; print(os.listdir('/tmp'), os.listdir('.'))"))

    assert ran.output == b"['work'] []\n"


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a\0b"])
def test_paths_that_lead_elsewhere(box: Sandbox, path: str) -> None:
    """They are refused before anything is executed, for inputs and outputs."""
    with pytest.raises(UsageError):
        run_command(box, python("pass", files={path: b""}))
    with pytest.raises(UsageError):
        run_command(box, python("pass", collect=(path,)))


@pytest.mark.parametrize(
    "frame",
    [
        (b"V", marshal.dumps(("../x", b""), 2)),
        (b"V", marshal.dumps(("x", "text"), 2)),
        (b"V", b"junk"),
        (b"S", b"9" * 30),
        (b"S", b"-1"),
        (b"D", b""),
    ],
)
def test_forged_frames(monkeypatch: pytest.MonkeyPatch, frame: tuple[bytes, bytes]) -> None:
    """Frames that the command's side never sends were written by the program."""
    frames = [(b"L", b""), frame]

    class Forged:
        def read(self) -> tuple[bytes, UntrustedBytes]:
            kind, payload = frames.pop(0)
            return kind, UntrustedBytes(payload)

    def execute(job: object, work: Callable[[Any], None], **_: object) -> AnswerUsage:
        work(Forged())
        return AnswerUsage(0.0, 0.0, 0, 0, 0, b"")

    with Sandbox(PLAIN) as box:
        monkeypatch.setattr(box, "execute", execute)
        ran = run_command(box, python("pass"))

    assert (Outcome.tampered, None, {}) == (ran.outcome, ran.status, ran.files)


def test_the_channel_is_out_of_reach(box: Sandbox) -> None:
    """The command does not inherit the channel, and cannot open that of the process above it."""
    code = (
        "import os\n"
        "print(sorted(os.listdir('/proc/self/fd'))[:3])\n"
        "try: os.open('/proc/1/fd/3', os.O_WRONLY)\n"
        "except OSError as error: print('refused')\n"
    )
    ran = run_command(box, python(code))

    assert ran.output == b"['0', '1', '2']\nrefused\n"


def test_more_of_the_machine_can_be_shown() -> None:
    """Binds of a profile are read-only at the requested place; the rest stays hidden."""
    there = Environment(name="with-bind", binds=((str(interpreter().parent), "/shown"),))
    code = (
        "import os; print(os.access('/shown', os.W_OK), bool(os.listdir('/shown')), os.path.exists('/home'))"
    )
    with Sandbox(there) as box:
        ran = run_command(box, python(code))

    assert ran.output == b"False True False\n"


def test_addresses_without_a_limit() -> None:
    """A runtime that reserves far more than it uses needs a profile that allows it."""
    code = "import mmap; m = mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | 0x4000); print(len(m) >> 30)"
    with Sandbox(Environment(name="wide", address_limit=False)) as box:
        wide = run_command(box, python(code))
    with Sandbox(Environment(name="narrow")) as box:
        narrow = run_command(box, python(code))

    assert (wide.output, narrow.status) == (b"8\n", 1)


def test_a_standard_input_separates_the_outputs(box: Sandbox) -> None:
    """The program reads its input; its output is complete, and separate from standard error."""
    code = "import sys; print(sys.stdin.read()[::-1]); print('noise', file=sys.stderr)"
    ran = run_command(box, python(code, stdin=b"abc"))

    assert (ran.stdout, ran.output) == (b"cba\n", b"noise\n")


def test_an_unread_input_blocks_nothing(box: Sandbox) -> None:
    """The input is a file: a program may end without reading it."""
    ran = run_command(box, python("print(1)", stdin=b"x" * (2 << 20)))

    assert (Outcome.passed, b"1\n") == (ran.outcome, ran.stdout)


def test_the_files_of_the_streams_have_no_name(box: Sandbox) -> None:
    """A program finds only its own files: neither stream is in a folder."""
    ran = run_command(box, python("import os; print(sorted(os.listdir('/tmp')))", stdin=b"secret"))

    assert ran.stdout == b"['work']\n"


def test_a_made_program_can_be_run(box: Sandbox) -> None:
    """A file of the command's folder becomes executable if it is the command."""
    script = f"#!{interpreter()} -S\nprint('run')\n".encode()
    ran = run_command(box, Command(argv=("/tmp/work/made",), files={"made": script}, stdin=b""))

    assert ran.stdout == b"run\n"
