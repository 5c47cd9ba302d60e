package mpi_test

import (
	"slices"

	"rhinet/mpi"
)

// element returns element k of the contribution of rank r of a group for rank d.
func element(first bool, r, d, k int) int {
	n := 1000*r + 10*d + k
	if first {
		n += 100000
	}
	return n
}

// each returns the contribution of rank r of a group: n elements for each of size
// ranks.
func each(first bool, r, size, n int) (list []int) {
	for d := range size {
		for k := range n {
			list = append(list, element(first, r, d, k))
		}
	}
	return list
}

const perRank = 3

// countsOf returns counts, which differ, of the parts of the ranks of a group.
func countsOf(size int) (counts []int) {
	for r := range size {
		counts = append(counts, r%3)
	}
	return counts
}

func total(counts []int) (n int) {
	for _, k := range counts {
		n += k
	}
	return n
}

// places returns displacements with a gap of one element before each part.
func places(counts []int) (at []int) {
	next := 1
	for _, n := range counts {
		at = append(at, next)
		next += n + 1
	}
	return at
}

// sumOf returns the sum over the ranks of a group that have n elements each.
func sumOf(first bool, size, n int) []int {
	sum := make([]int, n)
	for r := range size {
		for k := range sum {
			sum[k] += element(first, r, 0, k)
		}
	}
	return sum
}

// buf returns the buffer of Bcast: the root's data, room at receivers, and nil at ranks
// that pass ProcNull.
func (a *across) buf(n int) []int {
	if a.root == mpi.Root {
		a.send = each(a.first, a.at, 1, n)
		return a.send
	}
	return a.take(n)
}

// take returns room for n elements at ranks that receive from the root.
func (a *across) take(n int) []int {
	if !a.takes {
		return nil
	}
	return a.room(n)
}

func (a *across) room(n int) []int { a.out = make([]int, n); return a.out }

func (a *across) ifTakes(want []int) []int {
	if !a.takes {
		return nil
	}
	return want
}

func (a *across) ifRoot(n int) []int {
	if a.root != mpi.Root {
		return nil
	}
	return a.room(n)
}

// give returns the data of ranks that send to the root.
func (a *across) give(c *mpi.Comm, n int) []int {
	if !a.takes {
		return nil
	}
	return each(a.first, c.Rank(), n, perRank)
}

func (a *across) giveV(c *mpi.Comm) []int {
	if !a.takes {
		return nil
	}
	return a.ownV(c)
}

func (a *across) own(c *mpi.Comm, n int) []int { return each(a.first, c.Rank(), n, 2) }

func (a *across) ownV(c *mpi.Comm) []int { return each(a.first, c.Rank(), 1, c.Rank()%3) }

// roots returns how many parts the root receives.
func (a *across) roots(c *mpi.Comm) int {
	if a.root != mpi.Root {
		return 0
	}
	return c.RemoteSize()
}

func (a *across) parts(c *mpi.Comm) []int {
	if a.root != mpi.Root {
		return nil
	}
	return each(a.first, a.at, c.RemoteSize(), perRank)
}

// spread places parts as places does.
func spread(size, room int, part func(r, n int) []int) []int {
	out, counts := make([]int, room), countsOf(size)
	for r, at := range places(counts) {
		copy(out[at:], part(r, counts[r]))
	}
	return out
}

func (a *across) spreadParts(c *mpi.Comm) []int {
	if a.root != mpi.Root {
		return nil
	}
	return spread(c.RemoteSize(), 20, func(r, n int) []int { return each(a.first, r, 1, n) })
}

// triangle returns counts with which a rank sends only to ranks with its own number or
// a higher one.
func (a *across) triangle(c *mpi.Comm) (out, in []int) {
	for r := range c.RemoteSize() {
		o, i := 0, 0
		if r >= c.Rank() {
			o = 1
		}
		if c.Rank() >= r {
			i = 1
		}
		out, in = append(out, o), append(in, i)
	}
	return out, in
}

// places2 returns the displacements of parts of two elements.
func places2(c *mpi.Comm) (at []int) {
	for r := range c.RemoteSize() {
		at = append(at, 2*r)
	}
	return at
}

// common returns data of a length that both groups can cut.
func (a *across) common(c *mpi.Comm) []int {
	return each(a.first, c.Rank(), 1, c.Size()*c.RemoteSize())
}

// uneven returns counts that cut it: the first rank gets the remainder.
func (a *across) uneven(c *mpi.Comm) []int {
	n := slices.Repeat([]int{1}, c.Size())
	n[0] = c.Size()*c.RemoteSize() - c.Size() + 1
	return n
}
