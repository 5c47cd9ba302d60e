// Conjgrad solves a system of linear equations by conjugate gradients (Hestenes and Stiefel 1952). The
// matrix is that of a heated rod: 2 on the diagonal, -1 beside it. Every rank has some rows; a
// multiplication needs one element of each neighbor, and each scalar product is a reduction.
package main

import (
	"fmt"
	"math"

	"rhinet/mpi"
)

const (
	unknowns  = 200
	tolerance = 1e-10
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	first := unknowns * world.Rank() / world.Size()
	n := unknowns*(world.Rank()+1)/world.Size() - first
	s := &solver{world: world, p: make([]float64, n+2)}
	b := make([]float64, n)
	for i := range b {
		b[i] = 1
	}
	x, steps, err := s.solve(b)
	if err != nil {
		return err
	}
	for i := range x { // the solution is a parabola
		k := float64(first + i + 1)
		if want := k * (unknowns + 1 - k) / 2; math.Abs(x[i]-want) > 1e-6*want {
			return fmt.Errorf("unknown %d is %v, not %v", first+i, x[i], want)
		}
	}
	if world.Rank() == 0 {
		fmt.Printf("%d unknowns are right after %d steps\n", unknowns, steps)
	}
	return nil
}

// A solver is one rank's part of the solution.
type solver struct {
	world *mpi.Comm
	p     []float64 // the direction, with one element of each neighbor at its ends
}

// solve returns x with A x = b, and the number of steps it took.
func (s *solver) solve(b []float64) (x []float64, steps int, err error) {
	x = make([]float64, len(b))
	r, q := append([]float64{}, b...), make([]float64, len(b))
	p := s.p[1 : len(s.p)-1]
	copy(p, r)
	rho, err := s.dot(r, r)
	if err != nil {
		return nil, 0, err
	}
	for ; math.Sqrt(rho) > tolerance; steps++ {
		if steps > 2*unknowns {
			return nil, steps, fmt.Errorf("no solution after %d steps: the rest is %v", steps, math.Sqrt(rho))
		}
		if err := s.multiply(q); err != nil {
			return nil, steps, err
		}
		pq, err := s.dot(p, q)
		if err != nil {
			return nil, steps, err
		}
		alpha := rho / pq
		for i := range x {
			x[i] += alpha * p[i]
			r[i] -= alpha * q[i]
		}
		next, err := s.dot(r, r)
		if err != nil {
			return nil, steps, err
		}
		for i := range p {
			p[i] = r[i] + next/rho*p[i]
		}
		rho = next
	}
	return x, steps, nil
}

// dot returns the scalar product over all ranks.
func (s *solver) dot(a, b []float64) (float64, error) {
	sum := []float64{0}
	for i := range a {
		sum[0] += a[i] * b[i]
	}
	err := mpi.Allreduce(s.world, sum, sum, mpi.Sum)
	return sum[0], err
}

// multiply sets q to A p. At the ends of the rod there is no neighbor (MPI_PROC_NULL).
func (s *solver) multiply(q []float64) error {
	left, right := s.world.Rank()-1, s.world.Rank()+1
	if left < 0 {
		left = mpi.ProcNull
	}
	if right == s.world.Size() {
		right = mpi.ProcNull
	}
	n := len(q)
	toLeft := mpi.Isendrecv(s.world, s.p[1:2], left, 0, s.p[n+1:], right, 0)
	toRight := mpi.Isendrecv(s.world, s.p[n:n+1], right, 1, s.p[:1], left, 1)
	if err := mpi.WaitAll(toLeft, toRight); err != nil {
		return err
	}
	for i := range q {
		q[i] = 2*s.p[i+1] - s.p[i] - s.p[i+2]
	}
	return nil
}
