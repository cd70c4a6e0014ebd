"""JavaScript suites in the sandbox: what is reported, and what code under test cannot make of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.contracts import Variation
from benchwright.errors import PrerequisiteError, UsageError
from benchwright.judges.suites import javascript
from benchwright.judges.suites.javascript import JavaScriptSuites, find_node
from benchwright.judges.suites.project_builds import build_project
from kit.javascript_needs import CASES, TOTAL, executed, javascript_runner, total_suite

COMMON = 'const test = require("node:test");\nconst assert = require("node:assert");\n'
ONE = f'{COMMON}const {{ f }} = require("../src/total");\ntest("one", () => {{ assert.equal(f(1), 2); }});\n'


@pytest.fixture(scope="module")
def runner(request: pytest.FixtureRequest) -> Iterator[JavaScriptSuites]:
    """One sandbox for all suites of this file."""
    request.getfixturevalue("jail")
    with javascript_runner() as opened:
        yield opened


def test_a_right_file(runner: JavaScriptSuites) -> None:
    """Every case is reported under the suites around it."""
    report = executed(runner, total_suite())

    assert (report.state, report.detail) == ("success", "")
    assert [(case.name, case.state) for case in report.cases] == [(name, "passed") for name in CASES]
    assert report.versions["node"].partition(".")[0].isdecimal()


@pytest.mark.parametrize(
    ("focal", "kind", "said"),
    [
        (TOTAL.replace("sum += price", "sum -= price"), "assertion", "adds: AssertionError"),
        (TOTAL.replace("sum += price", "sun += price"), "exception", "ReferenceError: sun is not defined"),
        (TOTAL.replace("let sum = 0;", "let sum = ;"), "compile", "SyntaxError"),
        (TOTAL.replace("function total", "function totals"), "import", "does not provide an export named"),
        (f'import "./gone.js";\n{TOTAL}', "import", "Cannot find module"),
        (f'{TOTAL}throw new TypeError("at once");\n', "exception", "TypeError: at once"),
        (f"{TOTAL}while (true);\n", "timeout", "processor"),
        (TOTAL.replace("let sum = 0;", "let sum = 0; process.exit(0);"), "exception", "exited with status 0"),
        (
            TOTAL.replace(
                "let sum = 0;", "const kept = []; while (true) kept.push(new Array(9999).fill({}));"
            ),
            "memory",
            "",
        ),
    ],
)
def test_a_wrong_file(runner: JavaScriptSuites, focal: str, kind: str, said: str) -> None:
    """The kind of failure, and words that explain it."""
    report = executed(runner, total_suite(focal))

    assert (report.state, report.kind) == ("failed", kind), report
    assert said in report.detail


def test_common_modules(runner: JavaScriptSuites) -> None:
    """`require` finds a file without its suffix; subtests count for their case."""
    focal = "exports.f = (x) => x + 1;\n"
    below = ONE.replace("() => {", "async (t) => { await t.test('below', () => { assert.ok(f(1) > 2); });")

    assert executed(runner, total_suite(focal, ONE)).state == "success"
    report = executed(runner, total_suite(focal, below))
    assert (report.state, report.kind) == ("failed", "assertion")
    assert "false" in report.detail or "falsy" in report.detail


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('require("node:assert").equal = () => {};', "assert.equal was replaced"),
        ('require("node:test").it = () => {};', "test.it was replaced"),
        ('require("fs").writeFileSync(__dirname + "/../../report", "[]\\n");', "word drawn for it"),
        (
            'require("fs").appendFileSync(__dirname + "/../../report", "[\\"w\\", \\"end\\", \\"\\", \\"\\", \\"\\"]\\n");',
            "word drawn for it",
        ),
        ('require("node:test").test("more", () => {});', "a case that is not in the test file"),
    ],
)
def test_code_that_reaches_for_the_report(runner: JavaScriptSuites, code: str, said: str) -> None:
    """Whatever it does when it is loaded or called, it does not pass."""
    for focal in (f"{code}\nexports.f = (x) => x;\n", f"exports.f = (x) => {{ {code} return x; }};\n"):
        report = executed(runner, total_suite(focal, ONE))

        assert report.state in ("tampered", "failed"), report
        if "exports.f = (x) => x;" in focal:
            assert (report.state, said in report.detail) == ("tampered", True), report


def test_the_words_are_gone_before_the_code_is_loaded(runner: JavaScriptSuites) -> None:
    """Nothing in the folder of the run names them."""
    focal = """
const fs = require("node:fs");
const found = fs.readdirSync(__dirname + "/../..").filter((name) => name.includes("ticket"));
exports.f = () => found.length + 2;
"""
    assert executed(runner, total_suite(focal, ONE)).state == "success"


def test_skipped_tests(runner: JavaScriptSuites) -> None:
    """Tests that all skip decide nothing; the code cannot skip one whose file has no word for it."""
    skipped = ONE.replace('test("one"', 'test.skip("one"')
    report = executed(runner, total_suite("exports.f = (x) => x;\n", skipped))

    assert (report.state, report.kind) == ("failed", "environment")


def test_what_a_variation_changes(runner: JavaScriptSuites) -> None:
    """The clock, the time zone and the seed of random numbers; a traced run tells lines."""
    focal = "exports.f = (x) => {\n  throw new Error([new Date().getFullYear(), Date.now() > 4e12, process.env.TZ]);\n};\n"
    later = Variation(clock_shift_s=100 * 366 * 86_400, timezone="Asia/Tokyo", traced=True)
    plain, shifted = (
        executed(runner, total_suite(focal, ONE)),
        executed(runner, total_suite(focal, ONE), later),
    )
    drawn = "exports.f = (x) => { throw new Error(Math.random()); };\n"
    seeds = [
        executed(runner, total_suite(drawn, ONE), Variation(hash_seed=seed)).detail for seed in (1, 1, 2)
    ]

    assert plain.detail.endswith("false,UTC")
    assert shifted.detail.endswith("true,Asia/Tokyo")
    assert (plain.lines, shifted.lines) == ([], [2])
    assert seeds[0] == seeds[1] != seeds[2]


def test_another_framework(runner: JavaScriptSuites) -> None:
    """The caller's error."""
    suite = total_suite()
    with pytest.raises(UsageError, match="unknown JavaScript framework 'jest'"):
        executed(runner, type(suite)(**{**_fields(suite), "framework": "jest"}))


def _fields(suite: object) -> dict[str, object]:
    return {name: getattr(suite, name) for name in suite.__struct_fields__}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("printed", "said"), [("v12.1.0", "is Node.js 12.1.0, older than 20"), ("hello", "is not Node.js")]
)
def test_an_executable_that_will_not_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, said: str
) -> None:
    """The reason, with the variable that names another; suites are absent then, and not failed."""
    program = tmp_path / "node"
    program.write_text(f"#!/bin/sh\necho {printed}\n")
    program.chmod(0o755)
    monkeypatch.setenv(javascript.VARIABLE, str(program))
    with pytest.raises(PrerequisiteError, match=said) as caught:
        find_node()

    assert javascript.PACKAGE in (caught.value.hint or "")
    assert executed(JavaScriptSuites(), total_suite()).state == "absent"


def test_a_project_is_not_built() -> None:
    """Nothing is known of it."""
    assert build_project("JavaScript", {}).startswith("not tried: ")
