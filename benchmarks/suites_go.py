"""The Go line of `benchmarks.suites`: pairs made here, and `go test` for each.

    ./run bench suites go --pairs 20 400

The standard library is compiled before the clock starts: for `go test` into a build cache, for ours
into its archives. The pairs are harmless, so `go test` runs them without a sandbox, as its users
do. vet is off for it, because ours runs none.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.suites_ground import CACHE, Contest, Peer, lay_out, passed
from benchwright.contracts import Suite, Variation
from benchwright.judges.suites.go import GoSuites
from benchwright.judges.suites.go_library import go_environment
from benchwright.judges.suites.go_toolchain import find_toolchain

GO_CACHE = CACHE / "build"  # of `go test`
_FOCAL = """package calc

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

var ErrNone{n} = errors.New("nothing there")

type Queue{n} struct{{ waiting []string }}

func (q *Queue{n}) Put(word string) {{ q.waiting = append(q.waiting, word) }}

func (q *Queue{n}) Take() (string, error) {{
	if len(q.waiting) == 0 {{
		return "", ErrNone{n}
	}}
	first := q.waiting[0]
	q.waiting = q.waiting[1:]
	return first, nil
}}

func Longest(text string, most int) string {{
	words := strings.Fields(text)
	sort.Slice(words, func(a, b int) bool {{
		if len(words[a]) != len(words[b]) {{
			return len(words[a]) > len(words[b])
		}}
		return words[a] < words[b]
	}})
	if len(words) > most {{
		words = words[:most]
	}}
	return fmt.Sprintf("%s:%d", strings.Join(words, ","), {n})
}}
"""
_TEST = """package calc

import "testing"

func TestLongest(t *testing.T) {{
	cases := []struct {{
		name, text, want string
		most             int
	}}{{
		{{"one", "a bb a", "bb:{wanted}", 1}},
		{{"two", "xx y yyy x", "yyy,xx:{wanted}", 2}},
	}}
	for _, c := range cases {{
		t.Run(c.name, func(t *testing.T) {{
			if got := Longest(c.text, c.most); got != c.want {{
				t.Errorf("got %q, want %q", got, c.want)
			}}
		}})
	}}
}}

func TestQueue(t *testing.T) {{
	q := &Queue{n}{{}}
	q.Put("a")
	if word, err := q.Take(); err != nil || word != "a" {{
		t.Fatal(word, err)
	}}
}}
"""


def go_pair(number: int, sign: str) -> Suite:
    """A focal file of three functions, and two tests, one with subtests. With the sign "-" one fails."""
    wanted = number if sign == "+" else number + 1
    files = {
        "go.mod": "module example.com/calc\n\ngo 1.19\n",
        "calc.go": _FOCAL.format(n=number),
        "calc_test.go": _TEST.format(n=number, wanted=wanted),
    }
    cases = ["TestLongest", "TestQueue"]
    return Suite(lang="Go", framework="go", files=files, focal="calc.go", test="calc_test.go", cases=cases)


def go_prepare() -> None:
    """Compile for both what the pairs use of the standard library."""
    with go_runner() as runner:
        runner.versions()
        list(runner.run([(0, go_pair(0, "+"))], variation=Variation()))
    go_compiled()


def go_compiled() -> Path:
    """The build cache of `go test`, with what the pairs use of the standard library in it."""
    with tempfile.TemporaryDirectory() as folder:
        go_usual(go_pair(0, "+"), Path(folder))
    return GO_CACHE


def go_runner() -> GoSuites:
    """Ours."""
    return GoSuites()


def go_usual(suite: Suite, folder: Path) -> bool:
    """`go test` as people run it, but for results that it remembers."""
    toolchain = find_toolchain()
    environment = go_environment(toolchain, cache=str(GO_CACHE), home=str(folder))
    command = [toolchain.go, "test", "-vet=off", "-count=1", "./..."]
    return passed(command, lay_out(suite, folder), environment)


CONTEST = Contest(
    pair=go_pair,
    runner=go_runner,
    peers=(Peer("go test", "`go test -vet=off`", go_usual),),
    goal="at least 9 times",
    sampled=20,
    prepare=go_prepare,
)
