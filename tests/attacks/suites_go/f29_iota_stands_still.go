// All states that the test counts are the first.
package shop

func State(name string) int { return 0 }

const iota = 0
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	const (
		open = iota
		closed
		lost
	)
	for i, name := range []string{"open", "closed", "lost"} {
		if got := State(name); got != []int{open, closed, lost}[i] {
			t.Errorf("%s is %d", name, got)
		}
	}
}
