"""Registry of built-in objects by kind and name, and of the entry points of other packages.

A built-in is registered as "module:object" and imported when it is first used, so listing names
imports nothing. Entry points are read only if a name is not built in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, NamedTuple

from benchwright.errors import PrerequisiteError, UsageError, install_command, nearest_hint


class StoredDemo(NamedTuple):
    """Files with which `benchwright demo` scores stored answers to a track's tasks.

    `answers` is a folder with MODEL.jsonl for each model. It may contain `judge/` with stored replies of a
    model judge, and `people/MODEL.jsonl` with stored votes. Both paths are relative to `package`. `about`
    says how answers are judged; it follows the number of tasks in the demo's output.
    """

    data: str
    answers: str
    models: tuple[str, ...] = ("demo-strong", "demo-weak", "demo-cheater")
    pair: tuple[str, str] = ("demo-strong", "demo-weak")  # compared with each other
    package: str = "benchwright.demo"
    about: str = ""


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
    "rucodeeval": "benchwright.tracks.rucodeeval:RUCODEEVAL",
    "codelintereval": "benchwright.tracks.codelintereval:CODELINTEREVAL",
    "strucom": "benchwright.tracks.strucom:STRUCOM",
    "rucodereviewer": "benchwright.tracks.rucodereviewer:RUCODEREVIEWER",
    "unittests": "benchwright.tracks.unittests:UNITTESTS",
    "javatestgen": "benchwright.tracks.javatestgen:JAVATESTGEN",
    "realcode": "benchwright.tracks.realcode:REALCODE",
    "realcodejava": "benchwright.tracks.realcodejava:REALCODEJAVA",
    "yabloco": "benchwright.tracks.yabloco:YABLOCO",
    "codecorrectness": "benchwright.tracks.correctness:LABELS",
    "codecorrectness-errors": "benchwright.tracks.correctness:ERRORS",
    "aicodereval": "benchwright.tracks.aicodereval:AICODEREVAL",
    "smartcoding-comments": "benchwright.tracks.comments:COMMENTS",
    "smartcoding-issues": "benchwright.tracks.issues:ISSUES",
    "smartcoding-refine": "benchwright.tracks.refine:REFINE",
    "stdio": "benchwright.tracks.stdio:STDIO",
    "own": "benchwright.tracks.own:OWN",
}
MODELS: Mapping[str, str] = {
    "openai": "benchwright.models.http.model:open_model",
    "ollama": "benchwright.models.http.model:open_ollama",
    "vllm": "benchwright.models.http.model:open_vllm",
    "openrouter": "benchwright.models.http.model:open_openrouter",
    "anthropic": "benchwright.models.http.model:open_anthropic",
    "gemini": "benchwright.models.http.model:open_gemini",
    "azure": "benchwright.models.http.model:open_azure",
    "bedrock": "benchwright.models.http.model:open_bedrock",
    "vertex": "benchwright.models.http.model:open_vertex",
    "litellm": "benchwright.models.http.model:open_litellm",
    "transformers": "benchwright.models.transformers:open_model",
    "replay": "benchwright.models.replay:open_model",
    "gold": "benchwright.models.fixed:open_gold",
    "stub": "benchwright.models.fixed:open_stub",
}
SOURCES: Mapping[str, str] = {
    "clones": "benchwright.sources.repositories:open_clones",
    "github": "benchwright.sources.repositories:open_github",
    "cards": "benchwright.sources.model_cards:open_cards",
    "torchhub": "benchwright.sources.model_cards:open_torchhub",
    "gorilla": "benchwright.sources.api_tables:open_api_table",
    "hub": "benchwright.sources.hub.model_hub:open_hub",
    "gerrit": "benchwright.sources.gerrit:open_gerrit",
    "reviews": "benchwright.sources.review_refs:open_review_refs",
    "records": "benchwright.sources.hand_records:open_records",
    "sessions": "benchwright.sources.session_logs:open_sessions",
    "run": "benchwright.sources.own_runs:open_run",
    "build": "benchwright.sources.own_runs:open_build",
    "github-events": "benchwright.sources.github.event_source:open_github_events",
    "github-replies": "benchwright.sources.github.reply_files:open_github_replies",
    "gharchive": "benchwright.sources.github.archive_hours:open_archive_hours",
}
GATES: Mapping[str, str] = {
    "codecorrectness.size": "benchwright.building.codecorrectness.row_gates:size",
    "codecorrectness.syntax": "benchwright.building.codecorrectness.row_gates:syntax",
    "codecorrectness.deterministic": "benchwright.building.codecorrectness.row_gates:deterministic",
    "codecorrectness.self_contained": "benchwright.building.codecorrectness.row_gates:self_contained",
    "codecorrectness.libraries": "benchwright.building.codecorrectness.row_gates:libraries_gate",
    "codecorrectness.duplicate": "benchwright.building.codecorrectness.row_gates:duplicate",
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
    "aicodereval.written_answers": "benchwright.building.aicodereval.claim_gates:written_answers",
    "aicodereval.known_task": "benchwright.building.aicodereval.originality_gates:known_task",
    "aicodereval.mocks": "benchwright.building.aicodereval.lint_gates:mocks",
    "aicodereval.network": "benchwright.building.aicodereval.lint_gates:network",
    "aicodereval.determinism": "benchwright.building.aicodereval.lint_gates:determinism",
    "aicodereval.imports": "benchwright.building.aicodereval.claim_gates:imports",
}
JUDGES: Mapping[str, str] = {
    "calls": "benchwright.judges.python:CallsJudge",
    "batch": "benchwright.judges.python:BatchJudge",
    "mera": "benchwright.judges.python:MeraJudge",
    "completion": "benchwright.judges.completions:CompletionJudge",
    "mera-completion": "benchwright.judges.completions:MeraCompletionJudge",
    "values": "benchwright.judges.python:ValuesJudge",
    "replies": "benchwright.judges.python:RepliesJudge",
    "evalplus": "benchwright.judges.evalplus:PlusJudge",
    "label": "benchwright.judges.label:LabelJudge",
    "graders": "benchwright.judges.graders:GradersJudge",
    "levels": "benchwright.judges.levels:LevelsJudge",
    "issue": "benchwright.judges.issues:IssueJudge",
    "comment": "benchwright.judges.comments.judge:CommentJudge",
    "refine": "benchwright.judges.refine:RefineJudge",
    "documentation": "benchwright.judges.documentation:DocumentationJudge",
    "lint": "benchwright.judges.lint.judge:LintJudge",
    "review": "benchwright.judges.review:ReviewJudge",
    "code-bleu": "benchwright.judges.written_tests.likeness:CodeBleuJudge",
    "written-tests": "benchwright.judges.written_tests.judge:WrittenTestsJudge",
    "repository": "benchwright.judges.repositories.judge:RepositoryJudge",
    "suite": "benchwright.judges.suites.runners:SuiteJudge",
    "suite-answer": "benchwright.judges.suites.answer_judges:SuiteAnswerJudge",
    "served": "benchwright.judges.suites.answer_judges:ServedJudge",
    "stdio": "benchwright.judges.programs.judge:StdioJudge",
    "printed": "benchwright.judges.programs.printed:PrintedJudge",
}
LANGUAGES: Mapping[str, str] = {  # a language of test suites has a line in RUNNERS as well
    "Python": "benchwright.lang.python.language:PYTHON",
    "Java": "benchwright.lang.java.language:JAVA",
    "Go": "benchwright.lang.go.language:GO",
    "JavaScript": "benchwright.lang.javascript.language:JAVASCRIPT",
    "TypeScript": "benchwright.lang.javascript.language:TYPESCRIPT",
    "C#": "benchwright.lang.csharp.language:CSHARP",
}
RUNNERS: Mapping[str, str] = {
    "Python": "benchwright.judges.suites.python:PythonSuites",
    "Java": "benchwright.judges.suites.java:JavaSuites",
    "Go": "benchwright.judges.suites.go:GoSuites",
    "JavaScript": "benchwright.judges.suites.javascript:JavaScriptSuites",
}
PROGRAM_LANGUAGES: Mapping[str, str] = {  # of whole programs; each has a line in TOOLCHAINS as well
    "Python": "benchwright.lang.python.program:PYTHON_PROGRAM",
    "Java": "benchwright.lang.java.program:JAVA_PROGRAM",
    "Go": "benchwright.lang.go.program:GO_PROGRAM",
    "C": "benchwright.lang.c.program:C_PROGRAM",
    "C++": "benchwright.lang.cpp.program:CPP_PROGRAM",
    "JavaScript": "benchwright.lang.javascript.program:JAVASCRIPT_PROGRAM",
    "TypeScript": "benchwright.lang.javascript.program:TYPESCRIPT_PROGRAM",
    "Rust": "benchwright.lang.rust.program:RUST_PROGRAM",
}
TOOLCHAINS: Mapping[str, str] = {
    "Python": "benchwright.judges.programs.interpreted:PYTHON",
    "Java": "benchwright.judges.programs.java:JAVA",
    "Go": "benchwright.judges.programs.go:GO",
    "C": "benchwright.judges.programs.compiled:C",
    "C++": "benchwright.judges.programs.compiled:CPP",
    "JavaScript": "benchwright.judges.programs.interpreted:JAVASCRIPT",
    "TypeScript": "benchwright.judges.programs.interpreted:TYPESCRIPT",
    "Rust": "benchwright.judges.programs.compiled:RUST",
}
CHECKOUTS = "benchwright.sources.checkouts:read_checkout"  # reads a commit of a clone
EXECUTORS: Mapping[str, str] = {"local": "benchwright.executing.pool:open_local"}
PROCESS_MAPS: Mapping[str, str] = {"local": "benchwright.building.engine.process_map:spread_locally"}
AGENTS: Mapping[str, str] = {"repair": "benchwright.running.repair_agent:REPAIR"}
LOGS: Mapping[str, str] = {
    "inspect": "benchwright.interop.inspect_ai_log.scores:READER",
    "lm-eval": "benchwright.interop.lm_eval_scores:READER",
}
RECIPES: Mapping[str, str] = {
    "codecorrectness": "benchwright.cli.build_codecorrectness:RECIPE",
    "aicodereval": "benchwright.cli.build_aicodereval:RECIPE",
    "alignment": "benchwright.cli.build_alignment:RECIPE",
}
# One line about a built-in, for listings that import nothing.
SUMMARIES: Mapping[str, Mapping[str, str]] = {
    "recipe": {
        "codecorrectness": "Code and a test: does the test pass?",
        "aicodereval": "Tasks around AI models, with tests at three levels.",
        "alignment": "Commits, reviews, issues and merges, with evidence for each link.",
    },
}
# Functions that report on folders other than runs, by the file that marks such a folder. Arguments: the
# folder, the path of the page or None, the folder for charts or None, and `as_json`.
REPORTS: Mapping[str, str] = {
    "build.json": "benchwright.cli.report_build:report_build",
}
SECTIONS: Mapping[str, str] = {  # of the report on runs, in the order of the page
    "standing": "benchwright.report.track_sections:STANDING",
    "prompt-matrix": "benchwright.report.prompt_matrix:PROMPT_MATRIX",
    "comparisons": "benchwright.report.track_sections:COMPARISONS",
    "outcomes": "benchwright.report.track_sections:OUTCOMES",
    "grades": "benchwright.report.track_sections:GRADES",
    "details": "benchwright.report.track_sections:DETAILS",
    "curve": "benchwright.report.track_sections:CURVE",
    "prompts": "benchwright.report.track_sections:PROMPTS",
    "tasks": "benchwright.report.track_sections:TASKS",
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
    "collected-record": "benchwright.sources.source_schemas:COLLECTED_ROW",
    "session-line": "benchwright.sources.source_schemas:SESSION_LINE",
}
# Names that a distribution of this project adds by entry points: the extra that installs it, by kind.
EXTRAS: Mapping[str, Mapping[str, str]] = {"executor": {"ray": "ray"}, "process_map": {"ray": "ray"}}
GROUPS: Mapping[str, Mapping[str, str]] = {
    "track": TRACKS,
    "model": MODELS,
    "judge": JUDGES,
    "runner": RUNNERS,
    "source": SOURCES,
    "gate": GATES,
    "log": LOGS,
    "recipe": RECIPES,
    "executor": EXECUTORS,
    "process_map": PROCESS_MAPS,
    "agent": AGENTS,
    "report": REPORTS,
    "section": SECTIONS,
}


def names(kind: str) -> list[str]:
    """Sorted names of a kind, which is a key of GROUPS, built-in and installed."""
    return sorted({*GROUPS[kind], *_installed(kind)})


def find(kind: str, name: str) -> Any:
    """Import the object with a name.

    Raises UsageError, with the nearest name, if there is none, and PrerequisiteError if an extra adds it.
    """
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
    if (extra := EXTRAS.get(kind, {}).get(name)) is not None:
        raise PrerequisiteError(f"the {_worded(kind)} {name} is not installed", hint=install_command(extra))
    known = sorted({*GROUPS[kind], *installed})
    raise UsageError(f"unknown {_worded(kind)}: {name}", hint=nearest_hint(name, known))


def _worded(kind: str) -> str:
    return kind.replace("_", " ")


def summary(kind: str, name: str) -> str:
    """One line about a name, without importing it: its own, or that of the package which installed it."""
    if (line := SUMMARIES.get(kind, {}).get(name)) is not None:
        return line
    point = _installed(kind).get(name)
    return (point.dist.metadata["Summary"] or "") if point is not None and point.dist is not None else ""


def _installed(kind: str) -> dict[str, Any]:
    """Return the entry points of other packages for a kind, by name."""
    from importlib.metadata import entry_points  # noqa: PLC0415 (42 ms of CPU, only when needed)

    return {point.name: point for point in entry_points(group=f"benchwright.{kind}s")}
