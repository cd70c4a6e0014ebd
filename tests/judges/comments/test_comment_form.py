"""Format by rule: each check on answers that keep it and that break it, in four languages."""

from __future__ import annotations

from typing import Any

import pytest

from benchwright.judges.comments.judge import FormCheck, form_checks
from kit.comment_kit import a_spec, answered

PYTHON = "def area(width, *args, height=1):\n    if width < 0:\n        raise ValueError(width)\n    return width * height\n"
JAVA = "class A {\n    int area(int width, int height) throws IOException {\n        return width * height;\n    }\n}\n"
GO = "package a\n\nfunc Area(width, height int) int {\n\treturn width * height\n}\n"
SCRIPT = "function area(width, {height}) {\n  return width * height;\n}\n"

GOOGLE = '''def area(width, *args, height=1):
    """Area of a rectangle.

    Args:
        width: One side.
        *args: Ignored.
        height: The other side.

    Returns:
        The product of both.

    Raises:
        ValueError: For a side below 0.
    """
'''


def checks(program: str, code: str, lang: str = "Python", **more: Any) -> dict[str, FormCheck]:
    return {each.name: each for each in form_checks(answered(program, a_spec(code, lang=lang, **more)))}


def values(program: str, code: str, lang: str = "Python", **more: Any) -> dict[str, float]:
    return {name: each.value for name, each in checks(program, code, lang, **more).items()}


def with_doc(doc: str) -> str:
    return doc + PYTHON.split("\n", 1)[1]


def test_a_whole_documentation_passes() -> None:
    """Every check that applies; the language is not asked for."""
    whole = dict.fromkeys(["style", "documented", "parameters_exist", "placement"], 1.0)
    assert values(with_doc(GOOGLE), PYTHON, style="google") == whole


@pytest.mark.parametrize(
    ("old", "new", "name", "value", "amiss"),
    [
        ("        width: One side.\n", "", "documented", 4 / 5, "width not documented"),
        ("    Returns:\n        The product of both.\n\n", "", "documented", 4 / 5, "the returned value"),
        ("ValueError: For", "KeyError: For", "documented", 4 / 5, "ValueError not documented"),
        ("width: One", "widht: One", "parameters_exist", 2 / 3, "no parameter widht"),
        ("    Args:", "    Parameters:", "style", 1.0, ""),
        (GOOGLE[GOOGLE.index("\n\n    Args") : -8], "", "style", 0.0, "not in google style"),
    ],
)
def test_what_is_amiss_is_named(old: str, new: str, name: str, value: float, amiss: str) -> None:
    """One defect each, in the check that is for it."""
    assert old in GOOGLE
    found = checks(with_doc(GOOGLE.replace(old, new)), PYTHON, style="google")[name]
    assert found.value == pytest.approx(value) and amiss in found.fault


def test_a_style_is_any_of_the_languages_where_none_is_asked_for() -> None:
    """NumPy's or Sphinx's are as good; Javadoc's tags are not."""
    rest = 'def area(width, *args, height=1):\n    """Area.\n\n    :param width: One side.\n    """\n'
    tags = rest.replace(":param width:", "@param width")
    assert values(with_doc(rest), PYTHON)["style"] == 1.0
    assert values(with_doc(tags), PYTHON)["style"] == 0.0
    assert values(with_doc(rest), PYTHON, style="numpy")["style"] == 0.0


def test_prose_documents_by_naming() -> None:
    """Where no style is asked for and none is shown, in a docstring or in line comments of a function."""
    prose = 'def area(width, *args, height=1):\n    """Return `width` by height; args do not count."""\n'
    lines = PYTHON.replace("    if", "    # width is checked, ValueError otherwise\n    if", 1)
    assert checks(with_doc(prose), PYTHON)["documented"].fault.endswith("ValueError not documented")
    assert values(lines, PYTHON)["documented"] == pytest.approx(2 / 5)
    assert "documented" not in values(lines, PYTHON, unit="segment")


def test_java() -> None:
    """Tags before the method; an exception that is declared; documentation behind it is misplaced."""
    doc = "    /**\n     * Area.\n     *\n     * @param width one side\n     * @param height other side\n     * @return the product\n     * @throws IOException never\n     */\n"
    program = JAVA.replace("    int area", doc + "    int area")
    assert set(values(program, JAVA, "Java").values()) == {1.0}
    assert values(program.replace("@param height", "@param heigth"), JAVA, "Java")["parameters_exist"] == 0.5
    inside = JAVA.replace("        return", "        // @param width one side\n        return")
    assert values(inside, JAVA, "Java")["placement"] == 0.0


def test_go() -> None:
    """A comment begins with the name, and gives parameters no place of their own."""
    named = GO.replace("func", "// Area multiplies width by height.\nfunc")
    assert set(values(named, GO, "Go").values()) == {1.0} and "documented" not in values(named, GO, "Go")
    assert values(named.replace("// Area", "// It"), GO, "Go")["style"] == 0.0


def test_javascript() -> None:
    """Tags with types; a parameter that takes a value apart has any name."""
    doc = "/**\n * Area.\n * @param {number} width - One side.\n * @param {Object} options - The other.\n * @returns {number} The product.\n */\n"
    assert set(values(doc + SCRIPT, SCRIPT, "JavaScript").values()) == {1.0}


def test_placement_and_indent() -> None:
    """Nothing hangs behind the code, and comments begin where their code does, tabs and all."""
    hanging = PYTHON + "# The end.\n"
    shifted = PYTHON.replace("    return", "  # Multiply the sides.\n    return")
    after_block = PYTHON.replace("    return", "        # Below zero nothing is meant.\n    return")
    tabbed = GO.replace("\treturn", "\t// Sides in pixels.\n\treturn")
    assert values(hanging, PYTHON)["placement"] == 0.0
    assert values(shifted, PYTHON)["indentation"] == 0.0
    assert values(after_block, PYTHON)["indentation"] == 1.0
    assert values(tabbed, GO, "Go")["indentation"] == 1.0
    assert values(tabbed.replace("\t// S", "    // S"), GO, "Go")["indentation"] == 0.0
    assert "indentation" not in values(PYTHON.replace("height\n", "height  # in pixels\n"), PYTHON)


@pytest.mark.parametrize(
    ("comment", "language", "value"),
    [
        ("The product of both sides", "en", 1.0),
        ("The product of both sides", "ru", 0.0),
        ("Произведение сторон width и height", "ru", 1.0),
        ("Произведение сторон `width` и `height`", "en", 0.0),
        ("width * height", "ru", None),
        ("das Produkt aus beiden langen Seiten des Rechtecks", "en", None),
    ],
)
def test_the_language_is_that_of_the_prose(comment: str, language: str, value: float | None) -> None:
    """Names of the code say nothing of it, and neither does a text in a third language."""
    program = PYTHON.replace("    return", f"    # {comment}\n    return")
    assert values(program, PYTHON, language=language).get("language") == value
