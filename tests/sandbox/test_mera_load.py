"""Programs are loaded as in MERA's harnesses, including their peculiarities, on every supported Python."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from benchwright.sandbox.inside import mera

VARIANTS = ("mera-code", "mera-text")


def results(source: str, *calls: tuple[Any, ...], variant: str = "mera-code") -> list[str | None]:
    """Return the stored results of each call of f."""
    function = mera.load(source, "f", variant=variant)
    return list(mera.results(function, [(args, {}) for args in calls]))


@pytest.mark.parametrize("variant", VARIANTS)
def test_values_are_kept_as_text(variant: str) -> None:
    """The str of a value; None stays None."""
    kept = results("def f(x):\n    return x", (3,), ([1, "a"],), (None,), ("t",), variant=variant)

    assert kept == ["3", "[1, 'a']", None, "t"]


def test_an_exception_is_none() -> None:
    """The next call is still made."""
    kept = results("def f(x):\n    return 1 // x", (0,), (1,))

    assert kept == [None, "1"]


def test_a_text_is_a_plain_one() -> None:
    """A subclass of str is converted."""
    source = """
def f():
    class T(str): pass
    class V:
        def __str__(self): return T('x')
    return V()
"""
    (kept,) = results(source, ())

    assert (str, "x") == (type(kept), kept)


@pytest.mark.parametrize(
    "source",
    [
        "def f(n): return 1 if n < 2 else n * f(n - 1)",
        "def g(n): return n\ndef f(n): return g(n)",
        "import math\ndef f(n): return math.sqrt(n)",
        "K = 3\ndef f(n): return K",
    ],
    ids=["recursion", "helper", "import", "constant"],
)
def test_functions_do_not_see_the_top_level(source: str) -> None:
    """Top-level names are in a dict that functions cannot see."""
    kept = results(source, (4,))

    assert kept == [None]


def test_the_harness_modules_are_seen() -> None:
    """Modules that the harness has imported need no import; `re` only in the newer one."""
    source = "def f():\n    return os.sep, 're' in globals()"
    kept = [results(source, (), variant=variant)[0] for variant in VARIANTS]

    assert kept == ["('/', True)", "('/', False)"]


def test_a_program_without_the_function() -> None:
    """It is a KeyError, as in MERA."""
    with pytest.raises(KeyError):
        mera.load("g = 1", "f", variant="mera-code")


def test_loading_has_a_limit_and_leaves_no_timer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that loads too long is stopped, and the alarm is removed."""
    monkeypatch.setattr(mera, "LOAD_S", 0.05)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(mera.LoadTimeout):
        mera.load("while True: pass", "f", variant="mera-code")
    left = signal.getitimer(signal.ITIMER_REAL)[0], signal.getsignal(signal.SIGALRM)

    assert (0.0, before) == left
