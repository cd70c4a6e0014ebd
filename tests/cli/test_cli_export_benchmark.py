"""`export benchmark` from a release and a clone to a data set that its track reads, in-process."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pygit2
import pytest

from benchwright.building.alignment.records import LineRange
from benchwright.building.alignment.splits import is_test
from benchwright.sources.events import FileVersion
from kit.command_line import called
from kit.made_mining import (
    COMMENTED,
    NEW,
    OLD,
    REPO,
    answered,
    commenting,
    event,
    issue,
    release_folder,
    remark,
)
from kit.made_repositories import MIT, commit
from kit.needs import need_sandbox


@pytest.fixture
def mined(tmp_path: Path) -> tuple[Path, Path]:
    """A release and its clone."""
    clone = tmp_path / "clone"
    made = pygit2.init_repository(str(clone))
    head, fix, noted = (commit(made, {"scales.py": text}) for text in (OLD, NEW, COMMENTED))
    link = msgspec.structs.replace(
        answered(1, 7),
        target=f"commit:{fix}",
        before=LineRange(commit=head, path="scales.py", first=7, last=7),
        after=LineRange(commit=fix, path="scales.py", first=6, last=6),
    )
    note = msgspec.structs.replace(
        commenting(),
        subject=f"commit:{noted}",
        heads=[fix],
        files=[FileVersion(path="scales.py", status="modified", comments_changed=True)],
    )
    feedback = [remark(1, 7, "Compare with `is`.", commit=head)]
    release = release_folder(tmp_path / "release", events=[*issue(), note], feedback=feedback, links=[link])
    return release, clone


@pytest.mark.parametrize("track", ["smartcoding-refine", "smartcoding-comments", "smartcoding-issues"])
def test_rows_are_checked_by_their_track(track: str, mined: tuple[Path, Path], tmp_path: Path) -> None:
    """One row each, which `check` recognises."""
    release, clone = mined
    out = tmp_path / "out"
    done = called(
        *("export", "benchmark", str(release), "--track", track),
        *("--clone", f"{REPO}={clone}", "--out", str(out), "--json"),
    )
    checked = called("check", str(out / "data" / "test.jsonl"))

    assert (done.code, done.document["rows"], done.document["repos"]) == (0, 1, {REPO: 1})
    assert checked.code == 0 and f"1 task of {track}, 1 with a solution" in checked.out + checked.err


def test_gold_passes_on_mined_rows(mined: tuple[Path, Path], tmp_path: Path) -> None:
    """And the lines as given fail."""
    release, clone = mined
    data = tmp_path / "out" / "data" / "test.jsonl"
    exported = called(
        *("export", "benchmark", str(release), "--track", "smartcoding-refine"),
        *("--clone", f"{REPO}={clone}", "--out", str(tmp_path / "out")),
    )
    ran = [
        called(
            *("run", "smartcoding-refine", "--data", str(data), "--model", f"{model}:"),
            *("--out", str(tmp_path / model), "--json"),
        ).document["metrics"]["resolved"]["value"]
        for model in ("gold", "stub")
    ]

    assert exported.code == 0 and "1 row of smartcoding-refine" in exported.out and ran == [1.0, 0.0]


NEVER_EQUAL = """import types
import unittest

from scales import weigh


class EqualToAll:
    def __eq__(self, other):
        return True

    def __mul__(self, other):
        return 7


class Weighing(unittest.TestCase):
    def test_only_none_weighs_nothing(self):
        self.assertEqual(weigh(types.SimpleNamespace(mass=EqualToAll())), 7)
"""


def test_tests_of_an_answer_are_executed(tmp_path: Path) -> None:
    """In the sandbox: a row gets them, and a right answer in other words passes."""
    need_sandbox()
    clone = tmp_path / "clone"
    made = pygit2.init_repository(str(clone))
    head = commit(made, {"scales.py": OLD})
    fix = commit(made, {"scales.py": NEW, "tests/test_scales.py": NEVER_EQUAL})
    link = msgspec.structs.replace(
        answered(1, 7),
        target=f"commit:{fix}",
        before=LineRange(commit=head, path="scales.py", first=7, last=7),
        after=LineRange(commit=fix, path="scales.py", first=6, last=6),
    )
    files = [FileVersion(path="tests/test_scales.py", status="added")]
    answer = event("commit", 9, subject=f"commit:{fix}", heads=[head], files=files)
    feedback = [remark(1, 7, "Compare with `is`.", commit=head)]
    release = release_folder(tmp_path / "release", events=[answer], feedback=feedback, links=[link])
    out, answers = tmp_path / "out", tmp_path / "answers.jsonl"
    done = called(
        *("export", "benchmark", str(release), "--track", "smartcoding-refine", "--execute"),
        *("--clone", f"{REPO}={clone}", "--out", str(out), "--json"),
    )
    (row,) = map(json.loads, (out / "data" / "test.jsonl").read_text().splitlines())
    given = {"task_id": row["id"], "completions": ["```python\n    if not (mass is not None):\n```"]}
    answers.write_text(json.dumps(given) + "\n")
    ran = called(
        *("run", "smartcoding-refine", "--data", str(out / "data" / "test.jsonl")),
        *("--model", f"replay:{answers}", "--out", str(tmp_path / "run"), "--json"),
    )

    assert (done.code, done.document["tests"]) == (0, {"with_tests": 1}), done.err
    assert "Tests decide 1 of 1 row" in (out / "README.md").read_text()
    assert ran.code == 0, ran.err
    metrics = ran.document["metrics"]
    assert (metrics["resolved"]["value"], metrics["tests"]["value"], metrics["equal"]["value"]) == (1, 1, 0)


def test_training_data_with_the_repository_is_refused(mined: tuple[Path, Path], tmp_path: Path) -> None:
    """By the manifest of the export."""
    release, clone = mined
    training = tmp_path / "training"
    training.mkdir()
    (training / "manifest.json").write_text(
        json.dumps({"kind": "training export", "repositories": {REPO: 3}})
    )
    words = [
        "export",
        "benchmark",
        str(release),
        "--track",
        "smartcoding-refine",
        "--out",
        str(tmp_path / "out"),
    ]
    done = called(*words, "--clone", f"{REPO}={clone}", "--against", str(training))
    other = called(*words, "--against", str(tmp_path))

    assert done.code == 1 and REPO in done.err and not (tmp_path / "out").exists()
    assert other.code == 2 and "not a training export" in other.err


@pytest.mark.parametrize(
    ("extra", "part"),
    [
        ((), f"--clone {REPO}=PATH"),
        (("--track", "smartcoding-issues", "--execute"), "have no tests"),
        (("--clone", "x"), "OWNER/NAME=PATH"),
        (("--rung", "9"), "1 suggestion"),
    ],
)
def test_wrong_options_have_a_hint(
    extra: tuple[str, ...], part: str, mined: tuple[Path, Path], tmp_path: Path
) -> None:
    """A missing clone, a clone without a name, an unknown rung."""
    words = [
        "export",
        "benchmark",
        str(mined[0]),
        "--track",
        "smartcoding-refine",
        "--out",
        str(tmp_path / "out"),
    ]
    done = called(*words, *extra)

    assert done.code == 2 and part in done.err


TOKEN = "ghp_" + "9aB3xY7qLm2Zt8KdVw4RsC6Nf1HjPu5EoG0i"
BLOCK = (
    "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" + "IBAAKCAQEAx7" * 5 + "\n-----END RSA PRIVATE KEY-----"
)


@pytest.mark.parametrize(
    ("planted", "dropped"),
    [
        (f'TOKEN = "{TOKEN}"', {}),
        ("# Ask ann.lee@corp-mail.net about it.", {}),
        (f'KEY = """{BLOCK}"""', {"secret": 1}),
    ],
)
def test_nothing_secret_of_a_clone_is_published(
    planted: str, dropped: dict[str, int], tmp_path: Path
) -> None:
    """A secret and an address are replaced in code; a file with a secret of several lines makes no row."""
    clone = tmp_path / "clone"
    made = pygit2.init_repository(str(clone))
    head, fix = (commit(made, {"scales.py": f"{text}\n{planted}\n"}) for text in (OLD, NEW))
    link = msgspec.structs.replace(
        answered(1, 7),
        target=f"commit:{fix}",
        before=LineRange(commit=head, path="scales.py", first=7, last=7),
        after=LineRange(commit=fix, path="scales.py", first=6, last=6),
    )
    more = answered(2, 2, before=LineRange(commit="0" * 40, path="scales.py", first=1, last=1))
    feedback = [remark(1, 7, "Compare with `is`.", commit=head), remark(2, 2, "Unused.")]
    release = release_folder(tmp_path / "release", feedback=feedback, links=[link, more])
    done = called(
        *("export", "benchmark", str(release), "--track", "smartcoding-refine"),
        *("--clone", f"{REPO}={clone}", "--out", str(tmp_path / "out"), "--json"),
    )
    published = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())

    assert not any(part in published for part in (TOKEN.encode(), b"ann.lee", b"MIIEow"))
    if dropped:
        assert done.code == 1 and "1 secret" in done.err
    else:
        assert done.code == 0 and done.document["rows"] == 1 and b"mass == None" in published


def test_rows_of_a_build_need_no_other_option(tmp_path: Path) -> None:
    """Clone, key and split are those of the build; its folder and that of its release give equal bytes."""
    clone = _test_repository(tmp_path)
    built = called(
        "build", "alignment", "--from", str(clone), "--name", REPO, "--out", str(tmp_path / "build")
    )
    words = ["--track", "smartcoding-comments", "--json"]
    named = {"a": tmp_path / "build" / "release", "b": tmp_path / "build"}
    done = [
        called("export", "benchmark", str(place), *words, "--out", str(tmp_path / name))
        for name, place in named.items()
    ]
    a, b = (
        {path.name: path.read_bytes() for path in (tmp_path / name).rglob("*.*") if path.is_file()}
        for name in named
    )

    assert (built.code, done[0].code, done[0].document["rows"]) == (0, 0, 1), built.err + done[0].err
    assert a == b and b"half units" in a["test.jsonl"] and done[0].document["licences"] == {"MIT": 1}


def _test_repository(folder: Path) -> Path:
    """A clone with a commit that adds a comment, whose first commit puts it into the test split."""
    for number in range(200):
        clone = folder / f"clone-{number}"
        made = pygit2.init_repository(str(clone))
        if is_test(commit(made, {"LICENSE": MIT, "number.txt": f"{number}\n", "scales.py": NEW})):
            commit(made, {"LICENSE": MIT, "number.txt": f"{number}\n", "scales.py": COMMENTED})
            return clone
    raise AssertionError("no first commit is in the test split")
