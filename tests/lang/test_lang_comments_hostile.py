"""Texts made to hurt a reader of comments: each costs time in proportion to its length, and none raises."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import tree_sitter
import tree_sitter_java

from benchwright.lang import parser_process
from benchwright.lang.comment_reading import anchors, first_change, read_comments
from benchwright.lang.languages import COMMENTED, commented_language
from kit.examples import SCALE
from kit.growth import PER_DOUBLING, growth
from kit.hostile_texts import repeated

SIZE = 12_000 if SCALE > 1 else 6_000  # characters, and eight times as many
FAMILIES: dict[str, dict[str, Callable[[int], str]]] = {
    "Python": {
        "comments in one run": repeated("# a\n"),
        "comments behind code": repeated("a = 1  # b\n"),
        "docstrings": repeated("def f():\n  'a'\n"),
        "comments of metadata": repeated("#\n", head="# /// script\n"),
        "brackets never closed": repeated("("),
        "strings never closed": repeated("'a\n"),
        "a string over lines never closed": repeated("a\n", head="'''"),
        "quotes": repeated("'"),
        "backslashes in a string": repeated("\\\\", head="'"),
        "fields never closed": repeated("f'{"),
        "fields in formats": repeated("{a:", head="f'"),
        "fields on lines": repeated("f'{a}' \\\n", tail="''"),
        "blocks in and out": repeated("if a:\n  b\n"),
        "attributes": repeated(".a", head="a"),
        "white space": repeated(" "),
    },
    "Java": {
        "comments in one run": repeated("// a\n"),
        "comments on one line": repeated("/* a */", tail="a();"),
        "comments behind letters of two bytes": repeated("\u00e9/* a */"),
        "doc comments of one method": repeated("/** a */\n", tail="int f() {}"),
        "doc comments": repeated("/** a */ int f() {}\n"),
        "tools' comments": repeated("// NOSONAR\n", tail="a();"),
        "comment never closed": repeated("/* "),
        "stars": repeated("\n *", head="/*", tail="*/"),
        "escapes": repeated("\\u002a"),
        "odd characters": repeated("\x01 "),
        "exceptions": repeated("throw new A();", head="void f() {", tail="}"),
        "brackets never closed": repeated("("),
    },
    "Go": {
        "comments in one run": repeated("// a\n"),
        "comments behind code": repeated("var x = 1 // b\n", head="package a\n"),
        "comments over lines": repeated("var x = 1 /*\n*/\n", head="package a\n"),
        "examples": repeated("func ExampleA() {\n // Output: a\n}\n", head="package a\n"),
        "lines of C": repeated("// a\n", head="package a\n", tail='import "C"\n'),
        "parameters": repeated("a, ", head="func f(", tail="b int) {}"),
    },
    "JavaScript": {
        "comments behind code": repeated("a(); // b\n"),
        "templates in templates": repeated("`${"),
        "functions": repeated("export const a = () => 1;\n"),
        "functions of one list": repeated("a = () => 1, ", head="const ", tail="b = 1;"),
        "arrows": repeated("a=>"),
        "regular expressions": repeated("/a/;"),
    },
}  # fmt: skip

# Brackets behind something cost seconds in a grammar that does not know them; each bracket is here alone as well.
PIECES = ("(", "[", "{", "<a>", "a<", "-", "a(", "`${", "f'{")
LEVELS = 2_500  # more than Python's limit of recursion
DEEPER = {("Java", "a<"): 12_500, ("Python", "-"): 12_500}  # what the parsers themselves refuse


@pytest.mark.parametrize(("lang", "family"), [(lang, name) for lang in FAMILIES for name in FAMILIES[lang]])
def test_twice_the_text_costs_twice(lang: str, family: str) -> None:
    """Reading, comparing and finding places, in this process."""

    def read(text: str) -> None:
        found = commented_language(lang).commented(text)
        first_change(found, found)
        anchors(found, found)

    size = (
        SIZE // 4 if family == "comment never closed" else SIZE
    )  # the grammar takes seconds for 48,000 characters

    assert growth(read, FAMILIES[lang][family], size) <= PER_DOUBLING


@pytest.mark.parametrize("family", ["doc comments", "exceptions", "brackets never closed", "odd characters"])
def test_twice_the_text_costs_the_parser_twice(family: str) -> None:
    """The walk over a tree, which another process does."""
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_java.language()))

    def walk(text: str) -> None:
        kinds = frozenset({"method_declaration", "throw_statement"})
        parser_process._leaves(
            parser.parse(text.encode()), kept=kinds, whole=frozenset(), comments=frozenset({"block_comment"})
        )

    assert growth(walk, FAMILIES["Java"][family], SIZE // 2) <= PER_DOUBLING


@pytest.mark.parametrize("lang", COMMENTED)
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x" * 5_000_000, "source code is larger than 1 MiB"),
        ("a \ud800", "lone surrogate in source code (line 1)"),
        ("a\n\0", "NUL character in source code (line 2)"),
    ],
)
def test_what_cannot_be_read(lang: str, text: str, said: str) -> None:
    """Such a text has a fault and nothing else, and is equal to no other, itself among them."""
    read = read_comments(text, lang)

    assert (str(read.fault), read.tokens, read.comments, read.declared) == (said, [], [], [])
    assert first_change(read, read) is not None
    assert first_change(read_comments("", lang), read) is not None


@pytest.mark.parametrize("lang", COMMENTED)
def test_very_many_levels(lang: str) -> None:
    """Nothing recurses; what tree-sitter dies of is a fault, and the next text is read again."""
    comment = "# a\nb()\n" if lang == "Python" else "// a\nb();\n"
    for piece in PIECES:
        read = read_comments(piece * DEEPER.get((lang, piece), LEVELS), lang)
        assert read.fault is not None, piece
        assert first_change(read_comments("a", lang), read) is not None, piece
        assert read_comments(comment, lang).comments[0].text == "a", piece


@pytest.mark.parametrize("lang", COMMENTED)
def test_no_text(lang: str) -> None:
    """Nothing is no fault, and a text of comments alone is equal to it."""
    nothing = read_comments("", lang)
    alone = read_comments("\n# a\n" if lang == "Python" else "\n// a\n", lang)

    assert (nothing.fault, nothing.tokens, first_change(nothing, alone)) == (None, [], None)
    assert (len(alone.comments), anchors(nothing, alone)) == (1, {})
