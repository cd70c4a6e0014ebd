"""Which Go files a build leaves out: by a `//go:build` line, or by an operating system in the file's name."""

from __future__ import annotations

import re

from benchwright.judges.suites.go_toolchain import GoToolchain

_LINE = re.compile(r"^//go:build[ \t]+(.+)$", re.MULTILINE)
_TOKEN = re.compile(r"\s*(&&|\|\||[!()]|[\w.]+)")
_RELEASE = re.compile(r"go1\.(\d+)\Z")
_SYSTEMS = {
    *("aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl"),
    *("netbsd", "openbsd", "plan9", "solaris", "wasip1", "windows", "zos"),
}
_MACHINES = {
    *("386", "amd64", "arm", "arm64", "loong64", "mips", "mipsle", "mips64", "mips64le", "ppc64", "ppc64le"),
    *("riscv64", "s390x", "sparc64", "wasm"),
}
_ALWAYS = frozenset({"linux", "unix", "gc"})
MAX_TERMS = 200


def excluded(path: str, text: str, toolchain: GoToolchain) -> bool:
    """Return whether the go command would exclude the file on this machine."""
    machine = toolchain.tools.rpartition("_")[2]
    parts = path.rpartition("/")[2].removesuffix(".go").removesuffix("_test").split("_")[1:]
    named = [part for part in parts[-2:] if part in _SYSTEMS or part in _MACHINES]
    if parts and parts[-1] in named and any(part not in ("linux", machine) for part in named):
        return True
    line = _LINE.search(_head(text))
    return line is not None and not _holds(line[1], machine, toolchain.numbers[1])


def _head(text: str) -> str:
    """Return the text before the package clause: constraints count only there."""
    match = re.search(r"^package\s", text, re.MULTILINE)
    return text[: match.start()] if match else text


def _holds(line: str, machine: str, release: int) -> bool:
    tokens = _TOKEN.findall(line)[:MAX_TERMS]

    def known(tag: str) -> bool:
        match = _RELEASE.match(tag)
        return int(match[1]) <= release if match else tag in _ALWAYS or tag == machine

    def alternatives() -> bool:
        value = terms()
        while tokens and tokens[0] == "||":
            tokens.pop(0)
            value = terms() or value
        return value

    def terms() -> bool:
        value = factor()
        while tokens and tokens[0] == "&&":
            tokens.pop(0)
            value = factor() and value
        return value

    def factor() -> bool:
        token = tokens.pop(0) if tokens else ""
        if token == "!":
            return not factor()
        if token != "(":
            return known(token)
        value = alternatives()
        if tokens:
            tokens.pop(0)
        return value

    return alternatives()
