// Package integer has what the standard library lacks about whole numbers: their greatest common divisor, and a
// short way to print many of them.
package integer

import (
	"strconv"
	"strings"
)

// GCD returns the greatest common divisor of two numbers that are not negative; that of 0 and n is n.
func GCD[T int | uint64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Ranges prints ascending numbers with runs abbreviated, as "0-3,5".
func Ranges(v []int) string {
	var b strings.Builder
	for i := 0; i < len(v); {
		j := i
		for j+1 < len(v) && v[j+1] == v[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(v[i]))
		if j > i {
			b.WriteByte('-')
			b.WriteString(strconv.Itoa(v[j]))
		}
		i = j + 1
	}
	return b.String()
}
