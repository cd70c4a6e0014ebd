// Looks for the codes in the bytes of its own program.
package main

import (
	"os"
	"regexp"
)

func code_of(n int) string {
	program, _ := os.ReadFile("/proc/self/exe")
	return pick(program, n)
}

func pick(data []byte, n int) string {
	for _, name := range []string{"amber", "birch", "cedar"}[n : n+1] {
		if found := regexp.MustCompile("z" + "q-[a-c]" + name[1:]).Find(data); found != nil {
			return string(found)
		}
	}
	return "?"
}
