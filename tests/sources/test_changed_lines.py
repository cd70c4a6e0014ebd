"""The parts of a file that a patch changes, by a heuristic on its hunks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.sources.changed_lines import changed_parts, is_documentation, language_of

PATCHES = {
    "code": ("a.py", " x\n+y = 1\n", (True, False, False)),
    "a comment": ("a.py", "-# old\n+# new\n", (False, True, False)),
    "a comment in Go": ("a.go", "+// new\n \n", (False, True, False)),
    "a block comment": ("a.java", "+/**\n+ * Text.\n+ */\n", (False, True, False)),
    "a pointer is code": ("a.c", "+*x = 1;\n", (True, False, False)),
    "white space alone": ("a.py", "-\n+\n", (False, False, False)),
    "a docstring": ("a.py", ' def f():\n+    """Text."""\n', (False, False, True)),
    "within a docstring": ("a.py", ' """Text.\n \n-old\n+new\n """\n', (False, False, True)),
    "a docstring and code": ("a.py", '+"""Text.\n+\n+More."""\n+x = 1\n', (True, False, True)),
    "code after a docstring": ("a.py", ' """Text."""\n+x = 1\n', (True, False, False)),
    "a number sign in a docstring": ("a.py", '+"""\n+# no comment\n+"""\n', (False, False, True)),
    "an open docstring": ("a.py", '+"""Text\n+more\n', (False, False, True)),
    "a removed docstring": ("a.py", "-'''Text.'''\n", (False, False, True)),
    "an unknown language": ("a.xyz", "+# x\n", (False, False, False)),
    "Markdown": ("a.md", "+# x\n", (False, False, False)),
}


@pytest.mark.parametrize("name", PATCHES)
def test_parts(name: str) -> None:
    """Code, comments and docstrings of one hunk."""
    path, body, parts = PATCHES[name]

    assert changed_parts(path, f"@@ -1 +1 @@\n{body}") == parts


def test_hunks_are_read_one_by_one() -> None:
    """An open docstring ends with its hunk, and the parts of all hunks are added."""
    hunks = '@@ -1 +1 @@\n """Text\n more\n@@ -9 +9 @@\n+x = 1\n@@ -20 +20 @@\n+# note\n'

    assert changed_parts("a.py", hunks) == (True, True, False)


@given(st.lists(st.sampled_from(['"""', "'''", "# x", "x = 1", "", "text", '"""a"""'])))
def test_the_order_of_sides_does_not_matter(lines: list[str]) -> None:
    """An added file has the same parts as the same file when deleted."""
    added = "@@ -0,0 +1 @@\n" + "".join(f"+{line}\n" for line in lines)

    assert changed_parts("a.py", added) == changed_parts("a.py", added.replace("\n+", "\n-"))


@pytest.mark.parametrize(
    ("path", "language", "documentation"),
    [
        ("src/a.py", "Python", False),
        ("README.md", "Markdown", True),
        ("docs/page.rst", "reStructuredText", True),
        ("docs/conf.py", "Python", False),
        ("docs/notes.txt", "Text", True),
        ("notes.txt", "Text", False),
        ("CHANGES", "", True),
        ("Makefile", "Make", False),
        (".gitignore", "", False),
        ("changesets.py", "Python", False),
    ],
)
def test_languages(path: str, language: str, documentation: bool) -> None:
    """The language and kind of a file by its name."""
    assert (language_of(path), is_documentation(path)) == (language, documentation)
