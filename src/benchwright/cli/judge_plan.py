"""`benchwright judge plan [RUN] --width W`: the number of human labels for an interval."""

from __future__ import annotations

import click

from benchwright.cli.arguments import json_option, not_empty, print_json
from benchwright.cli.shell_completion import run_folders
from benchwright.display.escape import escaped_name, escaped_path
from benchwright.display.wording import counted, percent
from benchwright.errors import RunError, UsageError, command_name
from benchwright.records import full_document
from benchwright.running.calibration import calibration_of
from benchwright.running.run_data import open_run
from benchwright.stats.label_planning import FEWEST, LabelPlan, assumed_variance, plan_labels

MOST = 1_000_000
_SHARE = click.FloatRange(0, 1)


@click.command(context_settings={"show_default": True})
@click.argument("run", metavar="[RUN]", required=False, callback=not_empty, shell_complete=run_folders)
@click.option(
    "--width",
    required=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Width of the 95 % interval, as a share: 0.1 is 10 points.",
)
@click.option("--items", type=click.IntRange(FEWEST, MOST), help="Number of answers, if no RUN is given.")
@click.option("--share", type=_SHARE, default=0.5, help="Share of correct answers, if no RUN is given.")
@click.option("--sensitivity", type=_SHARE, help="The judge's sensitivity, if no RUN is given.")
@click.option("--specificity", type=_SHARE, help="The judge's specificity, if no RUN is given.")
@json_option
def command(
    run: str | None,
    width: float,
    items: int | None,
    share: float,
    sensitivity: float | None,
    specificity: float | None,
    as_json: bool,
) -> None:
    """Plan how many human labels an interval of this width needs, with and without a model judge.

    Judge and people are described by a RUN with some human labels, or by the options.

    \b
    benchwright judge plan runs/mine --width 0.1
    benchwright judge plan --width 0.1 --items 500 --share 0.6 --sensitivity 0.9 --specificity 0.7 --json
    """
    if run is not None:
        plans = _from_pilot(run, width, items)
    elif items is None or sensitivity is None or specificity is None:
        hint = (
            f"{command_name()} judge plan --width {width:g} --items 500 --sensitivity 0.9 --specificity 0.8"
        )
        raise UsageError("without RUN, --items, --sensitivity and --specificity are required", hint=hint)
    else:
        spread = assumed_variance(share, sensitivity=sensitivity, specificity=specificity)
        plans = {"assumed": plan_labels(spread, width=width, items=items)}
    if as_json:
        print_json({"run": run, "width": width, "plans": full_document(plans)})
        return
    for name, plan in plans.items():
        click.echo(f"{escaped_name(name)}: {plan_text(plan)}")


def _from_pilot(run: str, width: float, items: int | None) -> dict[str, LabelPlan]:
    """A plan for each judge and field with enough human labels."""
    folder = open_run(run)
    plans = {}
    for each in calibration_of(folder, draws=0).judges:
        number = items or (each.estimate.items if each.estimate else 0)
        if each.spread is not None and number >= FEWEST:
            plans[f"{each.judge} on {each.field}"] = plan_labels(each.spread, width=width, items=number)
    if not plans:
        shortage = f"fewer than {FEWEST} answers labelled by people and assessed by a judge"
        message = f"{escaped_path(folder.path)} has {shortage}"
        raise RunError(message, hint="describe the judge: --sensitivity 0.9 --specificity 0.8 --items 500")
    return plans


def plan_text(plan: LabelPlan) -> str:
    """A plan in words."""
    width = f"{percent(plan.width)} points"
    amount = f"of {counted(plan.items, 'answer')}"
    if plan.labels is None:
        least = percent(plan.least)
        return f"not even a label on each {amount} makes the interval {width} wide: it would be {least}"
    count = "not reached" if plan.labels_alone is None else f"{plan.labels_alone:,}"
    return (
        f"{counted(plan.labels, 'label')} {amount} make the interval {width} wide; without the judge {count}"
    )
