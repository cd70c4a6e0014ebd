"""Go suites with their labels, written for the tests of the Go runner."""

from __future__ import annotations

from benchwright.contracts import Suite

MODULE = "module example.com/shop\n\ngo 1.19\n"
FOCAL = """package shop

import "errors"

var ErrEmpty = errors.New("empty")

func Total(prices []int) (int, error) {
	if len(prices) == 0 {
		return 0, ErrEmpty
	}
	sum := 0
	for _, price := range prices {
		sum += price
	}
	return sum, nil
}

func Largest[T int | float64](values ...T) T {
	best := values[0]
	for _, value := range values {
		if value > best {
			best = value
		}
	}
	return best
}
"""
INTERNAL = 'package shop\n\nimport "testing"\n\n'


def suite(test: str, *cases: str, focal: str = FOCAL, module: str = MODULE) -> Suite:
    """Return a suite with one package in the module's root."""
    files = {"go.mod": module, "shop.go": focal, "shop_test.go": test}
    return Suite(
        lang="Go",
        framework="go",
        files=files,
        focal="shop.go",
        test="shop_test.go",
        cases=list(cases) or ["TestTotal"],
    )


def body(text: str) -> str:
    """Return an internal test file with one test that has this body."""
    return INTERNAL + "func TestTotal(t *testing.T) {\n" + text + "\n}\n"


TABLE = (
    INTERNAL
    + """func TestTotal(t *testing.T) {
	for _, c := range []struct {
		name   string
		prices []int
		want   int
	}{{"one", []int{4}, 4}, {"two", []int{4, 5}, %d}} {
		c := c
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, _ := Total(c.prices); got != c.want {
				t.Errorf("Total(%%v) = %%d, want %%d", c.prices, got, c.want)
			}
		})
	}
}
"""
)
EXTERNAL = """package shop_test

import (
	"errors"
	"testing"

	"example.com/shop"
)

func TestTotal(t *testing.T) {
	if _, err := shop.Total(nil); !errors.Is(err, shop.ErrEmpty) {
		t.Fatal(err)
	}
}

func TestLargest(t *testing.T) {
	if got := shop.Largest(1.5, 2.5); got != %s {
		t.Fatalf("got %%v", got)
	}
}
"""
MAIN = """package shop

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if %s {
		code = 1
	}
	os.Exit(code)
}

func TestTotal(t *testing.T) {}
"""
EXAMPLE = (
    INTERNAL.replace('import "testing"', 'import (\n\t"fmt"\n\t"testing"\n)')
    + """func TestTotal(t *testing.T) {}

func ExampleTotal() {
	total, _ := Total([]int{1, 2})
	fmt.Println(total)
	// Output: %s
}
"""
)
HELPER = """package shop

import (
	"os"
	"os/exec"
	"testing"
)

func TestTotal(t *testing.T) {
	if os.Getenv("AS_HELPER") == "1" {
		os.Stdout.WriteString("from the helper")
		os.Exit(0)
	}
	command := exec.Command(os.Args[0], "-test.run=TestTotal")
	command.Env = append(os.Environ(), "AS_HELPER=1")
	out, err := command.Output()
	if err != nil || string(out) != "from the helper" {
		t.Fatal(err, string(out))
	}
}
"""

# Name: suite, state, kind.
SAMPLES: dict[str, tuple[Suite, str, str]] = {
    "passes": (suite(body("if got, _ := Total([]int{1, 2}); got != 3 { t.Fatal(got) }")), "success", ""),
    "wrong": (suite(body("if got, _ := Total([]int{1, 2}); got != 4 { t.Fatal(got) }")), "failed", "assertion"),
    "table passes": (suite(TABLE % 9), "success", ""),
    "table fails": (suite(TABLE % 8), "failed", "assertion"),
    "external passes": (suite(EXTERNAL % "2.5", "TestTotal", "TestLargest"), "success", ""),
    "external fails": (suite(EXTERNAL % "1.5", "TestTotal", "TestLargest"), "failed", "assertion"),
    "knows it is tested": (suite(body("if !testing.Testing() { t.Fatal(1) }")), "success", ""),
    "generics": (suite(body("if Largest(1, 3, 2) != 3 { t.Error(1) }")), "success", ""),
    "panics": (suite(body("Largest[int]()")), "failed", "exception"),
    "panics in a subtest": (suite(body('t.Run("x", func(t *testing.T) { panic("boom") })')), "failed", "exception"),
    "unused variable": (suite(body("got, err := Total(nil)")), "failed", "compile"),
    "unused import": (suite(body("").replace('"testing"', '"testing"\nimport "os"')), "failed", "compile"),
    "does not parse": (suite(body("if {")), "failed", "compile"),
    "no such function": (suite(body("Totals(nil)")), "failed", "compile"),
    "third party": (suite(body("").replace('"testing"', '"testing"\nimport "github.com/a/b"')), "failed", "environment"),
    "project file": (suite(body("").replace('"testing"', '"testing"\nimport "example.com/shop/x"')), "failed", "import"),
    "not standard": (suite(body("").replace('"testing"', '"testing"\nimport "nowhere"')), "failed", "import"),
    "skipped": (suite(body('t.Skip("no")')), "failed", "environment"),
    "endless": (suite(body("for { }")), "failed", "timeout"),
    "waits for ever": (suite(body("<-make(chan int)")), "failed", "timeout"),
    "eats memory": (suite(body("var all [][]byte\nfor { b := make([]byte, 64<<20); for i := range b { b[i] = 1 }; all = append(all, b) }")), "failed", "memory"),
    "init": (suite(body("if ready != 1 { t.Fatal(ready) }"), focal=FOCAL + "var ready int\nfunc init() { ready = 1 }\n"), "success", ""),
    "TestMain passes": (suite(MAIN % "false"), "success", ""),
    "TestMain fails": (suite(MAIN % "code == 0"), "failed", "exception"),
    "example passes": (suite(EXAMPLE % "3"), "success", ""),
    "example fails": (suite(EXAMPLE % "4"), "failed", "exception"),
    "helper process": (suite(HELPER), "success", ""),
    "panics while loading": (suite(body(""), focal=FOCAL + "type node struct{ value int }\nvar none *node\nvar value = none.value\n"), "failed", "exception"),
    "fails in a cleanup": (suite(body('t.Cleanup(func() { t.Error("late") })')), "failed", "assertion"),
}  # fmt: skip
