// How a program ends that has one suite, or any TestMain, example or fuzz target: all that `go test` provides.

package bwharness

import (
	"os"
	"reflect"
	"testing"
	"testing/internal/testdeps"
)

// finish ends the process the way the main function that `go test` generates does.
func finish(tests []testing.InternalTest) {
	m := testing.MainStart(testdeps.TestDeps{}, tests, nil, chosen.fuzzes, chosen.examples)
	if chosen.main != nil {
		chosen.main(m)
		os.Exit(int(reflect.ValueOf(m).Elem().FieldByName("exitCode").Int()))
	}
	os.Exit(m.Run())
}
