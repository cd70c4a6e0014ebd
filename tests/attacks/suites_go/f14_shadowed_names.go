package shop

type T struct{}

func (T) Fatal(...any) {}

func Total(prices []int) int { return -1 }

// -- test --
package shop_test

import (
	. "example.com/shop"
)

func TestTotal(t *T) {
	if Total([]int{1, 2}) != 3 {
		t.Fatal("wrong")
	}
}
