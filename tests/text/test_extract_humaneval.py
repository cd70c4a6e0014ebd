"""All HumanEval solutions, in the forms in which models write them."""

from __future__ import annotations

import ast
import gzip
import json
import re
from collections.abc import Callable
from textwrap import dedent, indent

import pytest

from benchwright.text.extract import extract
from kit.needs import HUMANEVAL, need_data

WHY = "Let me think.\n```python\ndef draft(x):\n    return (\n```\nNo.\n"


def tabbed(body: str) -> str:
    """Return the text with every two leading spaces as a tab: some solutions indent by two inside of four."""
    return re.sub(r"^( {2})+", lambda found: "\t" * (len(found[0]) // 2), body, flags=re.MULTILINE)


FORMS: dict[str, Callable[[str, str], str]] = {
    "body": lambda head, body: body,
    "body after a newline": lambda head, body: "\n" + body,
    "body with tabs": lambda head, body: tabbed(body),
    "stripped body": lambda head, body: body.strip(),
    "flat body": lambda head, body: dedent(body),
    "body, prose": lambda head, body: f"{body}\nThis is how it's done.\nThe end (I hope.\n",
    "body, other function": lambda head, body: f"{body}\n\ndef check(f):\n    assert f(1)\n    assert f(",
    "body, stray fence": lambda head, body: f"{body}```\n\nIt's clear.\n",
    "body in a fence": lambda head, body: f"```python\n{body}```",
    "bare function": lambda head, body: head + body,
    "bare function in prose": lambda head, body: f"Here's the code:\n\n{head}{body}\nIt's simple.\n",
    "fence": lambda head, body: f"```python\n{head}{body}```",
    "fence without a tag": lambda head, body: f"```\n{head}{body}```\n",
    "fence of tildes": lambda head, body: f"~~~py\n{head}{body}~~~",
    "fence with imports": lambda head, body: f"```python\nimport math\nimport re\n\n{head}{body}\n```",
    "fence in prose": lambda head, body: f"It's so:\n\n```python\n{head}{body}```\n\nTry\n```sh\nls\n```\n",
    "fence in a list": lambda head, body: f"1. So:\n{indent(f'```py{chr(10)}{head}{body}```', '   ', bool)}",
    "fence with CRLF": lambda head, body: f"So:\n```python\n{head}{body}```\n".replace("\n", "\r\n"),
    "think, fence": lambda head, body: f"<think>\n{WHY}</think>\n\n```python\n{head}{body}```",
    "end of thinking, body": lambda head, body: f"{WHY}</think>\n{body}",
}


def solutions() -> list[dict[str, str]]:
    with gzip.open(need_data(HUMANEVAL), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def entry(program: str, name: str) -> str:
    """Return the tree of the entry point, so that blank lines and comments have no effect."""
    return ast.dump(next(item for item in ast.parse(program).body if getattr(item, "name", "") == name))


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_solution_survives_every_form(form: Callable[[str, str], str]) -> None:
    """The program's entry point equals the solution's, statement by statement, for all 164 tasks."""
    lost = {}
    for row in solutions():
        head, body, name = row["prompt"], row["canonical_solution"], row["entry_point"]
        found = extract(form(head, body), prompt=head, entry_point=name)
        if found.problem or entry(found.program, name) != entry(head + body, name):
            lost[row["task_id"]] = (found.problem, found.rule)

    assert lost == {}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_program_is_an_answer_to_its_own_prompt(form: Callable[[str, str], str]) -> None:
    """Extracting from an extracted program changes nothing."""
    changed = []
    for row in solutions():
        head, name = row["prompt"], row["entry_point"]
        first = extract(form(head, row["canonical_solution"]), prompt=head, entry_point=name)
        if extract(first.program, prompt=head, entry_point=name).program != first.program:
            changed.append(row["task_id"])

    assert changed == []


def test_helpers_of_the_prompt_are_there() -> None:
    """A whole function is judged with the names that the prompt defines above it."""
    lacking = []
    for row in solutions():
        whole = row["prompt"] + row["canonical_solution"]
        names = {getattr(item, "name", "") for item in ast.parse(whole).body} - {""}
        own = whole[whole.index(f"def {row['entry_point']}(") :]
        found = extract(f"```python\n{own}```", prompt=row["prompt"], entry_point=row["entry_point"])
        if not names <= {getattr(item, "name", "") for item in ast.parse(found.program).body}:
            lacking.append(row["task_id"])

    assert lacking == []
