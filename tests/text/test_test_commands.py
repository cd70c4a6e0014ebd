"""Commands that run tests, and the state that their log or exit code gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.text.suggestion_blocks import suggested_lines
from benchwright.text.test_commands import is_test_command, state_of_tests


@pytest.mark.parametrize(
    "command",
    [
        "pytest",
        "cd /repo && python -m pytest -q tests/test_a.py",
        "PYTHONPATH=. python3 -m unittest discover",
        "python manage.py test app",
        "npm test",
        "yarn run test:unit",
        "go test ./...",
        "cargo test --all",
        "mvn -q test",
        "./gradlew test",
        "poetry run pytest",
        "make check",
        "timeout 60 pytest -x",
        "python tests/test_scale.py",
    ],
)
def test_runners(command: str) -> None:
    assert is_test_command(command)


@pytest.mark.parametrize(
    "command",
    [
        "ls tests",
        "cat pytest.ini",
        "pip install pytest",
        "grep -r test .",
        "git checkout test",
        "",
        "go build",
    ],
)
def test_other_commands(command: str) -> None:
    assert not is_test_command(command)


@pytest.mark.parametrize(
    ("output", "code", "state"),
    [
        ("", 0, "passed"),
        ("all well", 1, "failed"),
        ("=== 1 failed, 3 passed in 0.1s ===", None, "failed"),
        ("=== 3 passed in 0.1s ===", None, "passed"),
        ("Ran 3 tests\n\nOK", None, "passed"),
        ("FAILED (failures=1)", None, "failed"),
        ("ok  \tours/scale\t0.1s", None, "passed"),
        ("--- FAIL: TestScale", None, "failed"),
        ("Tests run: 3, Failures: 0, Errors: 0\nBUILD SUCCESS", None, "passed"),
        ("command not found", None, ""),
    ],
)
def test_states(output: str, code: int | None, state: str) -> None:
    assert state_of_tests(output, code) == state


@given(st.text(max_size=200), st.none() | st.integers(min_value=-255, max_value=255))
def test_any_text(text: str, code: int | None) -> None:
    assert isinstance(is_test_command(text), bool)
    assert state_of_tests(text, code) in ("passed", "failed", "")


@pytest.mark.parametrize(
    ("comment", "lines"),
    [
        ("Shorter:\n```suggestion\nreturn a\n```\n", "return a"),
        ("```suggestion\r\na\r\n  b\r\n```", "a\n  b"),
        ("```suggestion\n```", ""),
        ("~~~suggestion:-0+1\na\n~~~", "a"),
        ("````suggestion\n```\na\n```\n````", "```\na\n```"),
        ("```suggestion\nnever closed", None),
        ("```suggestion\na\n```\n```suggestion\nb\n```", None),
        ("my suggestion:\n```python\na\n```", None),
        ("nothing", None),
    ],
)
def test_suggestions(comment: str, lines: str | None) -> None:
    assert suggested_lines(comment) == lines
