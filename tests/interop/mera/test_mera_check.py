"""A submission as a whole: every fault found at once, and both of MERA's scores."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.errors import UsageError
from benchwright.interop.mera.findings import CATALOGUE, Findings, Severity, SubmissionFinding
from benchwright.interop.mera.submission_check import OutputCheck, check, matches_as_server, name_golds, score
from benchwright.interop.mera.task_sets import KINDS, TaskSetGold
from kit.mera_cases import (
    EXPECTED,
    GOLD,
    HIDDEN,
    NAME,
    checked,
    encoded,
    generations,
    kinds,
    pack,
    spoiled,
    submission,
)

SCORE = pytest.approx({"pass@1": 0.4, "pass@5": 41 / 42, "pass@10": 1.0})
ZERO = {"pass@1": 0.0, "pass@5": 0.0, "pass@10": 0.0}


def test_a_right_submission(tmp_path: Path) -> None:
    """No fault; four right answers of ten to each task, by either rule."""
    found = check(pack(tmp_path), {"ruHumanEval": GOLD})
    (only,) = found.sets

    assert (found.errors, found.warnings, found.listed) == (0, 0, [])
    assert (only.kind.name, only.file, only.rows) == ("ruHumanEval", NAME, 3)
    assert {rule: served.metrics for rule, served in only.served.items()} == {
        "server": SCORE,
        "harness": SCORE,
    }


def test_hidden_outputs_have_no_score(tmp_path: Path) -> None:
    """The shape is checked as far as it is known."""
    found = checked(tmp_path, submission(t2=[[["one"]] * 10]), HIDDEN)

    assert (kinds(found), found.sets[0].served) == ({"wrong-count": 10}, {})


def test_the_rules_part_on_none(tmp_path: Path) -> None:
    """null for "None" is right to the harness and wrong to the server: a warning, with both scores."""
    found = checked(tmp_path, submission(t2=[[[None, "[]", "x"]] * 10]))
    served = found.sets[0].served

    assert (found.errors, kinds(found)) == (0, {"null-for-none": 10})
    assert (served["server"].metrics["pass@1"], served["harness"].metrics["pass@1"]) == (
        pytest.approx(0.8 / 3),
        pytest.approx(1.8 / 3),
    )


@pytest.mark.parametrize(
    ("document", "kind", "error"),
    [
        (spoiled(lambda rows: rows.pop()), "missing-id", "no_id"),
        (submission(t1="def f(): pass"), "outputs-not-list", "doc_output_type_error"),
        (submission(t1=[]), "unscorable", "doc_parse_output_error"),
        (spoiled(lambda rows: rows[0].pop("outputs")), "no-outputs", "no_outputs_field_for_doc"),
        (spoiled(lambda rows: rows[0].pop("meta")), "no-meta", "no_meta_field_for_doc"),
        (spoiled(lambda rows: rows[0]["meta"].pop("id")), "no-id", "no_id_field_for_doc"),
        (spoiled(lambda rows: rows[0]["meta"].update(id="1")), "id-not-integer", "no_id"),
    ],
)
def test_one_row_takes_the_score_of_all(document: Any, kind: str, error: str, tmp_path: Path) -> None:
    """The server's behaviour is reported with the fault, and as its score."""
    found = checked(tmp_path, document)
    served = found.sets[0].served["server"]

    assert (kind in kinds(found), found.errors > 0) == (True, True)
    assert (served.metrics, error in [name for name, _ in served.errors]) == (ZERO, True)


def test_nothing_scores_as_much_as_everything(tmp_path: Path) -> None:
    """`[[]]` for each task earns the full score at the server, so it is an error here."""
    found = checked(tmp_path, submission(t1=[[]], t2=[[]], t3=[[]]))

    assert (found.sets[0].served["server"].mean, kinds(found)) == (1.0, {"no-generations": 3})
    assert found.errors == 3


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xef\xbb\xbf" + encoded(submission()), "byte-order-mark"),
        (b"{", "broken-json"),
        (b"\xff\xfe", "not-utf-8"),
        (b"[]", "no-data"),
        (b"{}", "no-data"),
    ],
)
def test_a_file_that_the_server_cannot_read(data: bytes, kind: str, tmp_path: Path) -> None:
    """One fault, an error, and no score above 0."""
    found = check(pack(tmp_path, {NAME: data}), {"ruHumanEval": GOLD})
    scores = [served.mean for served in found.sets[0].served.values() if served.errors]

    assert (kinds(found), found.errors, sum(scores)) == ({kind: 1}, 1, 0.0)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Each data set given must be answered."""
    found = check(pack(tmp_path), {"ruHumanEval": GOLD, "ruCodeEval": HIDDEN})

    assert [(finding.kind, finding.file) for finding in found.listed] == [("missing-file", "submission.zip")]
    assert "ruCodeEval.json" in found.listed[0].problem


@pytest.mark.parametrize("name", ["ruhumaneval.json", "ruHumanEval.jsonl", "folder/ruHumanEval.json"])
def test_a_wrong_name_is_not_also_a_missing_file(name: str, tmp_path: Path) -> None:
    """One slip is one error: the file is there, under a name that the server does not take."""
    found = check(pack(tmp_path, {name: encoded(submission())}), {"ruHumanEval": GOLD})

    assert (found.errors, "missing-file" in kinds(found)) == (1, False)


def test_the_score_under_a_wrong_name(tmp_path: Path) -> None:
    """The server gives 0; the other rule says what the rows are worth once it is renamed."""
    found = check(pack(tmp_path, {"ruhumaneval.json": encoded(submission())}), {"ruHumanEval": GOLD})
    served = found.sets[0].served

    assert (served["server"].metrics, served["server"].errors) == (ZERO, [("no_task", None)])
    assert served["harness"].metrics == SCORE


def test_one_damaged_file_spoils_the_archive(tmp_path: Path) -> None:
    """The server unpacks all or nothing, so a right file beside a damaged one gets 0 too."""
    path = pack(tmp_path, {"ruCodeEval.json": b"{}" * 99, NAME: encoded(submission())})
    data = bytearray(path.read_bytes())
    data[46] ^= 0xFF
    path.write_bytes(bytes(data))
    found = check(path, {"ruHumanEval": GOLD})

    assert kinds(found) == {"unreadable-zip": 1}
    assert found.sets[0].served["server"].errors == [("unreadable_zip", None)]


def test_other_task_sets_are_checked_too(tmp_path: Path) -> None:
    """A file of another task set of MERA Code is no extra file, and its faults are found."""
    rows = {"data": {"test": [{"outputs": ["success"], "meta": {"id": 1}}]}}
    files = {NAME: encoded(submission()), "CodeCorrectness.json": encoded(rows), "x.txt": b""}
    found = check(pack(tmp_path, files), {"ruHumanEval": GOLD})

    assert kinds(found) == {"outputs-not-text": 1, "extra-file": 1}
    assert [(each.kind.name, each.rows) for each in found.sets] == [
        ("ruHumanEval", 3),
        ("CodeCorrectness", 1),
    ]


def test_all_faults_at_once(tmp_path: Path) -> None:
    """A bad file is repaired once, not once for each fault; errors come first."""
    document = submission(
        t1=generations(1), t2=[[["None", 5, "x"], ["a"] * 3, ["b"] * 3]], t3=[["timed out"] * 10]
    )
    found = checked(tmp_path, document)

    assert set(kinds(found)) == {
        *("wrong-nesting", "few-generations", "not-a-string", "timed-out", "uneven-generations"),
    }
    severities = [finding.severity for finding in found.listed]
    assert severities == sorted(severities)


def test_every_fault_says_what_follows(tmp_path: Path) -> None:
    """A finding names file, id, field, problem, what the server would do, and a way out."""
    found = checked(tmp_path, submission(t2=[[["None", 5, "x"], *generations(2)[1:]]]))
    (finding,) = found.listed

    assert (finding.file, finding.id, finding.field) == (NAME, 2, "outputs.0.0.1")
    assert (finding.problem, finding.severity) == ("it is a number", Severity.error)
    assert ("wrong" in finding.server, "text" in finding.hint) == (True, True)


def test_the_catalogue_is_complete() -> None:
    """Each kind has a consequence and a hint, both for people."""
    short = [kind for kind, known in CATALOGUE.items() if len(known.server) < 10 or len(known.hint) < 8]

    assert short == []


def test_names_by_what_is_hidden() -> None:
    """Without names, hidden outputs are ruCodeEval's and open ones ruHumanEval's."""
    named = name_golds("x.zip", [GOLD, HIDDEN], [])

    assert named == {"ruHumanEval": GOLD, "ruCodeEval": HIDDEN}


@pytest.mark.parametrize(
    ("golds", "names", "message"),
    [
        ([GOLD], ["ruHumanEval", "ruCodeEval"], "2 task names for 1 data sets"),
        ([GOLD, GOLD], [], "two data sets for ruHumanEval"),
        ([GOLD], ["ruhumaneval"], "unknown MERA Code task set: 'ruhumaneval'"),
    ],
)
def test_names_that_do_not_fit(golds: list[Any], names: list[str], message: str) -> None:
    """A name that cannot be meant is the command's fault, with a hint."""
    with pytest.raises(UsageError, match=message) as caught:
        name_golds("x.zip", golds, names)

    assert caught.value.hint


def test_nothing_is_unpacked_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Checking writes no file anywhere near."""
    monkeypatch.setattr(zipfile.ZipFile, "extractall", None)
    monkeypatch.setattr(zipfile.ZipFile, "extract", None)
    path = pack(tmp_path)
    check(path, {"ruHumanEval": GOLD})

    assert [each.name for each in tmp_path.iterdir()] == ["submission.zip"]


RIGHT = {task_id: [generations(task_id)] for task_id in EXPECTED}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=1), inner, max_size=2),
    max_leaves=12,
)


def _check(
    outputs: dict[Any, Any], kind: str = "ruHumanEval", gold: TaskSetGold | None = GOLD
) -> list[SubmissionFinding]:
    found = Findings()
    OutputCheck(KINDS[kind], gold, f"{kind}.json", found).run(outputs)
    return found.kept


def _kinds(outputs: Any, task_id: int = 1, gold: TaskSetGold | None = GOLD) -> set[str]:
    """The faults of one task's outputs, among right ones."""
    return {finding.kind for finding in _check({**RIGHT, task_id: outputs}, gold=gold)}


@pytest.mark.parametrize("gold", [GOLD, HIDDEN, None])
def test_right_outputs(gold: TaskSetGold | None) -> None:
    """No fault, whether the expected outputs are known, hidden or not given."""
    assert _check(RIGHT, gold=gold) == []


@pytest.mark.parametrize("outputs", ["def f(x): return 1", None, 5, {"a": 1}, True])
def test_outputs_that_are_no_list(outputs: Any) -> None:
    """The commonest fault of other runners: the code itself, as a string."""
    assert _kinds(outputs) == {"outputs-not-list"}


@pytest.mark.parametrize(
    "outputs",
    [
        generations(1),  # (generations, tests), as MERA's own sample has it
        [[generation] for generation in generations(1)],  # (generations, 1, tests)
        ["2", "3"],
        [None],
        [["2", "3"]],  # one generation, one level short
        [generations(1), generations(1)],
    ],
)
def test_wrong_nesting(outputs: Any) -> None:
    """All of these are scored without an error, and wrongly."""
    assert "wrong-nesting" in _kinds(outputs)


def test_code_in_place_of_results() -> None:
    """Ten strings where ten lists of results belong: each is named."""
    found = _check({**RIGHT, 1: [["def f(x):\n    return 1"] * 10]})

    assert {finding.kind for finding in found} == {"generation-not-list"}
    assert [finding.field for finding in found[:2]] == ["outputs.0.0", "outputs.0.1"]


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ([], "unscorable"),
        ([[]], "no-generations"),
        ([generations(1)[:9]], "few-generations"),
        ([[["2", "3"]]], "few-generations"),
        ([[*generations(1)[:9], None]], "unscorable"),
        ([[*generations(1)[:9], 5]], "unscorable"),
        ([[*generations(1)[:9], {"0": "2"}]], "unscorable"),
        ([[*generations(1)[:9], "timed out"]], "timed-out"),
        ([[*generations(1)[:9], ["2"]]], "wrong-count"),
        ([[*generations(1)[:9], []]], "wrong-count"),
        ([[*generations(1)[:9], ["2", 3]]], "not-a-string"),
        ([[*generations(1)[:9], ["2", ["3"]]]], "not-a-string"),
    ],
)
def test_one_fault_in_a_row(outputs: Any, expected: str) -> None:
    """Each fault is found among right rows and right generations."""
    assert expected in _kinds(outputs)


def test_another_number_of_generations_than_elsewhere() -> None:
    """Twelve generations of one task are scored, by a number of their own."""
    assert _kinds([[*generations(1), *generations(1)[:2]]]) == {"uneven-generations"}


def test_null_where_none_is_expected() -> None:
    """Only at the test that expects "None", and only where that is known."""
    outputs = [[[None, None, "x"]] * 10]
    found = _check({**RIGHT, 2: outputs})

    assert {(finding.kind, finding.id, finding.field) for finding in found} == {
        ("null-for-none", 2, f"outputs.0.{number}.0") for number in range(10)
    }
    assert {finding.severity for finding in found} == {Severity.warning}
    assert _kinds(outputs, 2, HIDDEN) == set()


@pytest.mark.parametrize(("value", "kind"), [("", "only-empty"), (None, "only-null")])
def test_nothing_but_placeholders(value: str | None, kind: str) -> None:
    """A file of empty strings, or of nulls, is one fault of the whole file."""
    outputs = {task_id: [[[value] * len(texts)] * 10] for task_id, texts in EXPECTED.items()}
    found = [finding for finding in _check(outputs) if finding.kind != "null-for-none"]

    assert [(finding.kind, finding.id) for finding in found] == [(kind, None)]


def test_an_answer_of_empty_strings_is_no_fault() -> None:
    """A function may return "": only a file of nothing else is a file of placeholders."""
    assert _kinds([[["", ""]] * 10]) == set()


def test_the_same_generation_ten_times_over() -> None:
    """An easy task has ten equal generations; when every task has, the samples were one sample."""
    equal = {task_id: [[texts] * 10] for task_id, texts in EXPECTED.items()}

    assert [finding.kind for finding in _check(equal)] == ["identical-generations"]
    assert _check({**equal, 3: [generations(3)]}) == []


@pytest.mark.parametrize(
    ("kind", "outputs", "faults"),
    [
        ("CodeCorrectness", "success", []),
        ("CodeCorrectness", ["success"], ["outputs-not-text"]),
        ("UnitTests", None, ["outputs-not-text"]),
        ("CodeLinterEval", [["x = 1\n"] * 10], []),
        ("CodeLinterEval", "x = 1\n", ["outputs-not-list"]),
    ],
)
def test_other_task_sets(kind: str, outputs: Any, faults: list[str]) -> None:
    """A task set of texts takes strings, and one of raw answers lists; that is all that is asked of them."""
    assert [finding.kind for finding in _check({1: outputs}, kind, None)] == faults


@given(st.dictionaries(st.sampled_from([1, 2, 3, 4]), json_values))
def test_what_the_server_refuses_is_an_error(outputs: dict[Any, Any]) -> None:
    """No JSON raises here, and no row is refused by the server without an error of ours."""
    found = _check(outputs)
    served = score(
        {key: EXPECTED[key] for key in outputs if key in EXPECTED}, outputs, rule=matches_as_server
    )
    refused = {task_id for _, task_id in served.errors}

    assert refused <= {finding.id for finding in found if finding.severity is Severity.error}


@given(st.dictionaries(st.sampled_from([1, 2, 3]), json_values, min_size=1))
def test_a_score_for_nothing_is_an_error(outputs: dict[Any, Any]) -> None:
    """A row without a right generation that the server gives points to is never let pass."""
    found = _check(outputs)
    for task_id, value in outputs.items():
        served = score({task_id: ["no such", "result", "as this"]}, {task_id: value}, rule=matches_as_server)

        assert served.mean == 0.0 or any(
            finding.id == task_id and finding.severity is Severity.error for finding in found
        )
