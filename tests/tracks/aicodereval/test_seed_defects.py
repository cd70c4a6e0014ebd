"""Seven defects of published benchmarks of this kind, each in an entry written here, each refused.

a: every test catches the exceptions of the function, so the file always succeeds. b: an edge case compares a
result with the text 'ValueError'. c: floats are compared by ==. d: validity is decided at random. e: imports
are judged by parts of their names. f: entries are changed and dropped without a reason. g: an unknown domain
is replaced by another one. In addition, signatures lack a colon, so that no entry is a program.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from benchwright.contracts import Judgement
from benchwright.errors import DataError
from benchwright.records import Outcome
from benchwright.sandbox.box import Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.tracks.aicodereval.entry import BenchmarkEntry, build, program_of, spec_of
from benchwright.tracks.aicodereval.program_file import program_file
from benchwright.tracks.rows import Fields
from kit.judging import ProgramJudge
from kit.made_entries import IMAGE, SOUND, SPEECH, TEXT, changed, with_case

EACH = pytest.mark.parametrize("row", SOUND, ids=lambda row: row["task_id"])


@pytest.fixture(scope="module")
def judge(jail: None) -> Iterator[ProgramJudge]:
    with Sandbox(limits=Limits(cpu_s=2.0, wall_s=60.0, memory_mb=256)) as sandbox:
        yield ProgramJudge(sandbox)


def refusal(row: dict[str, Any]) -> DataError:
    with pytest.raises(DataError) as caught:
        build(Fields(row, "made", 1))
    assert caught.value.hint
    return caught.value


def judged(judge: ProgramJudge, row: dict[str, Any], program: str = "") -> Judgement:
    entry = msgspec.convert(row, BenchmarkEntry)
    return judge.judge(program or program_of(entry), spec_of(entry))


@EACH
def test_a_signature_without_its_colon_is_refused(row: dict[str, Any]) -> None:
    """The error has the field, and the hint asks for a colon."""
    error = refusal(changed(row, signature=row["signature"].rstrip(":")))

    assert error.field == "signature" and "colon" in (error.hint or "")


@EACH
def test_a_what_a_case_raises_is_never_swallowed(judge: ProgramJudge, row: dict[str, Any]) -> None:
    """A solution that raises fails each level that expects a value, and the file cannot succeed."""
    program = program_of(
        msgspec.convert(changed(row, implementation="    raise KeyError(1)\n"), BenchmarkEntry)
    )
    found = judged(judge, row, program)

    assert found.outcome is Outcome.exception and found.parts["normal"] is Outcome.exception
    assert "sys.exit(1 if test_main() else 0)" in program_file(msgspec.convert(row, BenchmarkEntry))


@EACH
def test_b_the_name_of_an_exception_is_no_value(judge: ProgramJudge, row: dict[str, Any]) -> None:
    """The text is refused with a correction; in the corrected form, an answer that raises passes."""
    wanted = row["cases"][1]["expected"]["raises"]
    error = refusal(with_case(row, 1, expected={"value": wanted}))

    assert error.field == "cases[1].expected.value" and f'"raises": "{wanted}"' in (error.hint or "")
    assert judged(judge, row).parts["edge_case"] is Outcome.passed


@pytest.mark.parametrize("row", [TEXT, IMAGE], ids=lambda row: row["task_id"])
def test_c_floats_are_compared_within_a_tolerance(judge: ProgramJudge, row: dict[str, Any]) -> None:
    """Without a tolerance the case is refused; with one, a value that differs in the last digits passes."""
    exact = {"value": row["cases"][0]["expected"]["value"]}
    error = refusal(with_case(row, 0, expected=exact))
    near = {name: value + 1e-9 for name, value in exact["value"].items()}

    assert error.field == "cases[0].expected" and "tolerance" in error.message
    assert (
        judged(judge, with_case(row, 0, expected={"value": near, "abs_tol": 1e-6})).outcome is Outcome.passed
    )


@EACH
def test_d_validity_is_decided_by_execution(judge: ProgramJudge, row: dict[str, Any]) -> None:
    """The solution passes every time; a constant never does."""
    constant = changed(row, implementation="    return {'POSITIVE': 0.75}\n")
    program = program_of(msgspec.convert(constant, BenchmarkEntry))
    found = {judged(judge, row).outcome for _ in range(5)}
    wrong = {judged(judge, row, program).outcome for _ in range(5)}

    assert found == {Outcome.passed} and Outcome.passed not in wrong


@EACH
def test_e_a_name_that_contains_another_is_no_offence(judge: ProgramJudge, row: dict[str, Any]) -> None:
    """`evaluator` contains eval; the sandbox, not the name, limits what an import may do."""
    named = changed(row, imports=[*row["imports"], "import operator as evaluator"])
    hidden = changed(row, imports=[*row["imports"], "__import__('os').system('echo harm > /tmp/../harm')"])

    assert build(Fields(named, "made", 1)).task_id == row["task_id"]
    assert judged(judge, named).outcome is Outcome.passed
    assert (
        judged(judge, hidden).outcome is Outcome.passed
    )  # it may try: the root is read-only, so it creates no file


@EACH
def test_f_reading_changes_nothing_and_every_refusal_has_a_reason(row: dict[str, Any]) -> None:
    """Records are frozen; a refused row is reported with place, field, reason and hint."""
    before = changed(row)
    build(Fields(row, "made", 1))
    error = refusal(changed(row, cases=[]))

    assert row == before
    assert (error.path, error.line, error.task_id, error.field) == ("made", 1, row["task_id"], "cases")


@EACH
def test_g_an_unknown_domain_is_refused(row: dict[str, Any]) -> None:
    """It is never replaced by Classification; the hint lists the valid names."""
    error = refusal(changed(row, domain="Gardening"))

    assert error.field == "domain" and "Classification" in (error.hint or "")


def test_sound_versions_pass(judge: ProgramJudge) -> None:
    """All levels pass for text, images and speech."""
    outcomes = [judged(judge, row).parts for row in (TEXT, IMAGE, SPEECH)]

    assert outcomes == [dict.fromkeys(("normal", "edge_case", "correctness"), Outcome.passed)] * 3
