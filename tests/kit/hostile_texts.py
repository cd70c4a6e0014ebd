"""Texts that are expensive to read, in families that grow, and programs with deep trees, by shape.

`FAMILIES` makes a text of about the given number of characters for each family, so that a test can double it
and measure the cost of reading. `SHAPES` makes a program of the given depth for each kind of deep tree. None
of the texts is executed: they are input for readers of answers.
"""

from __future__ import annotations

from collections.abc import Callable

ENTRY = "f"
PROMPT = 'import math\n\n\ndef f(x):\n    """Doc."""\n'
FUNCTION = "def f(x):\n    return x\n"


def repeated(piece: str, *, head: str = "", tail: str = "") -> Callable[[int], str]:
    """Return a family: one piece, repeated up to the size."""
    return lambda size: head + piece * max((size - len(head) - len(tail)) // len(piece), 1) + tail


def numbered(line: str, *, head: str = "", tail: str = "", between: str = "") -> Callable[[int], str]:
    """Return a family: a line with its number `{0}` and the next one `{1}`, so that no two lines are equal."""

    def make(size: int) -> str:
        width = len(line.format(10_000, 10_001)) + len(between)
        count = max((size - len(head) - len(tail)) // width, 1)
        return head + between.join(line.format(at, at + 1) for at in range(count)) + tail

    return make


def halves(
    first: str, second: str, *, head: str = "", between: str = "", tail: str = ""
) -> Callable[[int], str]:
    """Return a family: one piece up to half of the size, then another one."""

    def make(size: int) -> str:
        half = (size - len(head) - len(between) - len(tail)) // 2
        left, right = first * max(half // len(first), 1), second * max(half // len(second), 1)
        return f"{head}{left}{between}{right}{tail}"

    return make


def _shared_targets(size: int) -> str:
    """Return many tests that one assignment with a large value binds again."""
    count = max(size // 48, 1)
    tests = "".join(f"def test_{at}(): 0\n" for at in range(count))
    again = "".join(f"test_{at} = " for at in range(min(count, 4_000)))
    return f"```python\n{tests}{again}[{'x,' * (size // 4)}]\n```\n"


def _fenced(code: str, tag: str = "python") -> str:
    return f"```{tag}\n{code}```\n"


_CHAIN = "def h{0}(): return h{1}()\n"

_PROSE: dict[str, Callable[[int], str]] = {
    "prose": repeated("Hello there, friend.\n"),
    "prose like code": repeated("return the value:\n\n"),
    "prose like assignments": repeated("so = is it\n\n"),
    "heads of the entry point": repeated("def f(x):\n"),
    "broken functions": repeated("def f(x):\n    return (\n"),
    "broken functions and prose": repeated("def f(x):\n    return )\nSo be it.\n"),
    "many definitions": repeated(FUNCTION + "\n"),
    "empty definitions": repeated("def f(x):\n    pass\n\n"),
    "returns at column 0": repeated("return x\n"),
    "returns below blank lines": repeated("\nreturn x)\n", head="So:\n"),
    "broken lines": repeated("x = 1\n)\n"),
    "body and broken lines": repeated("y = (\n)\n)\n", head="    return x\n"),
    "quotes": repeated('"""\n'),
    "bodies": repeated("    return x\n\n"),
    "bodies below prose": repeated("So:\n\n    return x\n\n"),
    "future imports": repeated("from __future__ import annotations\n", tail=FUNCTION),
    "wide list": repeated("x, ", head="import os\nA = [", tail="]\n" + FUNCTION),
    "long line of names": repeated("a; ", head="b" * 1_000 + "; ", tail="\n" + FUNCTION),
    "long name, then names": halves("b", "; a", tail="\n" + FUNCTION),
    "spaces": repeated(" ", head="x =", tail="1\n"),
    "blank lines": repeated("   \n", head="So:\n", tail="    return x\n"),
    "backslashes": repeated("\\\n", head="x = 1 ", tail="\n"),
    "colons": repeated("if a: : \t", tail="x\n"),
    "brackets": repeated("a["),
    "closing brackets": repeated("] ", head="a[", tail="\n"),
    "parentheses": repeated("("),
    "minus signs": repeated("-", head="x = ", tail="1\n"),
    "lambdas": repeated("lambda: ", head="x = ", tail="1\n"),
    "control characters": repeated("\x00\x1b\r\n"),
    "lone surrogates": repeated("x = '\ud800'\n"),
    "combining marks": repeated("\u0301\u0327\u0345", head="a"),
}  # fmt: skip
_STRINGS: dict[str, Callable[[int], str]] = {
    "f-string of many lines": repeated("a{x}\n", head='    y = f"""', tail='"""\n    return y\n'),
    "f-string of many fields": repeated("{x}", head='    y = f"', tail='"\n    return y\n'),
    "strings side by side": repeated("'a' ", head="    y = (", tail=")\n    return y\n"),
    "strings of three lines": repeated('x = """\n\n"""\n', tail="return x\n"),
}  # fmt: skip
_FENCES: dict[str, Callable[[int], str]] = {
    "fences": repeated("```python\n"),
    "bare fences": repeated("```\n"),
    "fences glued to code": repeated("```python\nreturn x```\n"),
    "backquotes": repeated("`"),
    "backquotes and words": repeated("`a` ``b`` ```c``` "),
    "tildes": repeated("~~~py\nx = 1\n"),
    "deep fence, then fences": halves(" ", "```x\n", between="```py\n"),
    "fences in lists": repeated("- So:\n    ```python\n    return x\n    ```\n"),
    "blocks of markdown": repeated("````markdown\n```python\nx = 1\n```\n````\n"),
    "broken blocks": repeated("```python\ndef f(x):\n    return (\n```\n"),
    "blocks cut short": repeated("```python\ndef f(x):\n    return 1\n)\n```\n"),
    "blocks of bodies": repeated("```python\n    return x)\n```\n"),
    "blocks of helpers": repeated("```python\ndef g(x):\n    return h(x)\n```\n", tail=_fenced("def f(x):\n    return g(x)\n")),
    "chain of helpers": numbered(_CHAIN, head="```python\n", tail="```\n" + _fenced("def f(x):\n    return h0()\n")),
    "chain of helpers, last first": numbered(
        "def h{1}(): return h{0}()\n", head="```python\n", tail="```\n" + _fenced("def f(x):\n    return h9()\n")
    ),
    "helpers on one line": numbered(
        "h{0} = h{1}", between="; ", head="```python\n", tail="\n```\n" + _fenced("def f(x):\n    return h0\n")
    ),
    "helpers of many names": numbered(
        "import a{0}, b{0}\n", head="```python\n", tail="```\n" + _fenced("def f(x):\n    return a0, b1, a2\n")
    ),
    "star imports": numbered(
        "from m{0} import *\n", head="```python\n", tail="```\n" + _fenced("def f(x):\n    return a\n")
    ),
}  # fmt: skip
_REASONING: dict[str, Callable[[int], str]] = {
    "reasoning opened": repeated("<think>\n"),
    "reasoning opened and closed": repeated("<think>\nx = 1\n</think>\n", tail=FUNCTION),
    "reasoning closed only": repeated("</think>\n", tail="\nx = 1\n" + FUNCTION),
    "reasoning closed only, in sentences": repeated("so </think> it is\n", tail=FUNCTION),
    "reasoning closed on one line": repeated("</think>", tail="\n" + FUNCTION),
    "answers between closing tags": repeated("</think>\nx = 1\n"),
    "quoted tags": repeated('"<think>" "</think>"\n', tail=FUNCTION),
    "signs of tags": repeated("</ <| ◁ [/THINK ", tail=FUNCTION),
    "channels": repeated("<|channel|>analysis<|message|>no<|end|>"),
    "final channels": repeated("<|channel|>final<|message|>no", tail=FUNCTION),
    "final channels without message": repeated("<|channel|>final ", head="<|channel|>final<|message|>"),
    "end marks in quotes": repeated('"<|im_end|>" '),
    "end marks below spaces": repeated("</s>   "),
    "role headers": repeated("<|im_start|>assistant\n"),
    "torn role header": repeated("a", head="<|"),
}  # fmt: skip
_LABELS: dict[str, Callable[[int], str]] = {
    "the word passed": repeated("passed "),
    "the word answer": repeated("answer: ", tail="maybe"),
    "not and not": repeated("not "),
    "sentences": repeated("The test will pass. The test will fail. "),
    "sentence ends": repeated(".*_*", tail="success"),
    "boxes": repeated("\\boxed{"),
    "box of pairs": repeated("{}", head="\\boxed{"),
    "boxes in a box": repeated("\\boxed{} ", head="\\boxed{"),
    "spaces in boxes": repeated("\\boxed   "),
    "answer tags": repeated("<answer>"),
    "answer tags with text": repeated("<answer>success<"),
    "JSON openings": repeated('{"answer": \n'),
    "JSON objects": repeated('{"answer": "maybe"}\n'),
    "JSON arrays": repeated("[", head='{"answer": ', tail="}"),
    "JSON integer": repeated("9", head='{"answer": ', tail="}"),
    "Russian sentences": repeated("Тест не пройдёт, если ошибок нет. "),
}  # fmt: skip
_CHEATS: dict[str, Callable[[int], str]] = {
    "elif chain": numbered(
        "    elif x == {0}:\n        y = {1}\n", head="import os\ndef f(x):\n    if x:\n        y = 0\n", tail="    return y\n"
    ),
    "elif chain at the top": numbered("elif x == {0}: y = {1}\n", head="import os\nif 1: y = 0\n", tail=FUNCTION),
    "method chain": repeated(".b()", head="import os\nx = os", tail="\n" + FUNCTION),
    "attribute chain": repeated(".b", head="import os\nx = os", tail="\n" + FUNCTION),
    "stores to a chain": repeated(".b = os.a", head="import os\nos", tail="\n" + FUNCTION),
    "names of a long module": numbered("a{0}, ", head=f"from {'m' * 1_000} import os, ", tail="z\n" + FUNCTION),
    "digits printed": repeated("1", head='import os\nprint("', tail='")\n' + FUNCTION),
    "equals signs printed": repeated("=", head='import os\nprint("', tail=' passe")\n' + FUNCTION),
    "report heads printed": repeated("=== ", head='import os\nprint("', tail='passe")\n' + FUNCTION),
    "path of test files": repeated("/humaneval", head='import os\nopen("', tail='")\n' + FUNCTION),
    "path of parents": repeated("../", head='import os\nos.walk("', tail='x")\n' + FUNCTION),
    "calls in calls": repeated(
        "open(open(open(open(open(open(open(open('a'))))))))\n", head="import os\n", tail=FUNCTION
    ),
    "wide classes": repeated("    __eq__ = 1\n", head="import os\nclass A(int):\n", tail=FUNCTION),
}  # fmt: skip
_LITERALS: dict[str, Callable[[int], str]] = {
    "literal list": repeated("1, ", head="[", tail="]"),
    "literal dict": numbered("{0}: [{1}, 2], ", head="{{"[:1], tail="}"),
    "literal lists": repeated("[1], ", head="(", tail=")"),
}  # fmt: skip
_TESTS: dict[str, Callable[[int], str]] = {
    "test functions": numbered("def test_{0}():\n    assert f({1})\n\n", head="```python\n", tail="```\n"),
    "one test's name again": repeated("def test_a():\n    assert f(1)\n\n", head="```python\n", tail="```\n"),
    "tests bound again": _shared_targets,
    "comments above tests": repeated("# c\n", head="```python\n", tail="def test_a(): pass\n```\n"),
}  # fmt: skip

# These cost more than their length suggests, up to the same bound for every text: inheritance between the
# classes of a file.
BOUNDED: dict[str, Callable[[int], str]] = {
    "test classes that inherit": numbered(
        "class Test{1}(Test{0}):\n    def test_{0}(self): pass\n",
        head="```python\nclass Test0: pass\n",
        tail="```\n",
    ),
}

# By reader: the reader that such a text costs most.
_CARRIERS: dict[str, Callable[[int], str]] = {
    "numbered lines": numbered("{0} def f(x): return (\n"),
    "line numbers that begin again": repeated("1 def f(x):\n2  return (\n"),
    "quoted lines": repeated("> def f(x): return (\n"),
    "prompts of a session": repeated(">>> def f(x):\n...  return (\n"),
    "added lines": repeated("+def f(x): return (\n", head="@@ -1 +1 @@\n"),
    "open elements": numbered("<a{0}>def f(x): return (\n"),
    "one open element": repeated("<code>"),
    "elements": repeated("<code>def f(x): return (</code>\n"),
    "nested elements": halves("<code>", "</code>", between="def f(x): return ("),
    "open marks": repeated("[BEGIN]"),
    "marks": repeated("[BEGIN]def f(x): return ([DONE]\n"),
    "open brackets of JSON": repeated("["),
    "documents of JSON": repeated('{"code": "def f(x): return ("}\n'),
    "broken documents of JSON": repeated('{"code": "def f(x)\n'),
    "strings of JSON": repeated('"def f(x): return (",', head="[", tail="1]"),
    "escaped quotes": repeated('\\"', head='\u00a0def f(x): return ("'),
    "odd blanks": repeated("\u00a0", head="def f(x): return (", tail="x"),
    "here documents": repeated("cat <<EOF\ndef f(x): return (\n"),
    "here documents on one line": repeated("<<A ", head="def f(x): return (\n"),
    "entities": repeated("&lt;", head="def f(x): return ("),
    "ampersands": repeated("&", head="def f(x): return ("),
    "breaks of table cells": repeated("| def f(x): return (<br>"),
    "breaks with blanks": halves("<br", " ", head="def f(x): return ("),
    "bars": repeated("| def f(x): return ( |\n"),
    "block scalars": repeated("code: |\n  def f(x): return (\n"),
    "escaped lines": repeated("def f(x): return (\\n"),
    "percent signs": repeated("%0Adef%20f(x)"),
    "string literals": repeated("'def f(x): return (', ", head="a = [", tail="]"),
    "classes": repeated("class A:\n def f(self): pass\n"),
    "words above classes": repeated("So it is.\nclass A: pass )\n"),
    "remainders": repeated("  return x\n", head="x = (\n", tail="def f(x):\n    return (\n"),
}

FAMILIES: dict[str, dict[str, Callable[[int], str]]] = {
    "extract": _PROSE | _STRINGS | _FENCES | _REASONING | _CARRIERS,
    "MERA": _FENCES,
    "label": _LABELS,
    "suspicion": _CHEATS,
    "literal": _LITERALS,
    "generated tests": _TESTS | _REASONING,
}


MOST_INDENTED = 300  # the tokenizer refuses more than 100, and the text grows with the square


def _indented(line: str, levels: int) -> str:
    levels = min(levels, MOST_INDENTED)
    return "".join(" " * at + line + "\n" for at in range(levels)) + " " * levels + "pass\n"


SHAPES: dict[str, Callable[[int], str]] = {
    "elif": lambda levels: "if x: y = 0\n" + "elif x: y = 1\n" * levels,
    "elif in a function": lambda levels: "def g(x):\n if x: y = 0\n" + " elif x: y = 1\n" * levels,
    "method calls": lambda levels: "y = sys" + ".b()" * levels + "\n",
    "attributes": lambda levels: "y = sys" + ".b" * levels + "\n",
    "calls of results": lambda levels: "y = sys" + "()" * levels + "\n",
    "subscripts": lambda levels: "y = sys.modules" + "[0]" * levels + "\n",
    "binary operators": lambda levels: "y = 1" + " + 1" * levels + "\n",
    "powers": lambda levels: "y = " + "2 ** " * levels + "2\n",
    "with": lambda levels: _indented("with x:", levels),
    "class": lambda levels: _indented("class A:", levels),
    "functions": lambda levels: _indented("def g():", levels),
    "try": lambda levels: _indented("try:", levels),
    "parentheses": lambda levels: "y = " + "(" * levels + "1" + ")" * levels + "\n",
    "lists": lambda levels: "y = " + "[" * levels + "1" + "]" * levels + "\n",
    "calls in calls": lambda levels: "y = " + "open(" * levels + "'/'" + ")" * levels + "\n",
    "lambdas": lambda levels: "y = " + "lambda: " * levels + "1\n",
    "comprehensions": lambda levels: "y = " + "[" * levels + "1" + " for a in b]" * levels + "\n",
    "not": lambda levels: "y = " + "not " * levels + "1\n",
    "minus": lambda levels: "y = " + "-" * levels + "1\n",
    "conditions": lambda levels: "y = " + "1 if a else " * levels + "1\n",
    "comparisons": lambda levels: "y = " + "1 < (" * levels + "1" + ")" * levels + "\n",
    "f-strings": lambda levels: "y = " + "f'{" * levels + "1" + "}'" * levels + "\n",
    "annotations": lambda levels: "y: " + "a[" * levels + "1" + "]" * levels + " = 1\n",
    "decorators": lambda levels: "@sys" + ".a()" * levels + "\ndef g(): pass\n",
    "assignments": lambda levels: "y = " * levels + "1\n",
    "patterns": lambda levels: "match 1:\n case " + "[" * levels + "1" + "]" * levels + ": pass\n",
}  # fmt: skip


def deep_program(shape: str, levels: int) -> str:
    """Return a program with a tree of this depth above a correct entry point, and an unusual import to
    resolve."""
    return f"import sys\n{SHAPES[shape](levels)}{FUNCTION}"


def deep_answers(shape: str, levels: int) -> dict[str, str]:
    """Return the same program in each form in which readers of an answer get it."""
    program = deep_program(shape, levels)
    body = "".join(f"    {line}\n" for line in SHAPES[shape](levels).splitlines()) + "    return x\n"
    return {
        "bare": program,
        "fenced": f"So:\n```python\n{program}```\n",
        "body": "    import sys\n" + body,
        "flat body": f"import sys\n{SHAPES[shape](levels)}return x\n",
        "helpers": f"```python\n{program}```\n```python\nimport sys\ndef f(x):\n    return y\n```\n",
    }
