package shop

func Total(prices []int) int { return -1 }

// -- test --
package shop

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(1) }

func TestTotal(t *testing.T) {
	if Total([]int{1, 2}) != 3 {
		t.Fatal("wrong")
	}
}
