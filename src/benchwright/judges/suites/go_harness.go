// Package bwharness runs the tests of one suite and reports on each of them.
//
// It is linked beside the code under test, so what it reports is a claim. It makes forging hard, not
// impossible: each line of the report begins with a word that was drawn for it and that came in a file which
// is gone before the first line of the suite's own code runs, its package initialisers included.
package bwharness

import (
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// T is testing.T, under a name that the code under test cannot take away.
type T = testing.T

// M is testing.M.
type M = testing.M

// F is testing.F.
type F = testing.F

// suite is all that one suite has to run.
type suite struct {
	tests    []testing.InternalTest
	canaries []testing.InternalTest
	fuzzes   []testing.InternalFuzzTarget
	examples []testing.InternalExample
	main     func(*M)
}

// chosen is filled by the functions below, which the suite's entry calls. None may be inlined there: the
// compiler would then read all that their types lead to, which takes as long as all the rest of a small suite.
var chosen suite

// Case adds a test.
//
//go:noinline
func Case(name string, test func(*T)) {
	chosen.tests = append(chosen.tests, testing.InternalTest{Name: name, F: test})
}

// Watch adds a canary.
//
//go:noinline
func Watch(name string, test func(*T)) {
	chosen.canaries = append(chosen.canaries, testing.InternalTest{Name: name, F: test})
}

// Seeds adds a fuzz target, to be run on its seeds.
//
//go:noinline
func Seeds(name string, target func(*F)) {
	chosen.fuzzes = append(chosen.fuzzes, testing.InternalFuzzTarget{Name: name, Fn: target})
}

// Shown adds an example.
//
//go:noinline
func Shown(name string, example func(), output string, unordered bool) {
	made := testing.InternalExample{Name: name, F: example, Output: output, Unordered: unordered}
	chosen.examples = append(chosen.examples, made)
}

// Around sets the function that runs all tests.
//
//go:noinline
func Around(main func(*M)) { chosen.main = main }

var (
	sealed bool
	inside = map[string]int{}
)

// Seal says that without a ticket the program runs nothing: no test of its suite starts it as a helper.
//
//go:noinline
func Seal() { sealed = true }

// Entered is called by each test first, and what it gives last. One that is entered while it runs, and not by its
// own file, was called by the code that it tests.
//
//go:noinline
func Entered(name string) func() {
	_, test, _, _ := runtime.Caller(2) // behind this function and the suite's own name for it
	_, caller, _, _ := runtime.Caller(3)
	if count(name, 1) > 1 && test != caller && asked != nil {
		say("failed", name, "tampered")
	}
	return func() { count(name, -1) }
}

func count(name string, change int) int {
	lock.Lock()
	defer lock.Unlock()
	inside[name] += change
	return inside[name]
}

// mask turns no letter of a word into the end of a line.
const mask = 0x40

// ticket is what the trusted side asks for in one run.
type ticket struct {
	suite    int
	folder   string
	canaries bool
	failing  string
	flags    []string
	words    []string // masked
}

var (
	asked  *ticket
	report *os.File
	lock   sync.Mutex
	said   int
	left   int
)

// init takes the ticket away. This package needs nothing of a suite and every package of a suite needs this
// one, so it comes first.
func init() {
	text, err := os.ReadFile("ticket")
	if err != nil {
		return
	}
	os.Remove("ticket")
	hideMemory()
	lines := strings.Split(string(masked(text, 5)), "\n")
	if len(lines) < 7 {
		return
	}
	report, err = os.OpenFile("report", os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return
	}
	number, _ := strconv.Atoi(lines[0])
	asked = &ticket{
		suite:    number,
		folder:   lines[1],
		canaries: lines[2] == "canaries",
		failing:  lines[3],
		flags:    strings.Fields(lines[4]),
		words:    lines[5:],
	}
}

// hideMemory gives /proc/self/mem to root, so that reading all memory takes unsafe or a system call of one's
// own, and not just a file that any program may open. 4 is PR_SET_DUMPABLE.
func hideMemory() { syscall.RawSyscall(syscall.SYS_PRCTL, 4, 0, 0) }

// masked changes the letters after some lines, in place: no copy of the words stays in memory as it came.
func masked(text []byte, lines int) []byte {
	for i, letter := range text {
		if letter == '\n' {
			lines--
		} else if lines <= 0 {
			text[i] = letter ^ mask
		}
	}
	return text
}

// Main runs what the ticket asks for. Without a ticket the program is an ordinary test binary: that is how a
// test which starts itself as a helper process finds it.
//
//go:noinline
func Main(suites map[int]func()) {
	if asked == nil {
		for _, fill := range suites {
			fill()
			if served != nil {
				serve()
			}
			if sealed {
				os.Exit(125)
			}
			finish(chosen.tests)
		}
	}
	say("begun", "", "")
	if err := os.Chdir(asked.folder); err != nil {
		os.Exit(125)
	}
	suites[asked.suite]()
	os.Args = append(os.Args[:1], asked.flags...)
	tests := watched()
	left = len(tests)
	if left == 0 {
		say("end", "", "")
	}
	finish(tests)
}

// Canary is the body of both canaries. Only the ticket says which of them must fail.
//
//go:noinline
func Canary(t *T) {
	if asked == nil || t.Name() == asked.failing {
		t.Error("this test must fail")
	}
}

// watched is the suite's tests, each with a report on it, the canary that must fail last: what was patched
// while the tests ran is still patched then.
func watched() []testing.InternalTest {
	tests := append([]testing.InternalTest(nil), chosen.tests...)
	if asked.canaries {
		for _, canary := range chosen.canaries {
			if canary.Name == asked.failing {
				tests = append(tests, canary)
			} else {
				tests = append([]testing.InternalTest{canary}, tests...)
			}
		}
	}
	for i := range tests {
		tests[i].F = watch(tests[i].F)
	}
	return tests
}

// watch reports from a cleanup, which runs after all subtests and all other cleanups, even in a panic.
func watch(test func(*T)) func(*T) {
	return func(t *T) {
		returned, panicked := false, false
		t.Cleanup(func() {
			state, kind := outcome(t, returned, panicked)
			say(state, t.Name(), kind)
			done()
		})
		defer func() {
			if r := recover(); r != nil {
				panicked = true
				panic(r)
			}
		}()
		test(t)
		returned = true
	}
}

func outcome(t *T, returned, panicked bool) (string, string) {
	switch {
	case panicked:
		return "failed", "exception"
	case t.Failed():
		return "failed", "assertion"
	case t.Skipped():
		return "skipped", ""
	case !returned:
		return "failed", "exception"
	}
	return "passed", ""
}

func done() {
	lock.Lock()
	left--
	last := left == 0
	lock.Unlock()
	if last {
		say("end", "", "")
	}
}

func say(state, name, kind string) {
	lock.Lock()
	defer lock.Unlock()
	if said < len(asked.words) {
		report.WriteString(string(masked([]byte(asked.words[said]), 0)) + "\t" + state + "\t" + name + "\t" + kind + "\n")
		said++
	}
}
