"""How this copy came onto the machine: what its user types, and the command that adds an optional part.

| installed by | what adds the extra `report` |
|---|---|
| a clone's script, which sets BENCHWRIGHT_COMMAND | `./run setup report` |
| `uv sync` in a clone | the clone's script with its path: `/home/me/benchwright/run setup report` |
| `uvx` | `uvx --from 'benchwright[report]' benchwright` |
| `uv tool install`, `pipx install` | the same command again, with the extra |
| `pip` or `uv pip` | `pip install …`, with the path of the environment's Python where it is not active |

A copy that came from a file or a repository, and not from the index, is found there again: PEP 610 keeps
the address.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from shutil import which

NAME = "benchwright"
COMMAND = "BENCHWRIGHT_COMMAND"


def typed() -> str:
    """What the user types to call the program, as it works where the user is."""
    if said := os.environ.get(COMMAND):
        return said
    if run := script():
        return f"{run} {NAME}"
    if _manager() == "uvx":
        return f"uvx --from {quote(requirement())} {NAME}" if _origin() else f"uvx {NAME}"
    called = sys.argv[0] if sys.argv else ""
    if os.sep in called and Path(called).name == NAME and not _on_path(called):
        return quote(called)
    return NAME


def script() -> str:
    """The clone's script as the user types it; empty where no clone runs."""
    if said := os.environ.get(COMMAND):
        return said.removesuffix(NAME).strip()
    run = _script_of_clone()
    return quote(run) if run else ""


def adding(extra: str) -> str:
    """The command that installs an extra beside what is there."""
    if run := script():
        return f"{run} setup {extra}"
    wanted = _quoted(requirement(extra))
    if os.environ.get(COMMAND):
        return f"pip install {wanted}"
    match _manager():
        case "uvx":
            return f"uvx --from {wanted} {NAME}"
        case "uv tool":
            return f"uv tool install --force {wanted}"
        case "pipx":
            return f"pipx install --force {wanted}"
    return f"{_installer()} {wanted}"


def requirement(extra: str = "") -> str:
    """This package as an installer takes it, with an extra: by name, or from where this copy came."""
    name = f"{NAME}[{extra}]" if extra else NAME
    origin = "" if os.environ.get(COMMAND) else _origin()
    return f"{name} @ {origin}" if origin else name


def adding_packages(*names: str) -> str:
    """The command that installs packages which are no extra of ours into the environment that runs."""
    installer = "pip install" if os.environ.get(COMMAND) else _installer()
    return " ".join([installer, *names])


def _quoted(text: str) -> str:
    """In quotes always: a bracket is a pattern in some shells."""
    return quote(text) if "'" in text else f"'{text}'"


def _manager() -> str:
    """Who made the environment, if it was for this program alone."""
    prefix = Path(sys.prefix)
    if prefix.parent.name.startswith("archive-v"):  # uv's cache: gone from sight when the program ends
        return "uvx"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv tool"
    return "pipx" if (prefix / "pipx_metadata.json").is_file() else ""


def _installer() -> str:
    """The words before the package's name: pip where the environment has it, else uv."""
    active = sys.prefix == sys.base_prefix or os.environ.get("VIRTUAL_ENV") == sys.prefix
    interpreter = quote(sys.executable)
    if find_spec("pip") is not None:
        return "pip install" if active else f"{interpreter} -m pip install"
    return "uv pip install" if active else f"uv pip install --python {interpreter}"


def _on_path(called: str) -> bool:
    found = which(NAME)
    return found is not None and os.path.realpath(found) == os.path.realpath(called)


def _origin() -> str:
    """The address of the file, folder or repository that this copy came from; empty for an index."""
    try:
        text = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    return _address(json.loads(text)) if text else ""


def _script_of_clone() -> str:
    """The script of the clone whose files these are, where its own environment runs them as they are."""
    run = Path(__file__).parents[2] / "run"
    return str(run) if run.is_file() and Path(sys.prefix).parent == run.parent else ""


def _address(origin: dict[str, object]) -> str:
    """The address in the form of a requirement (PEP 508), of the record that PEP 610 keeps."""
    url = str(origin.get("url", ""))
    vcs = origin.get("vcs_info")
    if not isinstance(vcs, dict):
        return url
    revision = vcs.get("requested_revision")
    return f"{vcs.get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
