// How a program ends whose suites are plain tests: without fuzzing, profiles and patterns for names of tests, a
// quarter of a link. None of its suites can set a flag, so none is used.

package bwharness

import (
	"internal/testlog"
	"os"
	"testing"
)

// finish ends the process after the tests. The failing canary makes its status 1.
func finish(tests []testing.InternalTest) {
	if chosen.main != nil || chosen.fuzzes != nil || chosen.examples != nil {
		os.Exit(125)
	}
	testlog.SetPanicOnExit0(true) // what `testing.Main` omits of the flag -test.paniconexit0
	testing.Main(nil, tests, nil, nil)
}
