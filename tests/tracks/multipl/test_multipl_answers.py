"""Models' answers as files: fenced or not, complete or a body, and by MultiPL-E's own rule."""

from __future__ import annotations

import pytest

from benchwright.contracts import Extraction
from benchwright.records import Answer, Outcome
from benchwright.tracks.multipl.forms import PROFILES, take_file
from benchwright.tracks.multipl.go import GO
from benchwright.tracks.multipl.java import JAVA
from kit.multipl_rows import GO_BODY, GO_PROMPT, GO_TESTS, JAVA_BODY, JAVA_PROMPT, JAVA_TESTS

GO_PARTS, JAVA_PARTS = GO.read(GO_PROMPT, GO_TESTS), JAVA.read(JAVA_PROMPT, JAVA_TESTS)
STOPS = ["\nfunc", "struct", "\n// "]
FUNCTION = "func total_of(numbers []int) int {\n" + GO_BODY


def taken(text: str, profile: str = "strict", *, finish: str | None = None) -> Extraction:
    """Return the program in a Go answer."""
    answer = Answer(key="k", task_id="t", sample=0, model="m", text=text, finish_reason=finish)
    return take_file(answer, GO, GO_PARTS, stops=STOPS, profile=profile)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"Here it is:\n```go\n{FUNCTION}```\nDone.", "fence+function"),
        (f"```golang\n{FUNCTION}```", "fence+function"),
        (f"```\n{FUNCTION}```", "fence+function"),
        (f"<think>func total_of?</think>\n```go\n{FUNCTION}```", "fence+function"),
        (
            f"```go\nfunc total_of(n []int) int {{ return 0 }}\n```\nBetter:\n```go\n{FUNCTION}```",
            "fence+function",
        ),
        (f"```go\n{FUNCTION}```\nUse it so:\n```go\ntotal_of(nil)\n```", "fence+function"),
        (f"```sh\ngo test\n```\n```go\n{FUNCTION}```", "fence+function"),
        (f"```go\n{GO_BODY}```", "fence+body"),
        (f"```go\n{GO_BODY.rstrip().removesuffix('}')}```", "fence+body"),
        (FUNCTION, "function"),
        (GO_BODY, "continuation"),
        (GO_BODY + "\nfunc other() {\n", "continuation"),
        (GO_BODY.replace("\n", "\r\n"), "continuation"),
    ],
)
def test_a_go_answer_is_read(text: str, rule: str) -> None:
    """The last block with the function counts, else the last block, else the text as a completion."""
    found = taken(text)

    assert (found.problem, found.rule) == (None, rule)
    assert found.program.count("sum += n") == 1
    assert found.program.count("func total_of(") == 1
    assert "func other" not in found.program


@pytest.mark.parametrize("text", ["", " \n", "<think>it is long"])
def test_an_answer_without_code_is_none(text: str) -> None:
    """There is nothing to compile."""
    found = taken(text)

    assert (found.problem, found.program) == (Outcome.no_code, "")


def test_multipl_e_takes_what_comes_before_the_first_stop() -> None:
    """The stop may be inside a word, and a fence is treated as code."""
    assert taken("    return 1\n}\n\n// more", "multipl-e").program.endswith("    return 1\n}\n")
    assert taken("    x := structure\n", "multipl-e").program.endswith("    x := ")
    assert taken(f"```go\n{FUNCTION}```", "multipl-e").program.endswith("{\n```go")
    assert taken("", "multipl-e").problem is None


def test_a_text_that_was_cut_off_says_so() -> None:
    """Both profiles report it."""
    assert [taken("    return", profile, finish="length").truncated for profile in PROFILES] == [True, True]
    assert not taken("    return", finish="stop").truncated


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            f"```java\nclass Problem {{\n    public static ArrayList<Long> oddOnes(ArrayList<Long> numbers) {{\n{JAVA_BODY}\n    }}\n}}\n```",
            "fence+function",
        ),
        (f"```java\n{JAVA_BODY}\n    }}\n```", "fence+body"),
        (JAVA_BODY, "continuation"),
        (f"{JAVA_BODY}\n    }}\n    public static void main(String[] a) {{", "continuation"),
    ],
)
def test_a_java_answer_is_read(text: str, rule: str) -> None:
    """The same rules apply; text after the method of a base model is removed."""
    answer = Answer(key="k", task_id="t", sample=0, model="m", text=text)
    found = take_file(answer, JAVA, JAVA_PARTS, stops=["\n    }\n"], profile="strict")

    assert (found.problem, found.rule) == (None, rule)
    assert found.program.count("kept.add(n)") == found.program.count("class Problem") == 1
    assert "main" not in found.program
