"""Which Java cases may be skipped by the test file's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.lang.java.test_cases import may_skip

PLAIN = "import static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.*;\n"


def five(body: str, *, marks: str = "", more: str = "") -> str:
    """A test file with a class T that has the cases a and b, the second one plain."""
    return f"{PLAIN}{marks}class T {{ {body} @Test void b() {{ assertTrue(true); }} }}\n{more}"


CASE = "@Test void a() {{ {} }}"
TEXTS = {
    "nothing": (five(CASE.format("assertTrue(1 < 2);")), False, False),
    "assumption": (five(CASE.format("Assumptions.assumeTrue(on());")), True, False),
    "static import": (five(CASE.format("assumeTrue(on());")), True, False),
    "assuming that": (five(CASE.format("assumingThat(on(), () -> {});")), True, False),
    "abort": (five(CASE.format("abort();")) + "import static org.junit.jupiter.api.Assumptions.*;", True, False),
    "abort of its own": (five(CASE.format("tx.abort();")), False, False),
    "thrown": (five(CASE.format("throw new TestAbortedException();")), True, False),
    "disabled": (five("@Disabled " + CASE.format("")), True, False),
    "ignored": (five("@Ignore " + CASE.format("")), True, False),
    "condition": (five("@EnabledOnOs(OS.MAC) " + CASE.format("")), True, False),
    "class disabled": (five(CASE.format(""), marks="@Disabled "), True, True),
    "set-up": (five("@BeforeEach void up() { assumeTrue(on()); }" + CASE.format("")), True, True),
    "comment": (five(CASE.format("/* Assumptions.assumeTrue(x) */ // assumeTrue")), False, False),
    "text": (five(CASE.format('f("assumeTrue");')), False, False),
    "import alone": (five(CASE.format("")) + "import org.junit.jupiter.api.Assumptions;", False, False),
    "mark of its own": (five("@Later " + CASE.format(""), more="@Disabled @interface Later {}"), True, True),
    "inherited": (
        five(CASE.format(""), marks="").replace("class T", "class T extends Base")
        + "abstract class Base { @BeforeEach void up() { assumeTrue(on()); } }",
        True,
        True,
    ),
    "other class": (five(CASE.format(""), more="class U { @Test void c() { assumeTrue(on()); } }"), False, False),
    "nested class": (five(CASE.format("") + "@Nested class In { @Disabled @Test void c() {} }"), False, False),
}  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
def test_whose_word_it_is(name: str) -> None:
    """A word in the case, its marks, its class or what all cases share; not another case's."""
    text, first, second = TEXTS[name]

    assert (may_skip(text, "T#a"), may_skip(text, "T#b")) == (first, second)


def test_around_a_nested_case() -> None:
    """What stands over the outer class holds for the inner one, not the reverse."""
    text = PLAIN + 'class T { @Test void a() {} @Nested @DisabledIf("x") class In { @Test void b() {} } }'

    assert [may_skip(text, name) for name in ("T#a", "T$In#b", "T$In", "T")] == [False, True, True, True]


@pytest.mark.parametrize("name", ["T#gone", "U", "", "#", "T#"])
def test_names_that_are_not_there(name: str) -> None:
    """No case of the file: no word of it."""
    assert not may_skip(five("@Disabled " + CASE.format("")), name)


@given(st.text(max_size=200))
def test_any_text_has_an_answer(text: str) -> None:
    """The function returns True or False for any text."""
    assert may_skip(text, "T#a") in (True, False)
