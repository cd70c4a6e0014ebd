"""The bundled contrast set: rules order it as people do, as far as rules can; overlap does not."""

from __future__ import annotations

import pytest

from benchwright.judges.comments.judge import SCORES
from benchwright.records import Outcome
from kit.comment_kit import ANSWERS, ContrastRow, answered, contrast_rows, judged, texts
from kit.overlap import bleu, rouge_l

ROWS = list(contrast_rows())
each_row = pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])


def test_the_set_is_what_it_claims() -> None:
    """Four languages, two natural ones, units and styles of several kinds, every answer different."""
    assert len(ROWS) >= 24 and len({row.id for row in ROWS}) == len(ROWS)
    assert {row.spec.lang for row in ROWS} == {"Python", "Java", "Go", "JavaScript"}
    assert {row.spec.language for row in ROWS} == {"en", "ru"}
    assert {row.spec.unit for row in ROWS} >= {"function", "segment"}
    for row in ROWS:
        assert tuple(row.answers) == ANSWERS and len(set(row.answers.values())) == len(ANSWERS)
        assert row.answers["empty"] == row.spec.code


@each_row
def test_rules_order_answers(row: ContrastRow) -> None:
    """The right one first, then the same in other words, and nothing for no comment and for altered code."""
    found = {name: judged(text, row.spec) for name, text in row.answers.items()}
    totals = {name: each.scores["total"] for name, each in found.items()}

    assert totals["right"] >= totals["paraphrase"] > totals["empty"] == totals["altered"] == 0
    assert found["right"].scores["accuracy"] == 1.0
    assert found["altered"].outcome is Outcome.wrong and "the code was changed" in found["altered"].detail
    assert {each.outcome for name, each in found.items() if name != "altered"} == {Outcome.scored}


@each_row
def test_words_to_the_judge_change_nothing(row: ContrastRow) -> None:
    """Beside the same comments every figure stays as it is, to the last digit, and the words are shown."""
    plain, injected = (
        judged(row.answers["near_copy_wrong"], row.spec),
        judged(row.answers["injection"], row.spec),
    )

    assert plain.scores.keys() == injected.scores.keys()
    assert all(abs(plain.scores[name] - injected.scores[name]) <= 1e-9 for name in plain.scores)
    assert injected.suspicious.startswith("a comment speaks to the judge") and not plain.suspicious


@each_row
def test_words_to_the_judge_earn_nothing_alone(row: ContrastRow) -> None:
    """Where they are all that an answer adds, it adds no comment."""
    mark = "# " if row.spec.lang == "Python" else "// "
    found = judged(f"{row.spec.code}{mark}{row.injected.strip()[len(mark) :]}\n", row.spec)

    assert (
        all(found.scores[name] == 0 for name in SCORES) and "no comment" in found.detail and found.suspicious
    )


@each_row
def test_overlap_prefers_the_wrong_answer(row: ContrastRow) -> None:
    """BLEU and ROUGE-L put the wrong near copy above the right answer in other words, on every item."""
    reference = "\n".join(filter(None, [row.spec.comment, *(each.text for each in row.spec.annotations)]))
    said = {
        name: "\n".join(texts(answered(text, row.spec)))
        for name, text in row.answers.items()
        if name != "altered"
    }
    for measure in (bleu, rouge_l):
        assert measure(said["near_copy_wrong"], reference) > measure(said["paraphrase"], reference) + 5


def test_overlap_is_measured_as_others_do() -> None:
    """Values of sacreBLEU 2.6.0 (effective order) and rouge-score 0.1.2."""
    reference = "Returns the product of length and width, which is the area of the rectangle."
    wrong = "Returns the sum of length and width, which is the area of the rectangle."
    right = "Multiplies both sides to get how much surface the rectangle covers."
    for text, theirs in (
        (wrong, (83.7117, 92.8571)),
        (right, (5.3708, 16.0)),
        ("Returns the value.", (1.7602, 23.5294)),
    ):
        assert (bleu(text, reference), rouge_l(text, reference)) == pytest.approx(theirs, abs=1e-3)
