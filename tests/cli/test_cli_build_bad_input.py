"""`benchwright build` on clones that are wrong: each is a named drop or an error that says what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pygit2
import pytest
from click.testing import CliRunner, Result

from benchwright.building.engine.recipe import nothing_left
from benchwright.building.engine.stages import FunnelLevel
from benchwright.errors import BenchwrightError
from kit.command_line import build as command
from kit.fake_suites import FakeGo, FakeJava, FakeSuites, use_fakes
from kit.made_repositories import MIT, Content, cases_of, commit, function, repository

GOOD = {"LICENSE": MIT, "alpha.py": function("alpha"), "test_alpha.py": cases_of("alpha", "alpha", "small")}
_WHO = pygit2.Signature("Nobody", "nobody@example.org", 1_700_000_000, 0)


def built(monkeypatch: pytest.MonkeyPatch, folder: Path, *args: object) -> Result:
    """The command with runners that execute nothing, in a folder of its own."""
    use_fakes(monkeypatch, FakeSuites, FakeJava, FakeGo)
    given = ["codecorrectness", "--out", folder / "out", "--repeat", 2, *args]
    return CliRunner().invoke(command, [str(arg) for arg in given])


def dropped(folder: Path, stage: str) -> dict[str, str]:
    """The drops of a stage: the unit, and the reason with what else is said."""
    (path,) = (folder / "out" / "stages").glob(f"*-{stage}.dropped.jsonl")
    drops = [json.loads(line) for line in path.read_text().splitlines()]
    return {each["unit"]: f"{each['reason']}: {each.get('detail', '')}" for each in drops}


class Bad(NamedTuple):
    """Files beside good ones, the stage that drops one, and the drop."""

    name: str
    files: dict[str, Content]
    stage: str
    unit: str
    words: str


_LATIN = b"from latin import latin\n\n\ndef test_latin():\n    assert latin('caf\xe9')\n"
_TEST = (
    "package two;\nimport static org.junit.jupiter.api.Assertions.*;\nimport org.junit.jupiter.api.Test;\n"
)
_BAD = [
    Bad(
        "a test file in Latin-1",
        {"latin.py": function("latin"), "test_latin.py": _LATIN},
        "pair",
        "clone:test_latin.py",
        "test_not_utf8: clone:test_latin.py: not UTF-8",
    ),
    Bad(
        "a focal file that does not parse",
        {"torn.py": "def torn(:\n", "test_torn.py": cases_of("torn", "torn", "small")},
        "filter",
        "clone:test_torn.py::test_small",
        "focal_syntax: invalid syntax (line 1)",
    ),
    Bad(
        "two public classes",
        {
            "src/main/java/two/Pair.java": "package two;\npublic class Pair {}\npublic class Other {}\n",
            "src/test/java/two/PairTest.java": f"{_TEST}class PairTest {{\n  @Test\n  void a() {{\n    assertNotNull(new Pair());\n  }}\n}}\n",
        },
        "filter",
        "clone:src/test/java/two/PairTest.java::PairTest#a",
        "layout_public_classes: the focal file has several public classes: Pair, Other",
    ),
    Bad(
        "a Go package of the project that the row does not have",
        {
            "go.mod": "module example.com/sib\n",
            "a.go": 'package sib\n\nimport "example.com/sib/other"\n\nfunc A() int { return other.B() }\n',
            "other/b.go": "package other\n\nfunc B() int { return 1 }\n",
            "a_test.go": 'package sib\n\nimport "testing"\n\nfunc TestA(t *testing.T) {\n\tif A() != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n',
        },
        "filter",
        "clone:a_test.go::TestA",
        "project_imports: example.com/sib/other",
    ),
    Bad(
        "an enormous file",
        {"huge.py": "x = 1\n" * 1_000_000, "test_huge.py": cases_of("huge", "x", "small")},
        "pair",
        "clone:test_huge.py",
        "focal_too_large: clone:huge.py: 6,000,000 bytes, over 400,000",
    ),
    Bad(
        "a large file",
        {"large.py": "x = 1\n" * 12_000, "test_large.py": cases_of("large", "x", "small")},
        "pair",
        "clone:test_large.py",
        "focal_too_large: large.py: 72,000 characters",
    ),
    Bad(
        "a test file that tests itself",
        {
            "test_self.py": "def double(x):\n    return 2 * x\n\n\ndef test_double():\n    assert double(2) == 4\n"
        },
        "pair",
        "clone:test_self.py",
        "no_focal_file: no file, or several, fit",
    ),
    Bad(
        "NUL bytes",
        {"nul.py": b"x = 1\0\n", "test_nul.py": cases_of("nul", "x", "small")},
        "pair",
        "clone:test_nul.py",
        "focal_binary: clone:nul.py: holds NUL bytes",
    ),
]


@pytest.mark.parametrize("bad", _BAD, ids=[bad.name for bad in _BAD])
def test_bad_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bad: Bad) -> None:
    """The drop names the file and why; the good files beside it become rows all the same."""
    repository(tmp_path / "clone", {**GOOD, **bad.files})
    said = built(monkeypatch, tmp_path, "--from", tmp_path / "clone", "--json")
    found = dropped(tmp_path, bad.stage)

    assert (said.exit_code, json.loads(said.stdout)["manifest"]["rows"]["test"]) == (0, 2)
    assert (list(found), found.get(bad.unit, "")[: len(bad.words)]) == ([bad.unit], bad.words)


def _raw_tree(made: pygit2.Repository, files: dict[bytes, str], folders: dict[bytes, Any]) -> Any:
    """A tree with names that git itself would refuse to add."""
    entries = [(name, b"100644", made.create_blob(text.encode())) for name, text in files.items()]
    entries += [(name, b"40000", tree) for name, tree in folders.items()]
    packed = b"".join(
        mode + b" " + name + b"\0" + bytes.fromhex(str(oid)) for name, mode, oid in sorted(entries)
    )
    return made.odb.write(pygit2.enums.ObjectType.TREE, packed)


def test_odd_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names with line ends, control characters or bytes that are no text, and `..` and `.git`, are drops that can
    be printed; an odd name that files may have is a row."""
    made = pygit2.init_repository(str(tmp_path / "clone"))
    focal, test = function("f"), cases_of("f", "f", "small")
    below = _raw_tree(made, {b"f.py": focal, b"test_f.py": test}, {})
    names = (b"test_a\nb.py", b"test_c\x1b[2J.py", b"test_d\xff.py", b"test_e\\f.py")
    files = {b"LICENSE": MIT, b"f.py": focal, b"test_f.py": test, **dict.fromkeys(names, test)}
    top = _raw_tree(made, files, {b"..": below, b".git": below})
    made.create_commit("HEAD", _WHO, _WHO, "odd", top, [])
    said = built(monkeypatch, tmp_path, "--from", tmp_path / "clone")
    found = dropped(tmp_path, "pair")

    assert (said.exit_code, len(found), {each.partition(":")[0] for each in found.values()}) == (
        0,
        6,
        {"test_odd_path"},
    )
    assert ("6 test odd path" in " ".join(said.stderr.split()), "\x1b[2J" in said.stderr) == (True, False)


def test_links_and_submodules_hold_no_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link out of the clone is never followed, and no submodule is asked for."""
    made = pygit2.init_repository(str(tmp_path / "clone"))
    secret = tmp_path / "secret.py"
    secret.write_text("SECRET = 1\n")
    module = f'[submodule "sub"]\n\tpath = sub\n\turl = file://{tmp_path}/other\n'
    links = {"secret.py": "../secret.py", "test_secret.py": str(secret), "up": ".."}
    commit(made, {**GOOD, ".gitmodules": module}, links=links)
    index = pygit2.Index()
    index.read_tree(made.head.peel().tree)
    index.add(pygit2.IndexEntry("sub", made.head.target, pygit2.enums.FileMode.COMMIT))
    made.create_commit("HEAD", _WHO, _WHO, "sub", index.write_tree(made), [made.head.target])
    said = built(monkeypatch, tmp_path, "--from", tmp_path / "clone")
    texts = [path.read_text() for path in (tmp_path / "out").rglob("*") if path.is_file()]

    assert (said.exit_code, dropped(tmp_path, "pair"), any("SECRET" in text for text in texts)) == (
        0,
        {},
        False,
    )


def _void(folder: Path) -> None:
    pygit2.init_repository(str(folder))


def _bare(folder: Path) -> None:
    pygit2.init_repository(str(folder), bare=True)


def _damaged(folder: Path) -> None:
    """The tree of the commit is not what its name says."""
    repository(folder, GOOD)
    tree = str(pygit2.Repository(str(folder)).head.peel().tree_id)
    path = folder / ".git/objects" / tree[:2] / tree[2:]
    path.chmod(0o644)
    path.write_bytes(b"junk")


def _headless(folder: Path) -> None:
    repository(folder, GOOD)
    (folder / ".git/HEAD").write_text("ref: refs/heads/nowhere\n")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (_void, "empty"),
        (_bare, "empty"),
        (Path.mkdir, "no clone"),
        (_damaged, "damaged"),
        (_headless, "no head"),
    ],
)
def test_clones_without_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], reason: str
) -> None:
    """Alone, the error says why nothing is left and where each drop is named; beside a good clone, it is a drop."""
    make(tmp_path / "bad")
    repository(tmp_path / "good", GOOD)
    alone = built(monkeypatch, tmp_path, "--from", tmp_path / "bad").exception
    both = built(
        monkeypatch,
        tmp_path,
        "--from",
        tmp_path / "bad",
        "--from",
        tmp_path / "good",
        "--out",
        tmp_path / "both",
    )

    assert isinstance(alone, BenchwrightError)
    assert f"no row left to publish; dropped: 1 {reason}" in alone.message
    assert (alone.hint or "").endswith("stages/*.dropped.jsonl")
    assert (both.exit_code, (tmp_path / "both/test.json").exists()) == (0, True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            ["--from", "{}/nothing"],
            ["not a clone and not a list of clones:", "hint: give the folder of a clone"],
        ),
        (["--from", "{}/list.txt"], ["list.txt:2", "more than two words on a line", "hint:"]),
        (
            ["--from", "{}/clone", "--out", "{}/list.txt"],
            ["cannot be made: Not a directory", "hint: --out OTHER"],
        ),
    ],
)
def test_what_cannot_be_read_or_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], words: list[str]
) -> None:
    """The place, the reason, and what to do."""
    (tmp_path / "list.txt").write_text("clone\na b c\n")
    (tmp_path / "clone").mkdir()
    error = built(monkeypatch, tmp_path, *(each.format(tmp_path) for each in given)).exception

    assert isinstance(error, BenchwrightError)
    assert [word for word in words if word not in str(error)] == []


def test_reasons_of_nothing() -> None:
    """A build that was given nothing says so, and names no drops."""
    error = nothing_left("row", Path("build"), [FunnelLevel(stage="collect", unit="repositories")])

    assert ("sources are empty" in error.message, "dropped" in str(error)) == (True, False)


def test_an_address_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What could not be cloned today may be there tomorrow: the same command then goes on with it."""
    address = f"file://{tmp_path}/later.git"
    first = built(monkeypatch, tmp_path, "--from", address)
    repository(tmp_path / "later.git", GOOD, bare=True)
    second = built(monkeypatch, tmp_path, "--from", address)

    assert (bool(first.exception), second.exit_code) == (True, 0)
