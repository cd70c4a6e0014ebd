"""Reading an Ianvs job: the job's own file, the test environment, and each algorithm with its grid.

The keys and their defaults are those of kubeedge/ianvs at 1d3da5b. What is accepted beyond it (no train
data, the names train_url and test_url, a rank that leaves parts out) is reported as a remark.
"""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

from benchwright.display.escape import escaped_path
from benchwright.interop.ianvs.job_records import (
    COMPOSITE,
    MAX_CASES,
    PARADIGMS,
    SYSTEM_METRICS,
    DataFile,
    IanvsAlgorithm,
    IanvsEnvironment,
    IanvsJob,
    JobRemark,
    ModuleFile,
    NamedMetric,
    RankSettings,
    combinations,
)
from benchwright.interop.ianvs.yaml_sections import PathRules, Section, open_section

_MODULES = {
    "singletasklearning": ({"basemodel"}, {"basemodel"}),
    "jointinference": (
        {"edgemodel", "cloudmodel", "hard_example_mining"},
        {"dataset_processor", "edgemodel", "cloudmodel", "hard_example_mining"},
    ),
    "federatedlearning": ({"basemodel", "aggregation"}, {"basemodel", "aggregation"}),
}
_MINING = ("mining-then-inference", "inference-then-mining", "self-design")
_DATA_KEYS = (("index", "_index"), ("data", "_data"), ("data_info", "_data_info"), ("url", "_url"))
_SILENT = ("incremental_rounds", "model_eval")  # have a default in every job, and act in other paradigms


def read_job(path: Path, paths: PathRules) -> IanvsJob:
    """The job with all that its files name. Raises DataError with file and line, UsageError for what cannot
    be run here, PrerequisiteError without PyYAML."""
    remarks: list[JobRemark] = []
    job = open_section(path, "benchmarkingjob", paths, remarks.append)
    job.dead(("name", "workspace", "testenv", "test_object", "rank", "simulation"), why=_no_effect(job))
    if "simulation" in job.data:
        job.remark("no cluster is created; the cases run on this machine", "simulation")
    environment_file = job.file("testenv")
    algorithms = [read_algorithm(each) for each in test_objects(job)]
    environment = _environment(open_section(environment_file, "testenv", paths, job.report), algorithms)
    name = job.folder_name("name")
    workspace = paths.resolve(job.text("workspace", "./workspace")) / name
    rank = read_rank(job, [metric.name for metric in environment.metrics])
    return IanvsJob(name, job.document, workspace, environment, algorithms, rank, remarks)


def _no_effect(job: Section) -> str:
    if "hard_example_mining_mode" in job.data:
        return "has no effect here: Ianvs reads it in the test environment"
    return "no such key: it has no effect"


def test_objects(job: Section) -> list[Section]:
    """The entries of the algorithms under test. Raises DataError."""
    objects = job.section("test_object")
    objects.dead(("type", "algorithms"))
    if objects.text("type") != "algorithms":
        raise objects.error('must be "algorithms"', "type", hint='write `type: "algorithms"`')
    found = list(objects.sections("algorithms"))
    if not found:
        raise objects.error("no algorithm", "algorithms", hint="add `- name: …` with its `url: …`")
    return found


# The test environment: data and metrics.


def _environment(environment: Section, algorithms: list[IanvsAlgorithm]) -> IanvsEnvironment:
    check_environment(environment, {each.paradigm for each in algorithms})
    data = data_section(environment)
    test = read_data(data, "test")
    if test is None:
        raise data.error("missing test data", hint="add `test_data: ./data.jsonl`")
    mode = environment.text("hard_example_mining_mode", _MINING[0])
    if mode not in _MINING:
        what, hint = "no such way of mining", f"use one of {', '.join(_MINING)}"
        raise environment.error(what, "hard_example_mining_mode", hint=hint)
    return IanvsEnvironment(
        train=read_data(data, "train"),
        test=test,
        metrics=_metrics(environment),
        use_gpu=bool(environment.data.get("use_gpu", False)),
        rounds=_positive(environment, "round"),
        clients=_positive(environment, "client_number"),
        mining_mode=mode,
    )


def data_section(environment: Section) -> Section:
    """Read the data sets of a test environment; report unused keys."""
    data = environment.section("dataset")
    known = [f"{use}{ending}" for use in ("train", "test") for _, ending in _DATA_KEYS]
    known.append("label")  # Ianvs reads it for CSV files
    data.dead(known, why="unused key of a data set")
    return data


def _positive(environment: Section, key: str) -> int:
    value: int = environment.take(key, int, 1)
    if value < 1:
        raise environment.error("must be at least 1", key, hint=f"write `{key}: 1`")
    return value


def check_environment(environment: Section, paradigms: set[str]) -> None:
    """Report keys without effect in these paradigms, and reject unsupported ones."""
    known = ["dataset", "metrics", "use_gpu", *_SILENT]
    if "jointinference" in paradigms:
        known += ["hard_example_mining_mode"]
    if "federatedlearning" in paradigms:
        known += ["round", "client_number", "if_mode_llm"]
        if environment.data.get("if_mode_llm"):
            what = "federated learning of language models on several GPUs is not supported"
            raise environment.refused(what, "if_mode_llm", hint="use Ianvs for this job")
    environment.dead(known, why=f"has no effect in {' and '.join(sorted(paradigms))}")


def read_data(data: Section, use: str) -> DataFile | None:
    """The data set that counts, in Ianvs's order: index, data, data_info; then the name of old versions."""
    for name, ending in _DATA_KEYS:
        key = f"{use}{ending}"
        if data.data.get(key):
            path = data.file(key)
            if name == "url":
                text = f"`{key}` is a name from versions before 0.3; Ianvs itself fails here"
                new = f"{use}_index" if path.suffix == ".txt" else f"{use}_data"
                data.remark(
                    text, key, hint=f"rename it to `{new}`", theirs=True, edit=data.edit(key, new, key)
                )
            return DataFile(path, _kind(data, key, path) if path.exists() else "jsonl")
    if use == "train":
        data.remark(
            "no train data; Ianvs itself requires an entry, which may be an empty file",
            hint="add train_data",
            theirs=True,
        )
    return None


def _kind(data: Section, key: str, path: Path) -> str:
    if path.name == "metadata.json":
        records = DataFile(path, "metadata").records
        if not records.is_file():
            raise data.error(f"no data.jsonl next to {escaped_path(path)}", key, hint=f"ls {records.parent}")
        return "metadata"
    kinds = {".txt": "txt", ".jsonl": "jsonl", ".json": "jsonl"}
    if path.suffix not in kinds:
        what = f"{escaped_path(path.name)} is not a .txt, .jsonl, .json or metadata.json file"
        raise data.refused(what, key, hint="write one JSON object per line: `question` and `answer`")
    if path.suffix == ".json":
        data.remark("read as records; Ianvs itself reads .json files as COCO annotations", key, theirs=True)
    return kinds[path.suffix]


def _metrics(environment: Section) -> list[NamedMetric]:
    found = [read_metric(each) for each in environment.sections("metrics")]
    if not found:
        raise environment.error("no metric", "metrics", hint="add `- name: …` with its `url: …`")
    return found


def read_metric(metric: Section) -> NamedMetric:
    """One metric of a test environment. Raises DataError or UsageError."""
    name = metric.text("name")
    own = name == COMPOSITE and not metric.data.get("url")
    metric.dead(("name", "url", *(("form", "key", "low", "high") if own else ())))
    if name in SYSTEM_METRICS:
        what = f"the metric {name} applies to lifelong and incremental learning only"
        raise metric.refused(what, "name", hint="remove it from `metrics`")
    if not own and not metric.data.get("url"):
        hint = f"add `url: ./…/metric.py`, a file that registers {name!r}"
        raise metric.error(f"unknown built-in metric: {name!r}", "name", hint=hint)
    options = {key: value for key, value in metric.data.items() if key not in ("name", "url")}
    return NamedMetric(name, None if own else metric.file("url"), options if own else {})


# Algorithms.


def read_algorithm(entry: Section) -> IanvsAlgorithm:
    """The algorithm whose file an entry of the job names. Raises DataError or UsageError."""
    entry.dead(("name", "url"))
    name = entry.folder_name("name")
    algorithm = open_section(entry.file("url"), "algorithm", entry.paths, entry.report)
    algorithm = algorithm._replace(tolerant=entry.tolerant)
    if "name" in algorithm.data:  # Ianvs prefers it to the name in the job
        name = algorithm.folder_name("name")
    paradigm = _paradigm(algorithm)
    modules = [_module(each) for each in algorithm.sections("modules")]
    needed, used = _MODULES[paradigm]
    if absent := sorted(needed - {module.type for module in modules}):
        hint = f'add `- type: "{absent[0]}"` with its `name` and `url`'
        raise algorithm.error(f"{paradigm} requires a module of type {absent[0]}", "modules", hint=hint)
    for number, module in enumerate(modules):
        if module.type in [other.type for other in modules[:number]]:
            what = f"duplicate module of type {module.type}"
            raise algorithm.error(what, "modules", number, hint="keep one of them")
        if module.type not in used:
            algorithm.remark(f"{paradigm} does not use modules of type {module.type}", "modules", number)
    return IanvsAlgorithm(
        name=name,
        paradigm=paradigm,
        modules=modules,
        initial_model=algorithm.text("initial_model_url", ""),
        packages=[each.file("url") for each in algorithm.sections("third_party_packages", needed=False)],
        federated=_federated_settings(algorithm, paradigm),
    )


def _paradigm(algorithm: Section) -> str:
    paradigm = algorithm.text("paradigm_type")
    if paradigm not in PARADIGMS:
        hint = f"supported: {', '.join(PARADIGMS)}"
        raise algorithm.refused(f"unsupported paradigm: {paradigm!r}", "paradigm_type", hint=hint)
    if mode := algorithm.data.get("mode"):
        raise algorithm.refused(f"unsupported mode: {mode!r}", "mode", hint="remove the key `mode`")
    algorithm.dead(
        (
            *("name", "paradigm_type", "modules", "initial_model_url", "third_party_packages"),
            "fl_data_setting",
            *("incremental_learning_data_setting", "lifelong_learning_data_setting"),
            *("mode", "quantization_type", "llama_quantize_path"),
        )
    )
    return paradigm


def _federated_settings(algorithm: Section, paradigm: str) -> dict[str, Any]:
    setting = algorithm.section("fl_data_setting", needed=False)
    default = {
        "train_ratio": 1.0,
        "splitting_method": "default",
        "data_partition": "iid",
        "non_iid_ratio": 0.6,
    }
    setting.dead((*default, "label_data_ratio"))
    found = {key: setting.data.get(key, value) for key, value in default.items()}
    if paradigm == "federatedlearning" and found["splitting_method"] != "default":
        raise setting.refused("unsupported splitting method", "splitting_method", hint="use `default`")
    return found


def _module(module: Section) -> ModuleFile:
    module.dead(("type", "name", "url", "hyperparameters"))
    kind, name = module.text("type"), module.text("name")
    if not module.data.get("url"):
        what = f"{name} is part of Sedna, which is not used here"
        raise module.refused(what, "name", hint="add the `url` of a file that registers it")
    return ModuleFile(kind, name, module.file("url"), _choices(module))


def _choices(module: Section) -> list[dict[str, Any]]:
    """Each choice of hyperparameters; those of `other_hyperparameters` are the same in all of them."""
    base: dict[str, Any] = {}
    varied: list[tuple[str, list[Any]]] = []
    for each in module.sections("hyperparameters", needed=False):
        if len(each.data) != 1:
            raise each.error("must have one name", hint="write `- lr:` with `values: [0.1]` below it")
        (name,) = each.data
        values = each.section(name).take("values", list)
        if name == "other_hyperparameters":
            base |= _other(each, name, values)
        else:
            varied.append((name, values))
    if (size := prod(len(values) for _, values in varied)) > MAX_CASES:
        what = f"{size:,} combinations of hyperparameters; the limit is {MAX_CASES:,}"
        raise module.error(what, "hyperparameters", hint="use fewer values")
    return [{**base, **choice} for choice in combinations(varied)]


def _other(each: Section, name: str, files: list[Any]) -> dict[str, Any]:
    """The mappings of the files that `other_hyperparameters` names."""
    found: dict[str, Any] = {}
    for number, text in enumerate(files):
        if not isinstance(text, str):
            raise each.error("must be the path of a YAML file", name, "values", number)
        place = each._replace(data={"file": text}, keys=(*each.keys, name, "values"))
        found |= _whole(place.file("file"), each)
    return found


def _whole(path: Path, each: Section) -> dict[str, Any]:
    from benchwright.store.yaml_documents import read_yaml  # noqa: PLC0415 (few jobs have such files)

    document = read_yaml(path, purpose="reading an Ianvs job", extra="ianvs")
    if not isinstance(document.data, dict):
        raise document.error("not a mapping", hint="write `name: value` lines")
    return document.data


# The order of the results.


def read_rank(job: Section, metrics: list[str]) -> RankSettings:
    """Read the order of results in a job; report missing keys and keys that Ianvs does not support."""
    if "rank" not in job.data:
        job.remark(
            "no `rank`; Ianvs itself fails after the last case", hint="add `rank: {sort_by: []}`", theirs=True
        )
    rank = job.section("rank", needed=False)
    rank.dead(("sort_by", "visualization", "selected_dataitem", "save_mode"))
    shown = rank.section("visualization", needed=False)
    chosen = rank.section("selected_dataitem", needed=False)
    chosen.dead(("paradigms", "modules", "hyperparameters", "metrics"))
    mode = rank.text("save_mode", "selected_and_all")
    if mode == "selected_and_all_and_picture":
        rank.remark("no picture is drawn; Ianvs itself fails here", "save_mode", theirs=True)
    return RankSettings(
        sort_by=_sort_by(rank, metrics),
        shown=shown.data.get("mode", "selected_only") == "selected_only",
        paradigms=_selected_columns(chosen, "paradigms"),
        modules=_selected_columns(chosen, "modules"),
        hyperparameters=_selected_columns(chosen, "hyperparameters"),
        metrics=_selected_metrics(chosen, metrics),
        all_rows=mode != "selected_only",
    )


def _sort_by(rank: Section, metrics: list[str]) -> list[tuple[str, bool]]:
    found = []
    for each in rank.sections("sort_by", needed=False):
        if not each.data:
            raise each.error("missing metric", hint='write `- {acc: "descend"}`')
        name, order = next(iter(each.data.items()))
        if name not in metrics:
            each.remark(f"unknown metric {name!r}; not used for sorting", name, hint=_names(metrics))
            continue
        if order not in ("ascend", "descend"):
            each.remark(f"{order!r} is read as descend", name, hint='write "ascend" or "descend"')
        found.append((name, order == "ascend"))
    return found


def _selected_columns(chosen: Section, key: str) -> list[str] | None:
    if key not in chosen.data and chosen.data:
        chosen.remark(
            f"no `{key}`; all are used, Ianvs itself fails here", hint=f'add `{key}: ["all"]`', theirs=True
        )
    names = chosen.take(key, list, ["all"])
    return None if names == ["all"] else [str(name) for name in names]


def _selected_metrics(chosen: Section, metrics: list[str]) -> list[str] | None:
    names = _selected_columns(chosen, "metrics")
    for name in names or ():
        if name not in metrics:
            chosen.remark(f"unknown metric {name!r}; its column is empty", "metrics", hint=_names(metrics))
    return names


def _names(metrics: list[str]) -> str:
    return f"the metrics are {', '.join(metrics)}"
