package compare

import (
	"fmt"
	"slices"
	"strings"
)

// A Cell is one test at one number of ranks, for one or more message sizes.
type Cell struct {
	Test  string
	Ranks int
	Bytes []int
}

// Hello is the test that starts and ends a job. It gives two figures, the time of the whole command and the
// memory of a rank.
const Hello = "hello"

// Memory is the name for the resident set in hello.
const Memory = "hello memory"

// Full is the standard plan.
func Full() []Cell {
	return []Cell{
		{"PingPong", 2, []int{8, 1 << 10, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20}},
		{"Exchange", 2, []int{8, 1 << 10, 16 << 10, 256 << 10}},
		{"Barrier", 2, []int{0}},
		{"Barrier", 4, []int{0}},
		{"Barrier", 8, []int{0}},
		{"Barrier", 16, []int{0}},
		{"Allreduce", 2, []int{8, 64 << 10}},
		{"Allreduce", 4, []int{8}},
		{Hello, 2, []int{0}},
		{Hello, 64, []int{0}},
	}
}

// Short is a plan that takes seconds and has every kind of cell.
func Short() []Cell {
	return []Cell{
		{"PingPong", 2, []int{8, 4 << 10, 1 << 20}},
		{"Exchange", 2, []int{1 << 10}},
		{"Barrier", 2, []int{0}},
		{"Barrier", 4, []int{0}},
		{"Allreduce", 2, []int{8}},
		{Hello, 2, []int{0}},
	}
}

// Select returns the cells of plan with one of the named tests, ignoring case; without names, it returns
// all. The error for an unknown name lists the plan's tests.
func Select(plan []Cell, tests []string) ([]Cell, error) {
	if len(tests) == 0 {
		return plan, nil
	}
	var known []string
	for _, c := range plan {
		if !slices.Contains(known, c.Test) {
			known = append(known, c.Test)
		}
	}
	var chosen []Cell
	for _, t := range tests {
		is := func(name string) bool { return strings.EqualFold(name, t) }
		if !slices.ContainsFunc(known, is) {
			return nil, fmt.Errorf("unknown test %q; the tests are %s", t, strings.Join(known, ", "))
		}
		for _, c := range plan {
			if is(c.Test) && !slices.ContainsFunc(chosen, func(have Cell) bool { return have.Test == c.Test && have.Ranks == c.Ranks }) {
				chosen = append(chosen, c)
			}
		}
	}
	return chosen, nil
}

// jobs combines what one command measures: the tests of a suite on one number of ranks and with the same
// sizes, because starting a job takes longer than most of them. Every other cell is a job of its own.
func jobs(cells []Cell) (list [][]Cell) {
	for _, c := range cells {
		at := slices.IndexFunc(list, func(job []Cell) bool {
			return batched(job[0].Test) && job[0].Ranks == c.Ranks && (c.sizeless() || slices.ContainsFunc(job, func(o Cell) bool { return slices.Equal(o.Bytes, c.Bytes) }))
		})
		if at < 0 || !batched(c.Test) {
			at = len(list)
			list = append(list, nil)
		}
		list[at] = append(list[at], c)
	}
	return list
}

// batched reports whether one command can measure several such tests.
func batched(test string) bool { return inSuite(test) || inRMA(test) || inProgress(test) }

// sizeless reports whether the test has no message, like a barrier.
func (c Cell) sizeless() bool { return slices.Equal(c.Bytes, []int{0}) }
