"""Registry of built-in objects by kind and name, and of the entry points of other packages.

A built-in is registered as "module:object" and imported when it is first used, so listing names
imports nothing. Entry points are read only if a name is not built in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from benchwright.errors import UsageError


class StoredDemo(NamedTuple):
    """Files with which `benchwright demo` scores stored answers to a track's tasks.

    `answers` is a folder with MODEL.jsonl for each model. It may contain `judge/` with stored replies of a
    model judge, and `people/MODEL.jsonl` with stored votes. Both paths are relative to `package`.
    """

    data: str
    answers: str
    models: tuple[str, ...] = ("demo-strong", "demo-weak", "demo-cheater")
    pair: tuple[str, str] = ("demo-strong", "demo-weak")  # compared with each other
    package: str = "benchwright.demo"


class TrackDeclaration(NamedTuple):
    """Facts about a track for lists, completion, schemas, conversion and the demo.

    The facts are read without importing the track, so the module that holds a declaration must import nothing
    but this one. References to other objects have the form "module:object".
    """

    name: str
    title: str
    target: str  # the track
    profiles: tuple[str, ...] = ("strict",)  # scoring profiles, the default one first
    forms: tuple[str, ...] = ()  # ways to judge an answer, the default one first; empty: no choice
    row_fields: tuple[tuple[str, ...], ...] = ()  # a row has all fields of one group; "a.b" is nested
    row: str = ""  # the record that describes a row, for `benchwright schema`
    one_of: tuple[str, ...] = ()  # fields of that record: at least one is required
    where: str = "a row of a data set"  # title of the schema
    converter: str = ""  # the `RecordConverter` between records and rows, for `benchwright convert`
    record_formats: tuple[str, ...] = ()  # formats of records in which it writes rows
    mera_sets: tuple[str, ...] = ()  # task sets of MERA Code that its runs can be exported as
    demo: StoredDemo | None = None


# Row recognition tries tracks in this order: `evalplus` and `mbpp` before `humaneval`, and `own` last.
TRACKS: Mapping[str, str] = {
    "evalplus": "benchwright.tracks.evalplus:EVALPLUS",
    "mbpp": "benchwright.tracks.functions:MBPP",
    "multipl": "benchwright.tracks.multipl:MULTIPL",
    "humaneval": "benchwright.tracks.functions:HUMANEVAL",
    "ruhumaneval": "benchwright.tracks.functions:RUHUMANEVAL",
    "codecorrectness": "benchwright.tracks.correctness:LABELS",
    "codecorrectness-errors": "benchwright.tracks.correctness:ERRORS",
    "aicodereval": "benchwright.tracks.aicodereval:AICODEREVAL",
    "smartcoding-comments": "benchwright.tracks.comments:COMMENTS",
    "smartcoding-issues": "benchwright.tracks.issues:ISSUES",
    "own": "benchwright.tracks.own:OWN",
}
MODELS: Mapping[str, str] = {
    "openai": "benchwright.models.openai.model:open_model",
    "ollama": "benchwright.models.openai.model:open_ollama",
    "vllm": "benchwright.models.openai.model:open_vllm",
    "openrouter": "benchwright.models.openai.model:open_openrouter",
    "anthropic": "benchwright.models.openai.model:open_anthropic",
    "gemini": "benchwright.models.openai.model:open_gemini",
    "transformers": "benchwright.models.transformers:open_model",
    "replay": "benchwright.models.replay:open_model",
    "gold": "benchwright.models.fixed:open_gold",
    "stub": "benchwright.models.fixed:open_stub",
}
SOURCES: Mapping[str, str] = {
    "clones": "benchwright.sources.repositories:open_clones",
    "github": "benchwright.sources.repositories:open_github",
    "cards": "benchwright.sources.cards:open_cards",
    "torchhub": "benchwright.sources.torchhub:open_torchhub",
    "gorilla": "benchwright.sources.gorilla:open_api_table",
    "hub": "benchwright.sources.hub.collecting:open_hub",
}
GATES: Mapping[str, str] = {
    "codecorrectness.size": "benchwright.building.codecorrectness.gates:size",
    "codecorrectness.syntax": "benchwright.building.codecorrectness.gates:syntax",
    "codecorrectness.deterministic": "benchwright.building.codecorrectness.gates:deterministic",
    "codecorrectness.self_contained": "benchwright.building.codecorrectness.gates:self_contained",
    "codecorrectness.libraries": "benchwright.building.codecorrectness.gates:libraries_gate",
    "codecorrectness.duplicate": "benchwright.building.codecorrectness.gates:duplicate",
    "aicodereval.schema": "benchwright.building.aicodereval.form_gates:schema",
    "aicodereval.programs": "benchwright.building.aicodereval.form_gates:programs",
    "aicodereval.licence": "benchwright.building.aicodereval.form_gates:licence",
    "aicodereval.calls": "benchwright.building.aicodereval.form_gates:calls",
    "aicodereval.secrets": "benchwright.building.aicodereval.form_gates:secrets",
    "aicodereval.repeated": "benchwright.building.aicodereval.form_gates:repeated",
    "aicodereval.levels": "benchwright.building.aicodereval.lint_gates:levels",
    "aicodereval.exceptions": "benchwright.building.aicodereval.lint_gates:exceptions",
    "aicodereval.cases": "benchwright.building.aicodereval.lint_gates:cases",
    "aicodereval.prompt": "benchwright.building.aicodereval.wording_gates:prompt",
    "aicodereval.exceptions_asked": "benchwright.building.aicodereval.wording_gates:exceptions_asked",
    "aicodereval.literals": "benchwright.building.aicodereval.wording_gates:literals",
    "aicodereval.result_type": "benchwright.building.aicodereval.wording_gates:result_type",
    "aicodereval.blind_solve": "benchwright.building.aicodereval.claim_gates:blind_solve",
    "aicodereval.claims": "benchwright.building.aicodereval.claim_gates:claims",
    "aicodereval.written_answers": "benchwright.building.aicodereval.written_answers:written_answers",
    "aicodereval.known_task": "benchwright.building.aicodereval.known_tasks:known_task",
    "aicodereval.mocks": "benchwright.building.aicodereval.lint_gates:mocks",
    "aicodereval.network": "benchwright.building.aicodereval.lint_gates:network",
    "aicodereval.determinism": "benchwright.building.aicodereval.lint_gates:determinism",
    "aicodereval.imports": "benchwright.building.aicodereval.environment_gate:imports",
}
JUDGES: Mapping[str, str] = {
    "calls": "benchwright.judges.python:CallsJudge",
    "batch": "benchwright.judges.python:BatchJudge",
    "mera": "benchwright.judges.python:MeraJudge",
    "values": "benchwright.judges.python:ValuesJudge",
    "replies": "benchwright.judges.python:RepliesJudge",
    "evalplus": "benchwright.judges.evalplus:PlusJudge",
    "label": "benchwright.judges.label:LabelJudge",
    "levels": "benchwright.judges.levels:LevelsJudge",
    "issue": "benchwright.judges.issues:IssueJudge",
    "comment": "benchwright.judges.comments.judging:CommentJudge",
    "suite": "benchwright.judges.suites.judging:SuiteJudge",
    "suite-answer": "benchwright.judges.suites.answers:SuiteAnswerJudge",
    "served": "benchwright.judges.suites.served:ServedJudge",
}
RUNNERS: Mapping[str, str] = {
    "Python": "benchwright.judges.suites.python:PythonSuites",
    "Java": "benchwright.judges.suites.java:JavaSuites",
    "Go": "benchwright.judges.suites.go:GoSuites",
}
LOGS: Mapping[str, str] = {
    "inspect": "benchwright.interop.inspect_ai_log.scores:READER",
    "lm-eval": "benchwright.interop.lm_eval_scores:READER",
}
SCHEMAS: Mapping[str, str] = {  # of files; rows are described by their tracks
    "stored-answer": "benchwright.running.schemas:STORED_ANSWER",
    "run": "benchwright.running.schemas:RUN",
    "answer": "benchwright.running.schemas:ANSWER",
    "verdict": "benchwright.running.schemas:VERDICT",
    "proof": "benchwright.running.schemas:PROOF",
    "assessment": "benchwright.running.schemas:ASSESSMENT",
    "event": "benchwright.running.schemas:EVENT",
    "score": "benchwright.running.schemas:SCORE",
    "metric": "benchwright.running.schemas:METRIC",
    "check": "benchwright.running.schemas:CHECK",
}
GROUPS: Mapping[str, Mapping[str, str]] = {
    "track": TRACKS,
    "model": MODELS,
    "judge": JUDGES,
    "runner": RUNNERS,
    "source": SOURCES,
    "gate": GATES,
    "log": LOGS,
}


def names(kind: str) -> list[str]:
    """Sorted names of a kind, which is a key of GROUPS, built-in and installed."""
    return sorted({*GROUPS[kind], *_installed(kind)})


def find(kind: str, name: str) -> Any:
    """Import the object with a name. Raises UsageError, with the nearest name, if there is none."""
    found = _registered(kind, name)
    return load(found.target) if isinstance(found, TrackDeclaration) else found


def declaration(track: str) -> TrackDeclaration:
    """Facts about a track. A built-in track is not imported. Raises UsageError as `find` does.

    An entry point of another package names a declaration, or the track itself, which then declares no more
    than its title and profiles.
    """
    found = _registered("track", track)
    if isinstance(found, TrackDeclaration):
        return found
    return TrackDeclaration(name=track, title=found.title, target="", profiles=tuple(found.profiles))


def built_in_tracks() -> Iterator[TrackDeclaration]:
    """Facts about all built-in tracks, in the order of TRACKS. No track is imported."""
    return map(declaration, TRACKS)


def installed_tracks() -> Iterator[TrackDeclaration]:
    """Facts about the tracks of other packages, sorted by name. Their modules are imported."""
    return (declaration(name) for name in sorted(_installed("track")) if name not in TRACKS)


def load(target: str) -> Any:
    """Import "module:object"."""
    module, _, attribute = target.partition(":")
    return getattr(import_module(module), attribute)


def _registered(kind: str, name: str) -> Any:
    if name in GROUPS[kind]:
        return load(GROUPS[kind][name])
    installed = _installed(kind)
    if name in installed:
        return installed[name].load()
    known = sorted({*GROUPS[kind], *installed})
    from difflib import get_close_matches  # noqa: PLC0415 (3 ms, only when needed)

    near = get_close_matches(name, known, 1)
    hint = f"did you mean `{near[0]}`?" if near else f"one of: {', '.join(known)}"
    raise UsageError(f"no {kind} is named {name!r}", hint=hint)


def _installed(kind: str) -> dict[str, Any]:
    from importlib.metadata import entry_points  # noqa: PLC0415 (42 ms of CPU, only when needed)

    return {point.name: point for point in entry_points(group=f"benchwright.{kind}s")}
