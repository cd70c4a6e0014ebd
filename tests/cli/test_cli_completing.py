"""What a shell is offered: the script, run folders, tracks and schemes, soon and without a look into any file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import click
import pytest
from click.shell_completion import CompletionItem

from benchwright import registry
from benchwright.cli import shell_completion
from kit.command_line import benchwright, inside
from kit.needs import need
from kit.plug_ins import install
from kit.processes import HANG_S, python

CONTEXT = click.Context(click.Command("show"))
PARAM = click.Argument(["run"])


def _run(path: Path) -> Path:
    path.mkdir(parents=True)
    (path / "run.json").write_text("not even JSON")
    return path


def _offered(incomplete: str) -> list[str]:
    return [
        item.value
        for item in shell_completion.run_folders(CONTEXT, PARAM, incomplete)
        if item.type == "plain"
    ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder as a week of work leaves it."""
    for name in ("runs/mine", "runs/other", "out/demo/demo-weak-1", "alone", ".hidden/run", "a/b/c/too-deep"):
        _run(tmp_path / name)
    (tmp_path / "runs" / "notes").mkdir()
    (tmp_path / "run.json").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("", ["alone", "out/demo/demo-weak-1", "runs/mine", "runs/other"]),
        ("ru", ["runs/mine", "runs/other"]),
        ("runs/", ["runs/mine", "runs/other"]),
        ("runs/m", ["runs/mine"]),
        ("./runs/m", ["./runs/mine"]),
        ("runs/../al", ["runs/../alone"]),
        ("out", ["out/demo/demo-weak-1"]),
        (".hi", [".hidden/run"]),
        ("a/b/", ["a/b/c/too-deep"]),
    ],
)
@pytest.mark.usefixtures("here")
def test_run_folders(typed: str, wanted: list[str]) -> None:
    """Folders with a run.json that begin with what is typed, in the form in which it is typed."""
    assert _offered(typed) == wanted


def test_run_folders_by_a_full_path(here: Path) -> None:
    """What begins at the root is offered from the root."""
    assert _offered(f"{here}/runs/") == [f"{here}/runs/mine", f"{here}/runs/other"]


@pytest.mark.parametrize("typed", ["nothing/here", "runs/x", "alone/run.json/"])
@pytest.mark.usefixtures("here")
def test_where_there_is_no_run_the_shell_offers_folders(typed: str) -> None:
    """A run may be further down than was looked; a path that is not there is no error."""
    (item,) = shell_completion.run_folders(CONTEXT, PARAM, typed)

    assert (item.type, item.value) == ("dir", typed)


def test_names_that_would_break_the_answer_are_left_out(here: Path) -> None:
    """A shell is answered in lines: a line end or an escape in a name is not offered."""
    for name in ("runs/two\nlines", "runs/\x1b[31m"):
        _run(here / name)

    assert _offered("runs/") == ["runs/mine", "runs/other"]


def test_a_huge_folder_costs_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a number of entries the search ends, whatever is left."""
    monkeypatch.setattr(shell_completion, "MAX_ENTRIES", 50)
    monkeypatch.chdir(tmp_path)
    for number in range(200):
        _run(tmp_path / f"run-{number}")

    assert 1 <= len(_offered("")) <= 50


def test_links_in_a_circle_end(here: Path) -> None:
    """A link to a folder above is followed no deeper than any folder."""
    (here / "run.json").unlink()  # else the link is a run folder
    (here / "runs" / "loop").symlink_to("..")

    assert "runs/loop/alone" in _offered("runs/l")


def _values(items: list[CompletionItem]) -> list[str]:
    return [item.value for item in items]


def test_tracks() -> None:
    """All tracks, or those that begin so."""
    every, some = (_values(shell_completion.tracks(CONTEXT, PARAM, typed)) for typed in ("", "ru"))

    assert (every, some) == (registry.names("track"), ["rucodeeval", "rucodereviewer", "ruhumaneval"])


def test_schemes_of_models() -> None:
    """Each with its colon, which is part of what must be typed."""
    every, some = (_values(shell_completion.models(CONTEXT, PARAM, typed)) for typed in ("", "re"))

    assert (set(every) >= {"gold:", "replay:", "stub:"}, some) == (True, ["replay:"])


def test_files_are_left_to_the_shell() -> None:
    """A shell knows files better: it is told only that one is wanted."""
    (item,) = shell_completion.files(CONTEXT, PARAM, "da")

    assert (item.type, item.value) == ("file", "da")


def _asked(words: str, cwd: Path, **environment: str) -> list[str]:
    said = benchwright(
        cwd=cwd,
        **environment,
        COMP_WORDS=f"benchwright {words}",
        COMP_CWORD=str(len(words.split())),
        _BENCHWRIGHT_COMPLETE="bash_complete",
    )
    assert said.err == ""
    return said.out.split()


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("show runs/m", ["plain,runs/mine"]),
        ("convert --data ta", ["file,ta"]),
        ("convert --out ro", ["file,ro"]),
        ("show runs/mine --outcome timed", ["plain,timed_out"]),
        ("completion z", ["plain,zsh"]),
    ],
)
def test_what_bash_asks_for(typed: str, wanted: list[str], here: Path) -> None:
    """From the line that is typed to the lines that bash reads."""
    assert _asked(typed, here) == wanted


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("codecorrectness --gate no", ["plain,no-large", "plain,no-long"]),
        ("codecorrectness --gate no-large --gate no", ["plain,no-long"]),
        ("codecorrectness --gate codecorrectness.", []),
        ("aicodereval --gate no-la", ["plain,no-large"]),
    ],
)
def test_gates_of_other_packages(typed: str, wanted: list[str], tmp_path: Path) -> None:
    """Those that `--gate` takes, each once; the built-in ones are applied anyway."""
    points = {"benchwright.gates": {"no-large": "house_rules:no_large", "no-long": "house_rules:no_long"}}
    path = [str(install(tmp_path / "site", "house_rules", "", points)), os.environ.get("PYTHONPATH", "")]

    assert _asked(f"build {typed}", tmp_path, PYTHONPATH=os.pathsep.join(filter(None, path))) == wanted


def test_it_loads_no_library() -> None:
    """A key is pressed often: the module brings click, which is there already, and the registry."""
    heavy = "{'rich', 'msgspec', 'httpx', 'jinja2', 'numpy', 'importlib.metadata'}"
    code = f"import sys, benchwright.cli.shell_completion; print(sorted({heavy} & set(sys.modules)))"
    done = python(code)

    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        ("replay:", ["replay:answers.jsonl", "replay:more/"]),
        ("replay:an", ["replay:answers.jsonl"]),
        ("replay:more/", ["replay:more/b.jsonl.gz"]),
        ("replay:nowhere/", []),
        ("openai:an", []),
    ],
)
def test_files_of_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, wanted: list[str]
) -> None:
    """After `replay:` come files that may hold answers and the folders on the way, hidden ones left out."""
    for name in ("answers.jsonl", "notes.txt", "more/b.jsonl.gz", ".hidden.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)

    assert _values(shell_completion.models(CONTEXT, PARAM, typed)) == wanted


@pytest.mark.parametrize("track", registry.names("track"))
def test_profiles_are_those_of_the_track(track: str) -> None:
    """They are declared without importing the track."""
    context = click.Context(click.Command("run"))
    context.params["track"] = track

    assert (
        tuple(_values(shell_completion.profiles(context, PARAM, "")))
        == registry.find("track", track).profiles
    )


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("run codecorrectness --profile m", ["mera-exact"]),
        ("run humaneval --profile s", ["strict"]),
        ("run --profile mera-", ["mera-code", "mera-text", "mera-exact"]),
        ("run x --model replay : an", ["answers.jsonl"]),
        ("run x --model replay :", ["answers.jsonl"]),
        ("run x --model rep", ["replay:"]),
    ],
)
def test_what_bash_is_answered(tmp_path: Path, words: str, wanted: list[str]) -> None:
    """Bash cuts words at a colon and wants the part after it: what stands there is not written twice."""
    (tmp_path / "answers.jsonl").touch()
    count = str(len(words.split()))
    asked = {
        "COMP_WORDS": f"benchwright {words}",
        "COMP_CWORD": count,
        "_BENCHWRIGHT_COMPLETE": "bash_complete",
    }
    said = benchwright(cwd=tmp_path, **asked)

    assert said.out.splitlines() == [f"plain,{each}" for each in wanted]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str) -> None:
    """Each script names the command and the variable that it asks through."""
    result = inside("completion", shell)
    wanted = (f"_BENCHWRIGHT_COMPLETE={shell}_complete", "benchwright")

    assert (result.exit_code, [word in result.stdout for word in wanted]) == (0, [True, True])


def test_bash_accepts_its_script() -> None:
    """Bash can read the script and knows the completion afterwards."""
    bash = need("bash", "reads the completion script")
    script = inside("completion", "bash").stdout
    done = subprocess.run(
        [bash, "--norc", "-c", f"{script}\ncomplete -p benchwright"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )

    assert (done.returncode, done.stdout.split()[-1:]) == (0, ["benchwright"])


@pytest.mark.parametrize(
    ("typed", "wanted"), [("sh", ["show"]), ("co", ["compare", "convert", "completion"])]
)
def test_commands_are_completed(typed: str, wanted: list[str]) -> None:
    """What bash asks for gets the commands that begin so."""
    said = benchwright(
        COMP_WORDS=f"benchwright {typed}", COMP_CWORD="1", _BENCHWRIGHT_COMPLETE="bash_complete"
    )

    assert [line.partition(",")[2] for line in said.out.split()] == wanted


def test_unknown_shell() -> None:
    """Another shell is a usage error that lists the known ones."""
    said = benchwright("completion", "powershell")

    assert (said.code, said.out, "'bash', 'zsh', 'fish'" in said.err) == (2, "", True)
