"""Judges whole programs as MultiPL-E does, by its words: OK, Exception, SyntaxError, Timeout.

MultiPL-E's container takes its programs from the network and has other toolchains, so these are the commands
that it runs (`go test FILE`, `javac` and `java -ea Problem`), on this machine's toolchains. Its limits are of
seconds on the wall; here they are of processor time, so that a machine with other work changes no word.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

GO_S, JAVA_S = 30, 15  # MultiPL-E's
WALL = 12  # times a limit, on the wall
FIRST_S = 120  # for the standard library, which Go compiles once and keeps
_NOTHING = (
    'package a_test\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc TestA(t *testing.T) { fmt.Println() }\n'
)
KEPT = 400  # characters of what a tool said


def main() -> None:
    """Write a row for each program: its number, MultiPL-E's word, and the last that was said."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--go", default="")
    parser.add_argument("--jdk", default="")
    parser.add_argument("--jar", default="")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if chosen.go:
            _go(_NOTHING, Path(folder), chosen.go, limit_s=FIRST_S)
    with chosen.programs.open(encoding="utf-8") as given, chosen.out.open("w", encoding="utf-8") as out:
        for number, row in enumerate(map(json.loads, given)):
            with tempfile.TemporaryDirectory() as folder:
                if row["lang"] == "Go":
                    word, said = _go(row["program"], Path(folder), chosen.go)
                else:
                    word, said = _java(row["program"], Path(folder), chosen.jdk, chosen.jar)
            print(json.dumps({"number": number, "word": word, "said": said[-KEPT:]}), file=out, flush=True)


def _go(program: str, folder: Path, go: str, *, limit_s: int = GO_S) -> tuple[str, str]:
    (folder / "program_test.go").write_text(program, encoding="utf-8")
    done = _run([go, "test", "program_test.go"], folder, limit_s)
    if done is None:
        return "Timeout", ""
    if "[setup failed]" in done.stdout or "[build failed]" in done.stdout:
        return "SyntaxError", done.stdout + done.stderr
    return ("Exception" if "FAIL" in done.stdout else "OK"), done.stdout


def _java(program: str, folder: Path, jdk: str, jar: str) -> tuple[str, str]:
    (folder / "Problem.java").write_text(program, encoding="utf-8")
    done = _run(
        [f"{jdk}/bin/javac", "-encoding", "UTF8", "-cp", jar, "-d", "out", "Problem.java"], folder, JAVA_S
    )
    if done is None or done.returncode:
        return "SyntaxError", done.stderr if done else ""
    done = _run([f"{jdk}/bin/java", "-ea", "-cp", f"out:{jar}", "Problem"], folder, JAVA_S)
    if done is None:
        return "Timeout", ""
    return ("Exception" if done.returncode else "OK"), done.stderr


def _run(command: Sequence[str], folder: Path, limit_s: int) -> subprocess.CompletedProcess[str] | None:
    """What became of it; None where it took too long."""
    process = subprocess.Popen(
        ["/bin/sh", "-c", f'ulimit -t {limit_s}; exec "$@"', "sh", *command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=limit_s * WALL)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


if __name__ == "__main__":
    main()
