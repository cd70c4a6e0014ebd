"""Counting answers before they are judged: repeats by question, and tokens, in little memory."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from benchwright.records import Answer
from benchwright.running.score_notes import AnswerCounts, count_answers

ROW = st.tuples(
    st.integers(0, 2),
    st.sampled_from(["", "p1", "p2"]),
    st.sampled_from("ab"),
    st.booleans(),
    st.integers(0, 9),
)


def rows_of(drawn: list[tuple[int, str, str, bool, int]]) -> list[Answer]:
    """Return answers grouped by task."""
    return [
        Answer(
            key=str(sample),
            task_id=task,
            sample=sample,
            model="m",
            text=text,
            prompt=prompt,
            tokens_in=tokens or None,
            tokens_out=2 * tokens or None,
            error="no luck" if failed else None,
        )
        for sample, (task, prompt, text, failed, tokens) in enumerate(sorted(drawn, key=lambda row: row[0]))
    ]


@given(st.lists(ROW, max_size=30))
def test_the_counts_are_those_of_a_plain_count(drawn: list[tuple[int, str, str, bool, int]]) -> None:
    """Repeats are answers minus distinct texts, for each task in each prompt; failures are no repeats."""
    texts: dict[tuple[int, str], Counter[str]] = {}
    for task, prompt, text, failed, _ in drawn:
        if not failed:
            texts.setdefault((task, prompt), Counter())[text] += 1
    prompts = [len({prompt for task, prompt in texts if task == number}) for number in range(3)]
    expected = AnswerCounts(
        answers=len(drawn),
        identical=sum(found.total() - len(found) for found in texts.values()),
        repeatable=sum(found.total() - 1 for found in texts.values()),
        prompts=max(prompts, default=0),
        tokens_in=sum(row[4] for row in drawn),
        tokens_out=2 * sum(row[4] for row in drawn),
    )

    assert count_answers(iter(rows_of(drawn))) == expected


def test_letter_for_letter() -> None:
    """Another space is another answer; a lone surrogate, which a run may contain, is text like any other."""
    texts = ["x", "x ", "x", "\udcff", "\udcff", ""]
    rows = [Answer(key=str(n), task_id=1, sample=n, model="m", text=text) for n, text in enumerate(texts)]

    assert count_answers(rows).identical == 2


def test_the_same_text_to_another_task_repeats_nothing() -> None:
    """Two tasks may have the same body."""
    rows = [Answer(key=str(n), task_id=n, sample=0, model="m", text="return x") for n in range(3)]

    assert (count_answers(rows).identical, count_answers(rows).repeatable) == (0, 0)
