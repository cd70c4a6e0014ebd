// The test looks at the type of what it gets.
package shop

func Name() any { return 0 }

type string = int
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	if _, ok := Name().(string); !ok {
		t.Fatal(Name())
	}
}
