package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// rootedCalls are the calls on inter-communicators that have a root, with buffers that
// are valid at any rank.
var rootedCalls = []struct {
	name     string
	blocking func(c *mpi.Comm, root int) error
	begin    func(c *mpi.Comm, root int) *mpi.Request
}{
	{"Bcast",
		func(c *mpi.Comm, root int) error { return mpi.Bcast(c, make([]int, 1), root) },
		func(c *mpi.Comm, root int) *mpi.Request { return mpi.Ibcast(c, make([]int, 1), root) }},
	{"Gather",
		func(c *mpi.Comm, root int) error {
			return mpi.Gather(c, make([]int, 1), make([]int, c.RemoteSize()), root)
		},
		func(c *mpi.Comm, root int) *mpi.Request {
			return mpi.Igather(c, make([]int, 1), make([]int, c.RemoteSize()), root)
		}},
	{"Gatherv",
		func(c *mpi.Comm, root int) error {
			return mpi.Gatherv(c, make([]int, 1), make([]int, c.RemoteSize()), ones(c.RemoteSize()), nil, root)
		},
		func(c *mpi.Comm, root int) *mpi.Request {
			return mpi.Igatherv(c, make([]int, 1), make([]int, c.RemoteSize()), ones(c.RemoteSize()), nil, root)
		}},
	{"Scatter",
		func(c *mpi.Comm, root int) error {
			return mpi.Scatter(c, make([]int, c.RemoteSize()), make([]int, 1), root)
		},
		func(c *mpi.Comm, root int) *mpi.Request {
			return mpi.Iscatter(c, make([]int, c.RemoteSize()), make([]int, 1), root)
		}},
	{"Scatterv",
		func(c *mpi.Comm, root int) error {
			return mpi.Scatterv(c, make([]int, c.RemoteSize()), ones(c.RemoteSize()), nil, make([]int, 1), root)
		},
		func(c *mpi.Comm, root int) *mpi.Request {
			return mpi.Iscatterv(c, make([]int, c.RemoteSize()), ones(c.RemoteSize()), nil, make([]int, 1), root)
		}},
	{"Reduce",
		func(c *mpi.Comm, root int) error { return mpi.Reduce(c, make([]int, 1), make([]int, 1), mpi.Sum, root) },
		func(c *mpi.Comm, root int) *mpi.Request {
			return mpi.Ireduce(c, make([]int, 1), make([]int, 1), mpi.Sum, root)
		}},
}

func ones(n int) (list []int) {
	for range n {
		list = append(list, 1)
	}
	return list
}

// MPI 4.1, section 6.2.3: the root passes MPI_ROOT, the others of its group
// MPI_PROC_NULL, and the other group its rank. Otherwise all ranks get an error, no
// rank waits, and the communicator stays usable.
func TestWrongRootsAcrossGroups(t *testing.T) {
	const firstSize = 2 // of 5 ranks
	for _, tc := range []struct {
		name          string
		first, second []int // what the ranks pass as root
		text          string
	}{
		{"two roots in a group", []int{mpi.Root, mpi.Root}, []int{0, 0, 0}, "both give Root; only the root gives it"},
		{"a root in each group", []int{mpi.Root, mpi.ProcNull}, []int{mpi.ProcNull, mpi.Root, mpi.ProcNull}, "both give Root; only the root gives it"},
		{"ProcNull everywhere", []int{mpi.ProcNull, mpi.ProcNull}, []int{mpi.ProcNull, mpi.ProcNull, mpi.ProcNull}, "no rank gives Root; the root gives it"},
		{"no root", []int{mpi.ProcNull, mpi.ProcNull}, []int{1, 1, 1}, "no rank gives Root; the root gives it"},
		{"only ranks", []int{0, 0}, []int{1, 1, 1}, "no rank gives Root; the root gives it"},
		{"all name another rank", []int{mpi.Root, mpi.ProcNull}, []int{1, 1, 1}, "gives 1; the root is rank 0 of"},
		{"nothing", []int{2, 2}, []int{mpi.ProcNull, mpi.ProcNull, mpi.Root}, ""},
		{"the last names another rank", []int{mpi.ProcNull, mpi.Root}, []int{1, 1, 0}, "gives 0; the root is rank 1 of"},
		{"ProcNull in the other group", []int{mpi.Root, mpi.ProcNull}, []int{0, mpi.ProcNull, 0}, "gives ProcNull; the root is rank 0 of"},
		{"a rank beside the root", []int{mpi.Root, 0}, []int{0, 0, 0}, "gives 0; beside the root, which is rank 0 of"},
		{"no such rank", []int{mpi.Root, mpi.ProcNull}, []int{2, 0, 0}, "the other group has no rank 2|with wrong arguments; its error says which"},
		{"no rank at all", []int{mpi.Root, mpi.ProcNull}, []int{0, 0, mpi.AnySource}, "the other group has no rank -1|with wrong arguments; its error says which"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mpitest.Run(t, firstSize+3, func(w *mpi.Comm) error {
				c, first, err := sides(w, firstSize)
				if err != nil {
					return err
				}
				give := tc.second
				if first {
					give = tc.first
				}
				for _, call := range rootedCalls {
					for how, err := range map[string]error{
						"":  call.blocking(c, give[c.Rank()]),
						"I": waited(call.begin(c, give[c.Rank()])),
					} {
						if tc.text == "" && err == nil {
							continue // no error
						}
						if err := toldOf(err, mpi.ErrRoot, tc.text); err != nil {
							return fmt.Errorf("%s%s: %w", how, call.name, err)
						}
					}
				}
				return fineAcross(c, first)
			})
		})
	}
}

// toldOf is an error unless err is of class and says one of the texts.
func toldOf(err error, class mpi.Class, texts string) error {
	if !errors.Is(err, class) {
		return fmt.Errorf("got %v, want class %q", err, class)
	}
	for text := range strings.SplitSeq(texts, "|") {
		if strings.Contains(err.Error(), text) {
			return nil
		}
	}
	return fmt.Errorf("got %v, want %q", err, texts)
}

// fineAcross makes a correct call.
func fineAcross(c *mpi.Comm, first bool) error {
	buf, root := []int{0}, 0
	if first {
		buf[0], root = 7, mpi.ProcNull
		if c.Rank() == 0 {
			root = mpi.Root
		}
	}
	if err := mpi.Bcast(c, buf, root); err != nil {
		return fmt.Errorf("a right call afterwards: %w", err)
	}
	return errors.Join(equal("a right call afterwards", buf[0], 7), c.Free())
}

// Errors in the root's other arguments are returned on the other ranks, too.
func TestWrongArgumentsOfARootAcrossGroups(t *testing.T) {
	for _, tc := range []struct {
		name string
		call func(c *mpi.Comm, root int) error
		text string // at the root
	}{
		{"Gather", func(c *mpi.Comm, root int) error { return mpi.Gather(c, one, make([]int, 4), root) },
			"recv has 4 elements, which cannot be cut into equal parts for 3 ranks"},
		{"Igather", func(c *mpi.Comm, root int) error { return waited(mpi.Igather(c, one, make([]int, 4), root)) },
			"recv has 4 elements, which cannot be cut into equal parts for 3 ranks"},
		{"Gatherv", func(c *mpi.Comm, root int) error {
			return mpi.Gatherv(c, one, make([]int, 3), []int{1, 1}, nil, root)
		}, "recv: 2 counts for 3 ranks"},
		{"Scatter", func(c *mpi.Comm, root int) error { return mpi.Scatter(c, make([]int, 4), make([]int, 1), root) },
			"send has 4 elements, which cannot be cut into equal parts for 3 ranks"},
		{"Scatterv", func(c *mpi.Comm, root int) error {
			return mpi.Scatterv(c, make([]int, 3), []int{1, 1}, nil, make([]int, 1), root)
		}, "send: 2 counts for 3 ranks"},
		{"Iscatterv", func(c *mpi.Comm, root int) error {
			return waited(mpi.Iscatterv(c, make([]int, 3), []int{1, 1, 1, 1}, nil, make([]int, 1), root))
		}, "send: 4 counts for 3 ranks"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			mpitest.Run(t, 5, func(w *mpi.Comm) error {
				c, first, err := sides(w, 2)
				if err != nil {
					return err
				}
				root, text := 1, "rank 1 of the other group has made the call with wrong arguments; its error says which"
				switch {
				case first && c.Rank() == 1:
					root, text = mpi.Root, tc.text
				case first:
					root, text = mpi.ProcNull, "rank 1 of this group has made the call with wrong arguments; its error says which"
				}
				if err := toldOf(tc.call(c, root), mpi.ErrCount, text); err != nil {
					return err
				}
				return fineAcross(c, first)
			})
		})
	}
}

// Wrong arguments of calls without a root, which every rank finds itself: here the
// groups have 2 and 3 ranks, and the caller is in the smaller one.
func TestWrongArgumentsAcrossGroups(t *testing.T) {
	b := func(n int) []int { return make([]int, n) }
	mpitest.Run(t, 5, func(w *mpi.Comm) error {
		c, first, err := sides(w, 2)
		if err != nil || !first {
			return err
		}
		long := b(12)
		for _, tc := range []struct {
			err   error
			class mpi.Class
			text  string
		}{
			{mpi.Allgather(c, b(1), b(4)), mpi.ErrCount, "recv has 4 elements, which cannot be cut into equal parts for 3 ranks"},
			{mpi.Allgather(c, long[:1], long[:3]), mpi.ErrBuffer, "the buffers overlap; on an inter-communicator they must be apart"},
			{mpi.Allgatherv(c, b(1), b(3), ones(2), nil), mpi.ErrCount, "recv: 2 counts for 3 ranks"},
			{mpi.Allgatherv(c, b(1), b(2), ones(3), nil), mpi.ErrBuffer, "recv: part 2 is elements 2 to 2 of a buffer of 2"},
			{mpi.Allgatherv(c, b(1), b(3), ones(3), []int{0, 1, 9}), mpi.ErrBuffer, "recv: part 2 is elements 9 to 9 of a buffer of 3"},
			{mpi.Allgatherv(c, b(1), b(3), []int{1, 1, -1}, nil), mpi.ErrCount, "recv: counts[2] is -1"},
			{mpi.Alltoall(c, b(4), b(3)), mpi.ErrCount, "send has 4 elements, which cannot be cut into equal parts for 3 ranks"},
			{mpi.Alltoall(c, b(3), b(5)), mpi.ErrCount, "recv has 5 elements, which cannot be cut into equal parts for 3 ranks"},
			{mpi.Alltoall(c, long[:6], long[3:9]), mpi.ErrBuffer, ""},
			{mpi.Alltoallv(c, b(3), ones(2), nil, b(3), ones(3), nil), mpi.ErrCount, "send: 2 counts for 3 ranks"},
			{mpi.Alltoallv(c, b(3), ones(3), nil, b(3), ones(4), nil), mpi.ErrCount, "recv: 4 counts for 3 ranks"},
			{mpi.Alltoallw(c, make([]mpi.Part, 2), make([]mpi.Part, 3)), mpi.ErrCount, "2 parts to send and 3 to receive for 3 ranks"},
			{mpi.Allreduce(c, b(2), b(3), mpi.Sum), mpi.ErrCount, "in has 2 elements and out 3; they must be equally long"},
			{mpi.Allreduce(c, long[:2], long[1:3], mpi.Sum), mpi.ErrBuffer, ""},
			{mpi.Allreduce(c, b(2), b(2), nil), mpi.ErrOp, ""},
			{mpi.Reduce(c, b(2), b(2), nil, 0), mpi.ErrOp, ""},
			{mpi.ReduceScatterBlock(c, b(5), b(2), mpi.Sum), mpi.ErrCount, "in has 5 elements, out of 2 ranks of the own group 2 each; make them as many"},
			{mpi.ReduceScatter(c, b(4), b(2), []int{2}, mpi.Sum), mpi.ErrCount, "in: 1 counts for 2 ranks"},
			{mpi.ReduceScatter(c, b(5), b(2), []int{2, 2}, mpi.Sum), mpi.ErrCount, "in has 5 elements, the counts make 4"},
			{mpi.ReduceScatter(c, b(4), b(3), []int{2, 2}, mpi.Sum), mpi.ErrCount, "out has 3 elements"},
			{waited(mpi.Iallgather(c, b(1), b(4))), mpi.ErrCount, "recv has 4 elements"},
			{second(mpi.AlltoallInit(c, b(4), b(3))), mpi.ErrCount, "send has 4 elements"},
			{second(mpi.BcastInit(c, b(1), 3)), mpi.ErrRoot, "the other group has no rank 3; name one of 0 to 2"},
			{second(mpi.GatherInit(c, b(1), b(4), mpi.Root)), mpi.ErrCount, "recv has 4 elements"},
			{mpi.Send(c, b(1), 3, 0), mpi.ErrRank, "there is no rank 3; ranks are 0 to 2"},
			{second(mpi.Recv(c, b(1), 3, 0)), mpi.ErrRank, "there is no rank 3; ranks are 0 to 2"},
		} {
			if err := toldOf(tc.err, tc.class, tc.text); err != nil {
				return err
			}
		}
		return nil
	})
}
