"""Commands of Benchwright and those that other packages add.

A built-in command is a line of COMMANDS, so `--help` imports no command. The lines of all distributions stand
here, so that a call of a command that is not installed names the extra to install. Another package adds a
command by an entry point of the group `benchwright.commands` (docs/design/60-commands-of-other-packages.md).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any

CommandLine = tuple[str, str]  # the click command as "module:object", empty for a group; the line in --help

# In the order of --help, by the words that call them.
COMMANDS: Mapping[str, CommandLine] = {
    "demo": (
        "benchwright.cli.demo:command",
        "Score demo models on five tracks and report them; no key, GPU or network needed.",
    ),
    "run": ("benchwright.cli.run:command", "Score a model, or a file of stored answers, on a data set."),
    "suite": ("benchwright.cli.suite:command", "Run several models on several tracks from one file."),
    "data list": ("benchwright.cli.listing:data", "List values for --data; same as `list data`."),
    "data get": ("benchwright.cli.listing:get", "Download data sets to the cache and verify them."),
    "show": ("benchwright.cli.show:command", "Show an answer of a run: program, outcome and reason."),
    "merge": ("benchwright.cli.merge:command", "Merge runs of disjoint tasks into one run folder."),
    "compare": ("benchwright.cli.compare:command", "Report which of two runs is better, if either."),
    "judge pairs": (
        "benchwright.cli.judge_pairs:command",
        "Compare two runs answer by answer, in both orders.",
    ),
    "judge serve": ("benchwright.cli.judge_serve:command", "Serve a site on which people judge runs blind."),
    "judge agreement": (
        "benchwright.cli.judge_agreement:command",
        "Measure how far the human judges of a run agree.",
    ),
    "judge calibrate": (
        "benchwright.cli.judge_calibrate:command",
        "Calibrate a run's model judges against people.",
    ),
    "judge plan": (
        "benchwright.cli.judge_plan:command",
        "Estimate the number of human labels for an interval.",
    ),
    "judge export": (
        "benchwright.cli.judge_export:command",
        "Write sheets for judges, or the votes of a site.",
    ),
    "judge import": (
        "benchwright.cli.judge_import:command",
        "Read votes from sheets, Argilla and Label Studio.",
    ),
    "judge links": (
        "benchwright.cli.judge_links:command",
        "Make a project in which people label links of a release.",
    ),
    "judge precision": (
        "benchwright.cli.judge_links:precision_command",
        "Measure the precision of links on people's labels.",
    ),
    "judge score": ("benchwright.cli.judge_import:score_command", "Rescore runs with the votes of people."),
    "rank": ("benchwright.cli.rank:command", "Rank runs, with the range of ranks of each."),
    "report": ("benchwright.cli.report:command", "Write a report as one HTML file."),
    "view": ("benchwright.cli.view:command", "Serve live pages of runs while they grow."),
    "serve": ("benchwright.cli.serve:command", "Serve leaderboards and live pages of runs."),
    "backup": ("benchwright.cli.backup:command", "Write the data of a server to one file."),
    "restore": ("benchwright.cli.backup:restore_command", "Restore the data of a server to a new folder."),
    "push": ("benchwright.cli.push:command", "Push a run to a server, which judges it again."),
    "export mera": (
        "benchwright.cli.export_runs:mera",
        "Write a MERA submission and lm-eval sample logs.",
    ),
    "export inspect": ("benchwright.cli.export_runs:inspect", "Write an Inspect AI log."),
    "export parquet": (
        "benchwright.cli.export_tables:parquet",
        "Write answers, verdicts and scores as tables.",
    ),
    "export hf": ("benchwright.cli.export_tables:hf", "Write a data set for the Hugging Face hub."),
    "export model-index": (
        "benchwright.cli.export_tables:model_index_command",
        "Print the model-index block of a model card.",
    ),
    "export wandb": ("benchwright.cli.export_trackers:wandb", "Log scores and verdicts to Weights & Biases."),
    "export mlflow": (
        "benchwright.cli.export_trackers:mlflow",
        "Log scores and verdicts to MLflow.",
    ),
    "export training": (
        "benchwright.cli.export_training:command",
        "Write training data from releases and runs, or check it.",
    ),
    "export benchmark": (
        "benchwright.cli.export_benchmark:command",
        "Write rows of benchmarks from the test split of a release.",
    ),
    "import inspect": ("benchwright.cli.import_logs:inspect", "Read the answers of an Inspect AI log."),
    "import lm-eval": ("benchwright.cli.import_logs:lm_eval", "Read the answers of lm-eval sample logs."),
    "ianvs run": ("benchwright.cli.ianvs:run", "Run a benchmarkingjob.yaml without Ianvs and Sedna."),
    "ianvs lint": ("benchwright.cli.ianvs_lint:command", "Check the files of a job and suggest fixes."),
    "ianvs export": (
        "benchwright.cli.ianvs_export:command",
        "Write a data set as an example that Ianvs runs.",
    ),
    "check-submission": (
        "benchwright.cli.check_submission:command",
        "Check a MERA submission before uploading it.",
    ),
    "stub-server": (
        "benchwright.cli.stub_server:command",
        "Serve scripted answers and faults to test clients.",
    ),
    "list tracks": ("benchwright.cli.listing:tracks", "List tracks and their metrics."),
    "list models": ("benchwright.cli.listing:models", "List the schemes of --model."),
    "list runs": ("benchwright.cli.listing:runs", "List run folders and scores, newest first."),
    "list data": ("benchwright.cli.listing:data", "List values for --data: data sets and local files."),
    "new": ("benchwright.cli.new:command", "Create a starter for a task, track, judge, provider or command."),
    "check": ("benchwright.cli.check_data:command", "Report every error in a data set."),
    "schema": ("benchwright.cli.schema:command", "Print the JSON Schema of a row or file."),
    "verify": (
        "benchwright.cli.verify:command",
        "Execute the rows of CodeCorrectness and check their labels.",
    ),
    "audit": ("benchwright.cli.audit:command", "Find untrustworthy tasks in a benchmark, with evidence."),
    "build": ("benchwright.cli.build_group:build", "Build a data set; execution decides each label."),
    "forget": (
        "benchwright.cli.forget:command",
        "Remove a person or a repository from a build and its release.",
    ),
    "release check": ("benchwright.cli.release:check", "Check a release against its manifest."),
    "release recheck": ("benchwright.cli.release:recheck_command", "Execute the entries of a release again."),
    "release diff": ("benchwright.cli.release:diff", "Compare two releases."),
    "release erratum": ("benchwright.cli.release:erratum", "Record an erratum for an entry."),
    "release private": (
        "benchwright.cli.release:command",
        "Move the outputs of rows to a file of gold answers.",
    ),
    "convert": (
        "benchwright.cli.convert:command",
        "Convert rows and records of test sets for other tracks and tools.",
    ),
    "nodes": (
        "benchwright.cli.nodes:command",
        "Probe the nodes of a Ray cluster, and report which may judge.",
    ),
    "cache": ("benchwright.cli.listing:cache", "Show or clear the cache of model answers."),
    "setup": (
        "benchwright.cli.machine:setup_profiles",
        "Install the packages of a dependency profile: flake8, sklearn or torch.",
    ),
    "doctor": (
        "benchwright.cli.machine:doctor_command",
        "Check the sandbox on this machine, layer by layer.",
    ),
    "completion": ("benchwright.cli.shell_completion:command", "Print the completion script for your shell."),
}
# By the first word: the extra of Benchwright that installs the command. The others are in the core.
EXTRAS: Mapping[str, str] = {
    "judge": "web",
    "judge links": "build",
    "judge precision": "build",
    "view": "web",
    "serve": "web",
    "backup": "web",
    "restore": "web",
    "ianvs": "ianvs",
    "nodes": "ray",
    "verify": "build",
    "audit": "build",
    "build": "build",
    "forget": "build",
    "release": "build",
}
# The groups among them, with their lines in --help.
COMMAND_GROUPS: Mapping[str, str] = {
    "data": "List and download named data sets.",
    "judge": "Have people or models judge answers, and calibrate model judges.",
    "export": "Write runs and releases in the formats of other tools.",
    "import": "Read answers from the log of another tool.",
    "ianvs": "Run, check and write jobs of KubeEdge-Ianvs.",
    "list": "List tracks, models, runs or data.",
    "release": "Check, compare and annotate releases of data sets.",
}


def command_lines(group: str = "") -> dict[str, CommandLine]:
    """Return the installed built-in commands of a group, or of the root, in the order of --help."""
    lines: dict[str, CommandLine] = {}
    for words, line in COMMANDS.items():
        first, _, second = words.partition(" ")
        if first == group:
            lines[second] = line
        elif not group:
            lines.setdefault(first, ("", COMMAND_GROUPS[first]) if second else line)
    return {name: line for name, line in lines.items() if is_installed(f"{group} {name}".lstrip())}


def extra_of(words: str) -> str:
    """Return the extra that installs a command: its own, or that of its group."""
    return EXTRAS.get(words) or EXTRAS[words.partition(" ")[0]]


def is_built_in(words: str) -> bool:
    """Return whether words call a built-in command or group, installed or not."""
    return words in COMMANDS or words in COMMAND_GROUPS


def is_installed(words: str) -> bool:
    """Return whether the module of a built-in command is there; for a group, that of its first command."""
    if words.partition(" ")[0] not in EXTRAS:
        return True
    if words in COMMAND_GROUPS:
        return is_installed(next(each for each in COMMANDS if each.startswith(f"{words} ")))
    package, _, module = COMMANDS[words][0].partition(":")[0].rpartition(".")
    try:
        path = import_module(package).__path__
    except ModuleNotFoundError:
        return False
    return any(finder.find_spec(f"{package}.{module}", path) for finder in sys.meta_path)


def command_entry_points(group: str = "") -> dict[str, Any]:
    """Return the entry points of other packages' commands in a group, or at the root, by name.

    `export.csv` is the command `csv` of the group `export`. A built-in command cannot be replaced.
    """
    if not _is_declared():
        return {}
    from importlib.metadata import entry_points  # noqa: PLC0415 (42 ms of CPU, only where there are any)

    points = {}
    for point in entry_points(group="benchwright.commands"):
        first, dot, second = point.name.partition(".")
        place, name = (first, second) if dot and is_built_in(first) else ("", point.name)
        if place == group and not is_built_in(f"{group} {name}".lstrip()):
            points[name] = point
    return points


def _is_declared() -> bool:
    """Return whether an installed package may declare a command.

    Takes 1 ms of CPU, importlib.metadata 42: `--help` calls it. Zip archives on the path are not searched;
    with one, the result is True.
    """
    library = os.path.dirname(os.__file__)
    for path in dict.fromkeys(sys.path):
        if path in (library, f"{library}/lib-dynload"):
            continue
        try:
            folder = os.open(path or ".", os.O_RDONLY | os.O_DIRECTORY)
        except NotADirectoryError:
            return True
        except OSError:
            continue
        try:
            if any(_declares(folder, name) for name in os.listdir(folder) if name.endswith("-info")):
                return True
        finally:
            os.close(folder)
    return False


def _declares(folder: int, name: str) -> bool:
    """Return whether the metadata `name` in a folder has a section of commands."""
    try:
        fd = os.open(f"{name}/entry_points.txt", os.O_RDONLY, dir_fd=folder)
    except OSError:  # no entry points
        return False
    try:
        return b"[benchwright.commands]" in os.read(fd, 1 << 20)
    finally:
        os.close(fd)
