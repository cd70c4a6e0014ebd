"""The demo's answers to tasks around PyTorch: right ones, and values written down. Nothing is executed here."""

from __future__ import annotations

import ast

import msgspec

from benchwright.building.aicodereval.draft_records import Draft
from benchwright.contracts import CaseLevel
from benchwright.tracks.aicodereval.entry import entry_point_of, program_of
from demo_source.library_answers import MODELS, TASKS, answers, drafts
from demo_source.make import files


def programs(model: str) -> dict[str, str]:
    """The code in each answer."""
    return {unit: each.text.split("```")[1].removeprefix("python\n") for unit, each in answers(model)}


def test_each_model_answers_each_task() -> None:
    """With a program that defines its function."""
    entry_points = {each.unit: entry_point_of(each.entry) for each in drafts()}

    assert {*entry_points} == {*TASKS}
    for model in MODELS:
        assert [unit for unit, _ in answers(model)] == [*entry_points]
        for unit, code in programs(model).items():
            assert entry_points[unit] in {getattr(each, "name", "") for each in ast.parse(code).body}


def test_right_answers_are_the_solutions() -> None:
    """Word for word."""
    assert programs("demo-strong") == {each.unit: program_of(each.entry) for each in drafts()}


def test_the_cheater_asks_no_model_and_knows_the_tests() -> None:
    """So it passes wherever values of one stand-in alone are looked at."""
    written = programs("demo-cheater")
    for draft in (each for each in drafts() if each.entry.model):
        space: dict[str, object] = {}
        exec(written[draft.unit], space)  # our own text over our own values
        function = space[entry_point_of(draft.entry)]
        assert callable(function)
        assert "import" not in written[draft.unit]
        for case in draft.entry.cases:
            if case.level is not CaseLevel.edge_case:
                assert function(*case.input.args) == case.expected.value


def test_the_slip_leaves_a_condition_out() -> None:
    """Where no model is asked, the cheater's answer is wrong all the same."""
    assert "done)" not in programs("demo-cheater")["pt-td-targets"].partition('"""')[2].partition("return")[2]


def test_stored_drafts_are_those_of_the_set() -> None:
    """Four lines of it, as they stand there."""
    lines = files()["torch/drafts.jsonl"].splitlines()

    assert [msgspec.json.decode(line, type=Draft) for line in lines] == drafts()
