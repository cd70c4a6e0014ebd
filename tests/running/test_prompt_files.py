"""Prompt files: placeholders are found and checked, and every fault has file, line and the valid fields."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright import registry
from benchwright.errors import DataError, UsageError
from benchwright.running.prompt_files import (
    MAX_BYTES,
    PromptFile,
    check_fields,
    fields_of,
    prompt_of,
    read_prompt,
    read_prompts,
)
from benchwright.tracks.prompt_templates import TemplateFault, fill, placeholders
from kit.own_rows import CALLS, LABEL, own_task
from kit.small_data import humaneval

PARTS = st.lists(
    st.one_of(
        st.sampled_from(["{{", "}}", "\n", "{prompt}", "{labels}"]),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="{}"), max_size=6),
    ),
    max_size=8,
)


def template(folder: Path, text: str | bytes, name: str = "short.txt") -> PromptFile:
    """Return a template with this text."""
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_prompt(folder / name)


@given(PARTS)
def test_placeholders_are_those_that_filling_replaces(parts: list[str]) -> None:
    """They are in order, with their lines; doubled braces and braces in values are unchanged."""
    text, values = "".join(parts), {"prompt": "{a}", "labels": "}{"}

    found = placeholders(text)

    expected = [part[1:-1] for part in parts if part in ("{prompt}", "{labels}")]
    assert [name for name, _ in found] == expected
    assert all(f"{{{name}}}" in text.split("\n")[line - 1] for name, line in found)
    wanted = "".join(
        {"{{": "{", "}}": "}", "{prompt}": "{a}", "{labels}": "}{"}.get(each, each) for each in parts
    )
    assert fill(text, values) == wanted


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_is_a_template_or_a_fault(text: str) -> None:
    """An accepted template can be filled."""
    with TemporaryDirectory() as folder:
        try:
            prompt = template(Path(folder), text)
        except DataError as error:
            assert error.line
            return
    names = [name for name, _ in placeholders(prompt.text)]
    assert names
    fill(prompt.text, dict.fromkeys(names, "x"))


def test_a_template_is_filled_with_a_task(tmp_path: Path) -> None:
    """Its last line end is removed; Windows' line ends become plain ones."""
    prompt = template(tmp_path, "\ufeffPick one of {labels}.\r\n\r\n{prompt} {{}}\n")
    task, track = own_task(tmp_path, LABEL), registry.find("track", "own")

    assert prompt.name == "short"
    assert prompt.fill(track, task, form="chat") == f"Pick one of spam, ham.\n\n{LABEL['prompt']} {{}}"
    assert prompt_of({"prompts": prompt.identity()}) == PromptFile(name="short", text=prompt.text)
    assert prompt_of({"prompts": {"design": "all"}}) is None


def test_the_fields_of_a_task_say_nothing_of_its_answer(tmp_path: Path) -> None:
    """Neither the label nor the solution is included; of a function only the head."""
    own = registry.find("track", "own")

    assert set(fields_of(own, own_task(tmp_path, LABEL), form="chat")) == {"prompt", "labels"}
    assert set(fields_of(own, own_task(tmp_path, CALLS), form="chat")) == {"prompt", "entry_point"}
    track = registry.find("track", "humaneval")
    task = next(iter(track.load(humaneval(tmp_path, 1))))
    assert set(fields_of(track, task, form="chat")) == {"prompt", "function", "fence"}


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        ("", 1, "has no placeholder", "{prompt}"),
        ("Answer.\n", 1, "has no placeholder", "{prompt}"),
        ("{{prompt}}", 1, "has no placeholder", "{prompt}"),
        ("\n{prompt} {", 2, "a single `{`", "double each brace"),
        ("{prompt}\n}", 2, "a single `}`", "double each brace"),
        ("{prompt} {a.b}", 1, "a single `{`", "double each brace"),
        ("{prompt:>9}", 1, "a single `{`", "double each brace"),
        (b"{prompt}\n\xff", 2, "is not UTF-8", "save the file"),
        ("{prompt}" + "x" * MAX_BYTES, None, "more than 65,536 bytes", "{prompt}"),
    ],
    ids=lambda value: str(value)[:16],
)
def test_a_fault_of_a_template_names_its_line(
    tmp_path: Path, text: str | bytes, line: int | None, message: str, hint: str
) -> None:
    with pytest.raises(DataError) as caught:
        template(tmp_path, text)

    assert message in caught.value.message
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "short.txt"), line)
    assert hint in str(caught.value.hint)


def test_an_unknown_placeholder_names_the_fields(tmp_path: Path) -> None:
    """A field that only some tasks have counts as unknown."""
    track, tasks = registry.find("track", "own"), [own_task(tmp_path, LABEL), own_task(tmp_path, CALLS)]
    for text, name, hint in (
        ("\n{promt}", "{promt}", "did you mean `prompt`?"),
        ("\n{labels}", "{labels}", "{entry_point}"),
    ):
        with pytest.raises(DataError) as caught:
            check_fields(template(tmp_path, text), track, tasks, form="chat")
        assert f"unknown placeholder {name}" in caught.value.message
        assert (caught.value.line, hint in str(caught.value.hint)) == (2, True)
        assert "the fields are: {prompt}" in str(caught.value.hint)


def test_files_that_are_no_prompts_are_refused(tmp_path: Path) -> None:
    """A missing file, a folder, a pipe name, two files of one name, too many."""
    template(tmp_path, "{prompt}", "one.txt")
    template(tmp_path, "{prompt}", "one.md")
    wrong: list[tuple[list[str], str]] = [
        (["none.txt"], "cannot be read"),
        ([""], "it is not a regular file"),
        (["one.txt", "one.md"], "have one name"),
        (["one.txt"] * 101, "exceed the limit"),
    ]
    for names, message in wrong:
        with pytest.raises(UsageError) as caught:
            read_prompts([str(tmp_path / name) for name in names])
        assert message in caught.value.message


def test_a_single_brace_has_its_line() -> None:
    with pytest.raises(TemplateFault) as caught:
        placeholders("a\nb {")

    assert caught.value.line == 2
