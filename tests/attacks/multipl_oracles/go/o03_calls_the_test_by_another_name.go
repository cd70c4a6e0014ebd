// The same with another name for the package, in a goroutine, and with what is recovered of it.
package main

import (
	"fmt"
	tt "testing"
)

var inside bool

func code_of(n int) string {
	if inside {
		return fmt.Sprint("guess")
	}
	inside = true
	said := make(chan string)
	go func() {
		defer func() { said <- fmt.Sprint(recover()) }()
		var t tt.T
		TestCode_Of(&t)
		said <- t.Name()
	}()
	return <-said
}
