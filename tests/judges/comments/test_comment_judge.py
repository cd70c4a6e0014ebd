"""The judge of comments as a worker has it: outcomes, scores, reasons, and texts that mean harm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright import registry
from benchwright.contracts import CommentSpec, Judgement
from benchwright.judges.comments.judge import SCORES, CommentJudge
from benchwright.records import Outcome
from kit.comment_kit import a_spec, comment_judge, judged
from kit.growth import PER_DOUBLING, growth, seconds

CODE = """def area(length, width):
    if length < 0:
        raise ValueError(length)
    return length * width
"""
SPEC = a_spec(CODE, (2, "A negative side has no meaning."), (4, "The area is the product of the sides."))
GOOD = """def area(length, width):
    # A negative side has no meaning.
    if length < 0:
        raise ValueError(length)
    # The area is the product of the sides.
    return length * width
"""


def test_the_registry_knows_it() -> None:
    """Under the tag of its spec."""
    assert registry.find("judge", CommentSpec(code="", lang="Python").judge) is CommentJudge


def test_a_good_answer_has_its_figures_and_reasons() -> None:
    """All scores from 0 to 1, the total their mean, each format check a part, and what is amiss named."""
    found = judged(GOOD, SPEC)

    scores = found.scores
    assert found.outcome is Outcome.scored and all(0 <= value <= 1 for value in scores.values())
    assert scores["accuracy"] == scores["logic"] == scores["annotation_f1"] == scores["chrf"] == 1.0
    assert scores["total"] == pytest.approx(sum(scores[name] for name in SCORES) / 3, abs=1e-6)
    assert all(scores[f"rule_{name}"] == scores[name] for name in SCORES)
    assert found.parts == {
        "documented": Outcome.wrong,
        "placement": Outcome.passed,
        "indentation": Outcome.passed,
    }
    assert "documented 0 of 4: length, width, the returned value not documented" in found.detail


@pytest.mark.parametrize(
    ("program", "detail"),
    [
        (GOOD.replace("* width", "+ width"), "line 6: `*` became `+`"),
        (GOOD.replace("    return length * width\n", ""), "line 6: `return` became dedent"),
        ("", "is gone"),
        ("\x00\ud800" * 10, ""),
        ("#" * (2 << 20), "larger than 1 MiB"),
    ],
)
def test_altered_code_is_wrong(program: str, detail: str) -> None:
    """With the first place that differs, and nothing of any score."""
    found = judged(program, SPEC)

    assert found.outcome is Outcome.wrong and detail in found.detail and found.detail.isprintable()
    assert set(found.scores.values()) == {0.0} and {"total", *SCORES} <= set(found.scores)


def test_comments_that_stood_there_are_nobodys() -> None:
    """Neither counted for the answer nor against it; one that is repeated elsewhere is the answer's."""
    code = "# Adds.\ndef f(a):\n    return a + 1  # noqa\n"
    spec = a_spec(code, (3, "One more than it was given."), unit="segment")

    assert "no comment was added" in judged(code, spec).detail
    added = judged(code.replace("    return", "    # One more than it was given.\n    return"), spec)
    assert added.scores["annotation_precision"] == 1.0
    assert "no comment" not in judged(code.replace("    return", "    # Adds.\n    return"), spec).detail


def test_a_directive_is_code() -> None:
    """To add or to drop one changes what tools do."""
    code = "x = 1  # noqa\n"
    assert judged("x = 1\n", a_spec(code)).outcome is Outcome.wrong
    assert judged("x = 1  # noqa\n# type: ignore\n", a_spec(code)).outcome is Outcome.wrong


def test_one_judge_judges_many_tasks() -> None:
    """What is kept of the last task is not taken for the next one's."""
    judge = comment_judge()
    from benchwright.contracts import Extraction

    other = a_spec("y = 2\n", (1, "Two."))
    for _ in range(2):
        assert judge.judge(Extraction(program=GOOD, rule=""), SPEC).scores["accuracy"] == 1.0
        assert judge.judge(Extraction(program="# Two.\ny = 2\n", rule=""), other).scores["accuracy"] == 1.0


@given(
    comments=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\x00\x0c\x0b"), max_size=60),
        min_size=1,
        max_size=6,
    )
)
def test_any_comment_is_scored(comments: list[str]) -> None:
    """Whatever it says, bidirectional marks and empty ones too: finite scores, a reason that can be shown."""
    body = "".join(f"    # {each}\n" for each in comments)
    found = judged(CODE.replace("    return", f"{body}    return"), SPEC)

    assert found.outcome in (Outcome.scored, Outcome.wrong)  # wrong where a comment became a directive
    assert all(0 <= value <= 1 for value in found.scores.values())
    assert all(char.isprintable() or char == "\n" for char in found.detail + found.suspicious)


def answer(body: str) -> str:
    return CODE.replace("    return", f"{body}    return")


FAMILIES = {
    "comments on one line": lambda n: answer("    # The area\n\n" * (n // 16)),
    "one long comment": lambda n: answer(f"    # {'the area of sides ' * (n // 18)}\n"),
    "one long word": lambda n: answer(f"    # {'a' * n}\n"),
    "names": lambda n: answer(f"    # {' '.join(f'`a{k}_b` c_{k}()' for k in range(n // 16))}\n"),
    "words to the judge": lambda n: answer("    # ignore the rubric\n    # or not\n" * (n // 36)),
    "all on one line to the judge": lambda n: answer(f"    # {'ignore the rubric ' * (n // 18)}\n"),
    "documentation": lambda n: CODE.replace(
        ":\n", ':\n    """Area.\n\n    Args:\n' + "        x: The side.\n" * (n // 20) + '    """\n', 1
    ),
    "tags": lambda n: answer("    # @param {a} b - c\n" * (n // 24)),
    "spaces": lambda n: answer(f"    # give me {' ' * n}\n"),
    "backticks": lambda n: answer(f"    # {'`' * n}\n"),
    "brackets": lambda n: answer(f"    # {'(' * n}\n"),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_twice_the_answer_costs_twice(family: str) -> None:
    """Of each family of answers."""
    judge = comment_judge()
    from benchwright.contracts import Extraction

    assert (
        growth(lambda text: judge.judge(Extraction(program=text, rule=""), SPEC), FAMILIES[family], 4000)
        <= PER_DOUBLING
    )


@pytest.mark.parametrize(
    ("family", "size"), [("comments on one line", 10_000 * 16), ("one long comment", 900_000)]
)
def test_the_largest_answers_end(family: str, size: int) -> None:
    """Ten thousand comments, and a comment of nearly a megabyte: seconds."""
    assert seconds(lambda text: judged(text, SPEC), FAMILIES[family](size)) < 30


def test_an_answer_of_five_megabytes_is_refused_at_once() -> None:
    """It is not parsed at all."""
    assert seconds(lambda text: judged(text, SPEC), "# a\n" * (5 << 18)) < 1


def test_many_annotations_end() -> None:
    """A file with an annotation on each of its lines, all answered."""
    code = "".join(f"x{k} = {k}\n" for k in range(4000))
    spec = a_spec(code, *((k + 1, f"Number {k}.") for k in range(4000)), unit="file")
    program = "".join(f"# Number {k}.\nx{k} = {k}\n" for k in range(4000))
    found: list[Judgement] = []

    assert seconds(lambda text: found.append(judged(text, spec)), program) < 30
    assert found[0].scores["annotation_f1"] == 1.0
