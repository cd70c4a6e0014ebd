"""Notes on missing modules: only a failed import counts, and the note names the profile with the module."""

from __future__ import annotations

from collections import Counter

import pytest

from benchwright.records import Answer, Isolation, Outcome, Task, Verdict
from benchwright.running.score_notes import imported_modules, missing_module, notes_on_modules

NUMPY = "ModuleNotFoundError: No module named 'numpy'"


def _verdict(detail: str, outcome: Outcome = Outcome.exception) -> Verdict:
    return Verdict(
        key="k",
        task_id=1,
        sample=0,
        outcome=outcome,
        isolation=Isolation.separated,
        profile="strict",
        detail=detail,
    )


@pytest.mark.parametrize(
    ("detail", "module"),
    [
        (NUMPY, "numpy"),
        (f"{NUMPY} (line 1)", "numpy"),
        (f"call 1: f(7) raised {NUMPY} (line 3)", "numpy"),
        ("call 1: f('a\\nb') raised ModuleNotFoundError: No module named 'a.b' (line 3)", "a"),
        (f"call 1: f(7) raised ValueError: {NUMPY} (line 3)", ""),
        (f"call 1: f(7) raised ValueError: g raised {NUMPY} (line 3)", ""),
        (f"ValueError: {NUMPY}", ""),
        ("ModuleNotFoundError: No module named 'os.nothing'; 'os' is not a package (line 3)", ""),
        ("ModuleNotFoundError: No module named 'xml.nothing' (line 3)", ""),
        ("ModuleNotFoundError: No module named 'no such thing'", ""),
        ("ImportError: attempted relative import with no known parent package (line 3)", ""),
    ],
)
def test_which_module_was_missing(detail: str, module: str) -> None:
    """The complete message of the exception itself; never one quoted by another message."""
    assert missing_module(_verdict(detail)) == module
    assert missing_module(_verdict(detail, Outcome.wrong)) == ""


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        ("import numpy as np", 1),
        ("    from numpy.linalg import norm", 1),
        ("import os, numpy", 1),
        ("np = __import__('numpy')", 1),
        ('np = importlib.import_module("numpy.linalg")', 1),
        ("raise ModuleNotFoundError(\"No module named 'numpy'\")", 0),
        ("import os\nraise E('numpy')", 0),
        ("import numpyro", 0),
        ("return x", 0),
    ],
)
def test_an_answer_that_imports_nothing_lacks_nothing(text: str, counted: int) -> None:
    """A program that raises the exception itself lacks no module."""
    answer = Answer(key="k", task_id=1, sample=0, model="m", text=text)
    other = Answer(key="l", task_id=1, sample=1, model="m", text="import numpy")
    task = Task(
        task_id=1, instruction="", inputs={"function": ""}, outputs=[], meta={}, revision="", origin=""
    )

    assert imported_modules({(1, 0): "numpy"}, [answer, other], {1: task}).total() == counted


def test_an_import_of_the_prompt_counts() -> None:
    """The program begins with the prompt's imports."""
    answer = Answer(key="k", task_id=1, sample=0, model="m", text="    return np.abs(x)")
    inputs = {"function": "import numpy as np\ndef f(x):\n"}
    task = Task(task_id=1, instruction="", inputs=inputs, outputs=[], meta={}, revision="", origin="")

    assert imported_modules({(1, 0): "numpy"}, [answer], {1: task}) == {"numpy": 1}


@pytest.mark.parametrize(
    ("module", "profile"),
    [
        ("numpy", "sklearn"),
        ("sklearn", "sklearn"),
        ("pandas", "sklearn"),
        ("torch", "torch"),
        ("PIL", "torch"),
        ("ghost", ""),
    ],
)
def test_the_profile_that_has_it_is_named(module: str, profile: str) -> None:
    """The hint has the command that installs it; a module of no profile has no hint."""
    (note,) = notes_on_modules(Counter({module: 2}))

    assert note.startswith(f"2 answers need {module}, which this track does not provide")
    assert (f"setup {profile}`" in note) == bool(profile)
    assert ("setup" in note) == bool(profile)
