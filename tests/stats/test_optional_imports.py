"""Errors of comparisons if numpy or scipy is not installed."""

import sys

import pytest

from benchwright.errors import PrerequisiteError
from benchwright.stats.agreement import percent_agreement
from benchwright.stats.optional_imports import numpy, special
from benchwright.stats.paired import paired_difference
from benchwright.stats.power import detectable_before
from benchwright.stats.ppi import LabelledItem, predicted_mean


@pytest.mark.parametrize(
    ("module", "ask", "name"), [("numpy", numpy, "numpy"), ("scipy.special", special, "scipy")]
)
def test_a_missing_library_is_named_with_its_install_command(monkeypatch, module, ask, name):
    """One line names the missing library, and the hint can be pasted."""
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(PrerequisiteError) as caught:
        ask()

    assert (name in caught.value.message, caught.value.hint) == (True, "pip install 'benchwright[compare]'")


def test_the_comparison_asks_for_it(monkeypatch):
    """A comparison without numpy ends with that error, not with an ImportError."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(PrerequisiteError, match="comparing models needs numpy"):
        paired_difference([1.0, 0.0], [0.0, 0.0])


def test_who_asks_is_named(monkeypatch):
    """Agreement of judges is not a comparison of models, and has its own name in the error."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(PrerequisiteError, match="agreement of judges needs numpy"):
        percent_agreement([(1, 1)])


def test_people_and_judge_together_do_not_ask_for_it(monkeypatch):
    """The core install computes scores with labels by people too."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    items = [LabelledItem(1.0, 1.0), LabelledItem(0.0, 1.0), LabelledItem(1.0)]

    assert predicted_mean(items).labelled == 2


def test_planning_does_not_ask_for_it(monkeypatch):
    """The core install reports the detectable difference."""
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setitem(sys.modules, "scipy.special", None)

    assert 0.08 < (detectable_before(164, 10) or 1.0) < 0.09


def test_installed_libraries_are_given():
    """If they are installed the modules are returned."""
    assert (numpy().__name__, special().__name__) == ("numpy", "scipy.special")
