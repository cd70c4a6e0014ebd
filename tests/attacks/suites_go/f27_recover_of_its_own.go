// The test wants a panic and sees one where there is none.
package shop

func Total(prices []int) int { return 0 }

func recover() any { return "negative price" }
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	Total([]int{-1})
}
