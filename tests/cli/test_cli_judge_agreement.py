"""`judge agreement`: what is printed of votes in run folders, in words and as JSON, and how refusals end."""

from __future__ import annotations

import json
from pathlib import Path

from benchwright.judges.people.records import Vote
from benchwright.running.judged_items import store_votes
from benchwright.running.run_data import open_run
from kit.calibrated import calibrated_run, peoples_votes
from kit.command_line import benchwright, called
from kit.graded_runs import ISSUES, graded_run
from kit.peoples_votes import vote


def rivals(place: Path, *results: str) -> list[Path]:
    """Three runs, whose answers have keys of their own; votes on the first two by these results, and on others."""
    names = ("one", "two", "three")
    runs = []
    for name in names:
        run = graded_run(place / name, ISSUES, {t: [("text", "undecided", {})] for t in range(1, 9)})
        path = run / "answers.jsonl"
        rows = [json.loads(line) for line in path.read_text().splitlines()]
        path.write_text(
            "".join(json.dumps({**row, "key": f"{name}-{row['task_id']}"}) + "\n" for row in rows)
        )
        runs.append(run)
    votes = [_pair(task, "one", "two", result) for task, result in enumerate(results, 1)]
    votes += [_pair(task, "two", "three", "ab"[task % 2]) for task in range(1, 9)]
    for run in runs:
        store_votes(open_run(run), votes)
    return runs


def _pair(task: int, a: str, b: str, result: str) -> Vote:
    answers = [f"{a}-{task}", f"{b}-{task}"]
    item = f"{a}{b}{task}"
    return vote(
        result, "anna", item=item, task_id=task, kind="pair", field="preference", answers=answers, shown="ab"
    )


def test_agreement_in_words_and_as_a_document(tmp_path: Path) -> None:
    """All judges, the pair, and anna against herself; the document has what the words have."""
    run = calibrated_run(tmp_path)
    words = benchwright("judge", "agreement", run)
    document = called("judge", "agreement", run, "--json").document
    (field,) = document["fields"]

    assert words.code == 0
    assert "decision: 2 judges, 60 items, 120 judgements" in words.out
    assert "anna and boris: 60 items" in words.out
    assert "anna, repeated items: 12 items" in words.out
    assert "6 votes of adjudicators excluded" in words.out
    assert "nan" not in words.out.lower()
    assert field["figures"]["percent"]["value"] == 0.9
    assert field["figures"]["alpha_nominal"]["low"] < field["figures"]["alpha_nominal"]["value"]
    assert (document["ranking"], document["first_place"], document["position"]) == (None, None, [])
    assert called("judge", "agreement", run, "--json").document == document


def test_votes_on_pairs_give_an_order_with_what_it_hangs_on(tmp_path: Path) -> None:
    """Three runs; "one" is first by a single vote, and one answer of two was called as bad as the other."""
    runs = rivals(tmp_path, "a", "a", "a", "a", "b", "b", "b", "both_bad")
    said = called("judge", "agreement", *runs)
    document = called("judge", "agreement", *runs, "--json").document
    ranking, first = document["ranking"], document["first_place"]

    assert said.code == 0
    names = [Path(each["name"]).name for each in ranking["strengths"]]
    assert (names[0], set(names[1:])) == ("one", {"two", "three"})  # equal, but for the last digit
    assert (ranking["votes"], ranking["both_bad"], document["unpaired"]) == (15, 1, 0)
    assert document["equal_pairs"] == 2 * 8  # of two pairs of runs, whose answers here are all alike
    assert "16 pairs of equal answers: ties that are not shown" in said.out
    assert (first["at_least"], first["at_most"]) == (2, 2)
    assert "15 votes, and 1 that both are bad, not counted" in said.out
    assert "would lose the first place to" in said.out
    assert "no smaller set does" in said.out
    assert "the first answer was preferred" in said.out


def test_runs_that_no_vote_joins_have_no_order(tmp_path: Path) -> None:
    """The parts are named; votes about a run that is not named are counted."""
    runs = rivals(tmp_path, *["a"] * 8)
    never = called("judge", "agreement", *runs)
    alone = called("judge", "agreement", runs[0], runs[1], "--json").document

    assert "no ranking: some contestants never lost" in never.out
    assert f"    {runs[0]}" in never.out
    assert alone["unpaired"] == 8
    assert alone["ranking"]["parts"] == [[str(runs[0])], [str(runs[1])]]


def test_a_run_that_nobody_judged_is_refused(tmp_path: Path) -> None:
    """With a command that brings votes; a folder that is no run too."""
    run = calibrated_run(tmp_path, 0)
    said, none = called("judge", "agreement", run), called("judge", "agreement", tmp_path)

    assert (said.code, said.out, none.code) == (1, "", 1)
    assert "no votes" in said.err and "hint: benchwright judge import" in said.err
    assert "is not a run folder" in none.err


def test_a_damaged_vote_is_named(tmp_path: Path) -> None:
    """File, line and field."""
    run = calibrated_run(tmp_path)
    path = run / "votes.jsonl"
    path.write_text(path.read_text().replace('"value":"correct"', '"value":"Correct!"', 1))
    said = called("judge", "agreement", run)

    assert said.code == 1
    assert "votes.jsonl" in said.err and "Correct!" in said.err


def test_votes_of_a_few_judges_are_one_line_each(tmp_path: Path) -> None:
    """Names with control characters are refused where votes are read, so none reaches a terminal."""
    run = calibrated_run(tmp_path, 0)
    votes = peoples_votes(range(1, 5))
    path = run / "votes.jsonl"
    store_votes(open_run(run), votes)
    path.write_text(path.read_text().replace("anna", "an\\u001b[31mna"))
    said = called("judge", "agreement", run)

    assert said.code == 1
    assert "\x1b" not in said.err
