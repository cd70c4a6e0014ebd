"""The behaviour of the stub server that a test sets: faults of a server, and a script of replies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from benchwright.errors import DataError, UsageError, nearest_hint
from benchwright.records import Record
from benchwright.store.lines import read_rows

# A reply that is an error: HTTP status, and the type and code that OpenAI's interface names it by.
ERRORS: Mapping[str, tuple[int, str, str]] = {
    "429": (429, "requests", "rate_limit_exceeded"),
    "429-bare": (429, "requests", "rate_limit_exceeded"),
    "500": (500, "server_error", "internal_error"),
    "503": (503, "server_error", "overloaded"),
    "401": (401, "invalid_request_error", "invalid_api_key"),
    "context-length": (400, "invalid_request_error", "context_length_exceeded"),
}
KINDS: Mapping[str, str] = {
    "429": "too many requests, with Retry-After (`seconds`)",
    "429-bare": "too many requests, without Retry-After",
    "500": "an internal error",
    "503": "overloaded",
    "401": "the key is refused",
    "context-length": "400: the prompt is longer than the model's context",
    "slow": "the answer comes `seconds` late",
    "drop": "the connection is closed before any byte of the reply",
    "cut": "the connection is closed in the middle of the body",
    "wrong-json": "200 with a body that is not whole JSON",
    "wrong-shape": "200 with JSON that has no choices",
    "huge": "200 with a text of `size` bytes",
    "empty": 'the text is ""',
    "null": "the text is null",
    "n-ignored": "one choice, however many were asked for",
    "n-forced": "one choice more than was asked for",
    "duplicates": "seed and temperature are ignored: all answers are alike",
    "logprobs-null": "logprobs are null although asked for",
    "stop-kept": "generation ends at a stop string, which stays in the text with the rest of its token",
    "stop-ignored": "generation continues past the stop strings",
    "schema-refused": "400: a reply by a JSON schema cannot be asked for",
    "schema-ignored": "the text is not by the JSON schema that was asked for",
    "usage-missing": "no token counts",
    "models-500": "GET /v1/models fails",
    "models-empty": "GET /v1/models names no model",
}
MODELS_KINDS = frozenset({"models-500", "models-empty"})
MAX_SECONDS, MAX_SIZE = 3600.0, 4 << 30


class Fault(Record, frozen=True, kw_only=True):
    """A fault and when it shows: always, or where all of the conditions that are given hold.

    `one_in` chooses keys (path, prompt, seed) by their hash, so the same ones fail in each run whatever
    the order of arrival; `every` counts requests as they arrive.
    """

    kind: str
    first: int | None = None  # only the first N requests of a key
    every: int | None = None  # only every k-th request of all
    one_in: int | None = None  # only one key in N, roughly
    contains: str = ""  # only prompts with this text in them
    seconds: float = 1.0  # of `slow`, and what Retry-After says
    size: int = 64 << 20  # bytes of `huge`

    @classmethod
    def parse(cls, text: str) -> Fault:
        """A fault as the command line has it: `KIND`, or `KIND:name=value,…`; `contains` comes last."""
        kind, _, rest = text.partition(":")
        head, found, contains = rest.partition("contains=")
        pairs = [part.partition("=") for part in head.split(",") if part]
        values = {"kind": kind, **{name: value for name, _, value in pairs}}
        if found:
            values["contains"] = contains
        try:
            fault = msgspec.convert(values, cls, strict=False)
        except msgspec.ValidationError as error:
            raise UsageError(f"the fault {text!r} cannot be read: {error}", hint=_EXAMPLE) from None
        unknown = sorted(set(values) - set(cls.__struct_fields__))
        if unknown:
            names = ", ".join(cls.__struct_fields__[1:])
            raise UsageError(f"the fault {text!r} has no setting {unknown[0]!r}", hint=f"one of: {names}")
        return fault

    def check(self) -> Fault:
        """Return the fault. Raises UsageError for an unknown kind or an invalid number."""
        if self.kind not in KINDS:
            raise UsageError(f"no fault is named {self.kind!r}", hint=nearest_hint(self.kind, KINDS))
        for name in ("first", "every", "one_in"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(f"the fault {self.kind}: {name}={number} must be at least 1", hint=_EXAMPLE)
        if not 0 <= self.seconds <= MAX_SECONDS:
            raise UsageError(f"the fault {self.kind}: seconds={self.seconds} is not in 0..{MAX_SECONDS:g}")
        if not 0 <= self.size <= MAX_SIZE:
            raise UsageError(f"the fault {self.kind}: size={self.size} is not in 0..{MAX_SIZE}")
        return self

    def shows(self, *, prompt: str, key: int, of_key: int, of_all: int) -> bool:
        """Whether it shows: `key` is the key's hash, the others are the request's numbers from 1."""
        return (
            (self.first is None or of_key <= self.first)
            and (self.every is None or of_all % self.every == 0)
            and (self.one_in is None or key % self.one_in == 0)
            and self.contains in prompt
        )


_EXAMPLE = "write it like `429`, `429:first=2,seconds=0.5`, `500:one_in=10,first=1` or `cut:every=7`"


def read_faults(faults: Sequence[Fault | str]) -> tuple[Fault, ...]:
    """Faults given as records or as text, checked."""
    return tuple((Fault.parse(each) if isinstance(each, str) else each).check() for each in faults)


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
