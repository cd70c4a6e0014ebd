"""Answers that count as rescued, and the version of the entry point that counts."""

from __future__ import annotations

import ast

import pytest

from benchwright.text.extract import extract
from benchwright.text.extraction_rules import rescue_rules
from benchwright.text.syntax import same_program

PROMPT = 'def f(x):\n    """Doc."""\n'
SIGNATURE = "def f(x):\n"
HALF = PROMPT + "    "  # the prompt has begun the first line of the body
FUNCTION = "def f(x):\n    return x + 1\n"

PLAIN = {
    "body": (PROMPT, "    return x + 1\n"),
    "two spaces below a signature": (SIGNATURE, "  return x + 1\n"),
    "tabs below a signature": (SIGNATURE, "\ty = x\n\treturn y + 1\n"),
    "eight spaces below a signature": (SIGNATURE, "        if x:\n            return 1\n        return 2\n"),
    "first line behind half an indentation": (HALF, "y = x\n    return y + 1\n"),
    "one line behind half an indentation": (HALF, "return x + 1"),
}
RESCUED = {
    "two spaces": (PROMPT, "  return x + 1\n", ["indent"]),
    "eight spaces": (PROMPT, "        return x + 1\n", ["indent"]),
    "tabs": (PROMPT, "\treturn x + 1\n", ["indent"]),
    "stripped": (PROMPT, "y = x\n    return y + 1\n", ["stripped-body"]),
    "flat": (PROMPT, "return x + 1\n", ["flat-body"]),
    "prose below": (SIGNATURE, "  return x + 1\n\nSo it is (as said.\n", ["indent", "cut"]),
    "flat statements that end well": (SIGNATURE, "if x:\n    x.sort()\n", ["flat-body"]),
}


@pytest.mark.parametrize(("prompt", "text"), PLAIN.values(), ids=PLAIN)
def test_what_runs_behind_its_prompt_is_not_rescued(prompt: str, text: str) -> None:
    """Prompt and text joined are the same program."""
    found = extract(text, prompt=prompt, entry_point="f")

    assert (found.problem, rescue_rules(found.rule)) == (None, [])
    assert same_program(found.program, prompt + text)


@pytest.mark.parametrize(("prompt", "text", "rules"), RESCUED.values(), ids=RESCUED)
def test_what_does_not_run_behind_its_prompt_is_rescued(prompt: str, text: str, rules: list[str]) -> None:
    """Joined they are another program, or none."""
    found = extract(text, prompt=prompt, entry_point="f")

    assert (found.problem, rescue_rules(found.rule)) == (None, rules)
    assert not same_program(found.program, prompt + text)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("x = 1", "x = (1)  # c", True),
        ("if x:\n y\n z", "if x:\n        y\n        z", True),
        ("if x:\n y\nz", "if x:\n y\n z", False),
        ("x = 1", "x = True", False),
        ("f(a, b)", "f(a)(b)", False),
        ("x = 1", "x = 1\ny = 2", False),
        ("x = (", "x = (", False),
        ("return 1", "return 1", False),
    ],
)
def test_programs_are_the_same_by_their_trees(first: str, second: str, same: bool) -> None:
    """Layout and comments have no effect; code that does not compile equals nothing."""
    assert same_program(first, second) is same


REMAINDERS = {
    "rest of another function": "        x += 1\n    return y)\n\n",
    "its docstring's end": '    Doc.\n    """\n\n',
    "two levels down": "            return 1)\n        return 2\n\n",
    "first line stripped": "return (\n    x\n\n",
    "else at column 0": "return 1\nelse:\n    return 2\n\n",
    "elif and else": "        return 1\nelif x > 2:\n    return 2\nelse:\n    return 3\n\n",
    "except and finally": "x = 1\nexcept ValueError as error:\n    return 0\nfinally:\n    g()\n\n",
    "a whole body, then else": "    return 1\nelse:\n    return 2\n\n",
    "comments between": "        return y]\n# so\n\n",
}


@pytest.mark.parametrize("above", REMAINDERS.values(), ids=REMAINDERS)
@pytest.mark.parametrize("result", ["x + 1", "x - 1"])
def test_a_function_below_a_remainder_is_the_answer(above: str, result: str) -> None:
    """The rest of another function does not parse; the code below is taken, right or wrong."""
    found = extract(above + f"def f(x):\n    return {result}\n", prompt=PROMPT, entry_point="f")

    assert (found.problem, bool(rescue_rules(found.rule))) == (None, True)
    assert ast.unparse(ast.parse(found.program).body[-1]) == f"def f(x):\n    return {result}"


BODIES = {
    "body": "    return 1\n",
    "body and helper": "    return g(x)\n\ndef g(x):\n    return 1\n",
    "rest of another function": "        x += 1\n    return y)\n",
    "two spaces": "  return 1\n",
    "eight spaces": "        return 1\n",
}


@pytest.mark.parametrize("above", BODIES.values(), ids=BODIES)
def test_the_later_definition_counts(above: str) -> None:
    """As in Python, whether or not the code above it parses."""
    found = extract(f"{above}\n{FUNCTION}", prompt=PROMPT, entry_point="f")
    last = [each for each in ast.parse(found.program).body if getattr(each, "name", "") == "f"][-1]

    assert ast.unparse(last) == FUNCTION.strip()


NO_REMAINDERS = {
    "a call of its own": "return 1\nelse:\n    return 2\nprint(9)\n",
    "prose": "    return 1\nor else you can write it so\n    return 2\n",
    "a stub below": f"    return 1\nelse:\n    return 2\n\n{PROMPT}",
}


@pytest.mark.parametrize("above", NO_REMAINDERS.values(), ids=NO_REMAINDERS)
def test_no_other_line_at_column_0_is_of_a_remainder(above: str) -> None:
    """A repeated question is no answer either: the body above it stays the answer."""
    found = extract(above + (FUNCTION if PROMPT not in above else ""), prompt=PROMPT, entry_point="f")

    assert not found.rule.startswith("remainder")
