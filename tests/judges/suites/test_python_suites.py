"""Python suites end as pytest would have them end, under every variation, and say why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchwright.contracts import FAILURES, Suite, SuiteReport, Variation
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.judges.suites import python as module
from benchwright.judges.suites.python import PythonSuites
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.commands import Command, run_command
from benchwright.sandbox.environments import SITE, find_environment, interpreter
from benchwright.sandbox.limits import Limits
from kit.growth import slowness
from kit.honest_python import ADD, HONEST, Honest

pytestmark = pytest.mark.usefixtures("jail")


@pytest.fixture(scope="module")
def runner() -> Iterator[PythonSuites]:
    suites = PythonSuites(limits=Limits(cpu_s=4.0))
    yield suites
    suites.close()


def report(runner: PythonSuites, suite: Suite, **variation: object) -> SuiteReport:
    return dict(runner.run([(0, suite)], variation=Variation(**variation)))[0]  # type: ignore[arg-type]


def ended(got: SuiteReport) -> str:
    return got.kind if got.state == "failed" else got.state


def one(focal: str, test: str, *cases: str, **files: str) -> Suite:
    return Honest(focal, test, list(cases or ("test_a",)), "", files).suite()


@pytest.mark.parametrize("name", sorted(HONEST))
def test_honest_suites(runner: PythonSuites, name: str) -> None:
    """Each ends as it must, its report names each case once, and what failed has a kind."""
    got = report(runner, HONEST[name].suite())
    kinds = {case.kind for case in got.cases if case.state == "failed"}

    assert (HONEST[name].end, HONEST[name].cases, True) == (
        ended(got) if ended(got) == HONEST[name].end else repr(got),
        [case.name for case in got.cases],
        kinds <= set(FAILURES),
    )


# pytest and its plug-ins are imported once; each suite has a fork of its own in its own folder, whose status is a line of output.
_PYTEST_OF_EACH = f"""
import importlib, os, sys
sys.path[:0] = ["", {SITE!r}]
import pytest
from _pytest.config import default_plugins
for plugin in default_plugins:
    importlib.import_module("_pytest." + plugin)
for number in range(int(sys.argv[1])):
    child = os.fork()
    if not child:
        os.chdir(f"suite{{number}}")
        sys.path[0] = os.getcwd()
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        os._exit(pytest.main(["-q", "test_focal.py"]))
    print(os.waitpid(child, 0)[1], flush=True)
"""


def _of_pytest() -> dict[str, bool]:
    """Whether pytest itself passes each honest suite, in the same jail."""
    files = {
        f"suite{number}/{path}": text.encode()
        for number, each in enumerate(HONEST.values())
        for path, text in each.suite().files.items()
        if path != "sitecustomize.py"
    }
    flags = ("-s", "-S", "-B", "-P", "-c", _PYTEST_OF_EACH)
    command = Command(argv=(str(interpreter()), *flags, str(len(HONEST))), files=files)
    with Sandbox(find_environment("pytest"), limits=Limits(cpu_s=60.0)) as box:
        ran = run_command(box, command)
    told = ran.output.decode().split()
    assert len(told) == len(HONEST), ran
    return {name: status == "0" for name, status in zip(HONEST, told, strict=True)}


@pytest.mark.slow
def test_agrees_with_pytest() -> None:
    """pytest itself, in a process of its own for each in the same jail, passes and fails the same suites."""
    # A suite that skips all of its tests is none that passes; pytest ends it with status 0 all the same.
    expected = {name: each.end == "success" for name, each in HONEST.items()}
    expected |= {"module_marked_to_skip": True, "ini_is_not_read": False}

    assert _of_pytest() == expected


@pytest.mark.parametrize("seed", range(3))
def test_order_of_cases(runner: PythonSuites, seed: int) -> None:
    """A seed decides the order of the cases, all of which run; the report keeps the file's order."""
    test = "seen = []\n" + "".join(f"def test_{n}():\n    seen.append({n})\n" for n in range(6))
    test += "def test_6():\n    assert False, str(seen)\n"
    names = [f"test_{n}" for n in range(7)]
    got, again = (report(runner, one("", test, *names), order_seed=seed) for _ in range(2))
    plain = report(runner, one("", test, *names))

    assert (names, got.cases, True, "[0, 1, 2, 3, 4, 5]" in plain.detail) == (
        [case.name for case in got.cases],
        again.cases,
        got.detail != plain.detail,
        True,
    )


def test_hash_seeds(runner: PythonSuites) -> None:
    """A hash seed decides the order of a set of texts, and the same seed gives the same order."""
    test = "def test_a():\n    assert False, str(hash('abc'))\n"
    first, second, again = (report(runner, one("", test), hash_seed=seed).detail for seed in (1, 2, 1))

    assert (first == again, first == second) == (True, False)


def test_clock_and_timezone(runner: PythonSuites) -> None:
    """The time of day is moved for all that reads it, classes stay themselves, and the zone is the wanted one."""
    test = """
import datetime, time, focal
from datetime import date
def test_a():
    shift = time.time() - focal.base
    far = 400 * 86400
    assert abs(time.time_ns() / 1e9 - time.time()) < 5
    assert abs(datetime.datetime.now().timestamp() - time.time()) < 5
    assert abs(datetime.datetime.now(datetime.timezone.utc).timestamp() - time.time()) < 5
    assert abs(datetime.datetime.utcnow().replace(tzinfo=datetime.timezone.utc).timestamp() - time.time()) < 5
    assert abs(time.mktime(time.localtime()) - time.time()) < 5
    assert date.today() == datetime.datetime.fromtimestamp(time.time()).date()
    assert time.strftime('%Y') == str(date.today().year) and time.ctime()[-4:] == time.strftime('%Y')
    assert type(datetime.datetime.now()) is datetime.datetime
    assert datetime.datetime(2020, 1, 2) - datetime.datetime(2020, 1, 1) == datetime.timedelta(1)
    assert False, f"{time.tzname[0]} {round((time.time() - focal.real()) / 86400)}"
"""
    focal = (
        "import os, time\nbase = time.time()\n"
        "def real():\n    path = '/tmp/now'\n    open(path, 'w').close()\n    return os.stat(path).st_mtime\n"
    )
    got = report(runner, one(focal, test), clock_shift_s=400 * 86400, timezone="Asia/Tokyo")

    assert "JST 400" in got.detail


def test_packages(runner: PythonSuites) -> None:
    """A test in a package imports its focal file by the package's name, or relative to it."""
    files = {
        "src_pkg/__init__.py": "",
        "src_pkg/core.py": ADD,
        "src_pkg/tests/__init__.py": "",
        "src_pkg/tests/test_core.py": "from ..core import add\nfrom src_pkg.core import add as same\n"
        "def test_a():\n    assert add is same and add(1, 1) == 2\n    assert __name__ == 'src_pkg.tests.test_core'\n",
    }
    suite = Suite(
        lang="Python",
        framework="pytest",
        files=files,
        focal="src_pkg/core.py",
        test="src_pkg/tests/test_core.py",
        cases=["test_a"],
    )
    with_fixture = {
        **files,
        "src_pkg/tests/conftest.py": "import pytest\n@pytest.fixture\ndef f(): return 1\n",
    }
    got = [
        report(runner, suite),
        report(
            runner,
            Suite(**{**{f: getattr(suite, f) for f in suite.__struct_fields__}, "files": with_fixture}),
        ),
    ]

    assert [each.state for each in got] == ["success", "success"]


def test_details(runner: PythonSuites) -> None:
    """A failed comparison shows its two sides, long texts are cut, control characters are escaped."""
    test = "def test_a():\n    assert [1, 2] == [1, 3]\ndef test_b():\n    raise ValueError('\\x1b[2J' + 'x' * 9999)\n"
    got = report(runner, one("", test, "test_a", "test_b"))

    assert [
        got.cases[0].detail,
        got.cases[1].detail.startswith("ValueError: \\x1b[2Jxxx"),
        len(got.cases[1].detail),
    ] == ["AssertionError: [1, 2] == [1, 3]", True, 500]


@pytest.mark.parametrize(
    ("cases", "state"),
    [
        (["test_a"], "tampered"),
        (["test_a", "test_b", "test_c"], "tampered"),
        (["test_a", "test_b"], "success"),
    ],
)
def test_cases_are_compared(runner: PythonSuites, cases: list[str], state: str) -> None:
    """A case that nobody knows of, and one that is known and not reported, are both signs of tampering."""
    got = report(runner, one("", "def test_a():\n    pass\ndef test_b():\n    pass\n", *cases))

    assert got.state == state


def test_limits() -> None:
    """Processor time and memory end a suite by their own kinds; the next one is not affected."""
    suites = PythonSuites(limits=Limits(cpu_s=0.8, memory_mb=200))
    endless = one("", "def test_a():\n    while True: pass\n")
    greedy = one("", "def test_a():\n    kept = [bytearray(9 << 20) for _ in range(999)]\n")
    good = HONEST["plain"].suite()
    try:
        got = [
            ended(each) for _, each in suites.run(enumerate([endless, greedy, good]), variation=Variation())
        ]
    finally:
        suites.close()

    assert got == ["timeout", "memory", "success"]


def test_facts_on_a_run(runner: PythonSuites) -> None:
    """A report has the toolchain's versions and what was used."""
    got = report(runner, HONEST["plain"].suite())

    assert (runner.versions(), True) == (got.versions, 0 < got.cpu_s < slowness() and got.wall_s > 0)


def test_without_pytest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where pytest is not installed the message says how to get it, before anything is started."""

    def absent(environment: object) -> None:
        raise PrerequisiteError(
            "dependency profile 'pytest' needs the package 'pytest'", hint="pip install pytest"
        )

    monkeypatch.setattr(module, "site_binds", absent)
    with pytest.raises(PrerequisiteError) as caught:
        next(PythonSuites().run([(0, HONEST["plain"].suite())], variation=Variation()))

    assert caught.value.hint == "pip install 'benchwright[build]'"


@pytest.mark.parametrize("path", ["../x.py", "/x.py", "a//x.py", "./x.py", "a\0.py"])
def test_paths_outside(runner: PythonSuites, path: str) -> None:
    """A file that would lie outside of the project is refused."""
    with pytest.raises(UsageError) as caught:
        report(runner, one("", "", **{path: ""}))

    assert "does not lie in the suite's project" in caught.value.message


def test_chance_hangs_on_the_variation(runner: PythonSuites) -> None:
    """The numbers of `random` are the same under one seed and others under the next: what hangs on chance is
    seen by several variations, and each of them can be done again."""
    focal = "import random\n\n\ndef draw():\n    return random.random()\n"
    suite = one(focal, "from focal import draw\n\n\ndef test_a():\n    assert draw() > 0.5\n")
    states = [report(runner, suite, hash_seed=seed).state for seed in (0, 1, 0, 1)]

    assert states == ["success", "failed", "success", "failed"]


def test_chance_that_has_no_seed(runner: PythonSuites) -> None:
    """What the kernel draws is another number each time."""
    focal = "import secrets\n\n\ndef draw():\n    return secrets.randbits(1)\n"
    suite = one(focal, "from focal import draw\n\n\ndef test_a():\n    assert draw()\n")
    states = {report(runner, suite).state for _ in range(20)}

    assert states == {"success", "failed"}
