// Transpose computes a Fourier transform in two dimensions. Every rank has some rows of the matrix and
// transforms them; then all ranks exchange blocks, so that every rank has some columns, and transform
// these. Blocks are sent as layouts: no rank packs them.
package main

import (
	"fmt"
	"math"
	"math/cmplx"

	"rhinet/mpi"
)

const (
	side  = 32 // rows and columns; a power of two
	bytes = 16 // of an element
)

func main() { mpi.Main(run) }

func run(world *mpi.Comm) error {
	first, n := part(world.Rank(), world.Size())
	rows := make([]complex128, n*side)
	for i := range rows {
		rows[i] = element(first+i/side, i%side)
	}
	for i := range n {
		fft(rows[i*side:][:side])
	}
	columns, err := transpose(world, rows)
	if err != nil {
		return err
	}
	for i := range n {
		fft(columns[i*side:][:side])
	}
	for i, v := range columns { // here the second index is the row
		if want := transformed(i%side, first+i/side); cmplx.Abs(v-want) > 1e-9 {
			return fmt.Errorf("element %d, %d is %v, not %v", i%side, first+i/side, v, want)
		}
	}
	if world.Rank() == 0 {
		fmt.Printf("the transform of %d x %d elements is right\n", side, side)
	}
	return nil
}

// part returns the first row of a rank and its number of rows.
func part(rank, size int) (first, n int) {
	first = side * rank / size
	return first, side*(rank+1)/size - first
}

// transpose returns this rank's columns of the matrix; every rank has some of the rows.
func transpose(world *mpi.Comm, rows []complex128) ([]complex128, error) {
	_, n := part(world.Rank(), world.Size())
	columns := make([]complex128, len(rows))
	var send, recv []mpi.Part
	for r := range world.Size() {
		first, m := part(r, world.Size())
		// For rank r: its columns of my rows, one after the other. The next column begins one element
		// further.
		column := mpi.Vector(n, 1, side).Resized(0, bytes)
		send = append(send, mpi.PartOf(mpi.Views(rows[min(first, len(rows)):], m, column)))
		// From rank r: my columns; the piece of each is as long as r has rows.
		recv = append(recv, mpi.PartOf(mpi.View(columns[min(first, len(columns)):], mpi.Vector(n, m, side))))
	}
	return columns, mpi.Alltoallw(world, send, recv)
}

// fft transforms x in place.
func fft(x []complex128) {
	if len(x) == 1 {
		return
	}
	even, odd := make([]complex128, 0, len(x)/2), make([]complex128, 0, len(x)/2)
	for i := 0; i < len(x); i += 2 {
		even, odd = append(even, x[i]), append(odd, x[i+1])
	}
	fft(even)
	fft(odd)
	for k := range even {
		t := cmplx.Rect(1, -2*math.Pi*float64(k)/float64(len(x))) * odd[k]
		x[k], x[k+len(even)] = even[k]+t, even[k]-t
	}
}

// element returns a sum of two waves, whose transform is known.
func element(i, j int) complex128 {
	return wave(3, i)*wave(5, j) + 2*wave(7, i)*wave(1, j)
}

func wave(k, i int) complex128 { return cmplx.Rect(1, 2*math.Pi*float64(k*i)/side) }

func transformed(i, j int) complex128 {
	switch [2]int{i, j} {
	case [2]int{3, 5}:
		return side * side
	case [2]int{7, 1}:
		return 2 * side * side
	}
	return 0
}
