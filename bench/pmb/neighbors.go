package pmb

import (
	"slices"

	"rhinet/mpi"
)

// sides is how many neighbors a rank has: one below and one above in each dimension of a periodic grid. On
// few ranks several neighbors are the same rank, or the rank itself.
const sides = 4

func four(int) int { return sides }

// neighbors returns the benchmarks of the neighborhood collective operations. A message is that between two
// neighbors.
func neighbors() []Benchmark {
	return []Benchmark{
		test("Neighbor_allgather", "every rank's message to its neighbors in a grid", Collective, 0, Benchmark{grid: true, sends: one, recvs: four, expect: fromSides,
			call: func(e *env, i int) error { return mpi.NeighborAllgather(e.c, e.out(i), e.in(i)) }}),
		test("Neighbor_allgatherv", "Neighbor_allgather with counts", Collective, 0, Benchmark{grid: true, sends: one, recvs: four, expect: fromSides,
			call: func(e *env, i int) error {
				return mpi.NeighborAllgatherv(e.c, e.out(i), e.in(i), e.counts, e.displs)
			}}),
		test("Neighbor_alltoall", "a message of its own to each neighbor in a grid", Collective, 0, Benchmark{grid: true, sends: four, recvs: four, expect: mineFromSides,
			call: func(e *env, i int) error { return mpi.NeighborAlltoall(e.c, e.out(i), e.in(i)) }}),
		test("Neighbor_alltoallv", "Neighbor_alltoall with counts", Collective, 0, Benchmark{grid: true, sends: four, recvs: four, expect: mineFromSides,
			call: func(e *env, i int) error {
				return mpi.NeighborAlltoallv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.counts, e.displs)
			}}),
	}
}

func neighborStarters() []starter {
	return []starter{
		{"Neighbor_allgather", func(e *env, i int) mpi.Request { return *mpi.IneighborAllgather(e.c, e.out(i), e.in(i)) }},
		{"Neighbor_allgatherv", func(e *env, i int) mpi.Request {
			return *mpi.IneighborAllgatherv(e.c, e.out(i), e.in(i), e.counts, e.displs)
		}},
		{"Neighbor_alltoall", func(e *env, i int) mpi.Request { return *mpi.IneighborAlltoall(e.c, e.out(i), e.in(i)) }},
		{"Neighbor_alltoallv", func(e *env, i int) mpi.Request {
			return *mpi.IneighborAlltoallv(e.c, e.out(i), e.counts, e.displs, e.in(i), e.counts, e.displs)
		}},
	}
}

// Neighborhood returns the benchmarks of the neighborhood collective operations, first blocking ones, and
// then those like [Nonblocking].
func Neighborhood() []Benchmark {
	blocking := neighbors()
	overlap, alone := started(blocking, neighborStarters())
	return slices.Concat(blocking, overlap, alone)
}

// onGrid returns group as a two-dimensional grid, as square as possible, and frees group.
func onGrid(group *mpi.Comm) (*mpi.Comm, error) {
	dims := make([]int, sides/2)
	if err := mpi.DimsCreate(group.Size(), dims); err != nil {
		return nil, err
	}
	grid, err := group.CartCreate(dims, slices.Repeat([]bool{true}, len(dims)))
	if err != nil {
		return nil, err
	}
	return grid, group.Free()
}

// fromSides returns what each neighbor sends to all of its neighbors.
func fromSides(e *env) (pieces []piece) {
	for _, r := range e.around() {
		pieces = append(pieces, piece{r, 0})
	}
	return pieces
}

// mineFromSides returns what each neighbor sends to this rank: for the neighbor below, this rank is the one
// above, and vice versa.
func mineFromSides(e *env) (pieces []piece) {
	for k, r := range e.around() {
		pieces = append(pieces, piece{r, (k ^ 1) * e.n})
	}
	return pieces
}

// around returns the neighbors by their position in the grid.
func (e *env) around() (ranks []int) {
	dims := make([]int, sides/2)
	if mpi.DimsCreate(e.size, dims) != nil {
		return nil // onGrid has succeeded with the same arguments
	}
	row, column := e.rank/dims[1], e.rank%dims[1]
	at := func(row, column int) int {
		return (row+dims[0])%dims[0]*dims[1] + (column+dims[1])%dims[1]
	}
	return []int{at(row-1, column), at(row+1, column), at(row, column-1), at(row, column+1)}
}
