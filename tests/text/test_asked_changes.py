"""Equal trees, except for changes that the linter's findings ask for."""

from __future__ import annotations

import pytest

from benchwright.text.asked_changes import codes_in, is_same
from kit.mera_replies import rows

F = "def f(a, b=None):\n    {}\n    return a\n"


def test_codes_of_a_feedback() -> None:
    """Each code occurs once, sorted; similar words are left out."""
    assert codes_in("W291: x in 2 line\nE711: y (E999) in 1 line\nW291: PEP8 E12") == ("E711", "E999", "W291")


@pytest.mark.parametrize(
    ("code", "other", "codes"),
    [
        ("x=1", "# a comment\nx = (1)\n", ()),
        ('def f():\n  """Say  this. \n  """', 'def f():\n    """Say this."""\n', ()),
        ("x == None", "x is None", ("E711",)),
        ("x != None", "x is not None", ("E711",)),
        ("not x in y", "x not in y", ("E713",)),
        ("not x is y", "x is not y", ("E714",)),
        ("x is 1", "x == 1", ("F632",)),
        ("if x == True: pass", "if x:\n    pass\n", ("E712",)),
        ("if x == False: pass", "if not x:\n    pass\n", ("E712",)),
        ("try:\n  x()\nexcept: pass", "try:\n    x()\nexcept Exception:\n    pass\n", ("E722",)),
        ("f = lambda x, y=1: x", "def f(x, y=1):\n    return x\n", ("E731",)),
        ("x = f'a'", "x = 'a'", ("F541",)),
        ("import os\nimport re, sys\nre.x", "import re\nre.x\n", ("F401",)),
        ("x = 1\nimport b, a\na.x\nb.x", "import a\nimport b\nx = 1\na.x\nb.x\n", ("E402", "E401")),
        (F.format("unit = 'cm'"), F.format(""), ("F841",)),
        (F.format("size = len(a)"), F.format("len(a)"), ("F841",)),
        ("def f(l):\n  I = l\n  return I", "def f(n):\n    one = n\n    return one\n", ("E741",)),
    ],
)
def test_a_change_is_none_if_its_finding_asks_for_it(code: str, other: str, codes: tuple[str, ...]) -> None:
    """Otherwise it counts, unless the tree has no such place."""
    assert is_same(code, other, codes)
    assert not codes or not is_same(code, other, ("E225",))


@pytest.mark.parametrize(
    ("code", "other", "codes"),
    [
        ("x = 1", "x = 2", ("E711", "F841", "E741")),
        ("def f():\n  global x\n  x = 1", "def f():\n    global x\n    x = 2\n", ("F841",)),
        ("class A:\n  x = 1", "class A:\n    x = 2\n", ("F841",)),
        ("x is None", "y is None", ("E711",)),
        ("a = 1\nb = 2\nprint(a)", "a = 1\na = 2\nprint(a)", ("E741",)),
        ("import re\nre.x", "re.x", ("F401",)),
        ("def f(a):\n  size = g(a)\n  return a", "def f(a):\n    return a\n", ("F841",)),
        ("x = 1", "x = (", ()),
        ("if x == 2: pass", "if x:\n    pass\n", ("E712",)),
        ("def f(): pass", "", ()),
    ],
)
def test_other_changes_differ(code: str, other: str, codes: tuple[str, ...]) -> None:
    """This holds for any findings."""
    assert not is_same(code, other, codes)


def test_canonical_code_of_the_samples_is_the_same_program() -> None:
    """So each sample row has a gold answer."""
    for row in rows("codelintereval"):
        given, canonical = row["inputs"]["code"], row["meta"]["canonical_code"]
        assert is_same(given, canonical, codes_in(row["inputs"]["feedback"])), given
