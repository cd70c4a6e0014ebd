"""The track of MultiPL-E: questions, stubs, specs, and a run from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchwright.contracts import SuiteAnswerSpec
from benchwright.errors import DataError, UsageError
from benchwright.judges.suites.answer_judges import ServedJudge, SuiteAnswerJudge
from benchwright.records import Answer, Task
from benchwright.tracks.multipl.track import TRACK, MultiPL
from benchwright.tracks.row_detection import track_of_row
from kit.command_line import called
from kit.multipl_rows import GO_BODY, JAVA_BODY, go_row, java_row, need_go_rows, need_java_rows, write_multipl


def tasks_of(tmp_path: Path) -> list[Task]:
    """Return both rows as tasks."""
    return list(TRACK.load(write_multipl(tmp_path / "rows.jsonl", go_row(), java_row())))


@pytest.mark.parametrize("language", ["en", "ru"])
def test_ten_questions_show_the_file_and_name_the_language(tmp_path: Path, language: str) -> None:
    """Fences have the language's tag; the text that a base model continues ends with the prompt."""
    for task, lang, tag in zip(tasks_of(tmp_path), ("Go", "Java"), ("go", "java"), strict=True):
        chat, base = (TRACK.questions(task, language=language, form=form) for form in ("chat", "base"))

        assert len({each.text for each in chat}) == len({each.text for each in base}) == 10
        assert all(task.inputs["function"].strip("\n") in each.text for each in chat)
        assert all(each.text.endswith(task.inputs["function"]) for each in base)
        assert f" {lang}" in chat[0].text
        assert f"```{tag}\n" in chat[1].text
        assert not any("Python" in each.text for each in [*chat, *base])


def test_a_row_without_a_solution_has_no_gold(tmp_path: Path) -> None:
    """MultiPL-E has none; rows may include one."""
    solved = go_row(canonical_solution=GO_BODY)
    (task,) = TRACK.load(write_multipl(tmp_path / "solved.jsonl", solved))

    assert [TRACK.gold(each) for each in tasks_of(tmp_path)] == [None, None]
    assert TRACK.gold(task) == GO_BODY
    assert TRACK.to_row(task) == solved


def test_specs_hold_the_tests_and_no_answer(tmp_path: Path) -> None:
    """Libraries are included if they are imported by Java rows only."""
    specs = [TRACK.spec(task, profile="strict") for task in tasks_of(tmp_path)]

    assert all(isinstance(spec, SuiteAnswerSpec) for spec in specs)
    assert all(spec.suite.focal not in spec.suite.files for spec in specs)
    assert [spec.libraries for spec in specs] == [(), ("javatuples",)]
    assert all(spec.executions > 1 for spec in specs)


def test_the_stub_goes_on_from_the_prompt(tmp_path: Path) -> None:
    """Both profiles read it."""
    for task in tasks_of(tmp_path):
        answer = Answer(key="k", task_id=task.task_id, sample=0, model="stub", text=TRACK.stub(task))
        taken = [TRACK.extract(task, answer, profile=profile) for profile in TRACK.profiles]

        assert taken[0].program == taken[1].program
        assert taken[0].problem is None


def test_forms_and_profiles_that_there_are_not(tmp_path: Path) -> None:
    """The error lists the existing ones."""
    assert TRACK.in_form("tests") is TRACK
    with pytest.raises(UsageError, match="multipl has no form 'batch'"):
        TRACK.in_form("batch")
    with pytest.raises(UsageError, match="no scoring profile 'mera'"):
        TRACK.spec(tasks_of(tmp_path)[0], profile="mera")


def test_each_language_is_made_ready_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run prepares twice: before its self-check and before its answers."""
    made: list[str] = []
    for judge in (SuiteAnswerJudge, ServedJudge):
        monkeypatch.setattr(judge, "make_ready", lambda spec: made.append(spec.suite.lang))
    track, notes = MultiPL(), list[str]()
    for _ in range(2):
        track.prepare(tasks_of(tmp_path), note=notes.append)

    assert made == ["Go", "Java"]
    assert [note.split(";")[0] for note in notes] == ["preparing Go", "preparing Java"]


def test_rows_of_it_are_known_by_their_fields() -> None:
    """So `check` finds the track."""
    assert track_of_row(go_row()) == track_of_row(java_row()) == "multipl"


def test_a_refused_row_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    """This uses `refuse`, as `check` does."""
    refused: list[DataError] = []
    data = write_multipl(tmp_path / "rows.jsonl", go_row(language="lua"), java_row())
    tasks = list(TRACK.load(data, refuse=refused.append))

    assert [task.task_id for task in tasks] == ["Made_2_odd_ones"]
    assert "supported languages: go_test.go, go, java" in str(refused[0])


@pytest.mark.slow
@pytest.mark.usefixtures("jail")
@pytest.mark.parametrize(("made", "body"), [(go_row, GO_BODY), (java_row, JAVA_BODY)])
def test_a_run_scores_stored_answers(tmp_path: Path, made: object, body: str) -> None:
    """One right and one wrong answer to a task whose solution proves the harness first."""
    (need_go_rows if made is go_row else need_java_rows)()
    row = made(canonical_solution=body)  # type: ignore[operator]
    data = write_multipl(tmp_path / "rows.jsonl", row)
    answers = tmp_path / "answers.jsonl"
    wrong = body.replace("return ", "return 0 * ") if made is go_row else "        return numbers;"
    answers.write_text(
        "".join(json.dumps({"task_id": row["name"], "completion": text}) + "\n" for text in (body, wrong))
    )
    command = ["run", "multipl", "--data", str(data), "--model", f"replay:{answers}", "--n", "2"]
    done = called(*command, "--out", str(tmp_path / "out"), "--json")

    assert done.code == 0, done.err
    score = json.loads(done.out)
    assert score["metrics"]["pass@1"]["value"] == 0.5
    assert (score["self_check"]["gold_passed"], score["self_check"]["stub_passed"]) == (1, 0)
