// Gonum multiplies two matrices of gonum.org/v1/gonum: rank 0 sends each rank a block of rows of one matrix
// and a block of columns of the other, straight from the memory of their mat.Dense, and receives the
// products in their place.
package main

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rhinet/mpi"
)

const (
	rows  = 30
	inner = 20
	cols  = 41
	tag   = 1
)

func main() { mpi.Main(run) }

// block returns a view of the n by m elements of d from row i and column j on. d may be a slice of another
// mat.Dense.
func block(d *mat.Dense, i, j, n, m int) []mpi.Item {
	raw := d.RawMatrix()
	return mpi.View(raw.Data[i*raw.Stride+j:], mpi.Vector(n, m, raw.Stride))
}

func run(world *mpi.Comm) error {
	rank, size := world.Rank(), world.Size()
	first := func(n, i int) int { return n * i / size }
	left := mat.NewDense(rows, inner, nil) // on rank 0 all of it; other ranks use some rows
	if rank == 0 {
		left.Apply(func(i, j int, _ float64) float64 { return float64(i*j%11 - 3) }, left)
	}
	raw := left.RawMatrix()
	if err := mpi.Bcast(world, raw.Data, 0); err != nil { // rows are contiguous
		return err
	}
	mine := first(cols, rank+1) - first(cols, rank)
	if mine == 0 && rank != 0 {
		return nil
	}
	right := mat.NewDense(inner, max(mine, 1), nil)
	var whole *mat.Dense
	var sends []*mpi.Request
	if rank == 0 {
		whole = mat.NewDense(inner, cols, nil)
		whole.Apply(func(i, j int, _ float64) float64 { return float64(i + 2*j%7) }, whole)
		for i := range size {
			if n := first(cols, i+1) - first(cols, i); n > 0 {
				sends = append(sends, mpi.Isend(world, block(whole, 0, first(cols, i), inner, n), i, tag))
			}
		}
	}
	if mine > 0 {
		if _, err := mpi.Recv(world, block(right, 0, 0, inner, mine), 0, tag); err != nil {
			return err
		}
	}
	if err := mpi.WaitAll(sends...); err != nil {
		return err
	}
	var product mat.Dense
	product.Mul(left, right)
	if rank != 0 {
		return mpi.Send(world, block(&product, 0, 0, rows, mine), 0, tag)
	}
	result := mat.NewDense(rows, cols, nil)
	result.Slice(0, rows, 0, max(mine, 1)).(*mat.Dense).Copy(&product)
	for i := 1; i < size; i++ {
		if n := first(cols, i+1) - first(cols, i); n > 0 {
			if _, err := mpi.Recv(world, block(result, 0, first(cols, i), rows, n), i, tag); err != nil {
				return err
			}
		}
	}
	var want mat.Dense
	want.Mul(left, whole)
	if !mat.Equal(result, &want) {
		return fmt.Errorf("the product is wrong")
	}
	fmt.Printf("a product of %d by %d elements, right\n", rows, cols)
	return nil
}
