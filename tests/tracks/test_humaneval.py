"""The HumanEval track: checks of rows, and judging of tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.contracts import BatchSpec, CallsSpec, Track
from benchwright.errors import BenchwrightError, DataError, UsageError
from benchwright.records import Answer, Task
from benchwright.sandbox.codec import decode
from benchwright.store.lines import read_rows
from benchwright.tracks.functions.humaneval import TRACK, HumanEval
from kit.examples import examples
from kit.needs import HUMANEVAL, RUSSIAN, need_data
from kit.track_rows import humaneval_row, mera_row, write_rows

FILES = {HUMANEVAL: 164, RUSSIAN: 80}
SCALARS = st.sampled_from(
    [None, True, 0, -1, 1 << 70, 0.5, "", "x", "[]", "[{}]", "None", "def f(x): pass", "{function}"]
)
JSON = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(SCALARS.map(str), SCALARS, max_size=2)


def load(folder: Path, **changes: Any) -> Task:
    """Return the task of one row."""
    return next(TRACK.load(write_rows(folder, humaneval_row(**changes))))


def fault(folder: Path, *rows: Any) -> DataError:
    """Return the error for a data set."""
    with pytest.raises(DataError) as caught:
        list(TRACK.load(write_rows(folder, *rows)))
    return caught.value


def real(name: str) -> list[Task]:
    """Return the tasks of a published data set."""
    return list(TRACK.load(need_data(name)))


def test_the_track_satisfies_the_contract() -> None:
    """The type checker and this test check the contract."""
    track: Track = TRACK

    assert (track.name, track.default_n, track.ks) == ("humaneval", 10, (1, 5, 10))


def test_a_row_becomes_a_task(tmp_path: Path) -> None:
    """Each field is read, and unknown ones are kept."""
    task = load(tmp_path)

    row = humaneval_row()
    expected = Task(
        task_id="Own/3",
        instruction="",
        inputs={"function": row["prompt"], "test": row["test"]},
        outputs=None,
        meta={
            "entry_point": "twice",
            "canonical_solution": "    return x * times\n",
            "natural_language": "English",
        },
        revision=task.revision,
        origin=f"{tmp_path}/rows.jsonl:1",
    )
    assert (expected, 32) == (task, len(task.revision))


def test_a_row_survives_the_round_trip(tmp_path: Path) -> None:
    """The row is written again with its unknown keys."""
    row = humaneval_row(difficulty={"level": 3, "tags": ["a"]}, task_id=17)

    assert row == TRACK.to_row(next(TRACK.load(write_rows(tmp_path, row))))


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"canonical_solution": "    return 2 * x\n"}, True),
        ({"natural_language": "Russian"}, True),
        ({"task_id": "Own/4"}, True),
        ({"prompt": humaneval_row()["prompt"] + "\n"}, False),
        ({"test": humaneval_row()["test"] + "\n"}, False),
        ({"entry_point": "thrice"}, False),
    ],
)
def test_the_revision_is_of_what_decides_a_verdict(
    tmp_path: Path, change: dict[str, Any], same: bool
) -> None:
    """A note does not invalidate stored verdicts; a new assert does."""
    assert same is (load(tmp_path).revision == load(tmp_path, **change).revision)


@pytest.mark.parametrize("field", ["task_id", "prompt", "entry_point", "canonical_solution", "test"])
def test_a_missing_field_is_named(tmp_path: Path, field: str) -> None:
    """The error has file, line and field."""
    error = fault(tmp_path, humaneval_row(task_id="a"), humaneval_row(**{field: None}))

    assert (field, 2, f"{tmp_path}/rows.jsonl") == (error.field, error.line, error.path)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"task_id": True}, "task_id"),
        ({"task_id": ["a"]}, "task_id"),
        ({"prompt": 1}, "prompt"),
        ({"prompt": ["def f"]}, "prompt"),
        ({"entry_point": "not a name"}, "entry_point"),
        ({"entry_point": "import"}, "entry_point"),
        ({"canonical_solution": {}}, "canonical_solution"),
        ({"test": "def check(candidate):"}, "test"),
        ({"test": "x = 1"}, "test"),
        ({"test": "def check(a, b): pass"}, "test"),
        ({"test": "(" * 100_000}, "test"),
        ({"test": "x" * (5 << 20)}, "test"),
        ({"prompt": "x" * (2 << 20)}, "prompt"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    """Types, names and the test's syntax are checked before anything is executed."""
    error = fault(tmp_path, humaneval_row(**change))

    assert (field, 1) == (error.field, error.line)


def test_an_error_names_the_task(tmp_path: Path) -> None:
    """The error has the id once it is known."""
    assert "task Own/3, field `test`" in fault(tmp_path, humaneval_row(test="x")).message


def test_a_task_id_given_twice_is_refused(tmp_path: Path) -> None:
    """The error has both lines."""
    error = fault(tmp_path, humaneval_row(), humaneval_row(task_id="b"), humaneval_row())

    assert (error.line, "line 1 has it too" in error.message) == (3, True)


def test_a_plus_row_is_sent_to_its_own_track(tmp_path: Path) -> None:
    """Only its base tests would be judged here, and the score would not show this."""
    error = fault(tmp_path, humaneval_row(plus_input=[[1]]))

    assert "this is a HumanEval+ row, whose plus inputs are not judged here" in error.message
    assert error.hint == "use the track `evalplus` for it"


def test_a_mera_row_is_sent_to_its_own_track(tmp_path: Path) -> None:
    """The hint names the track."""
    assert "ruhumaneval" in (fault(tmp_path, mera_row()).hint or "")


def test_gold_and_stub_and_prompt(tmp_path: Path) -> None:
    """The canonical completion, a body that raises, and the head of the function."""
    task = load(tmp_path)
    actual = (TRACK.gold(task), TRACK.stub(task), TRACK.prompt(task))

    row = humaneval_row()
    assert (row["canonical_solution"], "    raise NotImplementedError\n", row["prompt"]) == actual


def test_an_empty_solution_is_no_gold(tmp_path: Path) -> None:
    """A data set may hide its solutions."""
    assert TRACK.gold(load(tmp_path, canonical_solution="")) is None


def test_a_check_is_judged_as_calls(tmp_path: Path) -> None:
    """The prompt is the prelude, since a `check` may use its helper functions."""
    row = humaneval_row()
    expected = CallsSpec(entry_point="twice", prelude=row["prompt"], test=row["test"])

    assert expected == TRACK.spec(load(tmp_path), profile="strict")


def test_a_check_that_is_data_can_be_judged_as_a_batch(tmp_path: Path) -> None:
    """All calls are sent together, with the arguments of the asserts, and each result has its expected value."""
    spec = HumanEval(form="batch").spec(load(tmp_path), profile="strict")

    assert isinstance(spec, BatchSpec)
    seen = (decode(spec.calls), [decode(value) for value in spec.expected])
    assert seen == ([((2,), {}), ((2, 3), {})], [4, 6])


def test_a_check_that_is_a_program_is_judged_as_calls_in_any_case(tmp_path: Path) -> None:
    """A loop is never converted into data."""
    test = "def check(candidate):\n    for x in range(3):\n        assert candidate(x) == 2 * x\n"

    assert HumanEval(form="batch").spec(load(tmp_path, test=test), profile="strict").judge == "calls"


def test_the_form_of_judging_can_be_chosen(tmp_path: Path) -> None:
    """The command line has its name; an unknown name is a usage error."""
    task = load(tmp_path)
    forms = [TRACK.in_form(form).spec(task, profile="strict").judge for form in ("calls", "batch")]
    with pytest.raises(UsageError) as caught:
        TRACK.in_form("bulk")

    assert (forms, caught.value.hint) == (["calls", "batch"], "its forms are: calls, batch")


def test_an_unknown_profile_has_no_spec(tmp_path: Path) -> None:
    """A typing error is found before the first verdict."""
    task = load(tmp_path)
    with pytest.raises(UsageError) as caught:
        TRACK.spec(task, profile="strct")

    assert "strict" in (caught.value.hint or "")


@pytest.mark.parametrize("name", FILES)
def test_published_data_sets_load(name: str) -> None:
    """All rows load, and each is written unchanged."""
    tasks = real(name)
    rows = [row.data for row in read_rows(need_data(name))]

    assert (FILES[name], rows) == (len(tasks), [TRACK.to_row(task) for task in tasks])


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("profile", ["strict", "mera-code", "mera-text"])
def test_gold_and_stub_of_published_data_sets_are_programs(name: str, profile: str) -> None:
    """Every profile finds the code in a canonical completion and in the stub."""
    found = []
    for task in real(name):
        for text in (TRACK.gold(task) or "", TRACK.stub(task)):
            answer = Answer(key="k", task_id=task.task_id, sample=0, model="m", text=text)
            taken = TRACK.extract(task, answer, profile=profile)
            found.append(taken.problem is None and text.strip().splitlines()[-1] in taken.program)

    assert [True] * (2 * FILES[name]) == found


@given(
    st.dictionaries(
        st.sampled_from(["task_id", "prompt", "entry_point", "canonical_solution", "test", "x"]), JSON
    )
)
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_malformed_rows_never_raise_another_exception(tmp_path: Path, changes: dict[str, Any]) -> None:
    """A row with any replaced fields gives a task or a named error, also when it is judged."""
    try:
        for task in TRACK.load(write_rows(tmp_path, humaneval_row(**changes))):
            HumanEval(form="batch").spec(task, profile="strict")
        actual = True
    except BenchwrightError as error:
        actual = bool(error.message)

    assert actual


CODE = [
    *"()[]{}=,:.1+-*'\"\\\n ",
    "assert ",
    "candidate",
    "def check(candidate):\n    ",
    " == ",
    "\0",
    "\ud83d",
    "\t",
]


@given(st.lists(st.sampled_from(CODE), max_size=25).map("".join), st.sampled_from(["test", "prompt"]))
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_malformed_code_never_raises_another_exception(tmp_path: Path, code: str, field: str) -> None:
    """For any text in place of code, the error is one of Benchwright's."""
    row = humaneval_row(**{field: code})
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row))
    try:
        for task in TRACK.load(path):
            HumanEval(form="batch").spec(task, profile="mera-code")
        actual = True
    except BenchwrightError as error:
        actual = bool(error.message)

    assert actual
