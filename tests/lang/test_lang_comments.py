"""Comments in each language: kinds, places, the documented declarations, and facts of declarations."""

from __future__ import annotations

import pytest

from benchwright.errors import DataError, PrerequisiteError
from benchwright.lang import parser
from benchwright.lang.comment_reading import anchors, read_comments
from benchwright.lang.comment_records import Comment, Declaration, Parameter
from benchwright.lang.languages import COMMENTED, LANGUAGES, commented_language
from benchwright.lang.parser import Parser
from benchwright.lang.trees import leaves

PYTHON = '''#!/usr/bin/env python
"""Stores.

    Of things."""
import os  # noqa

# Two lines
#   in one.
@cache
def largest(a: dict[str,
        int], *rest, least=0, **named) -> int:
    """Give one."""
    if a:  # why
        raise errors.StoreError("# no")
    raise least
class Store:
    class Inner: "One line."
    @staticmethod
    def of(self): yield self
    def none(self, x) -> None: ...
    def stub(self) -> "int": ...
'''
JAVA = """/** The package. */
package a;
/* licence */
// one
// two
/** A store. */
public class Store<K> {
  /** How many. */
  @Name private int size = 1, more;
  /** Not this one. */
  /**
   * Finds it.
   *   @param key what
   */
  // between
  @Override public V find(K key, final String... rest) throws StoreException, java.io.IOException {
    /** no doc */
    Runnable r = () -> { throw new InLambda(); };
    if (key == null) throw new IllegalArgumentException("x"); // NOSONAR
    return null;
  }
  Store() {}
  enum Kind { /** First. */ A, B }
}
"""
GO = """// Package a is.
package a

// Loose, for a blank line follows.

// Find finds.
//
//go:noinline
func (s *Store[K]) Find(a, b int, rest ...string) (int, error) {
\treturn func() int { return 1 }(), nil // why
}

// Store is.
type Store[K any] struct {
\tsize int // how many
}

/* Limit is. */
const Limit = 1

var (
\t// One is.
\tone = 1
)

func none(int, string) {}
"""
JAVASCRIPT = """/**
 * @file About all.
 */
import x from "x";

/** Finds. */
export default async function find(a, { b }, c = 1, ...rest) {
  throw new errors.StoreError("x");
}
/** A store. */
export class Store {
  /** Of a key. */
  static of(key) { return [1].map((each) => each); }
  /** Size. */
  size = () => 1;
}
/** Largest. */
export const largest = (values) => { yieldNothing(values) }, other = 1;
/** Limit. */
const LIMIT = 1;
const made = { /** Makes. */ make: function (a) { return; }, get it() { return 1; } };
/** Sends. */
module.exports.send = function () {};
function* steps() { yield 1; } /* eslint-env node */
"""


def comments(code: str, lang: str) -> list[tuple[int, str, str, str]]:
    """Line, kind, owner and text of each comment."""
    return [(each.line, each.kind, each.owner, each.text) for each in read_comments(code, lang).comments]


def declared(code: str, lang: str) -> dict[str, Declaration]:
    read = read_comments(code, lang)
    assert read.fault is None
    assert [each.first_line for each in read.declared] == sorted(each.first_line for each in read.declared)
    return {each.name: each for each in read.declared}


def signature(each: Declaration) -> tuple[str, list[str], bool, list[str]]:
    """Kind, parameters, whether it returns, what it raises."""
    shown = [f"{one.name}:{one.annotation}{'=' if one.default else ''}" for one in each.parameters]
    return each.kind, shown, each.returns, each.raises


def test_a_comment_in_full() -> None:
    """All that is known of one."""
    read = read_comments("if a:\n    f(a,  # one\n      b)\n", "py")

    assert read.comments == [
        Comment(line=2, end_line=2, column=10, text="one", kind="line", trailing=True, at=9)
    ]
    assert (read.names, read.declared, read.fault) == ({"a", "b", "f"}, [], None)
    assert [token.text for token in read.tokens[:6]] == ["if", "a", ":", "\n", "\n+", "f"]


def test_comments_in_python() -> None:
    """Docstrings belong to what they stand in; lines of comments right below each other are one."""
    assert comments(PYTHON, "Python") == [
        (1, "line", "", "!/usr/bin/env python"),
        (2, "doc", "", "Stores.\n\nOf things."),
        (5, "line", "", "noqa"),
        (7, "line", "", "Two lines\n  in one."),
        (12, "doc", "largest", "Give one."),
        (13, "line", "", "why"),
        (17, "doc", "Store.Inner", "One line."),
    ]
    read = read_comments(PYTHON, "Python")
    assert [each.line for each in read.comments if each.directive] == [1, 5]
    assert [each.line for each in read.comments if each.trailing] == [5, 13, 17]
    assert [each.end_line for each in read.comments] == [1, 4, 5, 8, 12, 13, 17]


def test_declarations_in_python() -> None:
    """Without what a method is called on; what is raised by name; a stub returns what its annotation says."""
    found = declared(PYTHON, "Python")

    assert {name: signature(each) for name, each in found.items()} == {
        "largest": (
            "function",
            ["a:dict[str, int]", "rest:", "least:=", "named:"],
            False,
            ["errors.StoreError"],
        ),
        "Store": ("class", [], False, []),
        "Store.Inner": ("class", [], False, []),
        "Store.of": ("method", [], True, []),
        "Store.none": ("method", ["x:"], False, []),
        "Store.stub": ("method", [], True, []),
    }
    assert (found["largest"].doc, found["Store"].doc, found["Store.Inner"].doc) == (4, None, 6)
    assert (found["largest"].first_line, found["largest"].last_line) == (10, 15)


def test_java() -> None:
    """A doc comment belongs to the declaration behind it, and to no other code."""
    found = declared(JAVA, "Java")

    assert comments(JAVA, "Java") == [
        (1, "doc", "", "The package."),
        (3, "block", "", "licence"),
        (4, "line", "", "one\ntwo"),
        (6, "doc", "Store", "A store."),
        (8, "doc", "Store.size", "How many."),
        (10, "block", "", "Not this one."),
        (11, "doc", "Store.find", "Finds it.\n  @param key what"),
        (15, "line", "", "between"),
        (17, "block", "", "no doc"),
        (19, "line", "", "NOSONAR"),
        (23, "doc", "Store.Kind.A", "First."),
    ]
    assert signature(found["Store.find"]) == (
        "method",
        ["key:K", "rest:String..."],
        True,
        ["StoreException", "java.io.IOException", "IllegalArgumentException"],
    )
    assert signature(found["Store.Store"]) == ("method", [], False, [])
    assert list(found) == ["Store", "Store.find", "Store.Store", "Store.Kind"]
    assert (found["Store"].doc, found["Store.find"].doc, found["Store.Kind"].doc) == (3, 6, None)


def test_go() -> None:
    """A doc comment stands right above, but for directives."""
    found = declared(GO, "Go")

    assert comments(GO, "Go") == [
        (1, "doc", "", "Package a is."),
        (4, "line", "", "Loose, for a blank line follows."),
        (6, "doc", "Store.Find", "Find finds."),
        (8, "line", "", "go:noinline"),
        (10, "line", "", "why"),
        (13, "doc", "Store", "Store is."),
        (15, "line", "", "how many"),
        (18, "doc", "Limit", "Limit is."),
        (22, "doc", "one", "One is."),
    ]
    assert {name: signature(each) for name, each in found.items()} == {
        "Store.Find": ("method", ["a:int", "b:int", "rest:...string"], True, []),
        "Store": ("class", [], False, []),
        "none": ("function", [":int", ":string"], False, []),
    }
    assert found["Store.Find"].doc == 2


def test_javascript() -> None:
    """Functions have the names that they are bound to."""
    found = declared(JAVASCRIPT, "js")

    assert comments(JAVASCRIPT, "js") == [
        (1, "doc", "", "@file About all."),
        (6, "doc", "find", "Finds."),
        (10, "doc", "Store", "A store."),
        (12, "doc", "Store.of", "Of a key."),
        (14, "doc", "Store.size", "Size."),
        (17, "doc", "largest", "Largest."),
        (19, "doc", "LIMIT", "Limit."),
        (21, "doc", "make", "Makes."),
        (22, "doc", "module.exports.send", "Sends."),
        (24, "block", "", "eslint-env node"),
    ]
    assert {name: signature(each) for name, each in found.items()} == {
        "find": ("function", ["a:", ":", "c:=", "rest:"], False, ["errors.StoreError"]),
        "Store": ("class", [], False, []),
        "Store.of": ("method", ["key:"], True, []),
        "Store.size": ("method", [], True, []),
        "largest": ("function", ["values:"], False, []),
        "make": ("method", ["a:"], False, []),
        "it": ("method", [], True, []),
        "module.exports.send": ("function", [], False, []),
        "steps": ("function", [], True, []),
    }
    assert found["find"].parameters[2] == Parameter(name="c", default=True)


def test_places() -> None:
    """A comment is about the line that it stands behind or above; a docstring about its function's first line."""
    before = read_comments("a()\n\ndef f(x):\n    return (x +\n        1)\n", "Python")
    after = read_comments(
        "# a\na()  # b\n# f\ndef f(x):  # g\n    'doc'\n    # r\n    return (x +\n        # one\n        1)\n# end\n",
        "Python",
    )
    placed = {after.comments[index].text: line for index, line in anchors(before, after).items()}

    assert placed == {"a": 1, "b": 1, "f": 3, "g": 3, "doc": 3, "r": 4, "one": 5, "end": 5}


def test_places_across_other_lines() -> None:
    """Lines are those of the text as given, wherever the comments have moved them."""
    before = read_comments("package a\n\nfunc f() {\n\tg()\n}\n", "Go")
    after = read_comments("// P.\n\npackage a\n\n/*\nF.\n*/\nfunc f() {\n\t// call\n\tg() // g\n}\n", "Go")

    assert anchors(before, after) == {0: 1, 1: 3, 2: 4, 3: 4}


def test_languages() -> None:
    """TypeScript and C# are known for comments and not for suites; each answer to a name says which languages there are."""
    assert (*LANGUAGES, "TypeScript", "C#") == COMMENTED
    assert [commented_language(name).name for name in ("js", "GOLANG", " py ", "Java")] == [
        "JavaScript",
        "Go",
        "Python",
        "Java",
    ]
    with pytest.raises(DataError, match="language 'Perl' is not supported for comments") as caught:
        read_comments("", "Perl")
    assert caught.value.hint == "one of: Python, Java, Go, JavaScript, TypeScript, C#"
    with pytest.raises(DataError) as near:
        read_comments("", "javascrip")
    assert near.value.hint == "did you mean `JavaScript`?"


def test_missing_grammar(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line with the command to install it; Python needs none."""
    monkeypatch.setattr(parser, "find_spec", lambda _name: None)
    monkeypatch.setattr("benchwright.lang.trees.PARSER", Parser())
    with pytest.raises(PrerequisiteError) as caught:
        read_comments("a(); // unlike any other text", "JavaScript")

    assert (
        caught.value.message == "reading JavaScript source needs tree-sitter (tree_sitter is not installed)"
    )
    assert caught.value.hint == "pip install 'benchwright[code]'"
    assert read_comments("a()  # unlike any other text", "Python").fault is None


def test_leaves() -> None:
    """The parser's process gives tokens and comments with places, and of the tree what was asked for."""
    grammar = parser.Grammar("Go", "tree_sitter_go", comments=("comment",), kept=("function_declaration",))
    read = leaves("package a // b\nfunc f() {}\n", grammar)
    assert isinstance(read, tuple)
    found, tree = read

    assert [tree.data[each.start : each.end].decode() for each in found] == [
        "package", "a", "// b", "func", "f", "(", ")", "{", "}",
    ]  # fmt: skip
    assert [each.kind for each in found][:3] == ["package", "package_identifier", "comment"]
    assert [node.kind for node in tree.root.walk()] == [
        "source_file", "function_declaration", "func", "identifier", "parameter_list", "block",
    ]  # fmt: skip
    again = leaves("package a\n\n\nfunc f() {\n}", grammar)
    assert isinstance(again, tuple)
    assert [each.shape for each in again[0]] == [each.shape for each in found if each.kind != "comment"]
