"""Compiling and linking Go suites: the plan that goes into the jail, and what is made of what comes out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import SandboxError
from benchwright.judges.suites import go_building, go_inside
from benchwright.judges.suites.go_building import BuiltSuite, GoBuild, build, build_limits
from benchwright.judges.suites.go_library import Library
from benchwright.judges.suites.go_project import GoSuite, plan_pair
from benchwright.judges.suites.go_toolchain import GoToolchain
from benchwright.records import Outcome
from benchwright.sandbox.commands import Command, CommandResult
from benchwright.sandbox.zygote import AnswerUsage
from kit.go_samples import EXTERNAL, body, suite

GO = GoToolchain(root="/go", tools="/go/pkg/tool/linux_amd64", version="1.22.1")
PUBLIC = frozenset({"testing", "errors", "fmt", "os"})
USAGE = AnswerUsage(cpu_s=1.5, wall_s=2.0, status=0, stdout=b"", printed=0, peak_kb=0)


def pairs(count: int = 2, *, test: str = "") -> dict[int, GoSuite]:
    """Plans of so many suites, numbered from 3."""
    made = suite(test or body(""), "TestTotal")
    return {number: plan_pair(made, GO, public=PUBLIC) for number in range(3, 3 + count)}


def one(status: int = 0, output: str = "", cpu_s: float = 0.25) -> dict[str, Any]:
    """How a tool ended, as the program in the jail says it."""
    return {"status": status, "output": output, "cpu_s": cpu_s}


def ran(
    suites: dict[str, Any] | None = None,
    *,
    link: dict[str, Any] | None = None,
    outcome: Outcome = Outcome.passed,
    output: bytes = b"",
) -> CommandResult:
    """What came out of the jail; without `suites` there is no result."""
    result = json.dumps({"suites": suites, "link": link or one(cpu_s=0.5)}).encode()
    files = {"out/program.001": b"gram", "out/program.000": b"pro", "out/result.json": result}
    kept = {} if suites is None else files
    return CommandResult(outcome=outcome, detail="it ended", status=0, files=kept, output=output, usage=USAGE)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Command]:
    """The commands that were sent into the jail, which is none."""
    return []


def built(
    monkeypatch: pytest.MonkeyPatch,
    gave: CommandResult | Exception,
    given: dict[int, GoSuite],
    sent: list[Command] | None = None,
) -> GoBuild:
    """A build in which the jail gave this."""

    def run_command(box: object, command: Command, *, cpu_s: float) -> CommandResult:
        if sent is not None:
            sent.append(command)
        if isinstance(gave, Exception):
            raise gave
        return gave

    monkeypatch.setattr(go_building, "run_command", run_command)
    library = Library(folder="/library", packages=PUBLIC, harness="harness-1", plain="harness-2")
    return build(object(), GO, library, given, cpu_s=4.0)  # type: ignore[arg-type]


def test_the_program_is_put_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its parts in order; the link's time is shared out between the suites."""
    batch = built(monkeypatch, ran({"3": one(), "4": one()}), pairs())

    assert batch == GoBuild(program=b"program", built={3: BuiltSuite(cpu_s=0.5), 4: BuiltSuite(cpu_s=0.5)})


def test_only_plain_tests_do_without_the_rest(monkeypatch: pytest.MonkeyPatch, sent: list[Command]) -> None:
    """Fuzz targets, TestMain and examples need the complete harness, and so does a program of one suite."""
    plain, whole = pairs(), pairs(test=body("") + "\nfunc FuzzTotal(f *testing.F) {}\n")
    for given_pairs in (plain, {**plain, 9: whole[3]}, {3: plain[3]}):
        built(monkeypatch, ran({str(number): one() for number in given_pairs}), given_pairs, sent)
    plans = [json.loads(command.files["plan.json"]) for command in sent]

    assert [("harness-2" in plan["public"], "harness-2" in plan["all"]) for plan in plans] == [
        (True, True),
        (False, False),
        (False, False),
    ]


def test_a_suite_that_does_not_compile_leaves_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The compiler's first lines, with the places as the suite knows them, and no part of the link's time."""
    said = "# s3/example.com/shop\ns3/shop.go:4:2: undefined: x\n\ns3/shop.go:5:2: y\ns3/a.go:1:1: z\ns3/b.go:1:1: w\n"
    batch = built(monkeypatch, ran({"3": one(1, said), "4": one()}), pairs())

    assert batch.built[3] == BuiltSuite(
        kind="compile",
        detail="shop.go:4:2: undefined: x; shop.go:5:2: y; a.go:1:1: z",
        diagnostics="shop.go:4:2: undefined: x; shop.go:5:2: y",
        cpu_s=0.25,
    )
    assert (batch.built[4].kind, batch.program) == ("", b"program")


@pytest.mark.parametrize(
    ("done", "kind", "words"),
    [
        (one(-24, "SIGXCPU: trace", cpu_s=4.2), "timeout", "took more than its 4 s"),
        (one(2, "fatal error: runtime: out of memory"), "memory", "more memory than it may"),
        (one(2, "mmap: cannot allocate memory"), "memory", "more memory than it may"),
        (one(-11), "compile", "ended by signal 11"),
        (one(1, "shop.go:1:1: expected 'package'"), "compile", "shop.go:1:1: expected 'package'"),
    ],
)
def test_kinds_of_failure(
    monkeypatch: pytest.MonkeyPatch, done: dict[str, Any], kind: str, words: str
) -> None:
    """A limit of the compiler has its own name."""
    found = built(monkeypatch, ran({"3": done}), pairs(1)).built[3]

    assert (found.kind, words in found.detail) == (kind, True)


@pytest.mark.parametrize(
    "gave",
    [
        ran(None),
        ran(None, outcome=Outcome.timed_out),
        ran({"3": one(), "4": one()}, outcome=Outcome.out_of_memory),
        ran({"3": one(), "4": one()}, link=one(1, "link: broken")),
    ],
)
def test_a_batch_that_fails_as_a_whole_blames_nobody(
    monkeypatch: pytest.MonkeyPatch, gave: CommandResult
) -> None:
    """Each of its suites is to be built alone."""
    assert built(monkeypatch, gave, pairs()) == GoBuild(again=True)


@pytest.mark.parametrize(
    ("gave", "kind", "words"),
    [
        (ran(None, outcome=Outcome.timed_out), "timeout", "the build left no result"),
        (ran(None, output=b"Traceback\nMemoryError: x\n"), "exception", "MemoryError: x"),
        (
            ran({"3": one()}, link=one(1, "# main\nrelocation target not defined")),
            "compile",
            "relocation target",
        ),
    ],
)
def test_a_suite_alone_is_to_blame(
    monkeypatch: pytest.MonkeyPatch, gave: CommandResult, kind: str, words: str
) -> None:
    """With the last thing that was said."""
    found = built(monkeypatch, gave, pairs(1)).built[3]

    assert (found.kind, words in found.detail, found.cpu_s) == (kind, True, USAGE.cpu_s)


def test_a_failed_sandbox_blames_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error is each suite's, and says nothing of the code."""
    batch = built(monkeypatch, SandboxError("no room"), pairs())

    assert {each.kind for each in batch.built.values()} == {"sandbox_error"}
    assert {each.detail for each in batch.built.values()} == {"no room"}


def test_paths_in_a_shared_program(monkeypatch: pytest.MonkeyPatch, sent: list[Command]) -> None:
    """Each suite has a prefix, so that two of one import path can be linked; alone it has its own path."""
    gave = ran({"3": one(), "4": one()})
    built(monkeypatch, gave, pairs(2, test=EXTERNAL % "1.5"), sent)
    built(monkeypatch, gave, pairs(1, test=EXTERNAL % "1.5"), sent)
    plans = [json.loads(command.files["plan.json"]) for command in sent]
    paths = [[package["path"] for package in plan["suites"]["3"]] for plan in plans]

    assert paths == [
        ["s3/example.com/shop", "s3/example.com/shop_test"],
        ["example.com/shop", "example.com/shop_test"],
    ]
    assert "importmap example.com/shop=s3/example.com/shop\n" in plans[0]["suites"]["3"][1]["config"]
    assert (
        plans[1]["suites"]["3"][1]["config"] == "packagefile example.com/shop=archives/example.com/shop.a\n"
    )


def test_what_is_sent(monkeypatch: pytest.MonkeyPatch, sent: list[Command]) -> None:
    """Every file of a suite in its own folder, the language of its go.mod, its entry, and the program."""
    made = pairs(1)
    built(monkeypatch, ran({"3": one()}), made, sent)
    plan = json.loads(sent[0].files["plan.json"])
    own = {path for path in sent[0].files if path.startswith("s3/")}

    assert own == {f"s3/{path}" for path in made[3].texts}
    assert (plan["suites"]["3"][0]["flags"], plan["entries"]["3"]) == (
        ["-lang", "go1.19"],
        ["example.com/shop", made[3].entry],
    )
    assert (sent[0].collect, sent[0].files["build.py"]) == (("out",), Path(go_inside.__file__).read_bytes())


def test_limits_of_a_build_hold_its_program() -> None:
    """The folder in memory has room for the program, and processor time is what was asked."""
    limits = build_limits(80.0)

    assert (limits.cpu_s, limits.tmp_mb << 20 > go_building.MAX_PROGRAM) == (80.0, True)


def tool(script: str, **plan: Any) -> dict[str, Any]:
    """A tool that is a Python program, within the limits of a plan."""
    limits = {"root": "/go", "cpu_s": 1.0, "memory": 512 << 20, **plan}
    return go_inside.run(limits, [sys.executable, "-I", "-S", "-c", script])


def test_tools_are_held_to_their_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Status, complaints up to a limit, processor time, and the signal of the time limit."""
    monkeypatch.chdir(tmp_path)
    fails = tool("import sys; sys.stderr.write('x' * 20_000); sys.exit(3)")
    spins = tool("while True: pass")
    grows = tool("x = bytearray(600 << 20)")
    sees = tool("import os; print(sorted(os.environ))")

    assert (fails["status"], len(fails["output"])) == (3, go_inside.KEPT)
    assert (spins["status"], spins["cpu_s"] > 0.1) == (go_building._XCPU, True)
    assert (grows["status"], "MemoryError" in grows["output"]) == (1, True)
    assert {"PATH", "HOME"}.isdisjoint(json.loads(sees["output"].replace("'", '"')))


def test_packages_up_to_the_first_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What imports it is not compiled, and the time of both is counted."""
    monkeypatch.chdir(tmp_path)
    done: list[str] = []

    def compile_one(plan: object, path: str, *rest: object) -> dict[str, Any]:
        done.append(path)
        return one(1 if path == "bad" else 0)

    monkeypatch.setattr(go_inside, "compile_one", compile_one)
    packages = [package(path) for path in ("good", "bad", "last")]
    found = go_inside.compile_all({"public": ""}, packages)

    assert (done, found["status"], found["cpu_s"]) == (["good", "bad"], 1, 0.5)


def package(path: str, *vetted: str) -> dict[str, Any]:
    """A package as a plan has it."""
    config = f"importmap {path}/in=s1/in\npackagefile s1/in=archives/s1/in.a\n"
    return {"path": path, "files": [], "flags": [], "config": config, "vetted": list(vetted)}


def test_vet_reads_the_files_of_a_vetted_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After it compiled, by the archives of what it imports; what vet complains of fails the suite."""
    monkeypatch.chdir(tmp_path)
    asked: list[list[str]] = []

    def tool_run(plan: object, command: list[str]) -> dict[str, Any]:
        asked.append(command)
        return one(1, "a.go:1:1: a wrong verb")

    monkeypatch.setattr(go_inside, "compile_one", lambda *rest: one())
    monkeypatch.setattr(go_inside, "run", tool_run)
    plan = {
        "public": "packagefile fmt=/lib/fmt.a\n",
        "tools": "/t",
        "vet": ["-printf"],
        "version": "go1.27.3",
    }
    found = go_inside.compile_all(plan, [package("bare"), package("p", "s1/a.go")])
    config = json.loads((tmp_path / "vet.cfg").read_text())

    assert (found["status"], found["output"], found["cpu_s"]) == (1, "a.go:1:1: a wrong verb", 0.75)
    assert asked == [["/t/vet", "-printf", "vet.cfg"]]
    assert (config["GoFiles"], config["GoVersion"]) == (["s1/a.go"], "go1.27.3")
    assert config["PackageFile"] == {"fmt": "/lib/fmt.a", "s1/in": "archives/s1/in.a"}
    assert config["ImportMap"] == {"fmt": "fmt", "s1/in": "s1/in", "p/in": "s1/in", "unsafe": "unsafe"}


def test_only_suites_that_ask_for_it_are_vetted(monkeypatch: pytest.MonkeyPatch, sent: list[Command]) -> None:
    """All files of the last package, since the guards in its tests are functions of a file that was added."""
    asking = msgspec.structs.replace(suite(body(""), "TestTotal"), framework=go_building.VETTED)
    made = {3: plan_pair(asking, GO, public=PUBLIC), 4: pairs(1)[3]}
    built(monkeypatch, ran({"3": one(), "4": one()}), made, sent)
    plan = json.loads(sent[0].files["plan.json"])

    vetted = plan["suites"]["3"][-1]["vetted"]
    assert vetted[:2] == ["s3/shop.go", "s3/shop_test.go"]
    assert [path.startswith("s3/harness_suite") for path in vetted[2:]] == [True]
    assert plan["suites"]["4"][-1]["vetted"] == []
    assert ("-tests" in plan["vet"], plan["version"]) == (False, "go1.22.1")


@given(st.integers(min_value=0, max_value=4 * 64 + 3))
def test_a_program_in_parts(tmp_path_factory: pytest.TempPathFactory, size: int) -> None:
    """Whatever its size, the parts in the order of their names are the program."""
    folder = tmp_path_factory.mktemp("parts")
    program = bytes(number % 251 for number in range(size))
    (folder / "whole").write_bytes(program)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(go_inside, "PART", 64)
        patch.setattr(go_inside, "PROGRAM", str(folder / "part"))
        go_inside.split(str(folder / "whole"))
    parts = sorted(folder.glob("part.*"))

    assert b"".join(part.read_bytes() for part in parts) == program
    assert all(part.stat().st_size <= 64 for part in parts)


def test_the_main_file_names_each_suite() -> None:
    """Only those that compiled; paths are quoted."""
    plan = {
        "harness": "bwharness",
        "entries": {"1": ["a/b", "SuiteX"], "2": ["c", "SuiteY"], "3": ["d", "SuiteZ"]},
    }
    source = go_inside.main_source(plan, ["1", "3"])

    assert [line for line in source.splitlines() if line.startswith("import")] == [
        'import harness "bwharness"',
        'import s1 "a/b"',
        'import s3 "d"',
    ]
    assert ("1: s1.SuiteX," in source, "s2" in source) == (True, False)
