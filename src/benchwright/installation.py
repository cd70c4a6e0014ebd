"""Installation of this copy: the call of the program, and commands that install extras and packages.

| installed by | command that adds the extra `report` |
|---|---|
| a clone's script, which sets BENCHWRIGHT_COMMAND | `./run setup report` |
| `uv sync` in a clone | the clone's script with its path: `/home/me/benchwright/run setup report` |
| `uvx` | `uvx --from 'benchwright[report]' benchwright` |
| `uv tool install`, `pipx install` | the same command with the extra |
| `pip` or `uv pip` | `pip install …`, with the path of Python if its environment is not active |

The commands use the file or repository from which this copy was installed, if any (PEP 610). They then also
name the distributions that the extra installs, which no index has for such a copy.
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
# By extra: the other distributions that it installs, each in the folder packages/NAME of the repository.
DISTRIBUTIONS = {
    "build": ("benchwright-build",),
    "ianvs": ("benchwright-ianvs",),
    "ray": ("benchwright-ray",),
    "web": ("benchwright-station",),
    "all": ("benchwright-build", "benchwright-ianvs", "benchwright-station"),
}


def program_call() -> str:
    """Return the call of the program in the current environment."""
    if command := os.environ.get(COMMAND):
        return command
    if run := clone_script_call():
        return f"{run} {NAME}"
    if _manager() == "uvx":
        return f"uvx --from {quote(requirement())} {NAME}" if _origin() else f"uvx {NAME}"
    called = sys.argv[0] if sys.argv else ""
    if os.sep in called and Path(called).name == NAME and not _on_path(called):
        return quote(called)
    return NAME


def clone_script_call() -> str:
    """Return the call of the clone's script; empty outside of a clone."""
    if command := os.environ.get(COMMAND):
        return command.removesuffix(NAME).strip()
    run = _script_of_clone()
    return quote(run) if run else ""


def extra_install_command(extra: str) -> str:
    """Return the command that installs an extra into the same environment."""
    if run := clone_script_call():
        return f"{run} setup {extra}"
    wanted = _quoted(requirement(extra))
    if os.environ.get(COMMAND):
        return f"pip install {wanted}"
    added = [
        _quoted(f"{name} @ {address}") for name in DISTRIBUTIONS.get(extra, ()) if (address := _origin(name))
    ]
    match _manager():
        case "uvx":
            return " ".join(["uvx --from", wanted, *(f"--with {each}" for each in added), NAME])
        case "uv tool":
            return " ".join(["uv tool install --force", wanted, *(f"--with {each}" for each in added)])
        case "pipx":
            return f"pipx install --force {wanted}"
    return " ".join([_installer(), wanted, *added])


def requirement(extra: str = "") -> str:
    """Return the requirement of this package with an extra: its name, or the origin of this copy."""
    name = f"{NAME}[{extra}]" if extra else NAME
    origin = "" if os.environ.get(COMMAND) else _origin()
    return f"{name} @ {origin}" if origin else name


def package_install_command(*names: str) -> str:
    """Return the command that installs packages into the running environment."""
    installer = "pip install" if os.environ.get(COMMAND) else _installer()
    return " ".join([installer, *names])


def _quoted(text: str) -> str:
    """Quote a requirement: brackets are patterns in some shells."""
    return quote(text) if "'" in text else f"'{text}'"


def _manager() -> str:
    """Return the tool that made an environment for this program alone; empty for others."""
    prefix = Path(sys.prefix)
    if prefix.parent.name.startswith("archive-v"):  # uv's cache: an environment for one call
        return "uvx"
    if (prefix / "uv-receipt.toml").is_file():
        return "uv tool"
    return "pipx" if (prefix / "pipx_metadata.json").is_file() else ""


def _installer() -> str:
    """Return the install command before the package's name: pip if the environment has it, else uv."""
    active = sys.prefix == sys.base_prefix or os.environ.get("VIRTUAL_ENV") == sys.prefix
    interpreter = quote(sys.executable)
    if find_spec("pip") is not None:
        return "pip install" if active else f"{interpreter} -m pip install"
    return "uv pip install" if active else f"uv pip install --python {interpreter}"


def _on_path(called: str) -> bool:
    program = which(NAME)
    return program is not None and os.path.realpath(program) == os.path.realpath(called)


def _origin(name: str = NAME) -> str:
    """Return where a distribution is, if this copy came from a file or repository; empty for an index."""
    try:
        text = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    return _address(json.loads(text), name) if text else ""


def _script_of_clone() -> str:
    """Return the script of the clone if these are its files, run by its own environment."""
    run = Path(__file__).parents[2] / "run"
    return str(run) if run.is_file() and Path(sys.prefix).parent == run.parent else ""


def _address(origin: dict[str, object], name: str) -> str:
    """Convert this copy's record of PEP 610 to the address of a requirement (PEP 508) for a distribution."""
    url, place = str(origin.get("url", "")), "" if name == NAME else f"packages/{name}"
    vcs = origin.get("vcs_info")
    if isinstance(vcs, dict):
        revision = vcs.get("requested_revision")
        address = f"{vcs.get('vcs', 'git')}+{url}" + (f"@{revision}" if revision else "")
        return f"{address}#subdirectory={place}" if place else address
    if "dir_info" in origin:
        return f"{url}/{place}" if place else url
    folder, slash, file = url.rpartition("/")
    return folder + slash + file.replace(NAME, name.replace("-", "_"), 1)
