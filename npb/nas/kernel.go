package nas

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/mpi"
)

// A Kernel is one benchmark, as the package of every kernel offers it.
type Kernel struct {
	Name string // in small letters, such as "cg"

	// Describe returns the problem of a class, or a *ClassError.
	Describe func(class Class) (Problem, error)

	// Allowed returns nil if the class can run on procs processes, a *CountError
	// that lists the counts if not, or a *ClassError.
	Allowed func(procs int, class Class) error

	// Memory returns about how many bytes procs processes, an allowed number,
	// take for the class, all together.
	Memory func(procs int, class Class) int64

	// Variants names the forms of communication that Config.Variant chooses from,
	// beside the usual one; nil: there are none.
	Variants []string

	// CheckGrid returns nil if procs processes can run the class on the grid of
	// Config.Grid, or says why not; nil: no grid can be chosen.
	CheckGrid func(procs int, class Class, grid [2]int) error

	// Run computes the class of cfg. It is collective; the result is complete
	// on rank 0.
	Run func(world *mpi.Comm, cfg Config) (Result, error)
}

// CheckVariant returns nil if variant is empty or one of those of a kernel, and
// otherwise an error that lists them.
func CheckVariant(kernel, variant string, variants []string) error {
	if variant == "" || slices.Contains(variants, variant) {
		return nil
	}
	return fmt.Errorf("%s has no variant %q; it has %s", strings.ToLower(kernel), variant, strings.Join(variants, ", "))
}
