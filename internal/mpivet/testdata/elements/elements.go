// Package elements has buffers that cannot travel.
package elements

import "rhinet/mpi"

type person struct {
	Age  int
	Name string
}

type point struct{ X, Y float64 }

func pointers(c *mpi.Comm) error {
	if err := mpi.Send(c, []string{"a"}, 1, 0); err != nil { // want `Send cannot carry elements of type string: the type holds pointers; use numbers, bool, or arrays and flat structs of them`
		return err
	}
	if err := mpi.Bcast(c, make([][]int, 1), 0); err != nil { // want `Bcast cannot carry elements of type \[\]int: the type holds pointers`
		return err
	}
	return mpi.Allgather(c, []person{{}}, nil) // want `Allgather cannot carry elements of type person: the type has the field Name, which holds pointers`
}

func operations(c *mpi.Comm) error {
	if err := mpi.Allreduce(c, []float64{1}, []float64{1}, mpi.BAnd); err != nil { // want `BAnd is not defined for elements of type float64; use another operation, or OpFunc`
		return err
	}
	return mpi.Reduce(c, []int{1}, []int{1}, mpi.MinLoc, 0) // want `MinLoc is not defined for elements of type int; use another operation, or OpFunc`
}

// What follows is right.

func fine(c *mpi.Comm) error {
	if err := mpi.Send(c, []point{{1, 2}}, 1, 0); err != nil {
		return err
	}
	if err := mpi.Send(c, mpi.View([]float64{1, 2}, mpi.Contiguous(2)), 1, 0); err != nil {
		return err
	}
	if err := mpi.Send[byte](c, nil, 1, 0); err != nil {
		return err
	}
	if err := mpi.Allreduce(c, []bool{true}, []bool{true}, mpi.LAnd); err != nil {
		return err
	}
	op := mpi.Sum
	if err := mpi.Allreduce(c, []complex128{1}, []complex128{1}, op); err != nil {
		return err
	}
	where := []mpi.ValLoc[int]{{Val: 1}}
	return mpi.Allreduce(c, where, where, mpi.MinLoc)
}

func generic[T any](c *mpi.Comm, buf []T) error { return mpi.Bcast(c, buf, 0) }
