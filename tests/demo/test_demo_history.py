"""The demo's small project history: known commits, and replies that speak of them."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

from kit.needs import need_module

FOLDER = Path(str(resources.files("benchwright.demo").joinpath("alignment")))


def test_replies_name_commits_of_the_clone(tmp_path: Path) -> None:
    """The recorded ids are those of the clone that is made, made twice at one place too."""
    need_module("pygit2")
    from benchwright.demo.git_history import make_clone

    for _ in range(2):
        make_clone(FOLDER / "history.json", tmp_path / "scales.git")
    pull = json.loads((FOLDER / "replies" / "pulls" / "1.json").read_text("utf-8"))
    references = {
        name: (tmp_path / "scales.git" / name).read_text().strip()
        for name in ("refs/heads/master", "refs/pull/1/head")
    }

    assert references == {
        "refs/heads/master": pull["merge_commit_sha"],
        "refs/pull/1/head": pull["head"]["sha"],
    }


def test_suggested_lines_are_in_the_later_files() -> None:
    """The suggestion was applied as it is, so the remark is answered."""
    history = json.loads((FOLDER / "history.json").read_text("utf-8"))
    remarks = json.loads((FOLDER / "replies" / "pulls" / "1" / "comments.json").read_text("utf-8"))
    [body] = [each["body"] for each in remarks if "```suggestion" in each["body"]]
    suggested = body.split("```suggestion\n")[1].split("\n```")[0].splitlines()
    files = {each["name"]: each["files"].get("scales.py", []) for each in history["commits"]}

    assert suggested == files["applied"][-len(suggested) :]
    assert suggested != files["first"][-len(suggested) :]
