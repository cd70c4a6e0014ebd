"""`build alignment --github`: fetched, repeated, offline, interrupted and refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchwright.sources.cleaning.pseudonyms import KEY_FILE
from benchwright.sources.github import event_source
from kit.command_line import Said, benchwright, called
from kit.examples import SCALE
from kit.history_fetching import TOKEN, QuickClock, T, fill
from kit.made_github import Scripted
from kit.made_history import MadeHistory, serving_history

NAMED = ("ada", "grace", "linus", "ines", "mona")


@pytest.fixture
def history() -> Iterator[MadeHistory]:
    """The invented repository."""
    made = MadeHistory()
    with serving_history(made):
        fill(made)
        yield made


def build(history: MadeHistory, out: Path, *more: object) -> Said:
    """Build from the invented repository alone."""
    arguments = ("--github", "acme/sums", "--github-api", history.api, "--out", out, *more)
    return called("build", "alignment", *arguments, GITHUB_TOKEN=TOKEN)


def release(out: Path) -> dict[str, bytes]:
    """All files of a release."""
    root = out / "release"
    found = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert found
    return found


def test_a_release(history: MadeHistory, tmp_path: Path) -> None:
    """It has no gaps; neither a token, a login nor the name of a branch is in any file or message."""
    secret = "ghp_" + "A1b2C3d4E5f6" * 3
    history.comment(2, 25, f"My token is {secret}, @grace.", at=T(9))
    history.parts["pulls/2/comments"][0]["diff_hunk"] += f'\n+TOKEN = "{secret}"'
    arguments = ("--github", "acme/sums", "--github-api", history.api, "--out", tmp_path, "--json")
    said = benchwright("build", "alignment", *arguments, GITHUB_TOKEN=TOKEN)
    stored = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    assert said.code == 0, said.err
    assert said.document["manifest"]["gaps"] == {}
    planted = [TOKEN, secret, "ada:topic", *(f'"{name}"' for name in NAMED), *(f"@{name}" for name in NAMED)]
    assert [each for each in planted if each.encode() in stored or each in said.out + said.err] == []


def test_repeated_and_offline(history: MadeHistory, tmp_path: Path) -> None:
    """Equal bytes; offline sends nothing."""
    assert build(history, tmp_path).code == 0
    first = release(tmp_path)
    assert build(history, tmp_path).code == 0
    asked = len(history.log)
    said = build(history, tmp_path, "--offline")

    assert (said.code, len(history.log), release(tmp_path)) == (0, asked, first)


def test_interrupted(history: MadeHistory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that ends at any request is resumed: equal bytes of the release, and each resource sent once."""
    monkeypatch.setattr(event_source, "WaitingClock", lambda: QuickClock().waiting())
    whole = tmp_path / "whole"
    assert build(history, whole).code == 0
    requests = len(history.log)
    for point in range(0, requests, 4 if SCALE > 1 else 7):
        broken = tmp_path / str(point)
        broken.mkdir()
        shutil.copy2(whole / KEY_FILE, broken)
        history.log.clear()
        history.script = {history.count + point: Scripted(403, {}, b'{"message": "Forbidden"}')}
        said = build(history, broken)
        assert (said.code != 0, "hint:" in said.err, "Forbidden" in said.err) == (True, True, True)
        assert build(history, broken).code == 0

        assert sum(each.status == 200 for each in history.log) == requests
        assert release(broken) == release(whole)


def test_what_could_not_be_read(history: MadeHistory, tmp_path: Path) -> None:
    """It is counted by reason in the manifest."""
    history.parts["pulls/2/comments"][1]["path"] = 7
    history.parts["pulls/2/comments"][2] |= {"diff_hunk": "...", "original_line": None, "line": None}
    said = build(history, tmp_path, "--json")

    assert said.document["manifest"]["gaps"] == {"entry_wrong_type": 1, "remark_without_line": 1}


def test_a_private_repository(history: MadeHistory, tmp_path: Path) -> None:
    """Refused with the option that allows it."""
    history.private = True
    said = build(history, tmp_path)

    assert said.code != 0
    assert "acme/sums is private" in said.err and "--allow-private" in said.err
    assert build(history, tmp_path, "--allow-private").code == 0


def test_since(history: MadeHistory, tmp_path: Path) -> None:
    """Only what has changed since then."""
    history.touch(1, T(1))
    said = build(history, tmp_path, "--since", "2024-05-08", "--json")

    assert said.code == 0, said.err
    text = (tmp_path / "events" / "acme+sums" / "github-2024-Q2.jsonl").read_text()
    assert {json.loads(each)["kind"] for each in text.splitlines()}.isdisjoint({"issue_opened"})


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--since", "soon"), "invalid date"),
        (("--github", "acme"), "not the name of a repository"),
        (("--github-api", "http://example.org"), "not encrypted"),
    ],
)
def test_bad_options(history: MadeHistory, tmp_path: Path, option: tuple[str, str], message: str) -> None:
    """Each is refused before a request."""
    said = build(history, tmp_path, *option)

    assert said.code != 0 and message in said.err and "hint:" in said.err
    assert history.log == []
