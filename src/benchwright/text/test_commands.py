"""Commands of a shell that run tests."""

from __future__ import annotations

import re

_LONGEST = 4000  # characters of a command
_RUNNERS = (
    r"(?:py\.test|pytest|nosetests|nose2|tox|nox|trial|ctest|phpunit|rspec|jest|mocha|vitest|ava|karma)",
    r"python[\d.]* -m (?:pytest|unittest|nose|tox|nox|django test|doctest)",
    r"python[\d.]* (?:\S*/)?(?:manage\.py test|runtests\.py|setup\.py test|run_tests\.py|\S*test\w*\.py)",
    r"(?:npm|yarn|pnpm|bun)(?: run)? (?:\S+ )?(?:test|t)(?::\S+)?",
    r"(?:go|cargo|dotnet|mix|swift|bazel|make|rake|just) (?:\S+ )?(?:test|check|nextest)\S*",
    r"(?:mvn|\./mvnw|gradle|\./gradlew) (?:\S+ )*(?:test|verify|check)\S*",
    r"(?:bundle exec|poetry run|uv run|hatch run|pipenv run|npx|coverage run -m) (?:\S+ ){0,3}"
    r"(?:pytest|tox|rspec|jest|mocha|vitest|unittest|test)\S*",
)
_TEST = re.compile(rf"(?:^|[;&|(\n])\s*(?:\w+=\S* )*(?:timeout \S+ )?(?:{'|'.join(_RUNNERS)})(?=\s|$|[;&|)])")
_TAIL = 4000  # characters of a log that has a summary
_FAILED = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|errors?|failures?|failing)\b|^FAILED\b|^--- FAIL|^FAIL\b|BUILD FAILURE"
    r"|Failures: [1-9]|Errors: [1-9]|test result: FAILED",
    re.MULTILINE,
)
_PASSED = re.compile(
    r"\b[1-9]\d{0,6} (?:passed|passing)\b|^OK\b|^ok\s+\S|^PASS\b|BUILD SUCCESS|test result: ok", re.MULTILINE
)


def is_test_command(command: str) -> bool:
    """Return whether a line of a shell starts a known runner of tests, alone or after other commands.

    >>> is_test_command("cd /repo && python -m pytest -q tests"), is_test_command("cat pytest.ini")
    (True, False)
    """
    return _TEST.search(" ".join(command[:_LONGEST].split(" "))) is not None


def state_of_tests(output: str, exit_code: int | None) -> str:
    """Return "passed" or "failed" for a test run: by its exit code, or by the summary that ends its log.

    Empty if neither says it.

    >>> state_of_tests("== 1 failed, 3 passed in 0.1s ==", None), state_of_tests("", 0)
    ('failed', 'passed')
    """
    if exit_code is not None:
        return "failed" if exit_code else "passed"
    tail = output[-_TAIL:]
    if _FAILED.search(tail):
        return "failed"
    return "passed" if _PASSED.search(tail) else ""
