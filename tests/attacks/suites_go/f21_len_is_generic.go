// A function with a type parameter.
package shop

func Total(prices []int) int { return -1 }

func len[T any](of T) int { return 0 }
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
