"""The process that parses Java and Go, and the trees that come out of it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.errors import PrerequisiteError
from benchwright.lang import parser
from benchwright.lang.go.tree import GRAMMAR as GO
from benchwright.lang.java.tree import GRAMMAR as JAVA
from benchwright.lang.parser import PARSER, Grammar, Parser
from benchwright.lang.source_errors import SyntaxFault
from benchwright.lang.trees import Node, Tree, parse, walk_outside
from kit.examples import examples
from kit.lang_samples import CACHE_JAVA, CACHE_TEST_GO
from kit.processes import said_under


def tree(code: str) -> Tree:
    parsed = parse(code, JAVA)
    assert not isinstance(parsed, SyntaxFault)
    return parsed


def find(root: Node, kind: str) -> Node:
    return next(node for node in root.walk() if node.kind == kind)


def test_nodes() -> None:
    """A node knows its text, field, lines, parent and place among its siblings."""
    parsed = tree("class A {\n  int x = 1;\n  int y;\n}\n")
    second = [node for node in parsed.root.walk() if node.kind == "field_declaration"][1]

    assert parsed.text(second) == "int y;"
    assert (second.first_line, second.last_line, second.named) == (3, 3, True)
    assert second.parent is not None
    assert second.parent.children[second.index] is second
    assert parsed.text(second.get("declarator")) == "y"
    assert [node.kind for node in second.ancestors()] == ["class_body", "class_declaration", "program"]


def test_questions_without_an_answer() -> None:
    """A missing child is None, and None has no text."""
    parsed = tree("class A {}")

    assert (parsed.root.get("body"), parsed.root.first("block"), parsed.root.all("block")) == (None, None, [])
    assert (parsed.text(None), parsed.name(None)) == ("", "")


def test_names_without_space() -> None:
    """A dotted name may hold white space in Java."""
    parsed = tree("package com . acme\n. x;")

    assert parsed.name(find(parsed.root, "scoped_identifier")) == "com.acme.x"


def test_bytes_not_characters() -> None:
    """Positions are in bytes, so texts beyond ASCII come out right."""
    parsed = tree('class A { String s = "привет"; int after = 1; }')

    assert parsed.text(find(parsed.root, "string_literal")) == '"привет"'
    assert parsed.text(find(parsed.root, "decimal_integer_literal")) == "1"


@given(st.text(max_size=80))
@settings(max_examples=examples(40), deadline=None)
def test_every_byte_is_in_its_parent(code: str) -> None:
    """For any text, children lie inside their parents, in order."""
    parsed = parse(code, GO)
    if isinstance(parsed, SyntaxFault):
        return
    for node in parsed.root.walk():
        starts = [child.start for child in node.children]
        assert starts == sorted(starts)
        assert all(node.start <= child.start <= child.end <= node.end for child in node.children)


def walked(node: Node, skipped: set[Node]) -> list[Node]:
    """A walk from child to child, which the list of a tree's nodes stands in for."""
    stack, found = [node], []
    while stack:
        each = stack.pop()
        if each not in skipped:
            found.append(each)
            stack.extend(reversed(each.children))
    return found


@given(st.data(), st.sampled_from([CACHE_TEST_GO, "package a\nfunc f( {", "x", ""]))
@settings(max_examples=examples(40), deadline=None)
def test_walks(data: st.DataObject, code: str) -> None:
    """From any node, with any left out, also of a text with faults."""
    parsed = parse(code, GO)
    assert isinstance(parsed, Tree)
    nodes = walked(parsed.root, set())
    top = data.draw(st.sampled_from(nodes))
    skipped = set(data.draw(st.lists(st.sampled_from(nodes), max_size=5)))

    assert list(top.walk()) == walked(top, set())
    assert list(walk_outside(top, skipped)) == walked(top, skipped)


@pytest.mark.parametrize(
    ("grammar", "text"),
    [
        (JAVA, "a<" * 12_500),
        (GO, "a[" * 20_000),
        (JAVA, "a<b>(" * 10_000),
        (JAVA, "class A { int x = " + "(" * 40_000),
        (GO, "package a\nvar x = " + "-" * 40_000 + "1"),
        (GO, "package a\nvar x = a" + "[b" * 15_000),
    ],
)
def test_hostile_texts(grammar: Grammar, text: str) -> None:
    """Texts that overflow the parser's stack, or take gigabytes in place, end in a tree or a fault of size."""
    parsed = parse(text, grammar)

    assert isinstance(parsed, Tree) or parsed.reason == "too_large"
    assert isinstance(parse("package a\n", GO), Tree)


def test_death_between_texts() -> None:
    """A process that was killed is replaced."""
    own = Parser()
    assert own.ask(GO, b"package a\n") != b""
    assert own._process is not None
    first = own._process
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    answer = own.ask(GO, b"package a\n")

    assert answer != b""
    assert own._process is not first
    own.close()


def test_death_in_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends without an answer gives an empty one, and the next text a new process."""
    own = Parser()
    with monkeypatch.context() as patched:
        patched.setattr(parser, "_SCRIPT", os.devnull)
        assert own.ask(GO, b"package a\n") == b""

    assert own.ask(GO, b"package a\n") != b""
    own.close()


def test_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    """After an interrupt the next text gets its own answer, not the one that was on its way."""
    own = Parser()
    expected = own.ask(GO, b"package b\n")

    def interrupted(process: subprocess.Popen[bytes], request: bytes) -> bytes | None:
        assert process.stdin is not None
        process.stdin.write(request)
        process.stdin.flush()
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(parser, "_exchange", interrupted)
        with pytest.raises(KeyboardInterrupt):
            own.ask(GO, b"package longer\n")

    assert own.ask(GO, b"package b\n") == expected
    own.close()


def _ask_in_child(results: multiprocessing.SimpleQueue[tuple[int, bytes]]) -> None:
    answer = PARSER.ask(GO, b"package child\n")
    results.put((os.getpid(), answer))
    PARSER.close()


def test_fork() -> None:
    """A forked child does not use its parent's pipes."""
    before = PARSER.ask(GO, b"package a\n")
    context = multiprocessing.get_context("fork")
    results: multiprocessing.SimpleQueue[tuple[int, bytes]] = context.SimpleQueue()
    child = context.Process(target=_ask_in_child, args=(results,))
    child.start()
    pid, answer = results.get()
    child.join()

    assert pid != os.getpid()
    assert answer != b""
    assert PARSER.ask(GO, b"package a\n") == before


def test_same_answer_twice() -> None:
    """Nothing of one text is left for the next."""
    first = PARSER.ask(JAVA, CACHE_JAVA.encode())
    PARSER.ask(GO, CACHE_TEST_GO.encode())

    assert PARSER.ask(JAVA, CACHE_JAVA.encode()) == first


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without tree-sitter, the error is one line with the command to install it."""
    monkeypatch.setattr(parser, "find_spec", lambda name: None if name == "tree_sitter_go" else object())
    with pytest.raises(PrerequisiteError) as caught:
        Parser().ask(GO, b"package a\n")

    assert caught.value.message == "reading Go source needs tree-sitter (tree_sitter_go is not installed)"
    assert caught.value.hint == "pip install 'benchwright[build]'"


def test_missing_grammar_of_another_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same where the process runs already, for a language whose grammar there is."""
    own = Parser()
    assert own.ask(GO, b"package a\n") != b""
    monkeypatch.setattr(parser, "find_spec", lambda name: None if name == "tree_sitter_java" else object())
    with pytest.raises(PrerequisiteError, match="reading Java source"):
        own.ask(JAVA, b"class A {}")

    assert own.ask(GO, b"package a\n") != b""
    own.close()


def test_under_a_lower_limit() -> None:
    """Where the user allows less memory than the parser may have, it has that, and texts are read."""
    program = (
        "from benchwright.lang.java.tree import Tree, parse; print(isinstance(parse('class A {}'), Tree))"
    )

    assert said_under("ulimit -v 786432", program) == "True"
