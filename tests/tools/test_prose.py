"""The prose linter: its texts, its rules, and the comparison of counts."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tools.prose import __main__ as command
from tools.prose.rules import RULES, Finding, findings_in, is_participle, rules
from tools.prose.texts import texts_of

PAGE = """# What is told

A `told` name is told
at once.

| a | b |
|---|---|
| x | it is told |

```
is told
```
"""
SOURCE = '''"""Module that is told."""

# A comment that
# is told.
VALUE = 1  # it is told  # noqa: E501
PATTERN = r"is told(?: of)? this and that"
NAME = "told"
MESSAGE = f"the file {NAME} is told to be read"


class Told:
    """What is kept."""

    def method(self) -> str:
        """Return.

        It is told.
        """
        return "the command is told what there is"
'''


def found(folder: Path, name: str, text: str) -> list[tuple[int, str]]:
    """Return line and rule of each finding in a file."""
    path = folder / name
    path.write_text(text)
    return [(each.line, each.rule) for each in findings_in(path, f"src/benchwright/{name}")]


def test_pages_are_read_without_their_code(tmp_path: Path) -> None:
    """Headings, paragraphs and cells are read; the line is that of the phrase, and blanks match line ends."""
    assert found(tmp_path, "page.md", PAGE) == [(1, "told"), (3, "told"), (8, "told")]


def test_docstrings_comments_and_messages_are_read(tmp_path: Path) -> None:
    """Patterns, single words and remarks for tools are skipped."""
    expected = [
        (1, "told"),
        (4, "told"),
        (5, "told"),
        (8, "told"),
        (11, "participle"),
        (12, "what-clause"),
        (17, "told"),
        (19, "told"),
        (19, "what there is"),
    ]

    assert found(tmp_path, "module.py", SOURCE) == expected


def test_tables_of_words_are_no_messages(tmp_path: Path) -> None:
    """They are search terms for answers."""
    path = tmp_path / "words.py"
    path.write_text('"""Words."""\n\nPHRASES = ("the model is told that",)\n')

    assert [each.text for each in texts_of(path, "src/benchwright/text/words.py")] == ["Words."]


PHRASES = (
    ("Goes on with X, which an earlier version began", "goes on"),
    ("What the caller asks for", "what-clause"),
    ("these options do not go together", "go together"),
    ("there is no command 'x'", "there is no X"),
    ("'x' is no field of the row", "is no X"),
    ("the self-check does not hold", "holds"),
    ("missing through no fault of the model", "fault of"),
    ("answers were cut off before their end", "cut off"),
    ("judged anew by today's rules", "anew"),
    ("shown beside the score", "beside"),
    ("a process of its own", "of its own"),
    ("leave one of them out", "go together"),
    ("say which command", "say which"),
    ("pass@5 has no meaning", "has no meaning"),
    ("This is not for you", "nobody"),
    ("Names of files count from the suite's folder", "counts from"),
    ("mutually exclusive options: use only one", ""),
    ("unknown command: x", ""),
    ("There is no longer a limit, and nothing else is needed", ""),
    ("What is missing? Run doctor", ""),
)


def test_phrases_and_their_rules(tmp_path: Path) -> None:
    """Phrases that readers of this project stumbled over, and the better wordings, which pass."""
    lines = "".join(f"MESSAGE = {text!r}\n" for text, _ in PHRASES)

    expected = [(line, rule) for line, (_, rule) in enumerate(PHRASES, start=1) if rule]
    assert found(tmp_path, "message.py", lines) == expected


def test_every_rule_says_what_to_write() -> None:
    """Each has a unique name and patterns that compile."""
    tables = tomllib.loads(RULES.read_text(encoding="utf-8"))["rule"]

    assert len({table["name"] for table in tables}) == len(tables) == len(rules())
    assert [table["name"] for table in tables if not table["write"].strip()] == []
    assert all(list(rule.check.check("")) == [] for rule in rules())


def test_names_that_are_participles() -> None:
    """Words with the same ending may be nouns."""
    assert [word for word in ("Told", "Graded", "Seed", "Task", "GradedRun") if is_participle(word)] == [
        "Told",
        "Graded",
    ]


def test_the_check_counts_the_phrases() -> None:
    """The tests do not compare counts: `.ci/run` does it once, before the tests."""
    assert "-m tools.prose --count" in (command.ROOT / "tests" / "check.sh").read_text()


def test_the_numbers_are_only_lowered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder above its limit fails, and `--write` does not raise the limit."""
    monkeypatch.setattr(command, "COUNTS", tmp_path / "counts.json")
    monkeypatch.setattr(
        command, "files", lambda: [command.ROOT / "docs" / "a.md", command.ROOT / "README.md"]
    )
    phrases = [Finding("docs/a.md", 1, "told", "is told", "is reported")] * 3
    monkeypatch.setattr(command, "findings_of", lambda path: phrases if path.name == "a.md" else [])
    command.COUNTS.write_text('{"docs": 2, ".": 5}')

    assert command.main(["--count"]) == 1
    assert command.main(["--write"]) == 0
    assert command.committed() == {".": 0, "docs": 2}
