"""`benchwright import lm-eval LOG --out answers.jsonl`."""

from __future__ import annotations

import click

from benchwright.cli.arguments import not_empty
from benchwright.cli.completing import files
from benchwright.cli.importing import check_streams, data_options, report
from benchwright.interop.imported import target
from benchwright.interop.lm_eval import import_lm_eval


@click.command()
@click.argument("logs", nargs=-1, required=True, shell_complete=files, metavar="LOG...")
@click.option(
    "--out",
    required=True,
    callback=not_empty,
    shell_complete=files,
    metavar="FILE",
    help="The answers file to write; - is standard output.",
)
@click.option("--task", callback=not_empty, help="Take only logs of this task of lm-eval's.")
@click.option(
    "--id-field",
    callback=not_empty,
    metavar="PLACE",
    help="Where a row has the task's id, such as doc.meta.id.  [default: the first of the known places]",
)
@click.option(
    "--model-name",
    callback=not_empty,
    help="Who answered.  [default: what the results file beside the log says]",
)
@data_options
def command(
    logs: tuple[str, ...],
    out: str,
    task: str | None,
    id_field: str | None,
    model_name: str | None,
    data: str | None,
    track: str | None,
    as_json: bool,
) -> None:
    """Take the answers out of sample logs of lm-eval, to judge them here.

    LOG is a samples_TASK_TIME.jsonl, which lm-eval writes with --log_samples, or a folder of them. Several
    files are joined: their answers become further repetitions. The raw texts are taken, before any filter.

    The task's id is looked for at doc.task_id, doc.meta.id, doc.id, doc.question_id, doc.name, doc_id.

    \b
    benchwright import lm-eval out/some-model --out answers.jsonl --task humaneval
    benchwright run humaneval --data HumanEval.jsonl.gz --model replay:answers.jsonl
    """
    check_streams(out, as_json=as_json)
    imported = import_lm_eval(
        logs, out, task=task, id_field=id_field, model=model_name, aim=target(track, data)
    )
    report([imported], as_json=as_json)
