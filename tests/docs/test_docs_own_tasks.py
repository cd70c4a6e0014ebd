"""The page on own tasks: its files can be run, its commands end as it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchwright.stub_server import Script, ScriptRow, StubServer
from kit.command_line import called

PAGE = (Path(__file__).parents[2] / "docs" / "own-tasks.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.usefixtures("jail")


def fenced(language: str) -> list[str]:
    """The blocks of a language, in their order."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def commands() -> list[list[str]]:
    """The first block of commands, each in words."""
    return [line.split()[1:] for line in fenced("sh")[0].splitlines()]


@pytest.mark.parametrize("number", range(len(fenced("toml"))))
def test_each_file_of_the_page_has_no_fault(tmp_path: Path, number: int) -> None:
    (tmp_path / "tasks.toml").write_text(fenced("toml")[number])

    said = called("check", "tasks.toml", "--execute", cwd=tmp_path)

    assert (said.code, "no errors" in said.out) == (0, True), said.out


def test_the_first_commands_lead_to_a_score(tmp_path: Path) -> None:
    """Check, gold, and a model behind a server of this machine: one task of two is right."""
    (tmp_path / "tasks.toml").write_text(fenced("toml")[0])
    check, gold, asked = commands()
    script = Script(
        rows=[
            ScriptRow(
                contains="mean", completions=["def mean(values): return sum(values)/max(1, len(values))"]
            ),
            ScriptRow(contains="new list", completions=["Yes."]),
        ]
    )
    with StubServer(script) as server:
        asked = [server.base_url if word.startswith("http://") else word for word in asked]
        ends = [
            called(*words, cwd=tmp_path, OPENAI_API_KEY="none")
            for words in (check, [*gold, "--json"], [*asked, "--json"])
        ]

    assert [said.code for said in ends] == [0, 0, 0], [said.err for said in ends]
    assert ends[1].document["outcomes"] == {"passed": 2}
    assert ends[2].document["outcomes"] == {"passed": 1, "wrong": 1}


def test_the_line_of_json_is_a_task(tmp_path: Path) -> None:
    (line,) = fenced("json")
    (tmp_path / "tasks.jsonl").write_text(line)

    assert json.loads(line)["id"] == "add"
    assert called("check", "tasks.jsonl", "--execute", cwd=tmp_path).code == 0


def test_the_faults_that_the_page_shows_are_said_so(tmp_path: Path) -> None:
    """Word for word, but for the lines, which belong to a longer file."""
    rows = '[[task]]\nid = "add"\nprompt = "Write `add(a, b)`."\nentry_point = "add"\n'
    rows += 'calls = [{ args = [1, 2], returns = 4 }]\nsolution = "def add(a, b): return a + b"\n\n'
    rows += '[[task]]\nid = "two"\nprompt = "A `f` with a wrong `label`."\nentry_point = "f"\n'
    rows += 'calls = [{ returns = 1 }]\nsolution = "def f(): return 1"\n\n[[task]]\nid = "x"\nlable = "yes"\n'
    (tmp_path / "tasks.toml").write_text(rows)

    said = called("check", "tasks.toml", "--execute", cwd=tmp_path)
    (shown,) = fenced("console")

    strip = re.compile(r"toml:\d+")
    assert strip.sub("toml", said.out).splitlines() == strip.sub("toml", shown).splitlines()[1:]
