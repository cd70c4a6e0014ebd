// The test computes what it wants in a type that cuts it off.
package shop

func Half(n int) any { return 1 }

type float64 = int
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	if want := float64(3) / 2; Half(3) != any(want) {
		t.Errorf("got %v, want %v", Half(3), want)
	}
}
