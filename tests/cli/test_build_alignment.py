"""`benchwright build alignment`: from a clone to a release, resumed, extended, and refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchwright.building.alignment.decontamination import BenchmarkIndex, added_lines
from benchwright.store.parquet import read_parquet
from kit.command_line import called
from kit.made_histories import HistoryMaker, licence
from kit.needs import need_module

need_module("duckdb")
KEY = "ab" * 32


def made_clone(path: Path) -> HistoryMaker:
    """A repository with two pull requests, one of them merged, and a tag."""
    made = HistoryMaker(path)
    line = made.line(4)
    topic = made.commit({"a.py": "x = 9\n", **licence()}, line[3], message="Answer #3")
    topic = made.commit({"a.py": "x = 10\n", **licence()}, topic, message="Fix the answer\n\nFixes #3")
    merge = made.commit(
        {"a.py": "x = 10\n", **licence()}, line[3], topic, message="Merge pull request #1 from ada/topic"
    )
    other = made.commit(
        {"a.py": "x = 11\n", "b.bin": b"\0", **licence()}, merge, message="Set the answer to eleven"
    )
    made.point("refs/heads/main", merge)
    made.point("refs/pull/1/head", topic)
    made.point("refs/pull/2/head", other)
    made.point("refs/tags/v1", line[3])
    return made


def build(clone: Path, out: Path, *options: object) -> dict[str, Any]:
    """Build, and return the JSON document of the result."""
    out.mkdir(exist_ok=True)
    key = out / "people.key"
    key.write_text(KEY)
    key.chmod(0o600)
    done = called(
        "build", "alignment", "--from", clone, "--name", "own/repo", "--out", out, "--json", *options
    )
    assert done.code == 0, done.err
    found: dict[str, Any] = done.document
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def table(out: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a published table."""
    files = sorted((out / "release/data" / name).glob("*.parquet"))
    return [row.data for path in files for row in read_parquet(path)]


class Whole(NamedTuple):
    """A clone, the folder of an unbroken build of it, and the JSON document that the build printed."""

    clone: Path
    out: Path
    document: dict[str, Any]

    def copied(self, folder: Path) -> Path:
        """The folder of the build, to change."""
        return Path(shutil.copytree(self.out, folder))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """An unbroken build, to read."""
    folder = tmp_path_factory.mktemp("whole")
    made_clone(folder / "clone")
    return Whole(folder / "clone", folder / "out", build(folder / "clone", folder / "out"))


def test_a_release_of_a_clone(whole: Whole) -> None:
    """Events, patches, trajectories and links, with a card, and a manifest that has the digest of each."""
    out, built = whole.out, whole.document

    assert built["manifest"]["tables"] == {
        "changes": 8,
        "events": 12,
        "links": len(table(out, "links")),
        "repositories": 1,
        "trajectories": 2,
    }
    assert built["manifest"]["gaps"] == {"binary": 1}
    events = table(out, "events")
    assert [each["kind"] for each in events].count("commit") == 8
    assert {each["licence"] for each in events if each["kind"] == "commit"} == {"Apache-2.0"}
    assert all(each["actor"].startswith("person-") for each in events if each["kind"] == "commit")
    units = {each["pull"]: each for each in table(out, "trajectories")}
    assert [units[name]["outcome"] for name in ("pull:1", "pull:2")] == ["merged", "unknown"]
    assert [len(each["commits"]) for each in units["pull:1"]["iterations"]] == [2]
    assert any(link["state"] == "answered" and link["rung"] == 6 for link in table(out, "links"))
    assert str(whole.clone.parent) not in "".join(map(str, contents(out / "release").values()))
    assert b"ada@example.org" not in b"".join(contents(out).values())
    listed = {path: each["sha256"] for path, each in built["manifest"]["files"].items()}
    assert set(listed) == {name for name in contents(out / "release") if name.startswith("data/")}
    assert "own/repo" in (out / "release/README.md").read_text("utf-8")


def test_the_same_call_changes_nothing(tmp_path: Path, whole: Whole) -> None:
    """Equal bytes, and files of the data that are not even written again."""
    out = whole.copied(tmp_path / "out")
    before = contents(out)
    inodes = {path: path.stat().st_ino for path in (out / "release/data").rglob("*")}

    build(whole.clone, out)

    assert contents(out) == before
    assert {path: path.stat().st_ino for path in (out / "release/data").rglob("*")} == inodes


def test_more_commits_give_a_fresh_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build that grew has the bytes of one that was made at once, and old years stay as they are.

    Files of patches that are as before are not compared with benchmarks again.
    """
    made = made_clone(tmp_path / "clone")
    grown, fresh = tmp_path / "grown", tmp_path / "fresh"
    build(made.path, grown)
    old = {path.name: path.stat().st_ino for path in grown.rglob("git-*.jsonl")}
    head = str(made.repository.head.target)
    for number in range(70, 80):
        tree = {"a.py": f"x = {number}\n", **licence()}
        head = made.commit(tree, head, time=1_760_000_000 + number, message=f"Set {number}")
    made.point("refs/heads/main", head)

    searched, real = [], BenchmarkIndex.hit

    def hit(index: BenchmarkIndex, text: str) -> str:
        searched.append(text)
        return real(index, text)

    with monkeypatch.context() as watched:
        watched.setattr(BenchmarkIndex, "hit", hit)
        first = build(made.path, grown)
    second = build(made.path, fresh)

    assert first["manifest"] == second["manifest"]
    assert contents(grown) == contents(fresh)
    assert {
        name: inode
        for path in grown.rglob("git-*.jsonl")
        if (name := path.name) in old and (inode := path.stat().st_ino)
    } == old
    *before, new = [
        {added_lines(json.loads(line)["patch"]) for line in path.read_bytes().splitlines()}
        for path in sorted((grown / "events").rglob("*.changes.jsonl"))
    ]
    assert {f"x = {number}" for number in range(70, 80)} == new <= {*searched}
    assert before
    assert set().union(*before).isdisjoint(searched)


_KILLED = """
import os, signal, sys
from pathlib import Path
left, real = int(sys.argv[1]), Path.replace
def replace(self, target):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    return real(self, target)
Path.replace = replace
from benchwright.cli.main import main
sys.argv[1:] = sys.argv[2:]
main()
"""


def published(out: Path) -> dict[str, bytes]:
    """The release and the events of a build; stage files have the path of the clone."""
    return {name: data for name, data in contents(out).items() if name.startswith(("release/", "events/"))}


def test_a_killed_build_is_resumed(tmp_path: Path, whole: Whole) -> None:
    """Killed again and again before the file of a step takes its place, it ends in the bytes of an unbroken one."""
    clone, broken = tmp_path / "clone", tmp_path / "broken"
    made_clone(clone)
    broken.mkdir()
    (broken / "people.key").write_text(KEY)
    (broken / "people.key").chmod(0o600)
    arguments = ["build", "alignment", "--from", str(clone), "--name", "own/repo", "--quiet"]
    for step in (0, 3, 6, 11):
        command = [sys.executable, "-c", _KILLED, str(step), *arguments, "--out", str(broken)]
        done = subprocess.run(command, capture_output=True, check=False, env=dict(os.environ))
        assert done.returncode == -signal.SIGKILL, done.stderr

    build(clone, broken)

    assert published(broken) == published(whole.out)


def test_without_pull_requests(tmp_path: Path) -> None:
    """Heads of pull requests are left out; a merged one is known from its merge."""
    made_clone(tmp_path / "clone")

    built = build(tmp_path / "clone", tmp_path / "out", "--no-pulls", "--no-comments")

    assert [each["pull"] for each in table(tmp_path / "out", "trajectories")] == ["pull:1"]
    files = [file for each in table(tmp_path / "out", "events") for file in each["files"]]
    assert not any(file["code_changed"] for file in files)
    assert built["manifest"]["options"]["pulls"] is False


def test_a_repository_without_a_licence(tmp_path: Path) -> None:
    """It is dropped with a hint, and kept on request."""
    made = HistoryMaker(tmp_path / "clone")
    made.point("refs/heads/main", made.commit({"a.py": "x = 1\n"}))
    out = tmp_path / "out"

    done = called("build", "alignment", "--from", made.path, "--out", out)

    assert done.code == 1
    assert "1 licence (repositories)" in done.err
    assert build(made.path, tmp_path / "kept", "--licence-unknown", "keep")["manifest"]["licences"] == {"": 1}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "no source"),
        (("--from", "missing"), "not a clone"),
        (("--from", ".", "--from", "..", "--name", "a/b"), "--name names one clone"),
    ],
)
def test_refused_options(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    """Nothing is written for options that cannot be used."""
    done = called("build", "alignment", *arguments, "--out", tmp_path / "out")

    assert done.code == 2
    assert message in done.err
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_no_clone(tmp_path: Path) -> None:
    """It is a drop with its reason, and another clone is mined."""
    (tmp_path / "empty").mkdir()
    made_clone(tmp_path / "clone")
    arguments = (
        "--from",
        tmp_path / "empty",
        "--from",
        tmp_path / "clone",
        "--out",
        tmp_path / "out",
        "--json",
    )

    done = called("build", "alignment", *arguments)

    assert done.code == 0
    assert done.document["funnel"][0]["dropped"] == {"no_clone": 1}
    assert json.loads((tmp_path / "out/release/manifest.json").read_text())["repositories"] == ["clone"]


def test_an_address_is_cloned_with_its_heads(tmp_path: Path) -> None:
    """Branches, tags and heads of pull requests come with their whole history; without pulls they do not."""
    made = made_clone(tmp_path / "clone")
    arguments = ("--from", f"file://{made.path}", "--json")

    found = called("build", "alignment", *arguments, "--out", tmp_path / "all")
    fewer = called("build", "alignment", *arguments, "--no-pulls", "--out", tmp_path / "fewer")

    assert (found.code, fewer.code) == (0, 0), found.err + fewer.err
    kinds = [[each["kind"] for each in table(tmp_path / name, "events")] for name in ("all", "fewer")]
    assert [each.count("push") for each in kinds] == [2, 0]
    assert [each.count("release") for each in kinds] == [1, 1]
    assert [each.count("commit") for each in kinds] == [8, 7]
