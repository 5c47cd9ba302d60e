package virtual

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/mpi"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/models"
)

// A Plan says what to measure: every algorithm at every size on every model.
type Plan struct {
	Models     []models.Choice
	Operation  string // as package mpi calls it; one of Operations
	Algorithms []string
	Sizes      []int // bytes of each rank
	Ranks      int
}

// Operations returns the operations that can be measured.
func Operations() []string { return []string{"allreduce", "bcast"} }

// Usual returns the algorithms of an operation that support many ranks.
func Usual(operation string) []string {
	if operation == "bcast" {
		return []string{"binomial", "chain", "scatter-allgather"}
	}
	return []string{"recursive-doubling", "rabenseifner", "ring"}
}

// value is the bytes of an element.
const value = 8

// Check returns what cannot be measured.
func (p *Plan) Check() error {
	if !slices.Contains(Operations(), p.Operation) {
		return fmt.Errorf("%w: no operation %q; there is %s", bench.ErrInput, p.Operation, strings.Join(Operations(), ", "))
	}
	known, err := mpi.Algorithms(p.Operation)
	if err != nil {
		return err
	}
	for _, a := range p.Algorithms {
		if !slices.Contains(known, a) {
			return fmt.Errorf("%w: no algorithm %q of %s; there is %s", bench.ErrInput, a, p.Operation, strings.Join(known, ", "))
		}
	}
	for _, n := range p.Sizes {
		if n < value || n%value != 0 {
			return fmt.Errorf("%w: size %d; it is a multiple of %d above zero", bench.ErrInput, n, value)
		}
	}
	if p.Ranks < 2 || p.Ranks > fabric.MaxRanks {
		return fmt.Errorf("%w: %d ranks; give 2 to %d", bench.ErrInput, p.Ranks, fabric.MaxRanks)
	}
	for _, m := range p.Models {
		if err := m.Check(p.Ranks); err != nil {
			return fmt.Errorf("%w: %w", bench.ErrInput, err)
		}
	}
	return nil
}

// A Cell is one call.
type Cell struct {
	model     models.Choice
	Model     string `json:"model"` // its name
	Operation string `json:"operation"`
	Algorithm string `json:"algorithm"`
	Ranks     int    `json:"ranks"`
	Bytes     int    `json:"bytes"`
}

// Cells lists the cells, curve by curve.
func (p *Plan) Cells() (all []Cell) {
	for _, m := range p.Models {
		for _, a := range p.Algorithms {
			for _, n := range p.Sizes {
				all = append(all, Cell{m, m.Name, p.Operation, a, p.Ranks, n})
			}
		}
	}
	return all
}
