"""What executed lines use: a function that draws counts where the draw was executed, and not before."""

from __future__ import annotations

import pytest

from benchwright.lang.source import executed_uses

_FOCAL = """import random
import time


class Job:
    def __init__(self, latest=None):
        self.latest = latest

    def wait(self):
        if self.latest is not None:
            return random.randint(1, self.latest)
        for _ in range(2):
            try:
                self.latest = None
            except ValueError:
                return random.random()
        return 1


def other():
    return time.time()
"""


def _line(text: str) -> int:
    return next(at for at, line in enumerate(_FOCAL.splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], set()),
        (["self.latest is not None", "for _", "self.latest = None", "return 1"], set()),
        (["self.latest is not None", "random.randint"], {"random"}),
        (["try:", "random.random"], {"random"}),
        (["time.time"], {"time"}),
    ],
)
def test_executed_lines(lines: list[str], expected: set[str]) -> None:
    """The branch that was taken counts, its neighbours do not."""
    assert executed_uses(_FOCAL, "Python", [_line(each) for each in lines]) == expected


def test_what_loading_does() -> None:
    """Statements of the module, and functions that they call, are executed without being traced."""
    assert executed_uses(f"{_FOCAL}\nSEED = other()\n", "Python", []) == {"time"}
    assert executed_uses("import random\n\nSEED = random.random()\n", "Python", []) == {"random"}


def test_where_it_is_not_known() -> None:
    """Of other languages, and of a text that does not parse."""
    assert executed_uses("package a\n", "Go", [1]) is None
    assert executed_uses("def (:", "Python", [1]) is None


def test_what_loading_does_not_reach() -> None:
    """A docstring that names a method calls none, nor does a class that nothing makes an instance of."""
    text = f'"""Make a Job and wait for it: job.wait()."""\n{_FOCAL}\n\nclass Scheduler:\n    def __init__(self):\n        self.jobs = []\n\n\nDEFAULT = Scheduler()\n'
    special = "import random\n\n\nclass Die:\n    def __str__(self):\n        return str(random.random())\n"

    assert executed_uses(text, "Python", []) == set()
    assert executed_uses(special, "Python", []) == set()
    assert executed_uses(f"{special}\n\nNAME = str(Die())\n", "Python", []) == {"random"}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [([6], True), ([10], False)],
)
def test_a_function_that_asks_its_caller(lines: list[int], expected: bool) -> None:
    """It counts for the tests that call it, and not for those of its neighbour."""
    text = (
        "import sys\n\n\n"
        "def total(*_):\n"
        "    # what the line that called it compares with\n"
        "    return sys._getframe(1).f_code.co_consts[-1]\n\n\n"
        "def double(x):\n"
        "    return 2 * x\n"
    )
    found = executed_uses(text, "Python", lines)
    assert found is not None
    assert ("callers" in found) == expected
