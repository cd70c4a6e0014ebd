"""Reading pushed files: a genuine run becomes a claim, and each forgery has its own refusal."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.web.submissions.accepted_data import DataCatalog
from benchwright.web.submissions.claims import ClaimOptions, SubmittedRun, read_claim
from benchwright.web.submissions.judging import judge_claim
from benchwright.web.submissions.refusals import REASONS, SubmissionRefusal
from kit.pushed import PushableRun, archive_of, forged, hidden_data, members_of, packed, pushable_run

Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def pushable(tmp_path_factory: pytest.TempPathFactory) -> PushableRun:
    """Return a real run, and the rules of a server that has its data."""
    return pushable_run(tmp_path_factory.mktemp("pushable"))


@pytest.fixture(scope="module")
def archive(pushable: PushableRun) -> bytes:
    """Return its pushed archive."""
    return packed(pushable.folder)


def _read(content: bytes, rules: Path, folder: Path, **options: str) -> SubmittedRun:
    folder.mkdir(exist_ok=True)
    (folder / "upload").write_bytes(content)
    return read_claim(folder / "upload", folder, DataCatalog.of_file(rules), ClaimOptions(**options))


def _refused(content: bytes, rules: Path, folder: Path) -> str:
    with pytest.raises(SubmissionRefusal) as caught:
        _read(content, rules, folder)
    assert caught.value.hint == REASONS[caught.value.reason]
    return caught.value.reason


def _linked(name: str, mode: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        entry = zipfile.ZipInfo(name)
        entry.create_system, entry.external_attr = 3, mode << 16
        made.writestr(entry, "/etc/passwd")
    return out.getvalue()


def _declared(archive: bytes, size: int) -> bytes:
    """Return the archive with a wrong size of its first member in the directory."""
    at = archive.index(b"PK\x01\x02") + 24
    return archive[:at] + struct.pack("<I", size) + archive[at + 4 :]


def test_a_genuine_run_is_a_claim_and_is_verified(
    pushable: PushableRun, archive: bytes, tmp_path: Path
) -> None:
    """The figures are the server's own; the same archive has the same bytes."""
    claim = _read(archive, pushable.rules, tmp_path / "claim")
    assert (claim.kind, claim.data, claim.model, claim.answers) == ("run", "small", "my-model", 6)
    assert claim.outcomes == {"passed": 3, "wrong": 3}
    assert packed(pushable.folder) == archive

    (data,) = DataCatalog.of_file(pushable.rules)
    state = judge_claim(claim, data, tmp_path / "claim", tmp_path / "judged", workers=1)
    score = json.loads((pushable.folder / "scores.json").read_text())
    assert (state.state, state.reason, state.rows) == ("verified", "", [])
    assert state.result["outcomes"] == score["outcomes"]
    assert state.result["metrics"] == score["metrics"]


def test_edited_verdicts_and_swapped_answers_are_found_row_by_row(
    pushable: PushableRun, archive: bytes, tmp_path: Path
) -> None:
    """The report lists exactly the rows that differ, with both outcomes."""

    def pass_all(rows: Rows) -> None:
        for row in rows:
            row["outcome"] = "passed"

    def total(rows: Rows) -> None:
        rows[0].update(outcomes={"passed": 6}, metrics={})

    def swap(rows: Rows) -> None:
        rows[0]["text"], rows[1]["text"] = rows[1]["text"], rows[0]["text"]

    edited = forged(forged(archive, "verdicts.jsonl", pass_all), "scores.json", total)
    (data,) = DataCatalog.of_file(pushable.rules)
    found = {}
    for name, content in (("edited", edited), ("swapped", forged(archive, "answers.jsonl", swap))):
        claim = _read(content, pushable.rules, tmp_path / name)
        state = judge_claim(claim, data, tmp_path / name, tmp_path / f"{name}-judged", workers=1)
        assert (state.state, state.reason) == ("refused", "verdicts-differ")
        found[name] = [(row.task_id, row.sample, row.claimed, row.judged) for row in state.rows]

    assert found["edited"] == [(f"Small/{number}", 1, "passed", "wrong") for number in range(3)]
    assert found["swapped"] == [("Small/0", 0, "passed", "wrong"), ("Small/0", 1, "wrong", "passed")]


def _edit(**fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows[0].update(fields)


def _identity(**fields: Any) -> Callable[[Rows], None]:
    return lambda rows: rows[0]["identity"].update(fields)


FORGED = {
    "wrong-totals": ("scores.json", _edit(outcomes={"passed": 6})),
    "unknown-data": ("run.json", _identity(data="0" * 64)),
    "other-rules": ("run.json", _identity(limits={"cpu_s": 3600.0, "memory_mb": 1024})),
    "part-of-data": ("run.json", _identity(limit=1)),
    "not-judgeable": ("run.json", _identity(judges={"openai:judge": {}})),
    "failed-answers": ("answers.jsonl", _edit(error="timeout")),
    "doubled-answer": ("answers.jsonl", lambda rows: rows.append(rows[0])),
    "samples-out-of-order": ("answers.jsonl", _edit(sample=1_000_000)),
    "foreign-verdict": ("verdicts.jsonl", _edit(key="0" * 32)),
    "missing-verdicts": ("verdicts.jsonl", lambda rows: rows.pop()),
    "invalid-json": ("verdicts.jsonl", _edit(outcome="excellent")),
}


@pytest.mark.parametrize("reason", FORGED)
def test_forged_content_is_refused_by_name(
    pushable: PushableRun, archive: bytes, tmp_path: Path, reason: str
) -> None:
    """They are refused before anything is executed."""
    name, edit = FORGED[reason]
    assert _refused(forged(archive, name, edit), pushable.rules, tmp_path / "claim") == reason


def test_forged_archives_are_refused_by_name(pushable: PushableRun, archive: bytes, tmp_path: Path) -> None:
    """Nothing is written outside of the claim's folder, and no large member is unpacked."""
    members = members_of(archive)
    bomb = archive_of({**members, "answers.jsonl": b"\0" * (64 << 20)})
    deep = b'{"task_id": "Small/0", "sample": 0, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    cases = {
        "zip-bomb": bomb,
        "too-large": _declared(archive, 2 << 30),
        "half-upload": archive[: len(archive) // 2],
        "link": _linked("answers.jsonl", 0o120777),
        "special-file": _linked("answers.jsonl", 0o020666),
        "unknown-member": archive_of({**members, "scores.py": b""}),
        "doubled-member": archive_of({**members, "run/RUN.json": b"{}"}),
        "too-deep": archive_of({f"a/b/{name}": content for name, content in members.items()}),
        "missing-member": archive_of({"run.json": members["run.json"]}),
        "too-many-members": archive_of({f"{number}.json": b"" for number in range(33)}),
        "invalid-json": archive_of({**members, "answers.jsonl": deep}),
    }
    for name in ("../run.json", "/run.json", "a\\run.json", "C:run.json", "\x1b[2J.json"):
        assert _refused(archive_of({name: b"{}"}), pushable.rules, tmp_path / "unsafe") == "unsafe-name"
    for reason, content in cases.items():
        assert _refused(content, pushable.rules, tmp_path / reason) == reason
        assert sum(path.stat().st_size for path in (tmp_path / reason).iterdir()) < 2 << 20
    assert {path.name for path in tmp_path.iterdir()} == {*cases, "unsafe"}


def test_files_of_answers_are_claims_without_verdicts(pushable: PushableRun, tmp_path: Path) -> None:
    """They contain neither data nor model, so the request does; tasks must be complete."""
    rows = [{"task_id": f"Small/{number}", "completion": "    return 1\n"} for number in range(3)]
    whole = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (data,) = DataCatalog.of_file(pushable.rules)
    claim = _read(whole, pushable.rules, tmp_path / "whole", model="mine")
    assert (claim.kind, claim.model, claim.answers, claim.has_verdicts) == ("answers", "mine", 3, False)
    state = judge_claim(claim, data, tmp_path / "whole", tmp_path / "judged", workers=1)
    assert (state.state, state.result["outcomes"]) == ("verified", {"wrong": 3})

    for name, content, reason in (
        ("part", whole.partition(b"\n")[0], "missing-answers"),
        ("foreign", whole + b'{"task_id": "Other/1", "text": ""}\n', "unknown-task"),
    ):
        claim = _read(content, pushable.rules, tmp_path / name)
        state = judge_claim(claim, data, tmp_path / name, tmp_path / f"{name}-judged")
        assert (state.state, state.reason) == ("refused", reason)
    with pytest.raises(SubmissionRefusal, match="no data set 'other'; this server has small"):
        _read(whole, pushable.rules, tmp_path / "named", data="other")


def test_hidden_tests_take_answers_only(pushable: PushableRun, archive: bytes, tmp_path: Path) -> None:
    """Verdicts on tests that the submitter cannot have are refused."""
    rules = hidden_data(tmp_path / "hidden")
    (data,) = DataCatalog.of_file(rules)
    mine = forged(archive, "run.json", _identity(data=data.hashes[1]))
    assert _refused(mine, rules, tmp_path / "claim") == "verdicts-not-accepted"

    members = members_of(mine)
    only = archive_of({name: members[name] for name in ("run.json", "answers.jsonl")})
    claim = _read(only, rules, tmp_path / "only")
    state = judge_claim(claim, data, tmp_path / "only", tmp_path / "judged", workers=1)
    assert (state.state, [*state.result], len(state.result["metrics"])) == ("verified", ["metrics"], 1)
    assert not (tmp_path / "judged").exists()


@given(st.binary(max_size=400))
def test_any_bytes_are_a_claim_or_a_named_refusal(
    pushable: PushableRun, tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    """Both alone, and after the first bytes of an archive."""
    folder = tmp_path_factory.mktemp("any")
    for name, each in (("plain", content), ("zip", b"PK\x03\x04" + content)):
        try:
            _read(each, pushable.rules, folder / name)
        except SubmissionRefusal as refusal:
            assert refusal.reason in REASONS
