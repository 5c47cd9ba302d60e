package bench

import (
	"fmt"
	"strings"
)

// Pick returns the element of all that is called name, or, if none is, the names
// that there are, in order and separated by commas. names gives an element's.
func Pick[T any](all []T, names func(T) string, name string) (found T, known string, ok bool) {
	var list []string
	for _, e := range all {
		n := names(e)
		if n == name {
			return e, "", true
		}
		list = append(list, n)
	}
	return found, strings.Join(list, ", "), false
}

// Number is a number of things: "1 round", "2 rounds".
func Number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
