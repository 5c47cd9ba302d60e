package nas

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/mpi"
)

// A Kernel is one benchmark, in the form common to all of them.
type Kernel struct {
	Name string // in lower case, such as "cg"

	// Describe returns the problem of a class, or a *ClassError.
	Describe func(class Class) (Problem, error)

	// Allowed returns nil if the class can run on procs processes; otherwise a *CountError that lists the
	// possible counts, or a *ClassError.
	Allowed func(procs int, class Class) error

	// Memory returns approximately how many bytes procs processes, an allowed number, need for the class
	// together.
	Memory func(procs int, class Class) int64

	// Variants names the forms of communication that Config.Variant can select, other than the usual one;
	// nil: there are none.
	Variants []string

	// CheckGrid returns nil if procs processes can run the class on the process grid given, and otherwise
	// an error with the reason; nil: the grid cannot be chosen.
	CheckGrid func(procs int, class Class, grid [2]int) error

	// Run computes the class of cfg. It is collective; the result is complete
	// on rank 0.
	Run func(world *mpi.Comm, cfg Config) (Result, error)
}

// CheckVariant returns nil if variant is empty or one of variants, and otherwise an error that lists them.
func CheckVariant(kernel, variant string, variants []string) error {
	if variant == "" || slices.Contains(variants, variant) {
		return nil
	}
	return fmt.Errorf("%s has no variant %q; it has %s", strings.ToLower(kernel), variant, strings.Join(variants, ", "))
}
