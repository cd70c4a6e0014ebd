"""`bw.audit` and `bw.build`: their commands are in the distribution benchwright-build.

Nothing of it is imported before a call, so that the core works without it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, overload

import click

from benchwright import registry
from benchwright.api.arguments import (
    Argument,
    arguments_of,
    check_values,
    each_of,
    errors_in_python,
    in_python,
    unknown_argument,
)
from benchwright.api.comparing import RunOrPath, path_of
from benchwright.api.runs import StoredRun
from benchwright.cli.commands import is_installed
from benchwright.errors import ArgumentError, PrerequisiteError, UsageError, command_name, install_command
from benchwright.executing.executors import LOCAL, ExecutorSetup, open_executor

if TYPE_CHECKING:
    from benchwright.auditing.audit import AuditReport
    from benchwright.building.engine.recipe import BuildResult

AUDIT = "benchwright.cli.audit:command"
# Options of builds that are for a terminal; in Python an address ends in ?trust.
TERMINAL = frozenset(("json", "quiet", "fill_expected", "trust_cluster"))
Language = Literal["Python", "Java", "Go", "JavaScript"]
P = ParamSpec("P")
R = TypeVar("R")


def needs_build(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function that raises PrerequisiteError where benchwright-build is not installed."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not is_installed("audit"):
            message = f"{function.__name__}() needs the distribution benchwright-build"
            raise PrerequisiteError(message, hint=install_command("build"))
        return function(*args, **kwargs)

    return call


@needs_build
@in_python(AUDIT)
def audit(  # noqa: PLR0913 (one argument for each option of the command)
    data: str | Path,
    *,
    track: str = "auto",
    tasks: str | Sequence[str] | None = None,
    answers: RunOrPath | Sequence[RunOrPath] | None = None,
    corpus: str | Path | Sequence[str | Path] | None = None,
    out: str | Path | None = None,
    memory: int | None = None,
    workers: int | None = None,
    on: str = LOCAL,
) -> AuditReport:
    """Find the tasks of a benchmark whose verdicts cannot be trusted, with evidence.

    `answers` are runs on this data set whose answers are used as additional programs. `memory` is in MiB.
    `on` names the executor. The same call resumes an interrupted audit and executes nothing twice. Needs
    the extra `build`.
    """
    from benchwright.auditing.audit import AuditOptions, audit_limits  # noqa: PLC0415 (another distribution)
    from benchwright.auditing.audit import audit as audit_data  # noqa: PLC0415
    from benchwright.auditing.page import write_audit_page  # noqa: PLC0415

    runs = [answers] if isinstance(answers, StoredRun) else each_of(answers)
    given = {**locals(), "answers": [str(path_of(each)) for each in runs]}
    check_values(given, AUDIT)
    options = AuditOptions(
        data=str(data),
        shape=track,
        tasks=tuple(map(str, each_of(tasks))),
        answers=tuple(given["answers"]),
        corpus=tuple(map(str, each_of(corpus))),
        memory_mb=memory,
    )
    setup = ExecutorSetup(workers=workers, limits=audit_limits(memory))
    with open_executor(setup, on=on) as pool:
        found = audit_data(options, pool, out=None if out is None else Path(out))
    write_audit_page(found, found.page)
    return found


@overload
def build(
    recipe: Literal["codecorrectness"],
    /,
    *,
    out: str | Path,
    sources: str | Path | Sequence[str | Path] | None = None,
    licence: str | Sequence[str] | None = None,
    gate: str | Sequence[str] | None = None,
    repeat: int = 5,
    mutants_tried: int = 12,
    mutants_kept: int = 1,
    max_rows: int | None = None,
    name: str = "CodeCorrectness",
    maintainer: str | Sequence[str] | None = None,
    libraries: str | Path | None = None,
    licence_unknown: Literal["keep", "drop"] = "drop",
    focal_chars: int = 65000,
    test_chars: int = 5000,
    asserts: int = 20,
    cases_per_file: int = 30,
    cases_per_repository: int = 200,
    likeness: float = 0.85,
    uses: str | Sequence[str] | None = None,
    mix: Mapping[str, Any] | None = None,
    strict_mix: bool = False,
    uneven_kinds: bool = False,
    repository_share: float = 5.0,
    rows_per_file: int = 10,
    github: Language | Sequence[Language] | None = None,
    stars: str | None = None,
    pushed_since: str | None = None,
    max_repositories: int | None = None,
    github_api: str | None = None,
    history: int = 200,
    broken: float = 0.1,
    steady_repeat: int = 20,
    unproven: Literal["keep", "drop"] = "keep",
    project_builds: bool = True,
    generate: str | None = None,
    tests_per_file: int = 2,
    files_asked: int = 40,
    base_url: str | None = None,
    model_id: str | None = None,
    api: Literal["chat", "completions"] = "chat",
    temperature: float | None = None,
    top_p: float | None = None,
    max_tokens: int = 2048,
    stop: str | Sequence[str] | None = None,
    seed: int = 1234,
    body: Mapping[str, Any] | None = None,
    concurrency: int = 8,
    per_minute: float | None = None,
    timeout: float = 600.0,
    retries: int = 6,
    budget: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    cache: bool | None = None,
    on: str = LOCAL,
) -> BuildResult:
    """Build a data set from repositories: code and a test, with the label that execution decides."""


@overload
def build(
    recipe: Literal["aicodereval"],
    /,
    *,
    sources: str | Path | Sequence[str | Path] | None = None,
    out: str | Path = "builds/aicodereval",
    licence: str | Sequence[str] | None = None,
    gate: str | Sequence[str] | None = None,
    drafts: str | Path | Sequence[str | Path] | None = None,
    name: str = "aicodereval@0.1.0",
    min_success_rate: float = 0.0,
    corpus: str | Path | Sequence[str | Path] | None = None,
    reviewed: str | Path | Sequence[str | Path] | None = None,
    model: str | None = None,
    reviewer: str | None = None,
    environment: str = "bare",
    repairs: int = 3,
    base_url: str | None = None,
    model_id: str | None = None,
    api: Literal["chat", "completions"] = "chat",
    temperature: float = 0.0,
    top_p: float | None = None,
    max_tokens: int = 8192,
    stop: str | Sequence[str] | None = None,
    seed: int = 1234,
    body: Mapping[str, Any] | None = None,
    concurrency: int = 8,
    per_minute: float | None = None,
    timeout: float = 600.0,
    retries: int = 6,
    budget: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    cache: bool | None = None,
    on: str = LOCAL,
) -> BuildResult:
    """Build a release of tasks around AI models, which were executed before they are published."""


@overload
def build(recipe: str, options: Mapping[str, Any], /) -> BuildResult:
    """Build by a recipe of another package, which has no typed signature here."""


@needs_build
def build(recipe: str, options: Mapping[str, Any] | None = None, /, **given: Any) -> BuildResult:
    """Build a data set by a recipe; execution decides each label. The same call resumes the build.

    Each argument is an option of `benchwright build RECIPE`. A recipe of another package takes them as a
    mapping: `bw.build("mine", {"out": "data/mine"})`. Returns the folder, the manifest and the funnel.
    Needs the extra `build`.
    """
    command: click.Command = registry.find("recipe", recipe).command
    given = {**(options or {}), **given}
    arguments = arguments_of(command)
    known = {each.name: each for each in arguments.values() if each.name not in TERMINAL}
    for name in given:
        if name not in known:
            raise unknown_argument("build", name, list(known))
    with errors_in_python(arguments):
        check_values(given, known)
        words = [
            word for name, value in given.items() if value is not None for word in _words(known[name], value)
        ]
        return _built(command, recipe, words)


def _built(command: click.Command, recipe: str, words: list[str]) -> BuildResult:
    """Call the command of a recipe, which gives its result to the context and prints nothing."""
    from benchwright.cli.build_options import RESULT  # noqa: PLC0415 (in another distribution)

    try:
        with command.make_context(recipe, words) as context:
            context.meta[RESULT] = None
            command.invoke(context)
            built: BuildResult | None = context.meta[RESULT]
    except click.ClickException as error:
        raise ArgumentError(
            error.format_message(), hint=f"help(bw.build), {command_name()} build {recipe} --help"
        ) from None
    if built is None:
        message = f"the recipe {recipe} returns no result: its command does not call `run_build`"
        raise UsageError(message, hint=f"{command_name()} build {recipe}")
    return built


def _words(argument: Argument, value: Any) -> list[str]:
    """Return the words of the command line that give an argument its value."""
    option = argument.option
    flag = max(option.opts, key=len)
    if option.is_flag:
        return [flag] if value != argument.negated else option.secondary_opts[:1]
    if isinstance(value, Mapping):
        pairs = [f"{name}={json.dumps(each, ensure_ascii=False)}" for name, each in value.items()]
        return [f"{flag}={each}" for each in (pairs if option.multiple else [",".join(pairs)])]
    return [f"{flag}={each}" for each in (each_of(value) if option.multiple else [value])]
