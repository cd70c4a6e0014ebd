"""Scores from verdicts: by task, by prompt, in each design, with their notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from benchwright.contracts import RequestOptions
from benchwright.contracts.measures import Grouping
from benchwright.errors import RunError
from benchwright.records import Answer, Isolation, Metric, Outcome, Score, SelfCheck, Verdict
from benchwright.running.answering import ask_questions
from benchwright.running.plan import Plan
from benchwright.running.scoring import count_verdicts, score
from benchwright.store.runfolder import RunFolder
from kit.live_model import LiveModel, copies, register
from kit.run_stages import Listener, folder_of, plan_of
from kit.small_data import answer_row, answers, write

CHECK = SelfCheck(gold_passed=3, gold_total=3, stub_passed=0, stub_total=3)
Decide = Callable[[Answer], Outcome]


def passes(answer: Answer) -> Outcome:
    """Pass all answers."""
    return Outcome.passed


def verdict_on(answer: Answer, outcome: Outcome, **fields: Any) -> Verdict:
    """Return a verdict of the strict profile, with further fields of its record."""
    return Verdict(
        key=answer.key,
        task_id=answer.task_id,
        sample=answer.sample,
        outcome=outcome,
        isolation=Isolation.separated,
        profile="strict",
        **fields,
    )


def judge(plan: Plan, run: RunFolder, decide: Decide) -> None:
    """Write verdicts by a rule, as the judging stage does."""
    with run.verdict_writer() as writer:
        for answer in run.answers():
            outcome = Outcome.model_error if answer.error else decide(answer)
            writer.append(verdict_on(answer, outcome, truncated=answer.finish_reason == "length"))


def scored(folder: Path, plan: Plan, decide: Decide = passes) -> Score:
    """Ask, judge by the rule, score."""
    with folder_of(plan, folder) as run:
        ask_questions(plan, run, Listener())
        judge(plan, run, decide)
        return score(plan, run, CHECK)


def live(
    monkeypatch: pytest.MonkeyPatch, folder: Path, model: LiveModel | None = None, **changed: Any
) -> Plan:
    """Return a plan that asks this model."""
    register(monkeypatch, model or LiveModel())
    return plan_of(folder, **{"model": "live:model", **changed})


def by_rate(rate: dict[str, int], n: int) -> Decide:
    """Pass the first `rate` of a prompt's n answers to a task."""
    return lambda answer: Outcome.passed if answer.sample % n < rate[answer.prompt] else Outcome.wrong


def test_a_spread_run_is_scored_by_task_and_shown_by_prompt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Every prompt has the metrics of its own tasks, and the score is over all of them."""
    plan = live(monkeypatch, tmp_path, tasks=20, n=2)
    rates = {f"en-{number:02}": number % 3 for number in range(1, 11)}
    result = scored(tmp_path, plan, by_rate(rates, 2))
    shown = {name: (metrics["pass@1"].value, metrics["pass@1"].n) for name, metrics in result.prompts.items()}

    assert shown == {name: (rate / 2, 2) for name, rate in rates.items()}
    assert result.metrics["pass@1"].value == pytest.approx(sum(rates.values()) / 20)
    assert (result.prompt_design, result.answers) == ("spread", 40)


def test_a_spread_run_says_what_cannot_be_told_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Prompt and task are confounded, so a range of prompts is not called their effect."""
    plan = live(monkeypatch, tmp_path, tasks=20, n=2)
    result = scored(tmp_path, plan, by_rate({f"en-{n:02}": int(n == 3) for n in range(1, 11)}, 2))
    (said,) = [note for note in result.notes if "by prompt" in note]

    assert "between 0.0 % (en-01) and 50.0 % (en-03)" in said
    assert ("cannot be told apart" in said, "--prompts all" in said, "deviation" in said) == (
        True,
        True,
        False,
    )


def test_a_crossed_run_keeps_pass_at_k_of_one_prompt(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One prompt of ten solves every task: pass@2 is a tenth; twenty pooled answers would give more."""
    plan = live(monkeypatch, tmp_path, prompts="all", n=2, ks=(1, 2))
    rates = {f"en-{number:02}": 2 * (number == 7) for number in range(1, 11)}
    result = scored(tmp_path, plan, by_rate(rates, 2))
    metric = result.metrics["pass@2"]

    assert (metric.value, metric.n, metric.samples) == (pytest.approx(0.1), 3, 20)
    assert {name: metrics["pass@2"].value for name, metrics in result.prompts.items()} == {
        name: rate / 2 for name, rate in rates.items()
    }


def test_a_crossed_run_tells_the_effect_of_the_prompt(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """On the same tasks: the range, the range by chance, and the deviation."""
    plan = live(monkeypatch, tmp_path, prompts="all", n=10)
    rates = {f"en-{number:02}": number - 1 for number in range(1, 11)}
    result = scored(tmp_path, plan, by_rate(rates, 10))
    (said,) = [note for note in result.notes if "by prompt" in note]

    assert "on the same 3 tasks, pass@1 lies between 0.0 % (en-01) and 90.0 % (en-10): 90.0 points" in said
    assert "19 runs of 20 would stay below 0.0" in said  # each task reacts alike, so there is no chance
    assert said.endswith("standard deviation is 30.3 points")


def test_prompts_that_do_alike_are_no_news(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A range from 0.0 % to 0.0 % is not reported."""
    plan = live(monkeypatch, tmp_path, prompts="spread", n=2)
    result = scored(tmp_path, plan, by_rate({f"en-{number:02}": 0 for number in range(1, 11)}, 2))

    assert not [note for note in result.notes if "by prompt" in note]


def test_a_run_by_the_row_s_prompt_has_none_of_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """There are no variants and no effect."""
    result = scored(tmp_path, live(monkeypatch, tmp_path, prompts="row", n=2))

    assert (result.prompt_design, result.prompts, result.notes) == ("row", {}, [])


def test_stored_answers_have_no_design(tmp_path: Path) -> None:
    """Their prompts are unknown."""
    result = scored(tmp_path, plan_of(tmp_path, model=f"replay:{answers(tmp_path)}"))

    assert (result.prompt_design, result.prompts, result.tokens_in) == ("", {}, 0)


@pytest.mark.parametrize("design", ["spread", "all"])
def test_the_answers_of_a_run_can_be_replayed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, design: str
) -> None:
    """In the original design the score is equal to the last digit; tokens are kept."""
    first = live(monkeypatch, tmp_path, prompts=design, n=2)
    rule = by_rate({f"en-{number:02}": number % 3 for number in range(1, 11)}, 2)
    score_live = scored(tmp_path, first, rule)
    again = plan_of(tmp_path, model=f"replay:{tmp_path / 'run'}", prompts=design)
    (tmp_path / "again").mkdir()
    replayed = scored(tmp_path / "again", again, rule)

    assert (replayed.metrics, replayed.prompts) == (score_live.metrics, score_live.prompts)
    assert (replayed.tokens_in, replayed.prompt_design) == (score_live.tokens_in, design)


def test_a_crossed_run_replayed_as_one_prompt_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its pass@k would be that of mixed prompts; the note says how to avoid that."""
    scored(tmp_path, live(monkeypatch, tmp_path, prompts="all", n=2))
    (tmp_path / "again").mkdir()
    replayed = scored(tmp_path / "again", plan_of(tmp_path, model=f"replay:{tmp_path / 'run'}"))

    assert [("10 different prompts" in note, "--prompts all" in note) for note in replayed.notes] == [
        (True, True)
    ]


@pytest.mark.parametrize(
    ("model", "asking", "words"),
    [
        (
            LiveModel(copies),
            RequestOptions(),
            "the server may ignore temperature and seed, so pass@10 says no more than",
        ),
        (
            LiveModel(copies),
            RequestOptions(temperature=0.0),
            "that is what temperature 0 asks for, so pass@10",
        ),
        (
            LiveModel(lambda prompt, task: f"    return {prompt.sample // 2}\n"),
            RequestOptions(),
            "less varied than their number suggests",
        ),
    ],
    ids=["copies", "greedy", "half"],
)
def test_answers_that_are_alike_are_noticed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: LiveModel, asking: RequestOptions, words: str
) -> None:
    """The note has their number, and the effect on pass@k."""
    result = scored(tmp_path, live(monkeypatch, tmp_path, model, n=10, asking=asking))
    (said,) = [note for note in result.notes if "letter for letter" in note]

    assert said.startswith(f"{result.identical} of 30 answers repeat an earlier one to the same question")
    assert (words in said, result.identical) == (True, 15 if "varied" in words else 27)


def test_a_few_repeats_are_no_news(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A good model may write an easy body twice; the count is still stored."""
    model = LiveModel(lambda prompt, task: f"    return {max(prompt.sample, 1)}\n")
    result = scored(tmp_path, live(monkeypatch, tmp_path, model, n=10))

    assert (result.identical, [note for note in result.notes if "repeat" in note]) == (3, [])


def test_copies_in_a_file_are_not_blamed_on_a_server(tmp_path: Path) -> None:
    """No server was asked."""
    rows = [answer_row(f"Small/{task}", task, "passed") for task in range(3) for _ in range(4)]
    stored = write(tmp_path / "copies.jsonl", rows)
    (said,) = scored(tmp_path, plan_of(tmp_path, model=f"replay:{stored}")).notes

    assert "9 of 12 answers" in said
    assert said.endswith("the stored answers are copies, so pass@4 says no more than pass@1")


def test_the_same_answer_to_two_prompts_is_no_repeat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In a crossed design each prompt is a separate question."""
    result = scored(tmp_path, live(monkeypatch, tmp_path, LiveModel(copies), prompts="all", n=1))

    assert result.identical == 0


def test_cut_off_answers_tokens_and_cost(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They are counted, with a note if they are many or have a cost."""
    model = LiveModel(finish_reason="length", tokens_in=1000, tokens_out=2000)
    asking = RequestOptions(max_tokens=2000, price_in=1.0, price_out=10.0)
    result = scored(tmp_path, live(monkeypatch, tmp_path, model, n=2, asking=asking))
    counts = (result.truncated, result.tokens_in, result.tokens_out)

    assert counts == (6, 6000, 12000)
    assert any(
        note.startswith("6 of 6 answers were truncated") and "now 2,000," in note for note in result.notes
    )
    assert "the answers cost 0.13, at 1 and 10 for a million tokens in and out" in result.notes


def test_faults_of_the_server_are_counted_over_all_sessions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An event may stand for many: its count is that of its session so far, and sessions are added."""
    fault = {"fault": "empty", "means": "it sent empty\x1b answers"}
    plan = live(monkeypatch, tmp_path, n=1)
    with folder_of(plan, tmp_path) as run:
        for seen in (1, 2, 5, 7, 1, 2):
            run.event("server_fault", **fault, count=seen)
        run.event("server_fault", fault="odd")
        run.event("server_fault", fault="odd")
        run.event("retry", status="429")
        run.event("server_fault", fault="once")
    result = scored(tmp_path, plan)

    assert [note for note in result.notes if "fault" in note] == [
        "the server's fault: it sent empty\\x1b answers (9 times)",
        "the server's fault: odd (2 times)",
        "the server's fault: once (once)",
    ]


def test_missing_answers_are_in_no_metric(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """They are counted and listed; a figure leaves out tasks with too few answers, with a note."""
    model = LiveModel(
        fails=lambda prompt: "HTTP 500" if prompt.sample == 1 and prompt.task_id == "Small/2" else None
    )
    result = scored(tmp_path, live(monkeypatch, tmp_path, model, n=2, ks=(1, 2)))

    assert (result.missing, result.outcomes, list(result.metrics)) == (
        1,
        {"model_error": 1, "passed": 5},
        ["pass@1", "pass@2", "pass^2"],
    )
    assert (result.metrics["pass@1"].n, result.metrics["pass@2"].n) == (3, 2)
    assert "pass@2 is over 2 of 3 tasks: the others have fewer than 2 answers (Small/2)" in result.notes


def test_a_gap_in_a_crossed_run_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A task without answers to one prompt counts by its others, and is left out of the prompts' effect."""
    missing = ("Small/0", "en-04")
    model = LiveModel(fails=lambda prompt: "gone" if (prompt.task_id, prompt.variant) == missing else None)
    result = scored(tmp_path, live(monkeypatch, tmp_path, model, prompts="all", n=1))

    assert (result.metrics["pass@1"].value, result.prompts["en-04"]["pass@1"].n) == (1.0, 2)
    assert "1 times a task has no judged answer to a prompt; its other prompts stand for it" in result.notes
    assert any("on the same 2 tasks" in note for note in result.notes)


def test_verdicts_that_are_missing_are_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A score over a part would be another number under the same name."""
    plan = live(monkeypatch, tmp_path, n=1)
    with folder_of(plan, tmp_path) as run, pytest.raises(RunError) as caught:
        score(plan, run, CHECK)

    assert "0 verdicts for 3 answers" in caught.value.message


def test_answers_are_counted_by_prompt() -> None:
    """All outcomes, and judged answers by task; a prompt has those to it."""
    rows = [
        Verdict(
            key=str(sample),
            task_id=sample % 2,
            sample=sample,
            outcome=(Outcome.wrong, Outcome.passed, Outcome.model_error)[sample % 3],
            isolation=Isolation.separated,
            profile="strict",
        )
        for sample in range(12)
    ]
    counted = count_verdicts(rows, lambda task, sample: f"p{sample // 6}")

    assert counted.outcomes == {"wrong": 4, "passed": 4, "model_error": 4}
    assert {task: len(answers) for task, answers in counted.answers.items()} == {0: 4, 1: 4}
    assert {task: len(answers) for task, answers in counted.to_prompt("p1").items()} == {0: 2, 1: 2}
    assert counted.to_prompt("p2") == {}


def test_details_are_those_of_the_stored_score(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A track may return metrics as records: they look the same before and after storing."""
    plan = live(monkeypatch, tmp_path)
    metric = Metric(value=0.5, low=0.25, high=0.75, n=3, samples=1)
    rows = {"small": {"accuracy": metric}}
    measures = plan.track.measures
    monkeypatch.setattr(type(measures), "details", lambda *_: {"groups": {"size": rows}})

    assert measures.sections(scored(tmp_path / "run", plan).details).groupings == [
        Grouping(kind="size", rows=rows)
    ]


def test_rescued_passes_are_counted_by_rule(tmp_path: Path) -> None:
    """They are in the stored details and in a note on the page; failures are not counted."""
    plan = plan_of(tmp_path, tasks=3)
    ends = [("body", Outcome.passed), ("body+cut", Outcome.passed), ("prose+function", Outcome.wrong)]
    with folder_of(plan, tmp_path) as run:
        ask_questions(plan, run, Listener())
        with run.verdict_writer() as writer:
            for answer, (rule, outcome) in zip(run.answers(), ends, strict=True):
                writer.append(verdict_on(answer, outcome, rule=rule))
        found = score(plan, run, CHECK)

    assert found.details["rescued"] == {"answers": 1, "rules": {"cut": 1}}
    assert [note for note in found.notes if note.startswith("1 of 2 passes are by a rescue rule")]
