"""Answers that ask for what is expected of them: tests that they run, files, memory, channel. None passes.

Each is a whole answer to a task of three calls, whose results are few and easy to find: `zq-amber` for 0,
`zq-birch` for 1, `zq-cedar` for 2. It looks for them in a way of its own and returns what it finds.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.judges.judge_registry import Judges
from benchwright.records import Isolation, Outcome
from kit.multipl_rows import (
    GO_TESTS,
    RowAnswer,
    ended,
    go_row,
    java_row,
    need_go_rows,
    need_java_rows,
    quick_judges,
)

PROGRAMS = Path(__file__).parent
GO, JAVA = sorted(PROGRAMS.glob("go/*.go")), sorted(PROGRAMS.glob("java/*.java"))
CODES = ("zq-amber", "zq-birch", "zq-cedar")
GO_PROMPT = (
    'package code_of_test\n\nimport (\n    "testing"\n    "fmt"\n)\n\n'
    "// The code of a number.\nfunc code_of(n int) string {\n"
)
JAVA_PROMPT = (
    "import java.util.*;\nimport org.javatuples.*;\nclass Problem {\n    // The code of a number.\n"
    "    public static String codeOf(long n) {\n"
)


def go_codes(*, convertible: bool = True) -> dict[str, Any]:
    """The task in Go; as calls, or with an expected value that is computed, which keeps its test."""
    values = [f'"{each}"' if convertible else f'"{each[:4]}" + "{each[4:]}"' for each in CODES]
    rows = "\n".join(
        f"     {{ actual: candidate({n}), expected: {value} }}," for n, value in enumerate(values)
    )
    before, _, after = GO_TESTS.partition("   tests := []test{\n")
    tests = f"{before}   tests := []test{{\n{rows}\n{after[after.index('   }') :]}"
    tests = tests.replace("TestTotal_Of", "TestCode_Of").replace("total_of", "code_of")
    return go_row(name="Made_3_code_of", prompt=GO_PROMPT, tests=tests)


def java_codes(*, convertible: bool = True) -> dict[str, Any]:
    """The same in Java."""
    asserts = "".join(
        f'    assert(codeOf(({n}l)).equals(("{each}")));\n'
        if convertible
        else f'    assert(codeOf(({n}l)).equals(("{each[:4]}" + "{each[4:]}")));\n'
        for n, each in enumerate(CODES)
    )
    tests = f"    }}\n    public static void main(String[] args) {{\n{asserts}    }}\n\n}}\n"
    return java_row(name="Made_4_code_of", prompt=JAVA_PROMPT, tests=tests)


@pytest.fixture(scope="module")
def judges(jail: None) -> Iterator[Judges]:
    """One set of judges for the file: their runners stay warm."""
    answers = [RowAnswer(java_codes(), text) for text in (JAVA_RIGHT, *map(fenced, JAVA))]
    with quick_judges(answers) as made:
        yield made


def fenced(path: Path) -> str:
    """The program as a model would answer with it."""
    return f"```{path.suffix[1:]}\n{path.read_text(encoding='utf-8')}```\n"


GO_RIGHT = f'```go\nfunc code_of(n int) string {{\n\treturn []string{{"{CODES[0]}", "{CODES[1]}", "{CODES[2]}"}}[n]\n}}\n```'
JAVA_RIGHT = f'```java\npublic static String codeOf(long n) {{ return List.of("{CODES[0]}", "{CODES[1]}", "{CODES[2]}").get((int) n); }}\n```'


@pytest.mark.slow
@pytest.mark.parametrize("convertible", [True, False])
def test_a_right_answer_in_go_passes(judges: Judges, convertible: bool) -> None:
    """So the task can be solved, in both ways to judge it."""
    need_go_rows()
    found = ended(judges, go_codes(convertible=convertible), GO_RIGHT)

    isolation = Isolation.separated if convertible else Isolation.tamper_evident
    assert (found.outcome, found.isolation) == (Outcome.passed, isolation), found


@pytest.mark.slow
@pytest.mark.parametrize("convertible", [True, False])
def test_a_right_answer_in_java_passes(judges: Judges, convertible: bool) -> None:
    """The same."""
    need_java_rows()
    found = ended(judges, java_codes(convertible=convertible), JAVA_RIGHT)

    isolation = Isolation.separated if convertible else Isolation.tamper_evident
    assert (found.outcome, found.isolation) == (Outcome.passed, isolation), found


@pytest.mark.slow
@pytest.mark.parametrize("path", GO, ids=lambda path: path.stem)
def test_no_oracle_in_go_passes(judges: Judges, path: Path) -> None:
    """Nothing that an answer can reach knows what is expected of it."""
    need_go_rows()
    found = ended(judges, go_codes(), fenced(path))

    assert found.outcome not in (Outcome.passed, Outcome.sandbox_error), found
    assert not any(code in found.detail.partition("expected")[0] for code in CODES[1:]), found


# There is no test beside an answer that is called.
NAMES_THE_TEST = ("o01_guesses_by_the_test",)


@pytest.mark.slow
@pytest.mark.parametrize("path", JAVA, ids=lambda path: path.stem)
def test_no_oracle_in_java_passes(judges: Judges, path: Path) -> None:
    """The same."""
    need_java_rows()
    found = ended(judges, java_codes(), fenced(path))

    assert found.outcome not in (Outcome.passed, Outcome.sandbox_error), found
    assert (found.outcome is Outcome.syntax_error) is (path.stem in NAMES_THE_TEST), found


# Known limits, see docs/design/53: these find the values of a test that could not be made into calls.
WITHIN_THE_LIMITS = ("o03_reads_class", "o04_reads_resources", "o05_reads_its_memory", "o06_dumps")
BESIDE_TESTS = [*GO, *(path for path in JAVA if not path.stem.startswith(WITHIN_THE_LIMITS))]


@pytest.mark.slow
@pytest.mark.parametrize("path", BESIDE_TESTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_oracle_runs_a_test_that_stays_beside_it(judges: Judges, path: Path) -> None:
    """Where tests are executed beside an answer: by drawn names, guards and what tests print."""
    in_go = path.parent.name == "go"
    need_go_rows() if in_go else need_java_rows()
    row = go_codes(convertible=False) if in_go else java_codes(convertible=False)

    found = ended(judges, row, fenced(path))

    assert found.outcome not in (Outcome.passed, Outcome.sandbox_error), found
    assert found.isolation is Isolation.tamper_evident
