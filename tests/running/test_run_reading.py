"""A run can be read in any state: finished, running, incomplete, or without its data set."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.errors import DataError, RunError, UsageError
from benchwright.records import Answer, Isolation, Outcome, Record, Verdict
from benchwright.running import run_data
from benchwright.running.run_data import data_of
from benchwright.store.data_files import data_hash
from benchwright.store.runfolder import RunFolder
from benchwright.store.writing import Appender, write_json
from kit.examples import examples
from kit.small_data import humaneval, humaneval_row, write

HOSTILE_IDS = [
    "\x1b[2J",
    "[bold]x[/]",
    "../../etc/passwd",
    "a/b c",
    "\u202egnp",
    "\n",
    "",
    "-1",
    "\U0001f600",
]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


def answer(task_id: int | str, sample: int = 0, text: str = "    return x\n") -> Answer:
    """Return an answer."""
    return Answer(key=f"a{task_id}-{sample}", task_id=task_id, sample=sample, model="m", text=text)


def verdict(task_id: int | str, sample: int = 0, outcome: str = "passed", **more: Any) -> Verdict:
    """Return a verdict."""
    fixed: dict[str, Any] = {"isolation": Isolation.separated, "profile": "strict"}
    return Verdict(
        key=f"v{task_id}-{sample}", task_id=task_id, sample=sample, outcome=Outcome(outcome), **fixed | more
    )


def append(path: Path, records: Iterable[Record]) -> None:
    """Append rows to a file, as a run does."""
    with Appender(path) as file:
        file.append_all(records)


def made(
    place: Path, answers: Iterable[Answer] = (), verdicts: Iterable[Verdict] = (), **identity: Any
) -> Path:
    """Write a run folder of one small task."""
    data, folder = humaneval(place, tasks=1), place / "run"
    folder.mkdir()
    fixed = {"track": "humaneval", "data": data_hash(data), "profile": "strict"}
    write_json(folder / "run.json", {"identity": fixed | identity, "data": str(data)})
    append(folder / "answers.jsonl", answers)
    append(folder / "verdicts.jsonl", verdicts)
    return folder


# --- opening


def test_an_empty_name_is_a_usage_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not mean the current folder, even if that is a run."""
    monkeypatch.chdir(made(tmp_path))
    with pytest.raises(UsageError, match="is empty") as caught:
        run_data.open_run("")

    assert (bool(caught.value.hint), run_data.open_run(".").path) == (True, Path())


def test_a_folder_without_a_run_says_how_to_make_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command is the one for the user's installation."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    with pytest.raises(RunError, match=r"no run\.json") as caught:
        run_data.open_run(tmp_path)

    assert caught.value.hint == "name a folder that `./run benchwright run … --out FOLDER` made"


def test_a_name_that_is_not_utf_8_is_a_usage_error() -> None:
    """JSON could not contain it."""
    with pytest.raises(UsageError, match="not UTF-8"):
        run_data.open_run("\udcff")


def test_a_manifest_without_what_is_needed_is_a_run_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each field is read when it is needed, and the error has its name."""
    monkeypatch.setenv("BENCHWRIGHT_COMMAND", "./run benchwright")
    folder = made(tmp_path, [answer("Small/0")])
    for field, read in (
        ("profile", run_data.profiles_of),
        ("data", data_of),
    ):
        write_json(folder / "run.json", {"identity": {"track": "humaneval", field: 7}, "data": "x"})
        with pytest.raises(RunError, match=f"has no {field}") as caught:
            read(run_data.open_run(folder))
        assert "`./run benchwright run …" in str(caught.value.hint)


# --- torn files


def _readable(folder: Path) -> tuple[int, int]:
    """Return the number of readable answers and verdicts of the task."""
    rows = run_data.judged_answers(run_data.open_run(folder), "Small/0")
    return len(rows), sum(row.verdict is not None for row in rows)


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=examples(40)
)
@given(lost=st.integers(0, 400), which=st.sampled_from(["answers", "verdicts"]))
def test_a_file_cut_anywhere_in_its_last_line_loses_that_line_only(
    tmp_path_factory: pytest.TempPathFactory, lost: int, which: str
) -> None:
    """A killed run leaves any part of a line; reading neither fails nor removes it."""
    place = tmp_path_factory.mktemp("torn")
    folder = made(place, [answer("Small/0", n) for n in range(3)], [verdict("Small/0", n) for n in range(3)])
    path = folder / f"{which}.jsonl"
    whole = path.read_bytes()
    last = len(whole.splitlines(keepends=True)[-1])
    torn = whole[: len(whole) - min(lost, last)]
    path.write_bytes(torn)
    left = 3 if torn == whole else 2
    expected = (left, left) if which == "answers" else (3, left)

    assert (_readable(folder), path.read_bytes()) == (expected, torn)


@pytest.mark.parametrize("line", [b"{]\n", b"[]\n", b'{"key": 1}\n', b"\xff\n", b"\n", b"\0\0\0\0\n"])
@pytest.mark.parametrize("which", ["answers", "verdicts"])
def test_a_damaged_line_is_named(line: bytes, which: str, tmp_path: Path) -> None:
    """The error has the file, the line and a command to inspect it."""
    folder = made(tmp_path, [answer("Small/0")], [verdict("Small/0")])
    path = folder / f"{which}.jsonl"
    path.write_bytes(path.read_bytes() + line + path.read_bytes())
    with pytest.raises(DataError) as caught:
        _readable(folder)

    assert (caught.value.line, caught.value.path) == (2, str(path))
    assert shlex.split(str(caught.value.hint).split("`")[1]) == ["sed", "-n", "2p", str(path)]


# --- running runs


def test_a_run_that_has_just_begun_has_nothing_yet(tmp_path: Path) -> None:
    """Its folder has only run.json: no task, no cheat, and an error for a requested task."""
    folder = made(tmp_path)
    for name in ("answers.jsonl", "verdicts.jsonl"):
        (folder / name).unlink()
    run = run_data.open_run(folder)
    with pytest.raises(RunError, match="has no answers to task Small/0"):
        run_data.judged_answers(run, "Small/0")

    assert (run_data.summaries(run), list(run_data.cheats(run)), run_data.profiles_of(run)) == (
        [],
        [],
        ["strict"],
    )


def test_a_running_run_is_read_without_waiting(tmp_path: Path) -> None:
    """Its writer holds the locks and continues; a reader takes none and writes nothing."""
    manifest = {"identity": {"track": "humaneval", "profile": "strict"}, "data": "x"}
    with RunFolder.open(tmp_path / "run", manifest, mode="new") as folder:
        with folder.answer_writer() as answers, folder.verdict_writer() as verdicts:
            answers.append_all([answer("t", 0), answer("t", 1)])
            verdicts.append(verdict("t", 0))
            first = run_data.judged_answers(run_data.open_run(tmp_path / "run"), "t")
            verdicts.append(verdict("t", 1, "wrong"))
        second = run_data.judged_answers(run_data.open_run(tmp_path / "run"), "t")
        folder.note(finished="now")

    assert [row.verdict and row.verdict.outcome.value for row in first] == ["passed", None]
    assert [row.verdict and row.verdict.outcome.value for row in second] == ["passed", "wrong"]


def test_a_row_that_was_written_again_counts_once(tmp_path: Path) -> None:
    """Before a run is finished a retried answer has two rows: the later one counts."""
    rows = [answer("t", text="first"), answer("t", text="second")]
    run = run_data.open_run(made(tmp_path, rows, [verdict("t", outcome="sandbox_error"), verdict("t")]))
    (row,) = run_data.judged_answers(run, "t")
    (summary,) = run_data.summaries(run)

    assert (row.answer.text, row.verdict and row.verdict.outcome) == ("second", Outcome.passed)
    assert (summary.outcomes, summary.passed) == ({"passed": 1}, 1)


# --- summaries


def test_summaries_keep_the_order_of_the_run(tmp_path: Path) -> None:
    """There is one for each task, with its outcomes; an outcome selects the tasks that have it."""
    rows = [verdict("b", 0), verdict("a", 0, "wrong"), verdict("b", 1, "wrong"), verdict("a", 1, "tampered")]
    run = run_data.open_run(made(tmp_path, [], rows))
    found = {
        name: [row.task_id for row in run_data.summaries(run, outcome=name)] for name in ("passed", "wrong")
    }

    assert [(row.task_id, row.passed, row.outcomes.total()) for row in run_data.summaries(run)] == [
        ("b", 1, 2),
        ("a", 0, 2),
    ]
    assert found == {"passed": ["b"], "wrong": ["b", "a"]}


def test_cheats_are_what_tampered_or_looks_like_it(tmp_path: Path) -> None:
    """They are in the order of the run, with any outcome."""
    rows = [
        verdict("a", outcome="tampered"),
        verdict("b"),
        verdict("c", outcome="wrong", suspicious="equals everything"),
        verdict("d", suspicious="reads frames"),
    ]
    found = [row.task_id for row in run_data.cheats(run_data.open_run(made(tmp_path, [], rows)))]

    assert found == ["a", "c", "d"]


# --- hostile ids


@pytest.mark.parametrize("task_id", HOSTILE_IDS)
def test_a_task_is_found_by_any_id(task_id: str, tmp_path: Path) -> None:
    """An id is only compared: it is no path, no pattern and no markup."""
    others = [name for name in HOSTILE_IDS if name != task_id]
    run = run_data.open_run(made(tmp_path, [answer(name) for name in [*others, task_id]], [verdict(task_id)]))
    (row,) = run_data.judged_answers(run, task_id)

    assert (row.answer.task_id, row.verdict is not None) == (task_id, True)


@pytest.mark.parametrize("task_id", [*HOSTILE_IDS, "\udcff", "*"])
def test_an_id_that_is_not_there_does_nothing(task_id: str, tmp_path: Path) -> None:
    """The error shows it escaped, and the hint can be pasted."""
    place = tmp_path / "my runs; x"
    place.mkdir()
    folder = made(place, [answer("t")])
    with pytest.raises(RunError, match="has no answers to task") as caught:
        run_data.judged_answers(run_data.open_run(folder), task_id)

    assert (caught.value.message.isprintable(), shlex.split(str(caught.value.hint))) == (
        True,
        ["benchwright", "show", str(folder)],
    )


def test_numbers_are_found_by_what_is_typed(tmp_path: Path) -> None:
    """MERA's ids are integers, and a command line has only text."""
    run = run_data.open_run(
        made(tmp_path, [answer(7), answer(77)], [verdict(7), verdict(77, outcome="wrong")])
    )

    assert [row.answer.task_id for row in run_data.judged_answers(run, "7")] == [7]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(ids=st.lists(TEXTS | st.integers(-5, 5), min_size=1, max_size=6, unique_by=str))
def test_every_id_is_summed_and_found(ids: list[int | str], tmp_path_factory: pytest.TempPathFactory) -> None:
    """For any ids in a file, each task is listed once and can be read."""
    folder = made(tmp_path_factory.mktemp("ids"), map(answer, ids), map(verdict, ids))
    run = run_data.open_run(folder)
    found = [run_data.judged_answers(run, str(task_id))[0].answer.task_id for task_id in ids]

    assert (found, [row.task_id for row in run_data.summaries(run)]) == (ids, ids)


# --- profiles


def test_profiles_are_those_that_judged(tmp_path: Path) -> None:
    """The run's own comes first; copies and backup files of editors are ignored."""
    folder = made(tmp_path, [], [verdict("t")], profile="mera-code")
    for name in ("strict", "mera-text"):
        append(folder / f"verdicts.{name}.jsonl", [verdict("t", profile=name)])
    for name in (
        "verdicts.my copy.jsonl",
        "verdicts.strict.bak.jsonl",
        "verdicts.mera-code.jsonl",
        "verdicts.jsonl~",
    ):
        (folder / name).touch()

    assert run_data.profiles_of(run_data.open_run(folder)) == ["mera-code", "mera-text", "strict"]


def test_differences_are_answers_that_pass_by_some_profiles_only(tmp_path: Path) -> None:
    """Two kinds of failure are no difference, and neither is a missing verdict."""
    own = [verdict("a"), verdict("a", 1), verdict("b", 0, "wrong"), verdict("b", 1, "wrong"), verdict("c")]
    other = [verdict("a"), verdict("a", 1, "wrong"), verdict("b", 0, "exception"), verdict("b", 1)]
    folder = made(tmp_path, [], own)
    append(folder / "verdicts.mera-code.jsonl", other)
    found = [
        (row.task_id, row.sample, {name: each.outcome.value for name, each in row.verdicts.items()})
        for row in run_data.differences(run_data.open_run(folder))
    ]

    assert found == [
        ("a", 1, {"strict": "passed", "mera-code": "wrong"}),
        ("b", 1, {"strict": "wrong", "mera-code": "passed"}),
    ]


def test_differences_among_three_profiles(tmp_path: Path) -> None:
    """The verdicts of all profiles are shown, including equal ones."""
    folder = made(tmp_path, [], [verdict("a")])
    append(folder / "verdicts.mera-code.jsonl", [verdict("a")])
    append(folder / "verdicts.mera-text.jsonl", [verdict("a", outcome="unparsable")])
    (row,) = run_data.differences(run_data.open_run(folder))

    assert {name: each.outcome.value for name, each in row.verdicts.items()} == {
        "strict": "passed",
        "mera-code": "passed",
        "mera-text": "unparsable",
    }


def test_one_profile_cannot_differ(tmp_path: Path) -> None:
    """The hint says how to judge by a second one."""
    with pytest.raises(RunError, match="one profile only") as caught:
        list(run_data.differences(run_data.open_run(made(tmp_path, [], [verdict("t")]))))

    assert "--profile human-eval" in str(caught.value.hint)


# --- programs


def _taken(folder: Path) -> dict[int, str] | None:
    run = run_data.open_run(folder)
    found = run_data.programs(
        run, [row.answer for row in run_data.judged_answers(run, "Small/0")], data_of(run)
    )
    return None if found is None else {sample: taken.program for sample, taken in found.items()}


def test_programs_are_taken_as_they_were_judged(tmp_path: Path) -> None:
    """They follow the rules of the run's own profile, each under its sample."""
    folder = made(tmp_path, [answer("Small/0", 3, "Here:\n```python\ndef plus_0(x):\n    return 5\n```")])
    strict = _taken(folder)
    write_json(folder / "run.json", _with_profile(folder, "mera-code"))
    mera = _taken(folder)

    assert (strict, mera == strict) == ({3: "def plus_0(x):\n    return 5\n"}, False)


def _with_profile(folder: Path, profile: str) -> dict[str, Any]:
    manifest = run_data.open_run(folder).manifest
    return {**manifest, "identity": {**manifest["identity"], "profile": profile}}


def _gone(data: Path) -> None:
    data.unlink()


def _another(data: Path) -> None:
    write(data, [humaneval_row(0, prompt="def plus_0(x):\n")])


def _a_folder(data: Path) -> None:
    data.unlink()
    data.mkdir()


def _a_pipe(data: Path) -> None:
    data.unlink()
    os.mkfifo(data)


def _damaged(data: Path) -> None:
    data.write_bytes(b"\x1f\x8b damaged")


@pytest.mark.parametrize("change", [_gone, _another, _a_folder, _a_pipe, _damaged])
def test_without_the_same_data_set_there_is_no_program(change: Any, tmp_path: Path) -> None:
    """Another data set could give another program, so none is shown; a pipe does not block."""
    folder = made(tmp_path, [answer("Small/0")])
    before = _taken(folder)
    change(tmp_path / "tasks.jsonl")

    assert (before is None, _taken(folder)) == (False, None)


@pytest.mark.parametrize("data", ["hf://someone/something", "", None, 7, "\0", "a" * 5000])
def test_a_data_set_that_is_no_file_here_is_not_looked_for(data: Any, tmp_path: Path) -> None:
    """Nothing is downloaded to read a run, and no name in run.json makes reading fail."""
    folder = made(tmp_path, [answer("Small/0")])
    write_json(folder / "run.json", {**run_data.open_run(folder).manifest, "data": data})

    assert _taken(folder) is None


def test_an_answer_to_no_task_of_the_data_has_no_program(tmp_path: Path) -> None:
    """An edited file of answers may name any task."""
    run = run_data.open_run(made(tmp_path))

    found = [run_data.programs(run, rows, data_of(run)) for rows in ([answer("elsewhere")], [])]

    assert found == [None, None]


def test_the_same_data_set_as_gzip_is_the_same(tmp_path: Path) -> None:
    """The content counts: a packed data set still gives the program."""
    import gzip

    folder = made(tmp_path, [answer("Small/0")])
    data = tmp_path / "tasks.jsonl"
    data.write_bytes(gzip.compress(data.read_bytes()))

    assert _taken(folder) is not None
