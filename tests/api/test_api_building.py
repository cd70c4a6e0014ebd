"""`bw.audit` and `bw.build`: the options of their commands, and what a core installation says."""

from __future__ import annotations

from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Any, get_overloads

import click
import pytest

import benchwright as bw
from benchwright import registry
from benchwright.api import building
from benchwright.api.arguments import arguments_of, command_arguments
from kit.made_drafts import sound, write_drafts
from kit.needs import need_module, need_sandbox
from kit.small_data import humaneval, humaneval_row, write

TERMINAL = {"json", "quiet", "fail_on", "trust_cluster"}


def test_each_option_of_audit_is_an_argument_with_its_default() -> None:
    """The signature and the command cannot drift apart."""
    shape = signature(bw.audit).parameters
    options = {each.name: each.option for each in command_arguments(building.AUDIT).values()}

    assert set(options) - TERMINAL == set(shape) - {"data"}
    for name in set(options) - TERMINAL:
        assert shape[name].default == (options[name].default if name in ("track", "on") else None)


def overload_of(recipe: str) -> Signature:
    """The typed signature of a recipe."""
    unwrapped = building.build.__wrapped__  # type: ignore[attr-defined]
    return next(
        shape
        for each in get_overloads(unwrapped)
        for shape in [signature(each)]
        if f'Literal["{recipe}"]' in str(shape.parameters["recipe"].annotation).replace("'", '"')
    )


@pytest.mark.parametrize("recipe", ["codecorrectness", "aicodereval"])
def test_each_option_of_a_recipe_is_an_argument_with_its_default(recipe: str) -> None:
    """Each built-in recipe has a signature of its own."""
    command: click.Command = registry.find("recipe", recipe).command
    options = {
        each.name: each for each in arguments_of(command).values() if each.name not in building.TERMINAL
    }
    shape = {name: each for name, each in overload_of(recipe).parameters.items() if name != "recipe"}
    declared = command.make_context(recipe, ["--out=builds/aicodereval"]).params

    assert set(shape) == set(options)
    for name, argument in options.items():
        given, default = shape[name].default, declared[argument.option.name or ""]
        if argument.option.required:
            assert given is Parameter.empty
        elif given is None:  # `cache`: as the environment says
            assert default in (None, ()) or name == "cache", name
        else:
            assert given == (str(default) if name == "out" else default), name


@pytest.mark.usefixtures("jail")
def test_an_audit_returns_its_report(tmp_path: Path) -> None:
    """Counts by finding, the page, and text and HTML that escape what the data set contains."""
    weak = humaneval_row(0, test="def check(candidate):\n    assert candidate(7) is not None\n")
    data = write(tmp_path / "<b>rows.jsonl", [weak, {"a": 1}])
    found = bw.audit(data, out=tmp_path / "audit", workers=1)

    assert (found.rows, found.tasks, found.counts["unreadable"]) == (2, 1, 1)
    assert found.page.is_file()
    assert "unreadable: 1 task" in str(found)
    assert "&lt;b&gt;rows" in found._repr_html_() and "<b>rows" not in found._repr_html_()


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("audit", {"trak": "own"}, "unknown argument: trak="),
    ("audit", {"memory": 1}, "memory=1: must be at least 32"),
    ("audit", {"tasks": "Small/9"}, "tasks=.*no such task"),
    ("build", {"out": "x", "repeats": 1}, "unknown argument: repeats="),
    ("build", {"out": "x", "repeat": "3"}, "repeat='3': must be an integer"),
    ("build", {"out": "x", "uses": "nothing"}, "uses=.*unknown use"),
    ("build", {"out": "x", "stars": "10.."}, "stars= needs github="),
    ("build", {}, "Missing option 'out='"),
]


@pytest.mark.parametrize(("function", "given", "message"), WRONG)
def test_a_wrong_argument_is_named(
    tmp_path: Path, function: str, given: dict[str, Any], message: str
) -> None:
    """Neither message nor hint contains an option of the command line."""
    first = humaneval(tmp_path) if function == "audit" else "codecorrectness"
    with pytest.raises(bw.UsageError, match=message) as caught:
        getattr(bw, function)(first, **given)

    assert "--" not in caught.value.message


def test_an_unknown_recipe_is_refused() -> None:
    """With the known ones."""
    with pytest.raises(bw.UsageError, match="nothing"):
        bw.build("nothing", {})


@pytest.mark.parametrize("call", [lambda: bw.audit("x.jsonl"), lambda: bw.build("codecorrectness", out="x")])
def test_a_core_installation_names_the_extra(monkeypatch: pytest.MonkeyPatch, call: Any) -> None:
    """Before anything is imported that such an installation does not have."""
    monkeypatch.setattr(building, "is_installed", lambda _words: False)
    with pytest.raises(bw.PrerequisiteError, match="benchwright-build") as caught:
        call()

    assert "build" in str(caught.value.hint)


def test_a_build_returns_its_folder_and_prints_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same release as that of the command."""
    need_sandbox()
    need_module("detect_secrets")
    drafts = write_drafts(tmp_path / "drafts.jsonl", [sound()[0]])
    built = bw.build("aicodereval", drafts=drafts, out=tmp_path / "out", name="mine@2.0.0")

    assert (built.folder, built.manifest["tiers"]) == (str(tmp_path / "out"), {"certified": 1})
    assert [each.stage for each in built.levels] == ["read", "check", "try", "tier", "select"]
    assert capsys.readouterr() == ("", "")
