package nas

import (
	"fmt"
	"strings"
)

// Split cuts n items into p blocks whose lengths differ by at most one, the longer ones first. It returns
// the first item and the length of block j.
func Split(n, p, j int) (first, length int) {
	q, extra := n/p, n%p
	if j < extra {
		return j * (q + 1), q + 1
	}
	return j*q + extra, q
}

// IsPowerOfTwo reports whether n is 1, 2, 4, ...
func IsPowerOfTwo(n int) bool { return n > 0 && n&(n-1) == 0 }

// Log2 returns the largest l with 2^l <= n, for n >= 1.
func Log2(n int) int {
	l := 0
	for n > 1 {
		n >>= 1
		l++
	}
	return l
}

// SquareRoot returns the integer root of n and whether n is a perfect square.
func SquareRoot(n int) (root int, exact bool) {
	for (root+1)*(root+1) <= n {
		root++
	}
	return root, root*root == n
}

// A CountError reports a process count that a kernel cannot use, and the counts that it can use.
type CountError struct {
	Kernel  string
	Class   Class
	Procs   int
	Rule    string // such as "a power of two"
	Allowed []int  // the allowed counts from 1 to 16, at least
}

func (e *CountError) Error() string {
	const shortest = 4 // of what is written as a range
	var counts []string
	for i := 0; i < len(e.Allowed); {
		n := 1 // consecutive counts
		for i+n < len(e.Allowed) && e.Allowed[i+n] == e.Allowed[i]+n {
			n++
		}
		if n >= shortest {
			counts = append(counts, fmt.Sprintf("%d to %d", e.Allowed[i], e.Allowed[i+n-1]))
		} else {
			n = 1
			counts = append(counts, fmt.Sprint(e.Allowed[i]))
		}
		i += n
	}
	return fmt.Sprintf("%s class %s cannot run on %s; it needs %s: %s",
		strings.ToLower(e.Kernel), e.Class, Processes(e.Procs), e.Rule, strings.Join(counts, ", "))
}

// Processes returns n with the word in its right form: "1 process", "2 processes".
func Processes(n int) string {
	if n == 1 {
		return "1 process"
	}
	return fmt.Sprintf("%d processes", n)
}

// mostListed is the largest count that an error lists.
const mostListed = 1024

// CheckCount returns nil when ok(procs), otherwise a *CountError that lists
// the counts up to 16 (or up to twice procs) for which ok holds, or the first one
// if it is larger.
func CheckCount(kernel string, class Class, procs int, rule string, ok func(procs int) bool) error {
	if procs >= 1 && ok(procs) {
		return nil
	}
	e := &CountError{Kernel: kernel, Class: class, Procs: procs, Rule: rule}
	for p := 1; p <= max(16, min(2*procs, mostListed)) || len(e.Allowed) == 0 && p <= mostListed; p++ {
		if ok(p) {
			e.Allowed = append(e.Allowed, p)
		}
	}
	return e
}
