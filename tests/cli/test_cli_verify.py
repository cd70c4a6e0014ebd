"""`benchwright verify`: exit codes, one document, a corrected copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchwright.cli.verify import command
from kit import fake_suites
from kit.fake_suites import use_fakes
from kit.made_repositories import lines, row


def _said(monkeypatch: pytest.MonkeyPatch, folder: Path, *args: object, fake: str = "FakeSuites") -> Result:
    use_fakes(monkeypatch, getattr(fake_suites, fake))
    given = [folder / "rows.jsonl", "--out", folder / "out", "--repeat", 2, *args]
    return CliRunner().invoke(command, [str(arg) for arg in given])


@pytest.mark.parametrize(
    ("remark", "fake", "code"),
    [
        ("ends: success", "FakeSuites", 0),
        ("ends: assertion", "FakeSuites", 1),
        ("ends: success", "FakeGo", 3),
    ],
)
def test_exit_codes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remark: str, fake: str, code: int
) -> None:
    """0: labels hold; 1: one is wrong; 3: nothing could be executed."""
    lines(tmp_path / "rows.jsonl", [row(1, "success", remark=remark)])

    assert _said(monkeypatch, tmp_path, fake=fake).exit_code == code


def test_json_and_a_corrected_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One document on stdout, with what was left out of the copy."""
    rows = [row(1, "failed", remark="ends: success"), row(2, "success", remark="ends: flaky")]
    lines(tmp_path / "rows.jsonl", rows)
    said = _said(monkeypatch, tmp_path, "--json", "--corrected", tmp_path / "good.jsonl")
    document = json.loads(said.stdout)

    assert (document["counts"]["wrong_label"], document["counts"]["flaky"], len(document["findings"])) == (
        1,
        1,
        2,
    )
    assert (document["corrected"]["changed"], document["corrected"]["left_out"]) == (1, {"flaky": 1})
