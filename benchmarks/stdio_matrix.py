"""Judge twelve tasks in each language: right, wrong, slow, greedy, noisy and hostile programs of our own.

    ./run python -m benchmarks.stdio_matrix [--languages Python,C] [--tasks sum,pair] [--kinds right,hostile]

Prints each verdict that is not the expected one, the counts, and what the attacks damaged. Ends with status 1
if a verdict is not right or anything is hurt.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchwright.contracts import Extraction, Judgement, StdioCase, StdioSpec
from benchwright.errors import PrerequisiteError
from benchwright.judges.judge_registry import Resources
from benchwright.judges.programs.judge import StdioJudge
from benchwright.sandbox.box import Sandbox

LANGUAGES = ("Python", "Java", "Go", "C", "C++", "JavaScript", "Rust", "TypeScript")
KINDS = ("right", "wrong", "slow", "memory", "noisy_out", "noisy_err", "hostile")
_FOLDER = Path(__file__).parent
TASKS: dict[str, dict[str, Any]] = tomllib.loads((_FOLDER / "stdio_programs.toml").read_text())
ATTACKS: dict[str, dict[str, Any]] = tomllib.loads((_FOLDER / "stdio_attacks.toml").read_text())
_SAME = {"C++": "C", "TypeScript": "JavaScript"}  # languages in which the programs of another one are written
_CHECKER = """
def check(input, expected, actual):
    found = actual.split()
    return len(found) == 2 and sum(map(int, found)) == sum(map(int, input.split()))
"""
# Frames of programs: `BEFORE` is what a misbehaving one does first; it leaves out the last `KEPT` numbers.
_FRAMES = {
    "Python": """import sys
BEFORE
v = [int(x) for x in sys.stdin.read().split()]
v = v[:len(v) - KEPT]
BODY
""",
    "C": """#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static FILE *stderr_file(void) {
    static char room[65536];
    static int ready;
    if (!ready++) setvbuf(stderr, room, _IOFBF, 65536);
    return stderr;
}
int main(void) {
    (void)stderr_file;
    { BEFORE }
    long long v[64]; int n = 0; while (n < 64 && scanf("%lld", &v[n]) == 1) n++; n -= KEPT;
    BODY
    return 0;
}
""",
    "C++": """#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <set>
#include <vector>
#include <sys/socket.h>
#include <unistd.h>
using namespace std;
static FILE *stderr_file() {
    static char room[65536];
    static int ready;
    if (!ready++) setvbuf(stderr, room, _IOFBF, 65536);
    return stderr;
}
int main() {
    (void)stderr_file;
    { BEFORE }
    vector<long long> v; for (long long x; cin >> x;) v.push_back(x); v.resize(v.size() - KEPT);
    BODY
}
""",
    "Java": """import java.util.*;
public class Solution {
    static boolean misbehaves() { return true; }
    static void before() throws Exception { BEFORE }
    public static void main(String[] arguments) throws Exception {
        before();
        List<Long> read = new ArrayList<>();
        Scanner scanner = new Scanner(System.in);
        while (scanner.hasNextLong()) read.add(scanner.nextLong());
        long[] v = new long[read.size() - KEPT];
        for (int i = 0; i < v.length; i++) v[i] = read.get(i);
        BODY
    }
}
""",
    "Go": """package main

import (
    "fmt"
    "math"
    "os"
    "sort"
    "strings"
    "syscall"
)

var _, _, _, _, _ = math.Pi, os.Args, sort.Ints, strings.Repeat, syscall.SIGKILL

func before() {
    BEFORE
}

func main() {
    before()
    var v []int64
    for {
        var x int64
        if _, err := fmt.Scan(&x); err != nil {
            break
        }
        v = append(v, x)
    }
    v = v[:len(v)-KEPT]
    BODY
}
""",
    "JavaScript": """const fs = require('node:fs');
{ BEFORE }
const all = fs.readFileSync(0, 'utf8').split(/\\s+/).filter(x => x).map(Number);
const v = all.slice(0, all.length - KEPT);
BODY
""",
    "TypeScript": """declare const require: any, process: any, __filename: string;
const fs: any = require('node:fs');
{ BEFORE }
const all: number[] = fs.readFileSync(0, 'utf8').split(/\\s+/).filter((x: string) => x).map(Number);
const v: number[] = all.slice(0, all.length - KEPT);
BODY
""",
    "Rust": """#![allow(unused, unreachable_code)]
use std::io::Read;
extern "C" { fn fork() -> i32; fn kill(pid: i32, number: i32) -> i32; fn getpid() -> i32; }
fn before() { BEFORE }
fn main() {
    before();
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let mut v: Vec<i64> = text.split_whitespace().map(|x| x.parse().unwrap()).collect();
    v.truncate(v.len() - KEPT);
    BODY
}
""",
}
# How a program of a kind may end. A hostile one may end in any way but "passed"; one whose attack has no
# effect leaves out the last number, so that it is wrong. A Go program that ignores failed writes may use up
# its time.
_ENDS = {
    "right": {"passed"},
    "wrong": {"wrong"},
    "slow": {"timed_out"},
    "memory": {"out_of_memory"},
    "noisy_out": {"output_limit"},
    "noisy_err": {"output_limit"},
    "hostile": {"wrong", "exception", "timed_out", "out_of_memory", "output_limit", "tampered"},
}


class MatrixProgram(NamedTuple):
    """A program with its task, and how it may end."""

    task: str
    lang: str
    kind: str
    source: str
    ends: set[str]


class Canary:
    """What attacks could damage: a file, a listener that nobody may call, and a process of ours."""

    def __init__(self, stack: ExitStack) -> None:
        self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="canary-")))
        (self.folder / "canary").write_text("the canary sings")
        self._listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._process = subprocess.Popen(["sleep", "infinity"])
        stack.callback(self._process.wait)
        stack.callback(self._process.kill)

    def damage(self) -> list[str]:
        """Return what was hurt; empty if nothing was."""
        found = []
        if sorted(path.name for path in self.folder.iterdir()) != ["canary"]:
            found.append("the folder of the canary changed")
        elif (self.folder / "canary").read_text() != "the canary sings":
            found.append("the canary's file changed")
        if self._process.poll() is not None:
            found.append("a process of this machine ended")
        try:
            self._listener.accept()
            found.append("a program reached the network")
        except BlockingIOError:
            pass
        return found


def spec_of(task: str, lang: str) -> StdioSpec:
    """Return the spec of a task. Limits are small, because one program in seven runs into one."""
    known = TASKS[task]
    compare = known.get("compare", "tokens")
    return StdioSpec(
        lang=lang,
        cases=[StdioCase(input=f"{given}\n", expected=wanted) for given, wanted in known["cases"]],
        compare=compare,
        abs_tol=1e-6 if compare == "floats" else 0.0,
        checker=_CHECKER if compare == "checker" else "",
        cpu_s=1.0,
        memory_mb=256,
    )


def program_of(task: str, lang: str, kind: str, canary: Canary) -> MatrixProgram:
    """Return the program of a kind."""
    known, body = ATTACKS[_SAME.get(lang, lang)], TASKS[task].get(lang) or TASKS[task][_SAME[lang]]
    number = list(TASKS).index(task)
    before = "" if kind in ("right", "wrong") else known.get(kind, "")
    if kind == "hostile":
        before = known["attacks"][number % len(known["attacks"])].replace("\\\\", "\\")
    if lang == "Java" and before:
        before = f"if (misbehaves()) {{ {before} }}"
    if lang == "C++":
        before = before.replace("char *p = malloc", "char *p = (char *)malloc").replace(
            "(void *)address", "(sockaddr *)address"
        )
    for name, value in {"CANARY": str(canary.folder), "PORT": str(canary.port)}.items():
        before = before.replace(name, value)
    source = _FRAMES[lang].replace("BODY", body).replace("KEPT", str(int(kind in ("wrong", "hostile"))))
    ends = _ENDS[kind] | ({"timed_out"} if (lang, kind) == ("Go", "noisy_out") else set())
    return MatrixProgram(task, lang, kind, source.replace("BEFORE", before), ends)


def programs(
    languages: Sequence[str], tasks: Sequence[str], kinds: Sequence[str], canary: Canary
) -> Iterator[MatrixProgram]:
    """Yield the programs of the matrix, by language."""
    for lang in languages:
        for task in tasks:
            for kind in kinds:
                yield program_of(task, lang, kind, canary)


def judged(judge: StdioJudge, every: Iterator[MatrixProgram]) -> Iterator[tuple[MatrixProgram, Judgement]]:
    """Yield each program with its judgement."""
    for each in every:
        pending = judge.judge(Extraction(program=each.source, rule=""), spec_of(each.task, each.lang))
        yield each, pending if isinstance(pending, Judgement) else pending()


def _installed(languages: Sequence[str]) -> list[str]:
    found = []
    for lang in languages:
        try:
            StdioJudge.make_ready(spec_of("sum", lang))
            found.append(lang)
        except PrerequisiteError as error:
            print(f"{lang}: left out: {error}")
    return found


def main() -> int:
    """Judge the matrix, and print what is not as it must be."""
    options = _options()
    counts: Counter[tuple[str, str, str]] = Counter()
    bad = 0
    with ExitStack() as stack:
        canary = Canary(stack)
        box = stack.enter_context(Sandbox(jail=options.jail))
        judge = StdioJudge(Resources(box, stack))
        every = programs(_installed(options.languages), options.tasks, options.kinds, canary)
        for each, found in judged(judge, every):
            counts[each.lang, each.kind, found.outcome.value] += 1
            if found.outcome.value not in each.ends:
                bad += 1
                print(
                    f"NOT RIGHT {each.lang} {each.task} {each.kind}: {found.outcome.value}: {found.detail}",
                    flush=True,
                )
        hurt = canary.damage()
    for (lang, kind, outcome), count in sorted(counts.items()):
        print(f"{lang:<12} {kind:<10} {outcome:<14} {count:>4}")
    total = counts.total()
    print(
        f"{box.jail} jail: {total - bad} of {total} verdicts are right; damage: {'; '.join(hurt) or 'none'}"
    )
    return int(bool(bad or hurt))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    for name, known in (("languages", LANGUAGES), ("tasks", tuple(TASKS)), ("kinds", KINDS)):
        parser.add_argument(f"--{name}", type=lambda text: text.split(","), default=list(known))
    parser.add_argument("--jail", default="auto", help="bubblewrap or native")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
