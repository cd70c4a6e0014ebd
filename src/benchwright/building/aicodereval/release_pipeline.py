"""The recipe of AICoderEval: its stages, each with a file of kept records and a file of drops.

collect ─▶ draft ─┬─▶ check ─▶ try ─▶ tier ─▶ select ─▶ publish
read ─────────────┘

`collect` and `draft` run if there are sources, `read` if there are stored drafts.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.building.aicodereval.admission import admit_entries, check_drafts, select_entries
from benchwright.building.aicodereval.claim_gates import CLAIM_GATES, ENVIRONMENT_GATES, TABLE_GATES
from benchwright.building.aicodereval.collect_drafts import (
    StoredDrafts,
    collect_records,
    drafts_of,
    record_sources,
)
from benchwright.building.aicodereval.draft_execution import DraftExecution
from benchwright.building.aicodereval.draft_records import AdmittedEntry, Draft, ExaminedDraft
from benchwright.building.aicodereval.draft_templates import TEMPLATES, from_template
from benchwright.building.aicodereval.form_gates import FORM_GATES
from benchwright.building.aicodereval.human_review import (
    SHEET,
    Reviews,
    apply_reviews,
    read_reviews,
    sheet,
    signed_rows,
)
from benchwright.building.aicodereval.lint_gates import LINT_GATES
from benchwright.building.aicodereval.model_drafting import AGAIN, Drafter
from benchwright.building.aicodereval.originality_gates import KNOWN_GATES, CorpusGate
from benchwright.building.aicodereval.publish_release import publish
from benchwright.building.aicodereval.release_options import BenchmarkOptions, check_options
from benchwright.building.aicodereval.wording_gates import WORDING_GATES
from benchwright.building.engine.gates import gate_versions, open_gates
from benchwright.building.engine.recipe import BuildResult, inventory
from benchwright.building.engine.stages import BuildFolder, Stage, without_stages
from benchwright.contracts import Executor, Gate, Item
from benchwright.executing.executors import open_executor
from benchwright.executing.trials import Trials
from benchwright.progress import Silent, Watcher
from benchwright.records import Drop
from benchwright.sources.model_records import PASSING, ModelRecord
from benchwright.store.writing import replacing

READ_GATES = (
    *LINT_GATES,
    *WORDING_GATES,
    *CLAIM_GATES,
    *TABLE_GATES,
    *KNOWN_GATES,
    *ENVIRONMENT_GATES,
)  # they execute nothing; what they refuse is not certified
DRAFTING = 6  # increase it when the same sources and drafts may give another release


class ReleaseBuild(BuildResult, frozen=True, kw_only=True):
    """A finished build, with the folder of its release."""

    release: str


class BenchmarkContext(NamedTuple):
    """The context of the stages of one build."""

    options: BenchmarkOptions
    form: list[Gate[Draft]]
    lint: list[Gate[Draft]]
    corpus: CorpusGate | None
    executing: DraftExecution
    trials: Trials
    folder: BuildFolder
    drafter: Drafter | None
    watch: Watcher


def _collect(items: Iterator[Item[Any] | Drop], _: BenchmarkContext) -> Iterator[ModelRecord | Drop]:
    return collect_records(items)


def _draft(records: Iterator[ModelRecord], context: BenchmarkContext) -> Iterator[Draft | Drop]:
    if context.drafter is None:
        return (from_template(each) for each in records)
    return context.drafter.draft(list(records), context.folder.path, context.trials, context.watch)


def _read(items: Iterator[Item[Any] | Drop], _: BenchmarkContext) -> Iterator[Draft | Drop]:
    return drafts_of(items)


def _check(drafts: Iterator[Draft], context: BenchmarkContext) -> Iterator[ExaminedDraft | Drop]:
    if context.corpus is None:
        return check_drafts(drafts, context.form, context.lint)
    return check_drafts(context.corpus.searched(drafts), context.form, [*context.lint, context.corpus])


def _try(found: Iterator[ExaminedDraft], context: BenchmarkContext) -> Iterator[ExaminedDraft | Drop]:
    return context.executing.tried(found, context.trials)


def _tier(found: Iterator[ExaminedDraft], context: BenchmarkContext) -> Iterator[AdmittedEntry | Drop]:
    return admit_entries(found, context.options.bounds)


def _select(found: Iterator[AdmittedEntry], context: BenchmarkContext) -> Iterator[AdmittedEntry | Drop]:
    return select_entries(found, context.options.bounds)


FROM_SOURCES, FROM_DRAFTS = ("collect", "draft"), ("read",)
STAGES: tuple[Stage[BenchmarkContext, Any], ...] = (
    Stage("collect", ModelRecord, _collect, "records", again=PASSING, bar=True),
    Stage("draft", Draft, _draft, "drafts", ("collect",), again=AGAIN),
    Stage("read", Draft, _read, "drafts", bar=True),
    Stage("check", ExaminedDraft, _check, "drafts", ("draft", "read"), bar=True),
    Stage("try", ExaminedDraft, _try, "drafts", ("check",), again=("sandbox_error",)),
    Stage("tier", AdmittedEntry, _tier, "drafts", ("try",), bar=True),
    Stage("select", AdmittedEntry, _select, "entries", ("tier",), bar=True),
)


def build(
    options: BenchmarkOptions, out: Path, *, executor: Executor | None = None, watch: Watcher | None = None
) -> ReleaseBuild:
    """Build a release from sources and stored drafts; the same call resumes an interrupted build."""
    check_options(options)
    reviews = read_reviews(options.reviewed) if options.reviewed else None
    former = signed_rows(out / SHEET) if (out / SHEET).is_file() else []
    form = open_gates(FORM_GATES, options.gates, options.bounds)
    lint = open_gates(READ_GATES, (), options.bounds)
    executing, watch = DraftExecution(options.bounds), watch or Silent()
    corpus = CorpusGate(options.corpus) if options.corpus else None
    gates: list[Gate[Any]] = [*form, *lint, *executing.gates, *([corpus] if corpus else [])]
    drafts, sources = [StoredDrafts(each) for each in options.drafts], record_sources(options)
    drafter = Drafter(options.drafting) if options.drafting else None
    folder = BuildFolder(out, _identity(options, drafts, gates, drafter, corpus), watch=watch)
    given = {
        "collect": inventory(sources, out, watch.note),
        "read": inventory(drafts, out, watch.note),
    }
    with _executor(executor) as opened, Trials(folder.stages / "trials.jsonl", opened, watch=watch) as trials:
        context = BenchmarkContext(options, form, lint, corpus, executing, trials, folder, drafter, watch)
        folder.run_all(_stages(options), context, given=given)
    entries = list(folder.kept("select", AdmittedEntry))
    with replacing(folder.path / SHEET) as file:
        file.write(sheet(entries, former).encode())
    return _published(options, folder, entries, gates=gates, reviews=reviews)


def _executor(given: Executor | None) -> AbstractContextManager[Executor]:
    """The given executor, which its owner closes, or a new one."""
    return nullcontext(given) if given is not None else open_executor()


def _stages(options: BenchmarkOptions) -> list[Stage[BenchmarkContext, Any]]:
    absent = [*([] if options.sources else FROM_SOURCES), *([] if options.drafts else FROM_DRAFTS)]
    return without_stages(STAGES, *absent)


def _identity(
    options: BenchmarkOptions,
    drafts: list[StoredDrafts],
    gates: list[Gate[Any]],
    drafter: Drafter | None,
    corpus: CorpusGate | None,
) -> dict[str, Any]:
    """The identity; drafts and corpus count by content, so a moved file is the same."""
    return {
        **options.identity(),
        "sources": list(options.sources),
        "drafts": [each.sha256 for each in drafts],
        "gates": gate_versions(gates, [each.name for each in gates]),
        "templates": TEMPLATES,
        "drafting": DRAFTING,
        **({"drafter": drafter.identity()} if drafter else {}),
        **({"corpus": corpus.digests} if corpus else {}),
    }


def _published(
    options: BenchmarkOptions,
    folder: BuildFolder,
    entries: list[AdmittedEntry],
    *,
    gates: list[Gate[Any]],
    reviews: Reviews | None,
) -> ReleaseBuild:
    stages = [stage.name for stage in _stages(options)]
    if reviews is not None:
        entries = list(apply_reviews(entries, reviews))
    release, manifest = publish(
        folder.path,
        entries,
        [drop for name in stages for drop in folder.dropped(name)],
        name=options.name,
        levels=folder.levels,
        gates=gate_versions(gates, [each.name for each in gates]),
    )
    return ReleaseBuild(
        folder=str(folder.path), release=str(release), manifest=manifest, levels=folder.levels
    )
