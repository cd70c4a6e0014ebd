"""What starting costs: nothing heavy is imported before a command asks for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kit.processes import HANG_S

HEAVY = (
    "msgspec",
    "rich",
    "httpx",
    "jinja2",
    "duckdb",
    "numpy",
    "huggingface_hub",
    "importlib.metadata",
    "litestar",
    "sqlalchemy",
    "uvicorn",
)
_REPORT = "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"


def _loaded(code: str) -> set[str]:
    """The modules of a fresh process after it has run the code."""
    program = f"import json, sys\n{code}\n{_REPORT}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=HANG_S, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def _command(*args: str) -> str:
    return (
        f"sys.argv = ['benchwright', *{args!r}]\n"
        "from benchwright.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code"
    )


def test_help_loads_nothing_heavy() -> None:
    """`benchwright --help` lists the commands without importing one or a library they need."""
    loaded = _loaded(_command("--help"))
    commands = {name for name in loaded if name.startswith("benchwright.cli.")}

    assert (set(), {"benchwright.cli.main", "benchwright.cli.commands"}) == (loaded & set(HEAVY), commands)


def test_import_loads_nothing_heavy() -> None:
    """`import benchwright` loads the package's own front door and nothing else."""
    loaded = _loaded("import benchwright")
    own = {name for name in loaded if name.startswith("benchwright")}

    assert (set(), {"benchwright", "benchwright.version"}) == (loaded & set(HEAVY), own)


def test_names_are_loaded_when_used() -> None:
    """Touching one name of the package loads its home, and no more than that."""
    loaded = _loaded("import benchwright\nassert benchwright.pass_at_k(n=2, c=1, k=1) == 0.5")

    assert ("benchwright.stats.passk" in loaded, "benchwright.running.pipeline" in loaded) == (True, False)


def test_every_public_name_is_there() -> None:
    """Each name that `dir` lists can be had, and an unknown one is an AttributeError."""
    import benchwright

    there = [name for name in dir(benchwright) if getattr(benchwright, name) is not None]
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = benchwright.nothing

    assert there == sorted(benchwright.__all__)


def test_run_help_loads_only_what_every_run_needs() -> None:
    """A quiet run needs no rich, and few runs need the statistics of prompts, schemas or tables."""
    loaded = _loaded(_command("run", "--help"))

    rare = {"asking.schema", "running.model_judges", "stats.power", "stats.prompt_effect", "store.parquet"}
    assert (
        loaded & {"rich", "typing_extensions", "tempfile", *(f"benchwright.{name}" for name in rare)} == set()
    )


def test_a_worker_loads_no_second_typing() -> None:
    """Nor what comes with it; the module is there for whoever wants it later."""
    from benchwright.executing.worker_process import START

    loaded = _loaded(START.replace("main()\n", ""))

    assert loaded & {"typing_extensions", "inspect", "dis", "tokenize"} == set()
    assert "benchwright.executing.worker" in loaded
