"""The ruHumanEval track: MERA rows are checked, come back unchanged, and give the expected value of each
call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchwright.contracts import BatchSpec, MeraSpec, Track
from benchwright.errors import BenchwrightError, DataError
from benchwright.records import Answer, Task
from benchwright.sandbox.codec import decode
from benchwright.store.lines import read_rows
from benchwright.tracks.functions.ruhumaneval import TRACK, is_private
from kit.examples import examples
from kit.track_rows import humaneval_row, mera_row, with_inputs, with_meta, write_rows

GOLDEN = Path(__file__).parent / "golden" / "mera_rows.jsonl"
SCALARS = st.sampled_from(
    [None, True, 0, -1, 1 << 70, 0.5, "", "x", "[]", "[{}]", "None", "def f(x): pass", "{function}"]
)
JSON = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(SCALARS.map(str), SCALARS, max_size=2)


def load(folder: Path, row: dict[str, Any]) -> Task:
    """Return the task of one row."""
    return next(TRACK.load(write_rows(folder, row)))


def fault(folder: Path, row: Any) -> DataError:
    """Return the error for a row."""
    with pytest.raises(DataError) as caught:
        list(TRACK.load(write_rows(folder, row)))
    return caught.value


def test_the_track_satisfies_the_contract() -> None:
    """The type checker and this test check the contract."""
    track: Track = TRACK

    assert (track.name, track.default_n, track.ks) == ("ruhumaneval", 10, (1, 5, 10))


def test_a_row_becomes_a_task(tmp_path: Path) -> None:
    """The fields are those of the row, and the id is an integer."""
    task = load(tmp_path, mera_row())

    row = mera_row()
    expected = Task(
        task_id=12,
        instruction=row["instruction"],
        inputs=row["inputs"],
        outputs=row["outputs"],
        meta=row["meta"],
        revision=task.revision,
        origin=f"{tmp_path}/rows.jsonl:1",
    )
    assert expected == task


def test_golden_rows_survive_the_round_trip() -> None:
    """Flat, two-dimensional and private rows, with unknown keys at each level, come back unchanged."""
    rows = [row.data for row in read_rows(GOLDEN)]
    tasks = list(TRACK.load(GOLDEN))

    assert (rows, [0, 1, 2, 3]) == ([TRACK.to_row(task) for task in tasks], [task.task_id for task in tasks])


def test_golden_rows_are_written_with_the_same_bytes() -> None:
    """Even the order of keys inside `inputs` and `meta` is kept."""
    lines = [json.dumps(TRACK.to_row(task), ensure_ascii=False) for task in TRACK.load(GOLDEN)]

    assert GOLDEN.read_text(encoding="utf-8").splitlines() == lines


def test_a_mera_folder_is_a_data_set(tmp_path: Path) -> None:
    """MERA's datasets folder has `test.json` with an access mark."""
    (tmp_path / "test.json").write_text(json.dumps({"access": "public", "data": [mera_row()]}))

    assert [task.task_id for task in TRACK.load(tmp_path)] == [12]


def test_the_prompt_is_the_filled_instruction(tmp_path: Path) -> None:
    """It is stripped, as in MERA, and code with braces is unchanged."""
    function = 'def total():\n    """Пример: {1: {2}} и {function}."""\n'
    row = {**with_inputs(function=function), "instruction": "\n Допишите {{код}}:\n{function}\n\n"}

    assert f"Допишите {{код}}:\n{function.rstrip()}" == TRACK.prompt(load(tmp_path, row))


def test_an_instruction_that_holds_the_function_is_final(tmp_path: Path) -> None:
    """Some data sets are published with the function already in place; its braces are code."""
    function = 'def total():\n    """{a}"""'
    row = {**with_inputs(function=function), "instruction": f"Допишите:\n{function}\n"}

    assert f"Допишите:\n{function}" == TRACK.prompt(load(tmp_path, row))


def test_the_strict_profile_compares_values(tmp_path: Path) -> None:
    """Calls use keyword arguments, and the annotation gives the type of results."""
    spec = TRACK.spec(load(tmp_path, mera_row()), profile="strict")

    calls = [((), {"prices": [1.0, 2.5]}), ((), {"prices": [], "rate": 3.0})]
    assert (BatchSpec, "close", "total", calls, [3.5, 0.0], ["3.5", "0.0"]) == (
        type(spec),
        spec.compare,
        spec.entry_point,
        decode(spec.calls),
        [decode(value) for value in spec.expected],
        spec.expected_text,
    )


@pytest.mark.parametrize("profile", ["mera-code", "mera-text"])
def test_the_mera_profiles_compare_texts(tmp_path: Path, profile: str) -> None:
    """As in MERA, `str` of the result decides."""
    spec = TRACK.spec(load(tmp_path, mera_row()), profile=profile)

    assert isinstance(spec, MeraSpec)
    assert (spec.harness, spec.expected_text) == (profile, ["3.5", "0.0"])


def test_results_of_unknown_type_are_left_to_their_text(tmp_path: Path) -> None:
    """Integers alone, without an annotation, may be strings of digits."""
    row = {**with_inputs(function='def total(prices, rate=1):\n    """Doc."""'), "outputs": ["3", "0"]}

    assert TRACK.spec(load(tmp_path, row), profile="strict").expected == [b"", b""]


def test_typed_outputs_decide_where_a_row_has_them(tmp_path: Path) -> None:
    """A converted row distinguishes the number `3` from the string."""
    row = {**with_meta(typed_outputs=["'3'", "0"]), "outputs": ["3", "0"]}
    spec = TRACK.spec(load(tmp_path, row), profile="strict")

    assert [decode(value) for value in spec.expected] == ["3", 0]


def test_two_dimensional_outputs_are_one_list(tmp_path: Path) -> None:
    """Ten equal rows are equivalent to one."""
    spec = TRACK.spec(load(tmp_path, mera_row(outputs=[["3.5", "0.0"]] * 10)), profile="strict")

    assert spec.expected_text == ["3.5", "0.0"]


@pytest.mark.parametrize("outputs", ["", ["", ""], [["", ""]] * 10])
def test_a_private_task_loads_but_cannot_be_scored(tmp_path: Path, outputs: Any) -> None:
    """Answers can be generated; a score would be invented."""
    task = load(tmp_path, {**with_meta(canonical_solution=""), "outputs": outputs})
    with pytest.raises(DataError) as caught:
        TRACK.spec(task, profile="strict")

    assert (True, None, 12, outputs) == (
        is_private(task),
        TRACK.gold(task),
        caught.value.task_id,
        TRACK.to_row(task)["outputs"],
    )


def test_a_function_that_returns_nothing_but_empty_text_is_public(tmp_path: Path) -> None:
    """With a canonical solution, empty outputs are the expected values."""
    task = load(tmp_path, mera_row(outputs=["", ""]))

    assert (is_private(task), TRACK.spec(task, profile="strict").expected_text) == (False, ["", ""])


@pytest.mark.parametrize(
    ("row", "same"),
    [
        (with_meta(canonical_solution="\n    return 0\n"), True),
        (with_meta(note="x"), True),
        (with_meta(id=13), True),
        (mera_row(outputs=[["3.5", "0.0"]]), True),
        (mera_row(outputs=["3.5", "0.5"]), False),
        (with_inputs(tests="[{'prices': [1.0]}, {'prices': []}]"), False),
        (mera_row(instruction="{function}"), False),
        (with_meta(typed_outputs=["3.5", "0.0"]), False),
    ],
)
def test_the_revision_is_of_what_decides_a_verdict(tmp_path: Path, row: dict[str, Any], same: bool) -> None:
    """A note, a solution or another spelling of the outputs does not invalidate stored verdicts."""
    assert same is (load(tmp_path, mera_row()).revision == load(tmp_path, row).revision)


@pytest.mark.parametrize(
    ("row", "field"),
    [
        (mera_row(instruction=None), "instruction"),
        (mera_row(instruction=3), "instruction"),
        (mera_row(instruction="Допишите функцию."), "instruction"),
        (mera_row(instruction="{function} {"), "instruction"),
        (mera_row(instruction="{function.__class__}"), "instruction"),
        (mera_row(instruction="{functions}"), "instruction"),
        (mera_row(inputs=None), "inputs"),
        (mera_row(inputs="x"), "inputs"),
        (with_inputs(function=None), "inputs.function"),
        (with_inputs(function="def other(): pass"), "inputs.function"),
        (with_inputs(tests=None), "inputs.tests"),
        (with_inputs(tests=[{"prices": []}]), "inputs.tests"),
        (with_inputs(tests="[{'prices': open('x')}]"), "inputs.tests"),
        (with_inputs(tests="{'prices': []}"), "inputs.tests"),
        (with_inputs(tests="[]"), "inputs.tests"),
        (with_inputs(tests="[[1], [2]]"), "inputs.tests.0"),
        (with_inputs(tests="[{'a': 1}, {1: 2}]"), "inputs.tests.1"),
        (with_inputs(tests="[" * 90_000), "inputs.tests"),
        (with_inputs(tests="[{'a': 1}]"), "outputs"),
        (mera_row(outputs=None), "outputs"),
        (mera_row(outputs=["3.5", 0.0]), "outputs.1"),
        (mera_row(outputs=[["3.5", "0.0"], ["0.0", "3.5"]]), "outputs"),
        (mera_row(meta=None), "meta"),
        (with_meta(id=None), "meta.id"),
        (with_meta(id=1.5), "meta.id"),
        (with_meta(entry_point=None), "meta.entry_point"),
        (with_meta(entry_point="a-b"), "meta.entry_point"),
        (with_meta(canonical_solution=7), "meta.canonical_solution"),
        (with_meta(typed_outputs=["3.5"]), "meta.typed_outputs"),
        (with_meta(_row={}), "meta._row"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, row: dict[str, Any], field: str) -> None:
    """The error has the dotted name of the field and the line."""
    error = fault(tmp_path, row)

    assert (field, 1) == (error.field, error.line)


def test_a_humaneval_row_is_sent_to_its_own_track(tmp_path: Path) -> None:
    """The hint names the track."""
    assert "humaneval" in (fault(tmp_path, humaneval_row()).hint or "")


def test_gold_and_stub_start_on_a_new_line(tmp_path: Path) -> None:
    """The MERA profiles append an answer to a head without a line end."""
    task = load(tmp_path, mera_row())

    expected = ("\n    return sum(prices) * rate + 0.0\n", "\n    raise NotImplementedError\n")
    assert expected == (TRACK.gold(task), TRACK.stub(task))


@pytest.mark.parametrize("profile", ["strict", "mera-code", "mera-text"])
def test_gold_and_stub_are_programs_in_every_profile(tmp_path: Path, profile: str) -> None:
    """Each profile finds the code in them."""
    task = load(tmp_path, mera_row())
    taken = []
    for text in (TRACK.gold(task) or "", TRACK.stub(task)):
        answer = Answer(key="k", task_id=12, sample=0, model="m", text=text)
        taken.append(TRACK.extract(task, answer, profile=profile))

    assert [(each.problem, '"""\n    r' in each.program.replace("\n\n", "\n")) for each in taken] == [
        (None, True)
    ] * 2


ROW_KEYS = ["instruction", "inputs", "outputs", "meta", "x"]
INNER = ["function", "tests", "id", "entry_point", "canonical_solution", "typed_outputs", "_row"]


@given(st.dictionaries(st.sampled_from(ROW_KEYS), JSON), st.dictionaries(st.sampled_from(INNER), JSON))
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_malformed_rows_never_raise_another_exception(
    tmp_path: Path, changes: dict[str, Any], inner: dict[str, Any]
) -> None:
    """A row with any replaced fields gives a task or a named error, also when it is judged."""
    row = mera_row()
    row["inputs"].update({name: value for name, value in inner.items() if name in INNER[:2]})
    row["meta"].update({name: value for name, value in inner.items() if name in INNER[2:]})
    row.update(changes)
    try:
        for task in TRACK.load(write_rows(tmp_path, row)):
            TRACK.prompt(task)
            TRACK.spec(task, profile="strict")
        actual = True
    except BenchwrightError as error:
        actual = bool(error.message)

    assert actual


LITERAL = [
    *"()[]{}=,:.1+-*'\"\\ \n",
    "{'prices': ",
    "None",
    "set()",
    "1e999",
    "...",
    "1j",
    "\\ud800",
    "0x",
    "b'a'",
]


@given(
    st.lists(st.sampled_from(LITERAL), max_size=12).map("".join),
    st.lists(st.sampled_from(LITERAL), max_size=4).map("".join),
)
@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_malformed_literals_never_raise_another_exception(tmp_path: Path, inside: str, text: str) -> None:
    """For any text in place of a literal, the error is one of Benchwright's."""
    row = {**with_inputs(tests=f"[{{'prices': {inside}}}]"), "outputs": [text]}
    try:
        for task in TRACK.load(write_rows(tmp_path, row)):
            TRACK.spec(task, profile="strict")
        actual = True
    except BenchwrightError as error:
        actual = bool(error.message)

    assert actual
