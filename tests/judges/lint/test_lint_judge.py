"""The judge of linted code: the linter in the sandbox, the comparison, baselines, and attacks on both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from benchwright.contracts import Extraction, Judgement, LintSpec
from benchwright.judges.judge_registry import Resources
from benchwright.judges.lint import linter
from benchwright.judges.lint.judge import LintJudge
from benchwright.judges.lint.linter import LintResult, lint
from benchwright.judges.lint.probing import CALLS, argument_lists, probe
from benchwright.sandbox.box import Sandbox
from kit.needs import need_sandbox
from kit.profile_needs import need_profile

CODE = "def total(items):\n  s=0\n  for i in items:\n    s+=i\n  return s"
CLEAN = "def total(items):\n    s = 0\n    for i in items:\n        s += i\n    return s\n"
SUM = "def total(items):\n    s = 0\n    return sum(items, s)\n"
BROKEN = CLEAN.replace("+= i", "-= i")


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    need_sandbox()
    need_profile("flake8")
    with Sandbox() as sandbox:
        yield sandbox


def _judged(box: Sandbox, program: str, **changes: Any) -> Judgement:
    spec = LintSpec(**{"code": CODE, "codes": ("E111", "E225", "W292"), **changes})
    with ExitStack() as closing:
        found = LintJudge(Resources(box, closing)).judge(Extraction(program=program, rule="fence"), spec)
        return found if isinstance(found, Judgement) else found()


@pytest.mark.parametrize(
    ("program", "outcome", "parts"),
    [
        (CLEAN, "passed", {"clean": "passed", "same": "passed"}),
        (SUM, "passed", {"clean": "passed", "same": "passed"}),  # another tree with the same behaviour
        (BROKEN, "wrong", {"clean": "passed", "same": "wrong"}),
        ("pass\n", "wrong", {"clean": "passed", "same": "wrong"}),
        (CODE + "\n", "wrong", {"clean": "wrong", "same": "passed"}),
        ("# flake8: noqa\n" + CODE + "\n", "wrong", {"clean": "wrong", "same": "passed"}),
        ("\n", "no_code", {}),
        ("def total(:\n", "syntax_error", {}),
    ],
)
def test_strict(box: Sandbox, program: str, outcome: str, parts: dict[str, str]) -> None:
    """Clean and the same, with comments that disable nothing."""
    found = _judged(box, program)

    assert (found.outcome, found.parts) == (outcome, parts)


def test_mera_believes_comments_and_compares_nothing(box: Sandbox) -> None:
    """An empty answer passes; a comment that disables findings is noted."""
    exact = {"same": False, "noqa": True}
    hushed = _judged(box, "# flake8: noqa\n" + CODE + "\n", **exact)

    assert [_judged(box, text, **exact).outcome for text in ("", "pass\n", "\n")] == [
        "passed",
        "passed",
        "wrong",
    ]
    assert (hushed.outcome, "E111" in hushed.suspicious) == ("passed", True)


def test_baselines_are_judged_by_both_rules(box: Sandbox) -> None:
    """Also beside an answer that is no program."""
    programs = {"empty": "", "echo": CODE + "\n"}
    found = _judged(box, "", baselines=programs, exact_baselines=programs)

    assert found.scores == {
        "baseline_empty": 0.0,
        "baseline_echo": 0.0,
        "baseline_empty_exact": 1.0,
        "baseline_echo_exact": 0.0,
    }


@pytest.mark.parametrize(
    "attack",
    [
        "# flake8: noqa\nx=1\n",
        "# flake8: noqa: E225\nx=1\n",
        "x=1  # noqa\n",
        "x=1  # NOQA:E225\n",
        "[flake8]\nignore = E,W,F\n",
        "import pycodestyle\npycodestyle._checks.clear()\nx=1\n",
        "import flake8.main.application as a\na.Application.run = print\nx=1\n",
        "open('setup.cfg', 'w').write('[flake8]\\nignore=E,F,W')\nx=1\n",
        "import os\nos.environ['PYTHONPATH'] = '.'\nos._exit(0)\nx=1\n",
        "raise SystemExit(0)\nx=1\n",
    ],
)
def test_a_text_cannot_change_the_linter(box: Sandbox, attack: str) -> None:
    """It is never executed, and no comment or configuration in it counts; nor does the next text notice."""
    assert lint(box, attack, noqa=False).findings
    assert lint(box, "x=1\n", noqa=True).findings == ("E225 1:2 missing whitespace around operator",)
    assert lint(box, "x = 1\n", noqa=True).is_clean


def test_a_text_that_the_linter_cannot_take_is_not_clean(box: Sandbox) -> None:
    """Deep nesting, long lines and NUL characters end in a finding or a problem."""
    texts = ["(" * 300, "x = " + "-" * 100_000 + "1\n", "x = '\0'\n", "x = " + "[" * 5000 + "]" * 5000 + "\n"]

    assert not any(lint(box, text, noqa=True).is_clean for text in texts)
    assert not LintResult((), "a problem").is_clean


def test_behaviour_that_cannot_be_compared_counts_as_different(box: Sandbox) -> None:
    """No function, keyword-only arguments, and calls that never return."""
    never = "def f(a, b, c, d):\n    return a.run(b)[c.x]\n"

    assert "no function" in probe(box, "x = 1\n", "x = 2\n").reason
    assert "too few calls" in probe(box, never, never.replace("run", "go")).reason
    assert probe(box, CODE, "def other(): pass\n").reason.startswith("total")


def test_differences_of_behaviour(box: Sandbox) -> None:
    """A random result is left out, an exception for a value is not."""
    dice = "import os\n\n\ndef f(n):\n    return os.urandom(8){}\n"

    assert "too few" in probe(box, dice.format(""), dice.format(" + b''")).reason
    assert not probe(box, "def f(n):\n    return n\n", "def f(n):\n    return [n][1]\n").same
    assert probe(box, "def f(n):\n    return {n, n}\n", "def f(n):\n    return set([n])\n").same


@pytest.mark.parametrize(("least", "most"), [(0, 0), (1, 1), (0, 1), (2, 2), (1, 3), (5, 5)])
def test_arguments_are_always_the_same(least: int, most: int) -> None:
    """As many as the function takes, at most `CALLS` times."""
    found = [*argument_lists(least, most)]

    assert found == [*argument_lists(least, most)]
    assert 0 < len(found) <= CALLS and {len(each) for each in found} <= {least, most}


def test_files_in_the_work_folder_are_not_believed(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configuration and modules that are there before the linter starts neither hush nor replace it."""
    settings = "[flake8]\nignore = E,W,F\nselect = X\nexclude = *.py\n"
    files = {
        **dict.fromkeys(("setup.cfg", "tox.ini", ".flake8"), settings),
        "pyproject.toml": "[tool.flake8]\nignore = ['E', 'W', 'F']\n",
        **{
            f"{name}.py": "raise SystemExit(0)\n"
            for name in ("pycodestyle", "pyflakes", "flake8", "mccabe", "ast")
        },
        "sitecustomize.py": "import os\nos._exit(0)\n",
    }
    planted = (
        f"for name, text in {files!r}.items():\n"
        "    with open(name, 'w', encoding='utf-8') as file:\n        file.write(text)\n"
    )
    usual = lint(box, "x=1\n", noqa=False)
    monkeypatch.setattr(linter, "_PROGRAM", planted + linter._PROGRAM)
    found = lint(box, "x=1\n", noqa=False)

    assert found.findings == usual.findings and found.findings[0].startswith("E225")
    assert lint(box, "x = 1\n", noqa=False).is_clean
