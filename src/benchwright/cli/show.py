"""`benchwright show`: an answer of a run with its program, outcome, reason and assessments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from benchwright.cli.arguments import data_of_run, json_option, not_empty, print_json
from benchwright.cli.shell_completion import run_folders
from benchwright.cli.terminal import print_whole
from benchwright.contracts import Assessment, Extraction
from benchwright.display.escape import escaped_code, quoted
from benchwright.display.text_table import text_table
from benchwright.display.wording import counted, in_order, outcome_label, percent, self_check_text
from benchwright.errors import RunError, UsageError, command_name
from benchwright.judges.people.results import people_fact
from benchwright.records import Outcome, SelfCheck, Verdict, full_document
from benchwright.running.human_labels import results_by_answer
from benchwright.running.run_data import (
    HINT,
    JudgedAnswerRow,
    TaskSummary,
    differences,
    expected_label,
    find_run_data,
    judged_answers,
    open_run,
    profiles_of,
    programs,
    read_score,
    summaries,
)
from benchwright.store.runfolder import RunFolder

COLOURED = 40_000  # characters; longer programs are printed without colours, which take 50 µs per character
_GRADED = (Outcome.scored, Outcome.undecided)
_EXECUTED = ("isolation", "used", "printed")  # facts about executions


@click.command()
@click.argument("run", callback=not_empty, shell_complete=run_folders)
@click.argument("task", required=False)
@click.option("--sample", type=int, help="Show only this answer to the task.")
@click.option(
    "--outcome",
    type=click.Choice([outcome.value for outcome in Outcome]),
    help="Show only answers with this outcome; without TASK, only tasks with such answers.",
)
@click.option("--raw", is_flag=True, help="Show the model's raw text instead of the extracted program.")
@click.option("--differ", is_flag=True, help="List answers with different outcomes by scoring profile.")
@data_of_run
@json_option
def command(run: str, task: str | None, data: str | None, as_json: bool, differ: bool, **chosen: Any) -> None:
    """Show answers of a run: program, outcome and reason.

    \b
    benchwright show runs/mine                      all tasks
    benchwright show runs/mine HumanEval/3          answers to a task
    benchwright show runs/mine HumanEval/3 --sample 0 --raw
    """
    folder = open_run(run)
    narrowed = chosen["sample"] is not None or chosen["raw"] or chosen["outcome"] is not None
    if differ and (task is not None or narrowed):
        raise UsageError(
            "--differ takes no TASK and no other option", hint=f"{command_name()} show {quoted(run)} --differ"
        )
    if differ:
        _show_differences(folder, as_json=as_json)
    elif task is not None:
        _show_answers(folder, task, data, as_json=as_json, **chosen)
    elif chosen["sample"] is not None or chosen["raw"]:
        raise UsageError("--sample and --raw require a TASK", hint=f"{command_name()} show {quoted(run)}")
    else:
        _show_tasks(folder, as_json=as_json, outcome=chosen["outcome"])


def _stdout_console() -> Console:
    return Console(highlight=False, emoji=False)


def _table(*columns: str) -> Table:
    """Make a table that folds long cells, so that ids and reasons are complete."""
    table = text_table()
    for name in columns:
        table.add_column(name, overflow="fold")
    return table


def _show_tasks(folder: RunFolder, *, as_json: bool, outcome: str | None) -> None:
    rows = summaries(folder, outcome=outcome)
    if as_json:
        tasks = [
            {"task_id": row.task_id, "outcomes": row.outcomes}
            | ({} if row.mean is None else {"mean_score": row.mean})
            for row in rows
        ]
        print_json(
            {"run": str(folder.path), "tasks": tasks, "self_check": full_document(_self_check(folder))}
        )
        return
    table = _graded_table(rows) if any(row.mean is not None for row in rows) else _passed_table(rows)
    print_whole(_stdout_console(), table)
    if (check := _self_check(folder)) is not None:
        _stdout_console().print(Text(f"self-check: {self_check_text(check)}"), soft_wrap=True)


def _self_check(folder: RunFolder) -> SelfCheck | None:
    """Return the self-check of a run; None if it has no score yet."""
    return read_score(folder).self_check if (folder.path / "scores.json").exists() else None


def _passed_table(rows: Sequence[TaskSummary]) -> Table:
    table = _table("task", "passed", "other outcomes")
    for row in rows:
        others = ", ".join(
            f"{row.outcomes[name]} {outcome_label(name)}"
            for name in in_order(row.outcomes)
            if name != "passed"
        )
        table.add_row(_text(row.task_id), f"{row.passed}/{row.outcomes.total()}", others)
    return table


def _graded_table(rows: Sequence[TaskSummary]) -> Table:
    table = _table("task", "mean score", "outcomes")
    for row in rows:
        ended = ", ".join(f"{row.outcomes[name]} {outcome_label(name)}" for name in in_order(row.outcomes))
        table.add_row(_text(row.task_id), "–" if row.mean is None else f"{percent(row.mean)} %", ended)
    return table


def _show_differences(folder: RunFolder, *, as_json: bool) -> None:
    names, rows = profiles_of(folder), list(differences(folder))
    if as_json:
        documents = [
            {
                "task_id": row.task_id,
                "sample": row.sample,
                "outcomes": {name: row.verdicts[name].outcome for name in names},
            }
            for row in rows
        ]
        print_json({"run": str(folder.path), "profiles": names, "differences": documents})
        return
    table = _table("task", "sample", *names, "why")
    for row in rows:
        detail = next((verdict.detail for verdict in row.verdicts.values() if verdict.detail), "")
        outcomes = [outcome_label(row.verdicts[name].outcome) for name in names]
        table.add_row(_text(row.task_id), str(row.sample), *outcomes, _text(detail))
    print_whole(_stdout_console(), table)
    _stdout_console().print(f"pass by one profile but not by another: {counted(len(rows), 'answer')}")


def _show_answers(
    folder: RunFolder,
    task: str,
    data: str | None,
    *,
    as_json: bool,
    sample: int | None,
    outcome: str | None,
    raw: bool,
) -> None:
    rows = [
        row
        for row in judged_answers(folder, task)
        if sample in (None, row.answer.sample)
        and outcome in (None, row.verdict.outcome.value if row.verdict else None)
    ]
    known = find_run_data(folder, data)
    extractions = None if raw else programs(folder, [row.answer for row in rows], known)
    expected = expected_label(known, rows[0].answer.task_id) if rows else None
    notes = [f"only raw texts are available: {known.absent}; {HINT}"] if known.absent and not raw else []
    if as_json:
        label = {} if expected is None else {"expected": expected}
        people = results_by_answer(folder)
        answers = [
            {
                **_document(row, extractions),
                **label,
                **({"people": results} if (results := people.get(row.answer.row)) else {}),
            }
            for row in rows
        ]
        print_json({"run": str(folder.path), "answers": answers, "notes": notes})
        return
    if not rows:
        hint = f"{command_name()} show {quoted(folder.path)} {quoted(task)}"
        raise RunError("no answer matches --sample and --outcome", hint=hint)
    people = results_by_answer(folder)
    for row in rows:
        found = extractions.get(row.answer.sample) if extractions else None
        if expected is None:
            _print_answer(_stdout_console(), row, found)
            _print_facts(_stdout_console(), [people_fact(each) for each in people.get(row.answer.row, ())])
        else:
            _print_label(_stdout_console(), row, found, expected=expected)
    for note in notes:
        click.echo(f"note: {note}", err=True)


def _document(row: JudgedAnswerRow, extractions: dict[int, Extraction] | None) -> dict[str, Any]:
    program = extractions[row.answer.sample].program if extractions else None
    assessed = {"assessments": row.assessments} if row.assessments else {}
    return {"answer": row.answer, "verdict": row.verdict, "program": program, **assessed}


def _print_title(target: Console, row: JudgedAnswerRow) -> None:
    ended = row.verdict.outcome.value if row.verdict else "not judged"
    colour = {"passed": "green", "scored": "cyan", "undecided": "yellow"}.get(ended, "red")
    title = Text(f"task {escaped_code(str(row.answer.task_id))} · sample {row.answer.sample} · ")
    target.rule(title.append(outcome_label(ended), f"{colour} bold"), align="left")


def _print_facts(target: Console, facts: list[tuple[str, str]]) -> None:
    for name, value in facts:
        target.print(Text.assemble((f"{name}: ", "dim"), escaped_code(value)), soft_wrap=True)


def _print_label(
    target: Console, row: JudgedAnswerRow, extraction: Extraction | None, *, expected: str
) -> None:
    """Print the label that was read, the expected label, and the text."""
    label_facts = [] if extraction is None else [("said", extraction.program or "no label")]
    expected_facts = [("expected", expected)] if expected and extraction is not None else []
    facts = [fact for fact in _facts(row, raw=extraction is None) if fact[0] not in _EXECUTED]
    _print_title(target, row)
    _print_facts(target, [*facts[:1], *label_facts, *expected_facts, *facts[1:]])
    target.print(_text(row.answer.text), soft_wrap=True)


def _print_answer(target: Console, row: JudgedAnswerRow, extraction: Extraction | None) -> None:
    answer = row.answer
    _print_title(target, row)
    hidden = _EXECUTED if row.verdict and row.verdict.outcome in _GRADED else ()
    _print_facts(target, [fact for fact in _facts(row, raw=extraction is None) if fact[0] not in hidden])
    program = extraction.program if extraction else ""  # empty if none was extracted: then the text shows why
    _print_code(target, program) if program else target.print(_text(answer.text), soft_wrap=True)


def _print_code(target: Console, program: str) -> None:
    """Print a program, with colours on a terminal only."""
    text = escaped_code(program)
    if target.is_terminal and len(text) <= COLOURED:
        target.print(Syntax(text, "python", background_color="default", word_wrap=True))
    else:
        target.print(Text(text), soft_wrap=True)


def _text(value: object) -> Text:
    """Make text from untrusted input: markup, emoji codes and control characters have no effect."""
    return Text(escaped_code(str(value)))


def _scores(verdict: Verdict) -> str:
    """Format the scores of a graded answer; those of other answers are counts."""
    if verdict.outcome not in _GRADED:
        return ""
    return ", ".join(f"{name.replace('_', ' ')} {percent(value)} %" for name, value in verdict.scores.items())


def _facts(row: JudgedAnswerRow, *, raw: bool) -> list[tuple[str, str]]:
    answer, verdict = row.answer, row.verdict
    facts = [("model", answer.model), ("error", answer.error or ""), ("prompt", answer.prompt)]
    if raw:
        facts += [("reasoning", answer.reasoning), ("after the stop string", answer.tail)]
    if verdict is not None:
        facts += [
            ("scores", _scores(verdict)),
            ("why", verdict.detail),
            ("round", f"{verdict.round}, after a failure" if verdict.round else ""),
            ("possible attempt to cheat", verdict.suspicious),
            ("extraction rule", verdict.rule + (" (truncated answer)" if verdict.truncated else "")),
            ("not executed", "" if verdict.equal_to is None else f"equals sample {verdict.equal_to}"),
            ("isolation", verdict.isolation.value),
            ("used", f"{verdict.cpu_s:.3f} CPU s in {verdict.wall_s:.3f} s"),
            ("printed", verdict.stdout),
        ]
    facts += [fact for each in row.assessments for fact in assessment_facts(each)]
    return [(name, value) for name, value in facts if value]


_FLAGS = {
    "own_family": "judge and answer are by models of the same family",
    "quote_not_found": "a quote is in no text",
    "later_facts": "uses facts that are later than the question",
    "contradicts_itself": "contradictory votes, or grade contradicts claims",
}


def assessment_facts(assessment: Assessment) -> list[tuple[str, str]]:
    """Return names and values: the judgement, reasons by criterion, quotes, and warnings."""
    name = f"judge {assessment.judge}"
    facts = [(name, _judgement(assessment))]
    facts += [(f"{name} on {criterion}", reason) for criterion, reason in assessment.reasons.items()]
    facts += [(f"{name} quotes", quote) for quote in assessment.evidence]
    facts += [(f"{name}, warning", _FLAGS.get(flag, flag.replace("_", " "))) for flag in assessment.flags]
    return facts


def _judgement(assessment: Assessment) -> str:
    """Format label or scores, with several votes; without a judgement, the reason."""
    if assessment.status != "judged":
        return f"{assessment.status}: {assessment.detail}" if assessment.detail else assessment.status
    parts = [f"{name.replace('_', ' ')} {percent(value)} %" for name, value in assessment.scores.items()]
    if assessment.label:
        number = assessment.reference_number
        against = "" if number is None else f", compared with reference {number}"
        parts.append(assessment.label.replace("_", " ") + against)
    votes = ", ".join(f"{name} {count}" for name, count in assessment.votes.items())
    return ", ".join(parts) + (f" (votes: {votes})" if sum(assessment.votes.values()) > 1 else "")
