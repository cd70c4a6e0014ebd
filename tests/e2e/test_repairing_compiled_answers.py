"""The repair agent on Go and Java: what a compiler says of the tests' file is in no request, what it says of an
answer's own file is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.running.pipeline import run
from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.multipl_rows import GO_TESTS, go_row, java_row, need_go_rows, need_java_rows, write_multipl

pytestmark = [pytest.mark.usefixtures("jail"), pytest.mark.slow]
SECRETS = ("7319", "hidden word", "84021", "secret reply")


def go_task(name: str, *, convertible: bool) -> dict[str, Any]:
    """A task whose test holds the secrets; as calls, or with an expected value that is computed."""
    prompt = (
        f'package {name}_test\n\nimport (\n    "testing"\n    "fmt"\n)\n\n'
        f"// Picks one.\nfunc {name}(a int, b string, c []string) int {{\n"
    )
    expected = "84021" if convertible else "84000 + 21"
    row = f'     {{ actual: candidate(7319, "hidden word", []string{{"secret reply"}}), expected: {expected} }},'
    before, _, after = GO_TESTS.partition("   tests := []test{\n")
    tests = f"{before}   tests := []test{{\n{row}\n{after[after.index('   }') :]}"
    tests = tests.replace("TestTotal_Of", f"Test{name.title()}").replace("total_of", name)
    return go_row(name=name, prompt=prompt, tests=tests)


def java_task(name: str, *, convertible: bool) -> dict[str, Any]:
    """The same in Java."""
    prompt = (
        "import java.util.*;\nimport org.javatuples.*;\nclass Problem {\n    // Picks one.\n"
        f"    public static long {name}(long a, String b, ArrayList<String> c) {{\n"
    )
    call = f'{name}((7319l), ("hidden word"), (new ArrayList<String>(Arrays.asList((String)"secret reply"))))'
    right = "(84021l)" if convertible else "(84000l + 21l)"
    tests = f"    }}\n    public static void main(String[] args) {{\n    assert({call} == {right});\n    }}\n\n}}\n"
    return java_row(name=name, prompt=prompt, tests=tests)


GO_ANSWERS = {
    "parameters": "func {}(a bool, b bool, c bool) int {{\n\treturn 1\n}}",
    "results": "func {}(a int, b string, c []string) (int, int) {{\n\treturn 1, 2\n}}",
    "nothing": "func {}(a int, b string, c []string) {{\n}}",
    "fewer": "func {}(a int) int {{\n\treturn a\n}}",
    "other": "func {}(a string, b int, c map[string]int) int {{\n\treturn b\n}}",
    "own": "func {}(a int, b string, c []string) int {{\n\treturn undeclared_here\n}}",
    "wrong": "func {}(a int, b string, c []string) int {{\n\treturn 1\n}}",
}
JAVA_ANSWERS = {
    "parameters": "public static long {}(boolean a, boolean b, boolean c) {{ return 1; }}",
    "results": "public static ArrayList<Long> {}(long a, String b, ArrayList<String> c) {{ return null; }}",
    "nothing": "public static void {}(long a, String b, ArrayList<String> c) {{ }}",
    "fewer": "public static long {}(long a) {{ return a; }}",
    "checked": "public static long {}(long a, String b, ArrayList<String> c) throws Exception {{ return 1; }}",
    "own": "public static long {}(long a, String b, ArrayList<String> c) {{ return undeclared_here; }}",
    "wrong": "public static long {}(long a, String b, ArrayList<String> c) {{ return 1; }}",
}


# Each kind of answer in one form of the tests; in both forms one that does not compile beside the tests, and one that
# does not compile by itself. Which messages are shown depends on the file that they name, not on the kind of answer.
IN_FORM = {
    True: ("parameters", "results", "own", "wrong"),
    False: ("parameters", "nothing", "fewer", "other", "checked", "own"),
}


def in_form(answers: dict[str, str], suffix: str, *, convertible: bool) -> dict[str, str]:
    """Return the answers to try with tests of a form, by the name of their function."""
    return {f"{each}{suffix}": text for each, text in answers.items() if each in IN_FORM[convertible]}


def told(folder: Path, rows: dict[str, dict[str, Any]], answers: dict[str, str], tag: str) -> list[str]:
    """Return the requests of the second round, from a run with one repair for each of these answers."""
    script = Script(
        rows=[
            ScriptRow(contains=f"{name}(", completions=[f"```{tag}\n{text.format(name)}\n```"])
            for name, text in answers.items()
        ]
    )
    with StubServer(script) as server:
        run(
            "multipl",
            data=str(write_multipl(folder / "rows.jsonl", *rows.values())),
            model="openai:stub",
            n=1,
            asking=RequestOptions(base_url=server.base_url),
            agent="repair",
            rounds=1,
            out=folder / "run",
        )
        bodies = [request["body"] for request in server.requests()]
    sent = json.dumps(bodies)
    assert not [secret for secret in SECRETS if secret in sent]
    return [body["messages"][-1]["content"] for body in bodies if len(body["messages"]) > 2]


@pytest.mark.parametrize("convertible", [True, False])
def test_no_hidden_input_reaches_a_model_that_repairs_go(tmp_path: Path, convertible: bool) -> None:
    """Whatever about the answer keeps the tests from compiling beside it."""
    need_go_rows()
    answers = in_form(GO_ANSWERS, "_go", convertible=convertible)
    rows = {name: go_task(name, convertible=convertible) for name in answers}
    second = told(tmp_path, rows, answers, "go")

    assert len(second) == len(answers) >= 4
    assert sum("undeclared_here" in each for each in second) == 1
    assert not any("answer_test.go" in each for each in second)


@pytest.mark.parametrize("convertible", [True, False])
def test_no_hidden_input_reaches_a_model_that_repairs_java(tmp_path: Path, convertible: bool) -> None:
    """The same for Java."""
    need_java_rows()
    answers = in_form(JAVA_ANSWERS, "Java", convertible=convertible)
    rows = {name: java_task(name, convertible=convertible) for name in answers}
    second = told(tmp_path, rows, answers, "java")

    assert len(second) == len(answers) >= 4
    assert sum("undeclared_here" in each for each in second) == 1
    assert not any("ProblemTest" in each or "BenchwrightCalls" in each for each in second)
