"""Slips of the pen: one edit each, found by the language itself, and drawn the same way each time."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.compile_faults import KINDS, SHORTEST, misspell
from benchwright.lang.source import compile_faults, syntax_fault
from benchwright.store.keys import content_key
from kit.lang_samples import CACHE_GO, CACHE_JAVA, CACHE_PY

_PYTHON = """from __future__ import annotations
import math
from os import path


def area(radius):
    if radius < 0:
        raise ValueError(radius)
    return math.pi * radius ** 2
"""
_JAVA = """package a;

import java.util.List;

class Area {
    int total(List<Integer> values, int factor) {
        int result = 0;
        for (int each : values) {
            result += each * factor;
        }
        return result;
    }
}
"""
_GO = """package area

import (
\t"math"
\t"strings"
)

func Area(radius float64, name string) (float64, error) {
\tif strings.Contains(name, "square") {
\t\treturn radius * radius, nil
\t}
\treturn math.Pi * radius, nil
}
"""
_CODES = {"Python": _PYTHON, "Java": _JAVA, "Go": _GO}
_HAVE = {
    "Python": {"bracket", "colon", "misspelt", "import"},
    "Java": {"bracket", "semicolon", "misspelt", "import", "type"},
    "Go": {"bracket", "misspelt", "import", "unused", "type"},
}


def _broken(lang: str, seed: str = "") -> dict[str, str]:
    return {
        each.kind: each.code
        for each in compile_faults(_CODES[lang], lang, lambda key: content_key(seed, key))
    }


@pytest.mark.parametrize("lang", sorted(_CODES))
def test_each_language_has_its_kinds(lang: str) -> None:
    """One text of each kind, all of them other than the first."""
    found = _broken(lang)

    assert set(found) == _HAVE[lang] <= set(KINDS)
    assert _CODES[lang] not in found.values() and len(set(found.values())) == len(found)


@pytest.mark.parametrize("lang", sorted(_CODES))
@pytest.mark.parametrize("kind", ["bracket", "colon", "semicolon"])
@pytest.mark.parametrize("seed", ["a", "b", "c"])
def test_what_is_forgotten_does_not_parse(lang: str, kind: str, seed: str) -> None:
    """Wherever it is; a single character is gone."""
    found = _broken(lang, seed)
    if kind not in _HAVE[lang]:
        assert kind not in found
        return

    assert syntax_fault(found[kind], lang) is not None
    assert len(found[kind]) == len(_CODES[lang]) - 1


@pytest.mark.parametrize("lang", sorted(_CODES))
@pytest.mark.parametrize("kind", ["misspelt", "import", "unused", "type"])
def test_what_is_wrong_still_parses(lang: str, kind: str) -> None:
    """A compiler's matter, or the run's: the grammar has nothing against it."""
    found = _broken(lang)
    if kind not in _HAVE[lang]:
        assert kind not in found
        return

    assert syntax_fault(found[kind], lang) is None


def test_lines_of_imports_go_and_come_whole() -> None:
    """A list of imports looks as one would write it."""
    assert _broken("Go")["unused"] in (
        _GO.replace('\t"math"', f'\t"{name}"\n\t"math"') for name in ("errors", "fmt")
    ) or _broken("Go")["unused"] in (
        _GO.replace('\t"strings"', f'\t"{name}"\n\t"strings"')
        for name in ("errors", "fmt", "os", "sort", "strconv")
    )
    assert _broken("Python")["import"] in (
        _PYTHON.replace("import math\n", ""),
        _PYTHON.replace("from os import path\n", ""),
    )
    assert _broken("Java")["import"] == _JAVA.replace("import java.util.List;\n", "")


def test_the_draw_decides_and_nothing_else() -> None:
    """Equal draws give equal texts; other draws reach other places and another first kind."""
    firsts = [
        next(compile_faults(_PYTHON, "Python", lambda key, seed=seed: content_key(str(seed), key)))
        for seed in range(20)
    ]

    assert _broken("Python", "x") == _broken("Python", "x")
    assert len({each.kind for each in firsts}) == 4
    assert len({each.name for each in firsts}) > 4


@pytest.mark.parametrize("lang", sorted(_CODES))
@pytest.mark.parametrize("code", ["", "(((", "\ufeffx = '", "\0"])
def test_what_does_not_parse_or_holds_nothing_is_not_broken(lang: str, code: str) -> None:
    """No text, and no error."""
    assert list(compile_faults(code, lang, str)) == []


def test_every_sample_is_broken_without_an_error() -> None:
    """Line ends and all other text stay the same in samples of real code."""
    for lang, code in (("Python", CACHE_PY), ("Java", CACHE_JAVA), ("Go", CACHE_GO)):
        for each in compile_faults(code, lang, content_key):
            assert each.code != code
            assert abs(len(each.code) - len(code)) < 200 or each.kind == "import"


@given(st.text(alphabet="abcd_é1", max_size=12).filter(str.isidentifier))
def test_a_misspelt_name_is_another_name(name: str) -> None:
    """Of the same letters; empty where nothing fits."""
    wrong = misspell(name)

    if wrong:
        assert (wrong != name, sorted(wrong), wrong.isidentifier()) == (True, sorted(name), True)
    if len(name) < SHORTEST:
        assert wrong == ""


def test_annotations_and_the_future_are_left_alone() -> None:
    """Python does not execute annotations, and `from __future__` must come first."""
    for seed in range(30):
        for code in _broken("Python", str(seed)).values():
            assert code.startswith("from __future__ import annotations\n")
    assert ast.parse(_broken("Python")["misspelt"])
