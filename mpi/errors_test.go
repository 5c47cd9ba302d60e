package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A wrong call returns an error of a class that says what is wrong, with the values and
// what to do, and changes nothing.
func TestWrongCallsAreErrorsThatNameTheCall(t *testing.T) {
	type stringy struct {
		N    int
		Name string
	}
	ints := make([]int, 4)
	sum := mpi.OpFunc(func(in, inout []float64) {})
	for _, tc := range []struct {
		class mpi.Class
		want  string
		call  func(w *mpi.Comm) error
	}{
		{mpi.ErrRank, "mpi: Send on world to 2 tag 0: there is no rank 2; ranks are 0 to 1",
			func(w *mpi.Comm) error { return mpi.Send(w, ints, 2, 0) }},
		{mpi.ErrRank, "mpi: Send on world to -1 tag 0: there is no rank -1; ranks are 0 to 1",
			func(w *mpi.Comm) error { return mpi.Send(w, ints, mpi.AnySource, 0) }},
		{mpi.ErrRank, "mpi: Recv on world from -7 tag 0: there is no rank -7; ranks are 0 to 1",
			func(w *mpi.Comm) error { _, err := mpi.Recv(w, ints, -7, 0); return err }},
		{mpi.ErrRank, "mpi: Probe on world from 5 any tag: there is no rank 5; ranks are 0 to 1",
			func(w *mpi.Comm) error { _, err := mpi.Probe(w, 5, mpi.AnyTag); return err }},
		{mpi.ErrTag, "mpi: Ssend on world to 1 tag -1: tags are 0 to 2147483647",
			func(w *mpi.Comm) error { return mpi.Ssend(w, ints, 1, mpi.AnyTag) }},
		{mpi.ErrTag, "mpi: Send on world to 1: the tag is Undefined; tags are 0 to 2147483647",
			func(w *mpi.Comm) error { return mpi.Send(w, ints, 1, mpi.Undefined) }},
		{mpi.ErrTag, "mpi: Send on world to 1 tag 2147483648: tags are 0 to 2147483647",
			func(w *mpi.Comm) error { return mpi.Send(w, ints, 1, mpi.MaxTag+1) }},
		{mpi.ErrTag, "mpi: Recv on world from 1 tag -2: tags are 0 to 2147483647",
			func(w *mpi.Comm) error { _, err := mpi.Recv(w, ints, 1, -2); return err }},
		{mpi.ErrTag, "mpi: Isend on world to 1 tag 2147483648: tags are 0 to 2147483647",
			func(w *mpi.Comm) error { _, err := mpi.Isend(w, ints, 1, mpi.MaxTag+1).Wait(); return err }},
		{mpi.ErrTag, "mpi: Irecv on world from any source tag -2: tags are 0 to 2147483647",
			func(w *mpi.Comm) error {
				_, done, err := mpi.Irecv(w, ints, mpi.AnySource, -2).Test()
				if !done {
					return errors.New("not done")
				}
				return err
			}},
		{mpi.ErrTag, "mpi: Iprobe on world from 1 tag -9: tags are 0 to 2147483647",
			func(w *mpi.Comm) error { _, _, err := mpi.Iprobe(w, 1, -9); return err }},
		{mpi.ErrRank, "mpi: Sendrecv on world to 4 tag 0: there is no rank 4; ranks are 0 to 1",
			func(w *mpi.Comm) error { _, err := mpi.Sendrecv(w, ints[:2], 4, 0, ints[2:], 0, 0); return err }},
		{mpi.ErrRank, "mpi: Sendrecv on world from 4 tag 0: there is no rank 4; ranks are 0 to 1",
			func(w *mpi.Comm) error { _, err := mpi.Sendrecv(w, ints, mpi.ProcNull, 0, ints, 4, 0); return err }},
		{mpi.ErrType, "mpi: Send on world to 1 tag 0: an element of type string holds pointers (string); send numbers, bool, or arrays and flat structs of them",
			func(w *mpi.Comm) error { return mpi.Send(w, []string{"x"}, 1, 0) }},
		{mpi.ErrType, "mpi: Recv on world from 1 tag 0: an element of type mpi_test.stringy has the field Name, which holds pointers (string); send numbers, bool, or arrays and flat structs of them",
			func(w *mpi.Comm) error { _, err := mpi.Recv(w, make([]stringy, 1), 1, 0); return err }},
		{mpi.ErrType, "mpi: Bcast on world root 0: an element of type *int holds pointers (ptr); use numbers, bool, or arrays and flat structs of them",
			func(w *mpi.Comm) error { return mpi.Bcast(w, make([]*int, 1), 0) }},
		{mpi.ErrType, "mpi: Send on world to 1 tag 0: an element of type struct {} has no size; send numbers, bool, or arrays and flat structs of them",
			func(w *mpi.Comm) error { return mpi.Send(w, []struct{}{{}}, 1, 0) }},
		{mpi.ErrRoot, "mpi: Bcast on world root 2: there is no rank 2; ranks are 0 to 1",
			func(w *mpi.Comm) error { return mpi.Bcast(w, ints, 2) }},
		{mpi.ErrRoot, "mpi: Reduce on world root -1: there is no rank -1; ranks are 0 to 1",
			func(w *mpi.Comm) error { return mpi.Reduce(w, ints, ints, mpi.Sum, -1) }},
		{mpi.ErrCount, "mpi: Allreduce on world: in has 4 elements and out 3; they must be equally long",
			func(w *mpi.Comm) error { return mpi.Allreduce(w, ints, make([]int, 3), mpi.Sum) }},
		{mpi.ErrCount, "mpi: Scan on world: in has 4 elements and out 5; they must be equally long",
			func(w *mpi.Comm) error { return mpi.Scan(w, ints, make([]int, 5), mpi.Sum) }},
		{mpi.ErrCount, "mpi: Allgather on world: recv has room for 7 elements, 2 ranks send 4 each; make it 8",
			func(w *mpi.Comm) error { return mpi.Allgather(w, ints, make([]int, 7)) }},
		{mpi.ErrCount, "mpi: Alltoall on world: 3 elements cannot be cut into 2 equal parts; use Alltoallv",
			func(w *mpi.Comm) error { return mpi.Alltoall(w, ints[:3], make([]int, 3)) }},
		{mpi.ErrCount, "mpi: Alltoall on world: send has 4 elements and recv 2; they must be equally long",
			func(w *mpi.Comm) error { return mpi.Alltoall(w, ints, make([]int, 2)) }},
		{mpi.ErrCount, "mpi: Alltoallv on world: recv: 1 counts for 2 ranks; give one for each",
			func(w *mpi.Comm) error {
				return mpi.Alltoallv(w, ints, []int{2, 2}, nil, make([]int, 4), []int{4}, nil)
			}},
		{mpi.ErrCount, "mpi: Alltoallv on world: send: counts[1] is -2; it must be 0 or more",
			func(w *mpi.Comm) error {
				return mpi.Alltoallv(w, ints, []int{2, -2}, nil, make([]int, 4), []int{2, 2}, nil)
			}},
		{mpi.ErrBuffer, "mpi: Alltoallv on world: send: part 1 is elements 3 to 4 of a buffer of 4; lengthen the buffer, or correct counts and displs",
			func(w *mpi.Comm) error {
				return mpi.Alltoallv(w, ints, []int{2, 2}, []int{0, 3}, make([]int, 4), []int{2, 2}, nil)
			}},
		{mpi.ErrCount, "mpi: Alltoallv on world: recv: 1 displs for 2 ranks; give one for each, or nil if the parts follow each other",
			func(w *mpi.Comm) error {
				return mpi.Alltoallv(w, ints, []int{2, 2}, nil, make([]int, 4), []int{2, 2}, []int{0})
			}},
		{mpi.ErrCount, "mpi: ReduceScatterBlock on world: in has 3 elements, which cannot be cut into 2 equal parts; use ReduceScatter",
			func(w *mpi.Comm) error { return mpi.ReduceScatterBlock(w, ints[:3], make([]int, 1), mpi.Sum) }},
		{mpi.ErrCount, "mpi: ReduceScatterBlock on world: in has 4 elements, out of 2 ranks 1 each; make out 2",
			func(w *mpi.Comm) error { return mpi.ReduceScatterBlock(w, ints, make([]int, 1), mpi.Sum) }},
		{mpi.ErrBuffer, "mpi: Allreduce on world: in and out overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Allreduce(w, ints[1:3], ints[:2], mpi.Sum) }},
		{mpi.ErrBuffer, "mpi: Sendrecv on world to 1 tag 2: send and recv overlap; they must be apart",
			func(w *mpi.Comm) error { _, err := mpi.Sendrecv(w, ints, 1, 2, ints[3:], 1, 2); return err }},
		{mpi.ErrBuffer, "mpi: Alltoall on world: send and recv overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Alltoall(w, ints[:2], ints[1:3]) }},
		{mpi.ErrBuffer, "mpi: ReduceScatterBlock on world: in and out overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.ReduceScatterBlock(w, ints, ints[1:3], mpi.Sum) }},
		{mpi.ErrBuffer, "mpi: Allgather on world: send and recv overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Allgather(w, ints[1:3], ints) }},
		{mpi.ErrCount, "mpi: Allgatherv on world: recv: 3 counts for 2 ranks; give one for each",
			func(w *mpi.Comm) error { return mpi.Allgatherv(w, ints[:1], make([]int, 3), []int{1, 1, 1}, nil) }},
		{mpi.ErrCount, "mpi: Allgatherv on world: recv: 1 displs for 2 ranks; give one for each, or nil if the parts follow each other",
			func(w *mpi.Comm) error { return mpi.Allgatherv(w, ints[:1], make([]int, 3), []int{1, 1}, []int{0}) }},
		{mpi.ErrCount, "mpi: Allgatherv on world: recv: counts[0] is -1; it must be 0 or more",
			func(w *mpi.Comm) error { return mpi.Allgatherv(w, ints[:1], make([]int, 3), []int{-1, 1}, nil) }},
		{mpi.ErrBuffer, "mpi: Allgatherv on world: recv: part 1 is elements 2 to 3 of a buffer of 3; lengthen the buffer, or correct counts and displs",
			func(w *mpi.Comm) error { return mpi.Allgatherv(w, ints[:2], make([]int, 3), []int{2, 2}, nil) }},
		{mpi.ErrBuffer, "mpi: Allgatherv on world: send and recv overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Allgatherv(w, ints[1:3], ints, []int{2, 2}, nil) }},
		{mpi.ErrRoot, "mpi: Scatterv on world root 3: there is no rank 3; ranks are 0 to 1",
			func(w *mpi.Comm) error { return mpi.Scatterv(w, ints, []int{2, 2}, nil, make([]int, 2), 3) }},
		{mpi.ErrType, "mpi: Scatterv on world root 0: an element of type string holds pointers (string); use numbers, bool, or arrays and flat structs of them",
			func(w *mpi.Comm) error { return mpi.Scatterv(w, []string{"x"}, nil, nil, nil, 0) }},
		{mpi.ErrCount, "mpi: ReduceScatter on world: in: 1 counts for 2 ranks; give one for each",
			func(w *mpi.Comm) error { return mpi.ReduceScatter(w, ints, make([]int, 4), []int{4}, mpi.Sum) }},
		{mpi.ErrBuffer, "mpi: ReduceScatter on world: in: part 1 is elements 3 to 4 of a buffer of 4; lengthen the buffer, or correct counts and displs",
			func(w *mpi.Comm) error { return mpi.ReduceScatter(w, ints, make([]int, 3), []int{3, 2}, mpi.Sum) }},
		{mpi.ErrCount, "mpi: ReduceScatter on world: in has 4 elements, the counts make 3; they must be equal",
			func(w *mpi.Comm) error { return mpi.ReduceScatter(w, ints, make([]int, 1), []int{2, 1}, mpi.Sum) }},
		{mpi.ErrBuffer, "mpi: ReduceScatter on world: in and out overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.ReduceScatter(w, ints, ints[1:3], []int{2, 2}, mpi.Sum) }},
		{mpi.ErrOp, "mpi: ReduceScatter on world: the operation is nil; pass Sum, another of the predefined ones, or an OpFunc",
			func(w *mpi.Comm) error { return mpi.ReduceScatter(w, ints, make([]int, 2), []int{2, 2}, nil) }},
		{mpi.ErrOp, "mpi: Exscan on world: the operation is nil; pass Sum, another of the predefined ones, or an OpFunc",
			func(w *mpi.Comm) error { return mpi.Exscan(w, ints, make([]int, 4), nil) }},
		{mpi.ErrCount, "mpi: Exscan on world: in has 4 elements and out 3; they must be equally long",
			func(w *mpi.Comm) error { return mpi.Exscan(w, ints, make([]int, 3), mpi.Sum) }},
		{mpi.ErrBuffer, "mpi: Exscan on world: in and out overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Exscan(w, ints[1:], ints[:3], mpi.Sum) }},
		{mpi.ErrRank, "mpi: SendrecvReplace on world to 2 tag 0: there is no rank 2; ranks are 0 to 1",
			func(w *mpi.Comm) error { _, err := mpi.SendrecvReplace(w, ints, 2, 0, 0, 0); return err }},
		{mpi.ErrRank, "mpi: SendrecvReplace on world from 2 tag 0: there is no rank 2; ranks are 0 to 1",
			func(w *mpi.Comm) error { _, err := mpi.SendrecvReplace(w, ints, 1, 0, 2, 0); return err }},
		{mpi.ErrTag, "mpi: SendrecvReplace on world to 0 tag -1: tags are 0 to 2147483647",
			func(w *mpi.Comm) error { _, err := mpi.SendrecvReplace(w, ints, 0, -1, 0, 0); return err }},
		{mpi.ErrType, "mpi: SendrecvReplace on world to 0 tag 0: an element of type string holds pointers (string); send numbers, bool, or arrays and flat structs of them",
			func(w *mpi.Comm) error { _, err := mpi.SendrecvReplace(w, []string{"x"}, 0, 0, 0, 0); return err }},
		{mpi.ErrOp, "mpi: Allreduce on world: BAnd is not defined for elements of type float64; see mpi.Op, or use OpFunc",
			func(w *mpi.Comm) error {
				return mpi.Allreduce(w, make([]float64, 1), make([]float64, 1), mpi.BAnd)
			}},
		{mpi.ErrOp, "mpi: Allreduce on world: MinLoc is not defined for elements of type int; see mpi.Op, or use OpFunc",
			func(w *mpi.Comm) error { return mpi.Allreduce(w, ints, make([]int, 4), mpi.MinLoc) }},
		{mpi.ErrOp, "mpi: Allreduce on world: the operation combines elements of type float64, the buffers hold int",
			func(w *mpi.Comm) error { return mpi.Allreduce(w, ints, make([]int, 4), sum) }},
		{mpi.ErrOp, "mpi: Scan on world: the operation is nil; pass Sum, another of the predefined ones, or an OpFunc",
			func(w *mpi.Comm) error { return mpi.Scan(w, ints, make([]int, 4), nil) }},
		{mpi.ErrOp, "mpi: Scan on world: operation 77 is not defined for elements of type int; see mpi.Op, or use OpFunc",
			func(w *mpi.Comm) error { return mpi.Scan(w, ints, make([]int, 4), mpi.Predefined(77)) }},
		{mpi.ErrArg, "mpi: Split on world: the color is -8; colors are 0 or more, or Undefined",
			func(w *mpi.Comm) error { _, err := w.Split(-8, 0); return err }},
		{mpi.ErrComm, "mpi: Free on world: the world cannot be freed; Finalize ends it",
			func(w *mpi.Comm) error { return w.Free() }},
		{mpi.ErrComm, "mpi: Send to 0 tag 0: the communicator is nil; Split, Create, CartCreate and GraphCreate give nil to the ranks that they leave out",
			func(w *mpi.Comm) error { return mpi.Send[int](nil, nil, 0, 0) }},
		{mpi.ErrComm, "mpi: Barrier: the communicator is nil; Split, Create, CartCreate and GraphCreate give nil to the ranks that they leave out",
			func(w *mpi.Comm) error { return mpi.Barrier(nil) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.Ssend[int](nil, nil, 0, 0) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { _, err := mpi.Recv[int](nil, nil, 0, 0); return err }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { _, err := mpi.Irecv[int](nil, nil, 0, 0).Wait(); return err }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { _, err := mpi.Probe(nil, 0, 0); return err }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.Allgatherv[int](nil, nil, nil, nil, nil) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.Scatterv[int](nil, nil, nil, nil, nil, 0) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.ReduceScatter[int](nil, nil, nil, nil, mpi.Sum) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.Exscan[int](nil, nil, nil, mpi.Sum) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { _, err := mpi.SendrecvReplace[int](nil, nil, 0, 0, 0, 0); return err }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { _, err := mpi.Sendrecv[int, int](nil, nil, 0, 0, nil, 0, 0); return err }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.Allreduce[int](nil, nil, nil, mpi.Sum) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error {
			return mpi.Gather[int]((*mpi.Comm)(nil).WithContext(t.Context()), nil, nil, 0)
		}},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { return mpi.Finalize(nil) }},
		{mpi.ErrComm, "", func(w *mpi.Comm) error { _, err := (*mpi.Comm)(nil).Dup(); return err }},
	} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			if err := is(tc.call(w), tc.class, tc.want); err != nil {
				return err
			}
			return mpi.Barrier(w) // nothing is left behind
		})
	}
}

// Mistakes that only the root can see are reported there, before anything is moved.
func TestRootChecksItsBuffers(t *testing.T) {
	four := make([]int, 4)
	for _, tc := range []struct {
		class mpi.Class
		want  string
		call  func(w *mpi.Comm) error
	}{
		{mpi.ErrCount, "mpi: Gather on world root 0: recv has room for 3 elements, 1 ranks send 4 each; make it 4",
			func(w *mpi.Comm) error { return mpi.Gather(w, four, make([]int, 3), 0) }},
		{mpi.ErrCount, "mpi: Scatter on world root 0: send has 4 elements, 1 ranks receive 3 each; make it 3",
			func(w *mpi.Comm) error { return mpi.Scatter(w, four, make([]int, 3), 0) }},
		{mpi.ErrCount, "mpi: Scatter on world root 0: recv has no elements, and send 4 for 1 ranks; make recv as long as what one rank gets",
			func(w *mpi.Comm) error { return mpi.Scatter(w, four, nil, 0) }},
		{mpi.ErrCount, "mpi: Gatherv on world root 0: send has 4 elements, counts[0] is 3; they must be equal",
			func(w *mpi.Comm) error { return mpi.Gatherv(w, four, make([]int, 4), []int{3}, nil, 0) }},
		{mpi.ErrCount, "mpi: Gatherv on world root 0: recv: 2 counts for 1 ranks; give one for each",
			func(w *mpi.Comm) error { return mpi.Gatherv(w, four, make([]int, 4), []int{3, 1}, nil, 0) }},
		{mpi.ErrBuffer, "mpi: Gatherv on world root 0: recv: part 0 is elements -1 to 2 of a buffer of 4; lengthen the buffer, or correct counts and displs",
			func(w *mpi.Comm) error { return mpi.Gatherv(w, four, make([]int, 4), []int{4}, []int{-1}, 0) }},
		{mpi.ErrCount, "mpi: Allgatherv on world: send has 4 elements, counts[0] is 3; they must be equal",
			func(w *mpi.Comm) error { return mpi.Allgatherv(w, four, make([]int, 4), []int{3}, nil) }},
		{mpi.ErrCount, "mpi: Scatterv on world root 0: recv has 4 elements, counts[0] is 3; they must be equal",
			func(w *mpi.Comm) error { return mpi.Scatterv(w, four, []int{3}, nil, make([]int, 4), 0) }},
		{mpi.ErrCount, "mpi: Scatterv on world root 0: send: 0 counts for 1 ranks; give one for each",
			func(w *mpi.Comm) error { return mpi.Scatterv(w, four, nil, nil, make([]int, 4), 0) }},
		{mpi.ErrBuffer, "mpi: Scatterv on world root 0: send: part 0 is elements 2 to 5 of a buffer of 4; lengthen the buffer, or correct counts and displs",
			func(w *mpi.Comm) error { return mpi.Scatterv(w, four, []int{4}, []int{2}, make([]int, 4), 0) }},
		{mpi.ErrBuffer, "mpi: Scatterv on world root 0: send and recv overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Scatterv(w, four, []int{2}, nil, four[1:3], 0) }},
		{mpi.ErrBuffer, "mpi: Gatherv on world root 0: send and recv overlap; they must be apart, or one and the same",
			func(w *mpi.Comm) error { return mpi.Gatherv(w, four[1:], four, []int{3}, nil, 0) }},
		{mpi.ErrCount, "mpi: ReduceScatter on world: out has 3 elements, counts[0] is 4; they must be equal",
			func(w *mpi.Comm) error { return mpi.ReduceScatter(w, four, make([]int, 3), []int{4}, mpi.Sum) }},
		{mpi.ErrCount, "mpi: Reduce on world root 0: in has 4 elements and out 0; they must be equally long",
			func(w *mpi.Comm) error { return mpi.Reduce(w, four, nil, mpi.Sum, 0) }},
		{mpi.ErrCount, "mpi: Alltoallv on world: the caller sends itself 4 elements and expects 3; make scounts[0] and rcounts[0] equal",
			func(w *mpi.Comm) error {
				return mpi.Alltoallv(w, four, []int{4}, nil, make([]int, 4), []int{3}, nil)
			}},
	} {
		everywhere(t, 1, func(w *mpi.Comm) error { return is(tc.call(w), tc.class, tc.want) })
	}
}

// Bytes that are no whole number of elements are an error at the receiver.
func TestReceivingAnotherTypeThatDoesNotFitIsAnError(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return mpi.Send(w, make([]byte, 10), 1, 7)
		}
		_, err := mpi.Recv(w, make([]float64, 4), 0, 7)
		return is(err, mpi.ErrType, "mpi: Recv on world from 0 tag 7: 10 bytes are not a whole number of float64 (8 bytes each); receive the type that was sent")
	})
}

// Ranks that call a collective operation with different lengths get an error.
func TestDifferentLengthsInACollectiveCallAreAnError(t *testing.T) {
	for _, tr := range transports {
		mpitest.Run(t, 2, func(w *mpi.Comm) error {
			err := mpi.Bcast(w, make([]int, 800-400*w.Rank()), 0)
			if w.Rank() == 0 {
				return err
			}
			return is(err, mpi.ErrTruncate, "mpi: Bcast on world root 0: 6400 bytes arrived from rank 0 where 3200 belong; all ranks must call it with the same lengths")
		}, tr.option, mpitest.Unguarded())
	}
}

// MPI 4.1, section 7.4.3: a freed communicator cannot be used.
func TestAFreedCommunicatorIsAnError(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		if err := d.Free(); err != nil {
			return err
		}
		if err := is(d.Free(), mpi.ErrComm, "mpi: Free on world.dup1: the communicator has been freed"); err != nil {
			return err
		}
		if err := is(mpi.Barrier(d), mpi.ErrComm, "mpi: Barrier on world.dup1: the communicator has been freed"); err != nil {
			return err
		}
		return is(mpi.Send(d, []int{1}, 0, 0), mpi.ErrComm, "mpi: Send on world.dup1 to 0 tag 0: the communicator has been freed")
	})
}

// MPI 4.1, section 11.2.2: nothing can be called after MPI_Finalize.
func TestEverythingFailsAfterFinalize(t *testing.T) {
	for _, tr := range transports {
		var worlds [2]*mpi.Comm
		var dups [2]*mpi.Comm
		err := mpitest.World(2, func(w *mpi.Comm) error {
			d, err := w.Dup()
			worlds[w.Rank()], dups[w.Rank()] = w, d
			return err
		}, tr.option)
		if err != nil {
			t.Fatal(err)
		}
		w := worlds[0]
		_, recv := mpi.Recv(w, []int{0}, 1, 0)
		_, irecv := mpi.Irecv(dups[1], []int{0}, 1, 0).Wait()
		_, dup := w.Dup()
		for i, err := range []error{mpi.Send(w, []int{1}, 1, 0), recv, irecv, dup, mpi.Barrier(w), mpi.Barrier(dups[0]), mpi.Finalize(w)} {
			if !errors.Is(err, mpi.ErrFinalized) || !strings.HasSuffix(err.Error(), "nothing can be called after Finalize") {
				t.Errorf("%s: call %d: got %v", tr.name, i, err)
			}
		}
	}
}

// Only the world can be finalized.
func TestFinalizeOfAnotherCommunicatorIsAnError(t *testing.T) {
	everywhere(t, 1, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil {
			return err
		}
		return is(mpi.Finalize(d), mpi.ErrComm, "mpi: Finalize on world.dup1: only the world can be finalized; use Free")
	})
}

// A view made by WithContext ends its waits with its context.
func TestWaitsEndWithTheirContext(t *testing.T) {
	boom := errors.New("boom")
	for _, tc := range []struct {
		name string
		call func(c *mpi.Comm) error
	}{
		{"Recv", func(c *mpi.Comm) error { _, err := mpi.Recv(c, []int{0}, 1, 0); return err }},
		{"Ssend", func(c *mpi.Comm) error { return mpi.Ssend(c, []int{0}, 1, 99) }},
		{"Probe", func(c *mpi.Comm) error { _, err := mpi.Probe(c, 1, 0); return err }},
		{"WaitAny", func(c *mpi.Comm) error { _, _, err := mpi.WaitAny(mpi.Irecv(c, []int{0}, 1, 0)); return err }},
		{"Sendrecv", func(c *mpi.Comm) error {
			_, err := mpi.Sendrecv(c, []int{0}, 0, 1, []int{0}, 1, 0)
			return err
		}},
		{"SendrecvReplace", func(c *mpi.Comm) error { _, err := mpi.SendrecvReplace(c, []int{0}, 0, 1, 1, 0); return err }},
		{"Barrier", func(c *mpi.Comm) error { return mpi.Barrier(c) }},
		{"Allreduce", func(c *mpi.Comm) error { return mpi.Allreduce(c, []int{1}, []int{0}, mpi.Sum) }},
	} {
		everywhere(t, 2, func(w *mpi.Comm) error {
			d, err := w.Dup()
			if err != nil {
				return err
			}
			if w.Rank() == 0 {
				ctx, cancel := context.WithCancelCause(context.Background())
				timer := time.AfterFunc(2*time.Millisecond, func() { cancel(boom) })
				defer timer.Stop()
				err := tc.call(d.WithContext(ctx))
				if !errors.Is(err, mpi.ErrCancelled) || !errors.Is(err, boom) {
					return fmt.Errorf("%s: got %v", tc.name, err)
				}
				if err := is(tc.call(d.WithContext(ctx)), mpi.ErrCancelled, ""); err != nil {
					return fmt.Errorf("%s after the end: %w", tc.name, err)
				}
			}
			// The world is untouched, and so are point-to-point calls on d.
			if err := mpi.Barrier(w); err != nil {
				return err
			}
			if w.Rank() == 0 {
				for { // messages that it has sent to itself
					if _, found, err := mpi.Iprobe(d, 0, 1); !found || err != nil {
						return errors.Join(err, mpi.Send(d, []int{7}, 1, 0))
					}
					if _, err := mpi.Recv(d, []int{0}, 0, 1); err != nil {
						return err
					}
				}
			}
			got := []int{0}
			if _, err := mpi.Recv(d, got, 0, 0); err != nil {
				return err
			}
			if err := equal("message after the end", got[0], 7); err != nil {
				return err
			}
			// A send may arrive even though its wait has ended.
			_, found, err := mpi.Iprobe(d, 0, 99)
			if found {
				_, err = mpi.Recv(d, got, 0, 99)
			}
			return err
		})
	}
}

// After a collective call that ended early, ranks cannot agree any more.
func TestACommunicatorIsBrokenAfterACancelledCollectiveCall(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		d, err := w.Dup()
		if err != nil || w.Rank() == 1 {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		defer cancel()
		if err := is(mpi.Barrier(d.WithContext(ctx)), mpi.ErrCancelled, ""); err != nil {
			return err
		}
		return is(mpi.Barrier(d), mpi.ErrComm, "mpi: Barrier on world.dup1: an earlier collective call ended half-way, so the ranks no longer agree; use a duplicate made before")
	})
}

// Free ignores messages of an operation that a context has ended.
func TestFreeAfterAnOperationThatAContextHasEnded(t *testing.T) {
	t.Parallel() // it mostly waits
	everywhere(t, 3, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		if w.Rank() != 2 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			if _, err := mpi.Ibarrier(c.WithContext(ctx)).Wait(); !errors.Is(err, mpi.ErrCancelled) {
				return fmt.Errorf("alone: %w", err)
			}
		}
		if w.Rank() == 1 {
			time.Sleep(40 * time.Millisecond)
		}
		return errors.Join(mpi.Barrier(w), c.Free(), mpi.Barrier(w))
	})
}

// Finalize names the request of a long send that is neither received nor waited for.
func TestFinalizeNamesASendThatNobodyReceives(t *testing.T) {
	t.Parallel()                                      // it mostly waits
	err := mpitest.World(2, func(w *mpi.Comm) error { // which finalizes
		if w.Rank() != 0 {
			return tells(mpi.Finalize(w), mpi.ErrPending, "1 message to this rank was never received")
		}
		_, _, err := mpi.Isend(w, make([]byte, 1<<20), 1, 0).Test()
		return err
	}, mpitest.NIC("martini"))
	if err := tells(err, mpi.ErrPending, "rank 0: mpi: Finalize on world: 1 request was never completed; Wait for each, or Test it until it is done:\n\tIsend on world to 1 tag 0: 1048576 bytes"); err != nil {
		t.Error(err)
	}
}
