"""The options of asking: what they come to, and how --help shows them."""

from __future__ import annotations

import json
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from benchwright.cli.arguments import Option, SectionedCommand
from benchwright.cli.model_options import asking_options, asking_settings
from benchwright.contracts import RequestOptions
from benchwright.errors import UsageError
from kit.command_line import benchwright


def asking(*args: str) -> RequestOptions:
    """The parameters that options come to."""
    found: list[RequestOptions] = []

    @click.command()
    @asking_options
    def command(prompts: str | None, language: str | None, **given: Any) -> None:
        found.append(asking_settings(given))

    command.main(list(args), standalone_mode=False)
    return found[0]


def refusal(*args: str) -> tuple[str, str]:
    """How options are refused."""
    with pytest.raises(UsageError) as caught:
        asking(*args)
    return caught.value.message, str(caught.value.hint)


def test_without_options_everything_is_at_its_default() -> None:
    """The defaults are those of the record, written once."""
    assert asking() == RequestOptions()


def test_every_parameter_has_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each field of the record can be set from the command line, but for how its options are called."""
    monkeypatch.delenv("BENCHWRIGHT_NO_CACHE")
    text = (
        r"--base-url http://h/v1 --api completions --temperature 0.1 --top-p 0.2 --max-tokens 3 --stop a --seed 4 "
        r"--body x=1 --concurrency 5 --per-minute 6 --timeout 7 --retries 8 --budget 9 --price-in 10 --price-out 11 "
        r"--model-id a --batch --no-wait --price-batch 0.4"
    )
    given, default = asking(*text.split()), RequestOptions()
    same = [
        name for name in RequestOptions.__struct_fields__ if getattr(given, name) == getattr(default, name)
    ]

    assert same == ["timed", "options"]  # a task that limits time sets the first
    assert (given.timeout_s, given.body, given.stop, given.api) == (7.0, {"x": 1}, ("a",), "completions")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        (r"\ndef", "\ndef"),
        (r"\n\n", "\n\n"),
        (r"\t", "\t"),
        (r"\\n", r"\n"),
        (r"\\\n", "\\\n"),
        (r"\d", r"\d"),
        ("\\", "\\"),
        ("\ndef", "\ndef"),
    ],
)
def test_escapes_in_stop_strings(typed: str, meant: str) -> None:
    """Line ends and tabs can be typed; what is no escape stays as it is."""
    assert asking("--stop", typed, "--stop", "x").stop == (meant, "x")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=5,
)


@given(JSON)
def test_a_body_is_any_json(value: Any) -> None:
    """Equals signs in it too: only the first one divides."""
    assert asking("--body", f"k={json.dumps(value)}").body == {"k": value}


@pytest.mark.parametrize(
    ("fields", "message", "hint"),
    [
        (["k"], "--body 'k': expected KEY=JSON", "--body reasoning_effort="),
        (["=1"], "expected KEY=JSON", "--body reasoning_effort="),
        (["k=low"], "--body k: 'low' is invalid JSON", "--body k='\"low\"'"),
        (["k="], "--body k: '' is invalid JSON", "quote a string twice"),
        (["k=NaN"], "'NaN' is invalid JSON", "quote a string twice"),
        (['k={"a": 1, "a": 2}'], "is invalid JSON", "quote a string twice"),
        (["k=\udcff"], "is invalid JSON", "quote a string twice"),
        (["k=1", "k=2"], "--body k: duplicate field", "use each field once"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(fields: list[str], message: str, hint: str) -> None:
    """With the spelling that a shell and JSON both take."""
    said, offered = refusal(*[part for field in fields for part in ("--body", field)])

    assert (message in said, hint in offered) == (True, True)


def test_help_is_in_sections() -> None:
    """What every run needs comes first; each option is in one section and no other."""
    text = benchwright("run", "--help-all").out  # a command keeps the help option of who called it first
    heads = [line for line in text.splitlines() if line.endswith(":") and not line.startswith(" ")]
    options = [line.split()[0].rstrip(",") for line in text.splitlines() if line.startswith("  -")]

    assert heads[0] == "Options:"
    assert {"Prompts for a live model:", "Live model:", "Rate and cost:", "Model judges:"} <= set(heads)
    assert ({"--budget", "--prompts", "--limit", "-h"} <= set(options), len(options)) == (
        True,
        len(set(options)),
    )


def test_sections_keep_the_order_of_declaration() -> None:
    """An option without a section is among the general ones, hidden ones are nowhere."""

    @click.command(cls=SectionedCommand)
    @click.option("--first", cls=Option, section="Second")
    @click.option("--general")
    @click.option("--secret", hidden=True)
    @click.option("--more", cls=Option, section="Second")
    def command(**given: Any) -> None:
        """A command."""

    lines = [
        line.split()[0]
        for line in CliRunner().invoke(command, ["--help"]).output.splitlines()
        if line.strip()
    ]

    assert lines[2:] == ["Options:", "--general", "--help", "Second:", "--first", "--more"]
