// What the test has counted before the call stays counted.
package shop

func Count(seen map[string]int) {}

func clear(all map[string]int) {}
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	seen := map[string]int{"a": 1}
	clear(seen)
	Count(seen)
	if seen["a"] != 1 {
		t.Errorf("%d, want 1", seen["a"])
	}
}
