package layouts

import (
	"errors"

	"rhinet/mpi"
)

// The kinds of messages, in the order of the table.
const (
	Vector  = "vector"  // blocks at equal distances
	Nested  = "nested"  // pairs of blocks, with a larger gap between two pairs
	Indexed = "indexed" // blocks at uneven distances from a list
	Put     = "put"     // rank 0 writes a vector of a window on the program's memory; by hand, each block by itself
	Get     = "get"     // rank 0 reads it

	// The same in an allocated window, whose memory the ranks share.
	PutAllocated = "put-alloc"
	GetAllocated = "get-alloc"
)

// longBlock is the shortest block for which kinds other than vectors are measured.
const longBlock = 1 << 10

// kinds returns the kinds for the given number of blocks; two blocks are always at equal distances.
func kinds(block, blocks int) []string {
	switch {
	case block < longBlock:
		return []string{Vector}
	case blocks < 4 || blocks%2 != 0:
		return []string{Vector, Put, Get, PutAllocated, GetAllocated}
	}
	return []string{Vector, Nested, Indexed, Put, Get, PutAllocated, GetAllocated}
}

// lay returns a layout of n blocks of k elements, where each of them begins, and how many elements the
// slice has.
func lay(kind string, n, k int) (l mpi.Layout, at []int, size int) {
	place := func(i int) int { return 2 * k * i }
	l = mpi.Vector(n, k, 2*k)
	switch kind {
	case Nested:
		place = func(i int) int { return 2*k*i + i/2*2*k }
		l = mpi.Hvector(n/2, 1, 6*k*8).Of(mpi.Vector(2, k, 2*k))
	case Indexed:
		place = func(i int) int { return 2*k*i + i%2*(k/2) }
	}
	for i := range n {
		at = append(at, place(i))
	}
	if kind == Indexed {
		l = mpi.IndexedBlock(k, at)
	}
	return l, at, at[n-1] + 2*k
}

// A cell is one kind of message: the three ways, each of which takes the time of the given number of
// messages.
type cell struct {
	ways     [3]func() error // a slice, the layout, by hand
	messages int
	end      func() error
}

// newCell prepares messages of n blocks of k elements. All ranks of w must call it.
func newCell(w *mpi.Comm, kind string, n, k int) (*cell, error) {
	l, at, size := lay(kind, n, k)
	whole, sparse, packed := make([]float64, n*k), make([]float64, size), make([]float64, n*k)
	switch kind {
	case Put, Get:
		win, err := mpi.WinCreate(w, sparse)
		return access(win, err, w, kind == Get, whole, l, at)
	case PutAllocated, GetAllocated:
		win, err := mpi.WinAllocate[float64](w, size)
		return access(win, err, w, kind == GetAllocated, whole, l, at)
	}
	view := mpi.View(sparse, l)
	return &cell{[...]func() error{
		func() error { return pingPong(w, whole, whole) },
		func() error { return pingPong(w, view, view) },
		func() error { return byHand(w, sparse, packed, at) },
	}, 2, func() error { return nil }}, nil
}

// access returns a cell for a window that has just been made with the given error: rank 0 puts whole into the
// part of rank 1, or gets it from there.
func access(win *mpi.Win[float64], err error, w *mpi.Comm, get bool, whole []float64, l mpi.Layout, at []int) (*cell, error) {
	if err != nil {
		return nil, err
	}
	if err := win.LockAll(); err != nil {
		return nil, err
	}
	move, moveLayout := win.Put, win.PutLayout
	if get {
		move, moveLayout = win.Get, win.GetLayout
	}
	k := len(whole) / len(at)
	each := func() error {
		for i, place := range at {
			if err := move(whole[i*k:][:k], 1, place); err != nil {
				return err
			}
		}
		return nil
	}
	by0 := func(do func() error) func() error {
		return func() error {
			if w.Rank() != 0 {
				return nil
			}
			return errors.Join(do(), win.Flush(1))
		}
	}
	return &cell{[...]func() error{
		by0(func() error { return move(whole, 1, 0) }), by0(func() error { return moveLayout(whole, 1, 0, l) }), by0(each),
	}, 1, func() error { return errors.Join(win.UnlockAll(), win.Free()) }}, nil
}

// pingPong sends one message there and one back.
func pingPong[T any](w *mpi.Comm, send, recv []T) error {
	if w.Rank() == 0 {
		if err := mpi.Send(w, send, 1, 0); err != nil {
			return err
		}
		_, err := mpi.Recv(w, recv, 1, 0)
		return err
	}
	if _, err := mpi.Recv(w, recv, 0, 0); err != nil {
		return err
	}
	return mpi.Send(w, send, 0, 0)
}

// byHand is pingPong for blocks, beginning at the elements at, that the program packs and unpacks.
func byHand(w *mpi.Comm, sparse, packed []float64, at []int) error {
	k := len(packed) / len(at)
	pack := func() {
		for i, place := range at {
			copy(packed[i*k:i*k+k], sparse[place:])
		}
	}
	unpack := func() {
		for i, place := range at {
			copy(sparse[place:place+k], packed[i*k:])
		}
	}
	if w.Rank() == 0 {
		pack()
		if err := mpi.Send(w, packed, 1, 0); err != nil {
			return err
		}
		_, err := mpi.Recv(w, packed, 1, 0)
		unpack()
		return err
	}
	if _, err := mpi.Recv(w, packed, 0, 0); err != nil {
		return err
	}
	unpack()
	pack()
	return mpi.Send(w, packed, 0, 0)
}
