"""Compiles and links a batch of suites: a separate program in the jail, with the standard library only.

    python -I -S go_inside.py plan.json

Each suite is compiled by itself, so that what does not compile leaves the others alone; what did is linked
into one program. `out/result.json` says how each suite fared, `out/program.*` is the program in parts,
because a file that leaves the jail may not be larger than one message.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

TYPE_CHECKING = False  # importing typing takes longer than the rest of the start-up
if TYPE_CHECKING:
    from typing import Any

PART = 8 << 20
KEPT = 8 << 10  # bytes of a compiler's messages
PROGRAM = "out/program"


def main(path: str) -> None:
    """Carry out the plan."""
    with open(path) as file:
        plan = json.load(file)
    os.makedirs("out")
    results = {}
    for number, packages in plan["suites"].items():
        results[number] = compile_all(plan, packages)
    good = [number for number, result in results.items() if result["status"] == 0]
    link = build_program(plan, good) if good else {"status": 0, "output": "", "cpu_s": 0.0}
    with open("out/result.json", "w") as file:
        json.dump({"suites": results, "link": link}, file)


def compile_all(plan: dict[str, Any], packages: list[dict[str, Any]]) -> dict[str, Any]:
    """Compile the packages of one suite in their order, up to the first that fails."""
    cpu_s = 0.0
    for package in packages:
        config = plan["public"] + package["config"]
        result = compile_one(plan, package["path"], package["files"], config, package["flags"])
        cpu_s += result["cpu_s"]
        if result["status"] == 0 and package["vetted"]:
            result = vet(plan, package["path"], package["vetted"], config)
            cpu_s += result["cpu_s"]
        if result["status"] != 0:
            break
    return {**result, "cpu_s": cpu_s}


def vet(plan: dict[str, Any], path: str, files: list[str], config: str) -> dict[str, Any]:
    """Run vet on one package as `go test` does before linking, with the archives of its imports."""
    lines = [line.partition(" ") for line in config.splitlines()]
    archives = dict(rest.split("=", 1) for word, _, rest in lines if word == "packagefile")
    mapped = dict(rest.split("=", 1) for word, _, rest in lines if word == "importmap")
    vet_config = {
        "ID": path,
        "Compiler": "gc",
        "ImportPath": path,
        "GoVersion": plan["version"],
        "GoFiles": files,
        # `unsafe` has no archive: vet knows it, as the compiler does, but checks whether it may be imported.
        "ImportMap": {"unsafe": "unsafe", **{name: name for name in archives}, **mapped},
        "PackageFile": archives,
        "VetxOutput": "vet.facts",
    }
    write("vet.cfg", json.dumps(vet_config))
    return run(plan, [plan["tools"] + "/vet", *plan["vet"], "vet.cfg"])


def compile_one(
    plan: dict[str, Any], path: str, files: list[str], config: str, flags: list[str]
) -> dict[str, Any]:
    """Compile one package to its own archive."""
    archive = archive_of(path)
    os.makedirs(os.path.dirname(archive), exist_ok=True)
    write("importcfg", config)
    # -c=1: compiling one suite gains nothing from threads. -complete: a function without a body is an error.
    command = [
        plan["tools"] + "/compile",
        "-o",
        archive,
        "-p",
        path,
        "-importcfg",
        "importcfg",
        "-pack",
        "-c=1",
    ]
    command += ["-complete", "-dwarf=false", "-trimpath", os.getcwd(), *flags, *files]
    return run(plan, command)


def build_program(plan: dict[str, Any], good: list[str]) -> dict[str, Any]:
    """Compile the main package, and link the program of all suites that compiled."""
    packages = [f"packagefile {p['path']}={archive_of(p['path'])}\n" for n in good for p in plan["suites"][n]]
    config = plan["all"] + "".join(packages)
    write("main.go", main_source(plan, good))
    result = compile_one(plan, "main", ["main.go"], config, [])
    if result["status"] == 0:
        write("importcfg", config)
        command = [
            plan["tools"] + "/link",
            "-o",
            "program",
            "-importcfg",
            "importcfg",
            "-s",
            "-w",
            "-buildmode=exe",
            "-X=testing.testBinary=1",  # as `go test` does: `testing.Testing()` is true
        ]
        linked = run(plan, [*command, archive_of("main")])
        result = {**linked, "cpu_s": result["cpu_s"] + linked["cpu_s"]}
    if result["status"] == 0:
        split("program")
    return result


def main_source(plan: dict[str, Any], good: list[str]) -> str:
    """Return Go source that gives the harness access to each suite's tests."""
    entries = {number: plan["entries"][number] for number in good}
    lines = ["package main", "", f"import harness {json.dumps(plan['harness'])}"]
    lines += [f"import s{number} {json.dumps(path)}" for number, (path, _) in entries.items()]
    lines += ["", "func main() {", "\tharness.Main(map[int]func(){"]
    lines += [f"\t\t{number}: s{number}.{name}," for number, (_, name) in entries.items()]
    return "\n".join([*lines, "\t})", "}", ""])


def archive_of(path: str) -> str:
    """Return the path of a package's archive."""
    return f"archives/{path}.a"


def write(path: str, text: str) -> None:
    """Write a small file."""
    with open(path, "w") as file:
        file.write(text)


def split(path: str) -> None:
    """Split the program into parts that fit into one message."""
    with open(path, "rb") as file:
        number = 0
        while part := file.read(PART):
            with open(f"{PROGRAM}.{number:03d}", "wb") as out:
                out.write(part)
            number += 1


def run(plan: dict[str, Any], command: list[str]) -> dict[str, Any]:
    """Run a tool within its own limits; return exit status (or minus a signal), output, CPU seconds."""
    # The collector is off until the limit is near: it would run twice for most packages.
    environment = {
        "GOROOT": plan["root"],
        "GOGC": "off",
        "GOMEMLIMIT": "512MiB",
        "GOMAXPROCS": "1",
        "TMPDIR": "/tmp",
    }
    output = os.open("tool.out", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    actions = [(os.POSIX_SPAWN_DUP2, output, 1), (os.POSIX_SPAWN_DUP2, output, 2)]
    pid = os.posix_spawn(command[0], command, environment, file_actions=actions)
    seconds = int(plan["cpu_s"])
    resource.prlimit(pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.prlimit(pid, resource.RLIMIT_DATA, (plan["memory"], plan["memory"]))
    _, status, usage = os.wait4(pid, 0)
    text = os.pread(output, KEPT, 0).decode("utf-8", "replace")
    os.close(output)
    code = os.waitstatus_to_exitcode(status)
    if code == -signal.SIGXCPU or (code == 2 and usage.ru_utime + usage.ru_stime >= seconds):
        code = -signal.SIGXCPU  # Go turns the signal into a trace of all its threads
    return {"status": code, "output": text, "cpu_s": usage.ru_utime + usage.ru_stime}


if __name__ == "__main__":
    main(sys.argv[1])
