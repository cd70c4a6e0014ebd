"""The script that turns one record into a draft: its questions and executions, in turn.

A script is a generator that yields questions and executions and is sent their results. So it reads as one
conversation, while the caller runs many scripts and batches everything that waits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from benchwright.asking.schema import Misfit, Schema, read_schema, value_of
from benchwright.building.aicodereval.draft_records import Draft
from benchwright.building.aicodereval.draft_templates import STANDARD, DomainMap, domain_of
from benchwright.building.aicodereval.drafted_cases import ExecutedCases, read_cases, spec_for
from benchwright.building.aicodereval.drafting_prompts import (
    INPUTS_SCHEMA,
    PROMPTS,
    REPAIR_SCHEMA,
    REVIEW_SCHEMA,
    SOLUTION_SCHEMA,
    SOLVE_SCHEMA,
    WORDS_SCHEMA,
    InputsReply,
    ProposedCase,
    RepairReply,
    ReviewReply,
    SolutionReply,
    SolveReply,
    WordsReply,
    ask_again,
    ask_inputs,
    ask_repair,
    ask_review,
    ask_solution,
    ask_solve,
    ask_words,
)
from benchwright.contracts import Message
from benchwright.executing.trials import Trial, TrialResult, vary
from benchwright.records import Answer, Drop
from benchwright.sources.model_records import ModelRecord
from benchwright.store.keys import content_key
from benchwright.text.fences import find_blocks
from benchwright.tracks.aicodereval.entry import (
    BenchmarkEntry,
    entry_point_of,
    faults_in,
    spec_of,
    twin_links,
)
from benchwright.tracks.aicodereval.stand_in_models import PROFILE, TwinName

AGAIN = "-again"  # suffix of a step that is requested again
EXECUTIONS = 2  # executions of a draft while it is written; its gates execute it more often
_NO_NAME = re.compile(r"[^A-Za-z0-9]+")
R = TypeVar("R")


class DraftQuestion(NamedTuple):
    """A question: its step, its text, the conversation so far, and the form of the reply."""

    step: str
    text: str
    history: tuple[Message, ...]
    schema: dict[str, Any]
    reviewer: bool = False


Request = DraftQuestion | list[Trial]
Script = Generator[Request, Any, Draft | Drop]


class ScriptRules(NamedTuple):
    """The settings that all scripts of a build share. `solves`: request a blind solve."""

    environment: str
    installed: Mapping[str, str]  # versions by distribution
    repairs: int = 3
    solves: bool = True
    reviews: bool = False
    domains: DomainMap = STANDARD


class _DraftRefusal(Exception):
    """The end of a script without a draft: the reason of the drop, and its detail."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


def steps_of(rules: ScriptRules) -> list[str]:
    """All steps that a script may take, in order."""
    repairs = [f"repair-{number + 1}" for number in range(rules.repairs)]
    steps = ["solution", "inputs", *repairs, "words", "review", "solve"]
    return [name for step in steps for name in (step, f"{step}{AGAIN}")]


def task_id_of(record: ModelRecord) -> str:
    """The id of the entry for a record."""
    name = _NO_NAME.sub("-", record.id).strip("-").lower()[:80]
    return f"{record.origin}-{name}-{content_key(record.origin, record.id, record.revision)[:8]}"


def script(record: ModelRecord, rules: ScriptRules) -> Script:
    """The conversation about one record."""
    talk = _Conversation(record, rules)
    try:
        return (yield from talk.draft())
    except _DraftRefusal as error:
        evidence = {"replies": talk.replies}
        return Drop(
            unit=task_id_of(record), reason=error.reason, detail=error.detail[:300], evidence=evidence
        )


class _Conversation:
    """The conversation so far about one record."""

    def __init__(self, record: ModelRecord, rules: ScriptRules) -> None:
        self._record, self._rules = record, rules
        self._conversation: tuple[Message, ...] = ()
        self._author = ""
        self.replies: list[str] = []  # their keys

    def draft(self) -> Generator[Request, Any, Draft]:
        """Solution, inputs, outputs, description; then a review and a blind solve if requested."""
        question = ask_solution(self._record, self._rules.installed)
        solution = yield from self._ask("solution", question, SOLUTION_SCHEMA, SolutionReply)
        inputs = yield from self._ask("inputs", ask_inputs(), INPUTS_SCHEMA, InputsReply)
        solution, executed, repairs = yield from self._executed(solution, inputs.cases)
        entry = yield from self._worded(solution, executed)
        lineage = {**self._lineage(), "repairs": repairs}
        if self._rules.reviews:
            lineage["review"] = yield from self._reviewed(entry)
        alternatives: list[str] = []
        if self._rules.solves:
            solved = yield from self._solved(entry)
            lineage["blind_solve"] = solved
            alternatives = [solved["program"]] if solved["outcome"] == "passed" else []
        lineage["replies"] = self.replies
        return Draft(entry=entry, alternatives=alternatives, licence=self._record.licence, lineage=lineage)

    def _executed(
        self, solution: SolutionReply, cases: Sequence[ProposedCase]
    ) -> Generator[Request, Any, tuple[SolutionReply, ExecutedCases, int]]:
        """Execute the solution on its inputs, and have it repaired up to the allowed number of times."""
        for repair in range(self._rules.repairs + 1):
            found = yield from self._execute(solution, cases)
            if not found.fault:
                return solution, found, repair
            left = self._rules.repairs - repair
            if not left:
                raise _DraftRefusal("not_repaired", found.fault)
            question = ask_repair(found.fault, left - 1)
            mended = yield from self._ask(f"repair-{repair + 1}", question, REPAIR_SCHEMA, RepairReply)
            solution, cases = mended, mended.cases
        raise AssertionError("a repair too many")

    def _execute(
        self, solution: SolutionReply, cases: Sequence[ProposedCase]
    ) -> Generator[Request, Any, ExecutedCases]:
        try:
            name = entry_point_of(self._entry(solution, ExecutedCases([], [])))
        except ValueError as error:
            return ExecutedCases([], [], f"the signature {error}")
        links = twin_links(TwinName.a) if self._rules.environment == PROFILE else {}
        spec = spec_for(cases, name, self._rules.environment, links)
        if isinstance(spec, str):
            return ExecutedCases([], [], spec)
        tried: list[TrialResult] = yield vary(solution.program, spec, EXECUTIONS)
        if missing := next((each for each in tried if each.outcome.is_missing), None):
            raise _DraftRefusal("sandbox_error", missing.detail)
        return read_cases(cases, tried)

    def _worded(
        self, solution: SolutionReply, executed: ExecutedCases
    ) -> Generator[Request, Any, BenchmarkEntry]:
        """The entry with its description, which is requested once more if it has a fault."""

        def complaint(words: WordsReply) -> str:
            entry = self._entry(solution, executed, words)
            for fault in faults_in(entry):
                return f"{fault.field} {fault.message}"
            raised = sorted({case.expected.raises for case in entry.cases} - {""})
            unsaid = [name for name in raised if name not in words.docstring]
            return f"the docstring does not say when {unsaid[0]} is raised" if unsaid else ""

        words = yield from self._ask(
            "words", ask_words(executed.lines), WORDS_SCHEMA, WordsReply, complaint=complaint
        )
        return self._entry(solution, executed, words)

    def _reviewed(self, entry: BenchmarkEntry) -> Generator[Request, Any, dict[str, Any]]:
        review = yield from self._ask(
            "review", ask_review(entry), REVIEW_SCHEMA, ReviewReply, apart=True, reviewer=True
        )
        if review.verdict != "accept":
            raise _DraftRefusal("review_rejected", "; ".join(review.faults))
        return {"verdict": review.verdict, "faults": review.faults}

    def _solved(self, entry: BenchmarkEntry) -> Generator[Request, Any, dict[str, Any]]:
        """The result of a solution written from the prompt alone."""
        try:
            reply = yield from self._ask("solve", ask_solve(entry), SOLVE_SCHEMA, SolveReply, apart=True)
        except _DraftRefusal as error:
            return {"outcome": error.reason, "program": "", "detail": error.detail[:300]}
        spec = spec_of(entry)
        if entry.environment == PROFILE:
            spec = msgspec.structs.replace(spec, links=twin_links(TwinName.a))
        [tried] = yield [Trial(reply.program, spec)]
        if tried.outcome.is_missing:
            raise _DraftRefusal("sandbox_error", tried.detail)
        return {"outcome": tried.outcome.value, "program": reply.program, "detail": tried.detail[:300]}

    def _ask(
        self,
        step: str,
        text: str,
        schema: dict[str, Any],
        kind: type[R],
        *,
        complaint: Callable[[R], str] = lambda reply: "",
        apart: bool = False,
        reviewer: bool = False,
    ) -> Generator[Request, Any, R]:
        """The reply, requested once more if it is unusable. `apart`: without the conversation so far."""
        history = () if apart else self._conversation
        why = ""
        for name in (step, f"{step}{AGAIN}"):
            answer: Answer = yield DraftQuestion(name, text, history, schema, reviewer)
            self.replies.append(answer.key)
            if answer.error is not None:
                raise _DraftRefusal("model_error", answer.error)
            history = (
                *history,
                Message(role="user", content=text),
                Message(role="assistant", content=answer.text),
            )
            reply, why = _read(answer, schema, kind)
            why = why or (complaint(reply) if reply is not None else "")
            if reply is not None and not why:
                if not apart:
                    self._conversation, self._author = history, answer.model
                return reply
            text = ask_again(why)
        raise _DraftRefusal("reply_unusable", f"{step}: {why}")

    def _entry(
        self, solution: SolutionReply, executed: ExecutedCases, words: WordsReply | None = None
    ) -> BenchmarkEntry:
        installed = self._rules.installed
        libraries = [each for each in solution.libraries if each in installed and each != "python"]
        return BenchmarkEntry(
            task_id=task_id_of(self._record),
            domain=domain_of(self._record, self._rules.domains),
            description=" ".join(words.description.split()) if words else "",
            model=self._record.model or self._record.id,
            model_description=self._record.description[:300],
            libraries=[f"{each}=={installed[each]}" for each in dict.fromkeys(libraries)],
            imports=solution.imports,
            signature=solution.signature.strip(),
            docstring=words.docstring.strip() if words else "",
            implementation=solution.implementation.rstrip(),
            cases=executed.cases,
            environment=self._rules.environment,
            created=self._record.revised_at[:10],
        )

    def _lineage(self) -> dict[str, Any]:
        record = self._record
        return {
            "source": f"{record.origin}:{record.id}",
            "revision": record.revision,
            "url": record.url,
            "sha256": record.sha256,
            "drafted_by": self._author,
            "prompts": PROMPTS,
        }


def _read(answer: Answer, schema: dict[str, Any], kind: type[R]) -> tuple[R | None, str]:
    """The content of a reply, or the reason why it does not have that form."""
    if answer.finish_reason == "length":
        return None, "it was cut off at the limit of tokens"
    try:
        return msgspec.convert(_value(answer.text, read_schema(schema)), kind), ""
    except (Misfit, msgspec.ValidationError) as error:
        return None, str(error)


def _value(text: str, schema: Schema) -> Any:
    """The content of a reply; a model without a schema may have fenced it. Raises Misfit."""
    try:
        return value_of(text, schema)
    except Misfit:
        blocks = find_blocks(text)
        if len(blocks) != 1 or not blocks[0].closed:
            raise
        return value_of(blocks[0].content, schema)
