package mpi_test

import (
	"sync/atomic"
	"testing"

	"rhinet/llc/ir"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A lending is a transport that counts the memory that its rank has exposed, or taken on its board, and not given back.
type lending struct {
	mpi.Transport
	out atomic.Int32
}

func (l *lending) MarkFailed(rank int) {
	l.Transport.(interface{ MarkFailed(int) }).MarkFailed(rank)
}

func (l *lending) Remote() ir.Remote {
	if r := l.Transport.Remote(); r != nil {
		return lentMemory{r, &l.out}
	}
	return nil
}

func (l *lending) Vectors() ir.Vectors {
	if v := l.Transport.Vectors(); v != nil {
		return lentBoard{v, &l.out}
	}
	return nil
}

type lentMemory struct {
	ir.Remote
	out *atomic.Int32
}

func (l lentMemory) ExposeMemory(b []byte) (ir.Segment, error) {
	l.out.Add(1)
	return l.Remote.ExposeMemory(b)
}

func (l lentMemory) ConcealMemory(s ir.Segment) error {
	l.out.Add(-1)
	return l.Remote.ConcealMemory(s)
}

type lentBoard struct {
	ir.Vectors
	out *atomic.Int32
}

func (l lentBoard) ReserveBoard(n int) (uint64, error) {
	l.out.Add(1)
	return l.Vectors.ReserveBoard(n)
}

func (l lentBoard) ReleaseBoard(at uint64) error {
	l.out.Add(-1)
	return l.Vectors.ReleaseBoard(at)
}

// A window that cannot be made, since a rank dies at any point of the calls that make it, keeps no memory exposed and none
// of a board.
func TestAWindowThatIsNotMadeKeepsNothing(t *testing.T) {
	for _, how := range []struct {
		nic  string
		make func(c *mpi.Comm) (*mpi.Win[int], error)
	}{
		{"martini", func(c *mpi.Comm) (*mpi.Win[int], error) { return mpi.WinCreate(c, make([]int, 2)) }},
		{"dimmnet2", func(c *mpi.Comm) (*mpi.Win[int], error) {
			return mpi.WinAllocate[int](c, 2, mpi.Info{mpi.HintWindow: "memory=board"})
		}},
	} {
		unmade := 0
		for call := 1; ; call++ {
			var ranks []*lending
			var made, died atomic.Bool
			died.Store(true)
			err := mpitest.World(3, func(w *mpi.Comm) error {
				v, err := how.make(w)
				if err != nil {
					return is(err, mpi.ErrProcFailed, "")
				}
				if made.Store(true); w.Rank() == 2 {
					died.Store(false)
				}
				return v.Free()
			}, mpitest.KeepGoing(), mpitest.Kill(2, call), mpitest.Transports(func(n int) ([]mpi.Transport, func() error, error) {
				ts, release, err := mpi.Local(n, how.nic)
				for r := range ts {
					ranks = append(ranks, &lending{Transport: ts[r]})
					ts[r] = ranks[r]
				}
				return ts, release, err
			}))
			if err != nil {
				t.Fatalf("%s, death in call %d: %v", how.nic, call, err)
			}
			for r, l := range ranks[:2] {
				if n := l.out.Load(); n != 0 {
					t.Errorf("%s, death in call %d: rank %d keeps %d pieces of memory", how.nic, call, r, n)
				}
			}
			if !made.Load() {
				unmade++
			}
			if !died.Load() {
				break
			}
		}
		if unmade < 5 {
			t.Errorf("%s: the window was not made only %d times", how.nic, unmade)
		}
	}
}
