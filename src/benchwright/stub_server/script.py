"""What the stub server answers: completions chosen by a text in the prompt and by the seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from benchwright.errors import DataError
from benchwright.records import Record
from benchwright.store.lines import read_rows


class ScriptRow(Record, frozen=True, kw_only=True):
    """Answers to each prompt that has `contains` in it; an empty `contains` is in every prompt.

    `turn` must be in the last message of the user, where a row is for one turn of a conversation.
    """

    contains: str
    completions: list[str]
    turn: str = ""


class Script(Record, frozen=True, kw_only=True):
    """Rows in order; the first whose text is in the prompt answers. Without any row the server echoes."""

    rows: list[ScriptRow] = []

    @classmethod
    def of(cls, answers: Mapping[str, str | Sequence[str]]) -> Script:
        """A script from texts of prompts with their completions: `Script.of({"def add(": ["…", "…"]})`."""
        rows = [
            ScriptRow(contains=text, completions=[given] if isinstance(given, str) else list(given))
            for text, given in answers.items()
        ]
        return cls(rows=rows).check()

    @classmethod
    def read(cls, path: str | Path) -> Script:
        """A script from a JSON Lines file of {"contains": TEXT, "completions": [TEXT, …]}."""
        rows = []
        for line, data in read_rows(path):
            try:
                row = msgspec.convert(data, ScriptRow)
                _check(row)
            except (msgspec.ValidationError, ValueError) as error:
                raise DataError(str(error), path=str(path), line=line, hint=_ROW_EXAMPLE) from None
            rows.append(row)
        if not rows:
            raise DataError("the script has no rows", path=str(path), hint=_ROW_EXAMPLE)
        return cls(rows=rows)

    def check(self) -> Script:
        """The script itself. Raises DataError for a row without completions."""
        for row in self.rows:
            try:
                _check(row)
            except ValueError as error:
                raise DataError(f"{error} (contains {row.contains!r})", hint=_ROW_EXAMPLE) from None
        return self

    def answer(
        self, *, model: str, prompt: str, seed: int, temperature: float, turn: str | None = None
    ) -> str | None:
        """The completion for a question; None when no row fits.

        The seed chooses, `completions[seed % len]`: plain enough to write a test against. At temperature
        0 it does not, as with a real model, and the first one answers.
        """
        if not self.rows:
            return _echo(model, prompt, seed, temperature)
        for row in self.rows:
            if row.contains in prompt and row.turn in (prompt if turn is None else turn):
                return row.completions[seed % len(row.completions) if temperature > 0 else 0]
        return None


_ROW_EXAMPLE = """write {"contains": "def add(", "completions": ["    return x + y\\n"]}"""


def _check(row: ScriptRow) -> None:
    if not row.completions:
        raise ValueError("`completions` is empty")


def _echo(model: str, prompt: str, seed: int, temperature: float) -> str:
    """A comment that shows whose answer it is, and the prompt; greedy answers do not depend on the seed."""
    how = f"seed {seed}, temperature {temperature:g}" if temperature > 0 else "greedy"
    return f"# {model}, {how}\n{prompt}"


def key_of(path: str, prompt: str, seed: int | None) -> str:
    """The name that requests are counted under: path, prompt and seed, and nothing else of a request."""
    return sha256(repr((path, prompt, seed)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
