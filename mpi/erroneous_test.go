package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// An erroneous is a program that the standard forbids, and the error that some rank
// must get. No rank may succeed and be left with wrong data.
type erroneous struct {
	name  string
	ranks int
	run   func(c *mpi.Comm) error
	class mpi.Class
	text  string // part of what at least one rank is told
	both  string // part of what another rank must be told, too; or empty
}

type pair struct{ X, Y float64 }
type mixed struct {
	A int32
	B float64
}
type otherwise struct {
	B float64
	A int32
}

func dup(c *mpi.Comm) error { _, err := c.Dup(); return err }

var (
	userSum  = mpi.OpFunc(func(in, inout []int) {})
	userSumC = mpi.OpFunc(func(in, inout []int) {}, mpi.Commutative)
)

const (
	wrongType   = "the message holds float32, the buffer int32; receive the type that was sent, or bytes"
	senderKnows = "the message holds float32, and is received as int32; receive the type that was sent, or bytes"
	inOrder     = "all ranks must make the same collective calls in the same order"
	lengths     = "all ranks must call it with the same lengths"
)

var erroneousPrograms = []erroneous{
	// Types, chapter 3.
	{"eager, late receive", 2, send[float32, int32](2, 2, mpi.Send[float32]), mpi.ErrType, "Recv on world.dup1 from 0 tag 7: " + wrongType, ""},
	{"eager, early receive", 2, posted[float32, int32](2, mpi.Send[float32]), mpi.ErrType, "Irecv on world.dup1 from 0 tag 7: " + wrongType, ""},
	{"one long packet", 2, posted[float32, int32](1000, mpi.Send[float32]), mpi.ErrType, wrongType, ""},
	{"many packets", 2, send[float32, int32](4000, 4000, mpi.Send[float32]), mpi.ErrType, wrongType, ""},
	{"many packets, early receive", 2, posted[float32, int32](4000, mpi.Send[float32]), mpi.ErrType, wrongType, ""},
	{"Ssend", 2, send[float32, int32](2, 2, mpi.Ssend[float32]), mpi.ErrType, wrongType, "Ssend on world.dup1 to 1 tag 7: " + senderKnows},
	{"Ssend, early receive", 2, posted[float32, int32](2, mpi.Ssend[float32]), mpi.ErrType, wrongType, senderKnows},
	{"long Ssend", 2, send[float32, int32](4000, 4000, mpi.Ssend[float32]), mpi.ErrType, wrongType, senderKnows},
	{"rendezvous", 2, send[float32, int32](300000, 300000, mpi.Send[float32]), mpi.ErrType, wrongType, "Send on world.dup1 to 1 tag 7: " + senderKnows},
	{"rendezvous, early receive", 2, posted[float32, int32](300000, mpi.Send[float32]), mpi.ErrType, wrongType, senderKnows},
	{"rendezvous into a short buffer", 2, send[float32, int32](300000, 1, mpi.Send[float32]), mpi.ErrType, wrongType, senderKnows},
	{"int as float64", 2, send[int, float64](1, 1, mpi.Send[int]), mpi.ErrType, "holds int64, the buffer float64", ""},
	{"int32 as uint32", 2, send[int32, uint32](1, 1, mpi.Send[int32]), mpi.ErrType, "holds int32, the buffer uint32", ""},
	{"bool as int8", 2, send[bool, int8](1, 1, mpi.Send[bool]), mpi.ErrType, "holds bool, the buffer int8", ""},
	{"complex128 as float64", 2, send[complex128, float64](1, 2, mpi.Send[complex128]), mpi.ErrType, "holds complex128, the buffer float64", ""},
	{"int64 as two int32", 2, send[int64, int32](1, 2, mpi.Send[int64]), mpi.ErrType, "holds int64, the buffer int32", ""},
	{"struct as another", 2, send[mixed, otherwise](1, 1, mpi.Send[mixed]), mpi.ErrType, "holds a struct of other fields, the buffer mpi_test.otherwise", ""},
	{"struct as number", 2, send[mixed, float64](1, 2, mpi.Send[mixed]), mpi.ErrType, "holds a struct of other fields, the buffer float64", ""},
	{"number as struct", 2, send[float64, mixed](2, 1, mpi.Send[float64]), mpi.ErrType, "holds float64, the buffer mpi_test.mixed", ""},
	{"half a struct", 2, send[float64, pair](3, 2, mpi.Send[float64]), mpi.ErrType, "24 bytes are not a whole number of mpi_test.pair", ""},
	{"bytes that are no numbers", 2, send[byte, float64](10, 2, mpi.Send[byte]), mpi.ErrType, "10 bytes are not a whole number of float64", ""},
	{"too long", 2, send[int, int](10, 5, mpi.Send[int]), mpi.ErrTruncate, "80 bytes do not fit 40", ""},
	{"too long, by rendezvous", 2, send[int, int](100000, 5, mpi.Send[int]), mpi.ErrTruncate, "800000 bytes do not fit 40", ""},
	{"to itself", 1, func(c *mpi.Comm) error {
		r := mpi.Issend(c, []float32{1}, 0, 7)
		_, err := mpi.Recv(c, []int32{0}, 0, 7)
		_, e := r.Wait()
		return errors.Join(err, e)
	}, mpi.ErrType, wrongType + "\nmpi: Issend on world.dup1 to 0 tag 7: " + senderKnows, ""},
	{"Sendrecv", 2, func(c *mpi.Comm) error {
		_, err := mpi.Sendrecv(c, []float32{1}, 1-c.Rank(), 7, []int32{0}, 1-c.Rank(), 7)
		return err
	}, mpi.ErrType, "Sendrecv on world.dup1 from 0 tag 7: " + wrongType, "Sendrecv on world.dup1 from 1 tag 7: " + wrongType},
	{"SendrecvReplace", 2, by(
		func(c *mpi.Comm) error { _, err := mpi.SendrecvReplace(c, []float32{1}, 1, 7, 1, 7); return err },
		func(c *mpi.Comm) error { _, err := mpi.SendrecvReplace(c, []int32{1}, 0, 7, 0, 7); return err }),
		mpi.ErrType, wrongType, "holds int32, the buffer float32"},
	{"freed by its receiver", 2, by(
		func(c *mpi.Comm) error { return mpi.Ssend(c, []int{1}, 1, 7) },
		func(c *mpi.Comm) error { _, err := mpi.Probe(c, 0, 7); go c.Free(); return err }),
		mpi.ErrComm, "the receiver has freed the communicator, or called Finalize, and has not received the message", ""},

	// Collective calls, chapter 6: the same call.
	{"Allreduce, lengths", 3, by(allreduce[int](1, mpi.Sum), allreduce[int](2, mpi.Sum)), mpi.ErrCount, lengths, ""},
	{"Allreduce, long lengths", 3, by(allreduce[int](1000, mpi.Sum), allreduce[int](1001, mpi.Sum)), mpi.ErrTruncate, lengths, ""},
	{"Allreduce, operations", 3, by(allreduce[int](1, mpi.Sum), allreduce[int](1, mpi.Max)), mpi.ErrOp,
		"; all ranks must use the same operation", ""},
	{"Allreduce, operations on long buffers", 3, by(allreduce[int](5000, mpi.Sum), allreduce[int](5000, mpi.Max)), mpi.ErrOp, "all ranks must use the same operation", ""},
	{"Allreduce, types", 3, by(allreduce[float32](2, mpi.Sum), allreduce[int32](2, mpi.Sum)), mpi.ErrType,
		"; all ranks must use the same type", ""},
	{"Allreduce, long types", 3, by(allreduce[float64](5000, mpi.Sum), allreduce[int64](5000, mpi.Sum)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Allreduce, the user's operation", 3, by(allreduce[int](1, mpi.Sum), allreduce[int](1, userSum)), mpi.ErrOp, "an operation of the user", ""},
	{"Allreduce, commutative or not", 3, by(allreduce[int](1, userSumC), allreduce[int](1, userSum)), mpi.ErrOp, "an operation of the user", ""},
	{"Allreduce, items of other lengths", 3, by(allreduceItems(4, 2), allreduceItems(2, 4)), mpi.ErrCount, "has items or buffers of another length", ""},
	{"Allreduce, long items of other lengths", 3, by(allreduceItems(2, 4000), allreduceItems(4, 2000)), mpi.ErrCount, "has items or buffers of another length", ""},
	{"Allreduce, items and elements", 3, by(allreduceItems(1, 8), allreduce[int](8, userSum)), mpi.ErrOp, "an operation of the user on items", ""},
	{"Allreduce, items and long elements", 3, by(allreduce[int](8000, userSum), allreduceItems(2, 4000)), mpi.ErrOp, "an operation of the user on items", ""},
	{"Allreduce, items of other types", 3, by(allreduceItems(1, 1), allreduce[float64](1, mpi.OpFunc(func(in, inout []float64) {}))), mpi.ErrType, "all ranks must use the same type", ""},
	{"Reduce, operations", 3, by(reduce[int](1, mpi.Sum, 0), reduce[int](1, mpi.Prod, 0)), mpi.ErrOp, "with Prod, this rank with Sum", ""},
	{"Reduce, types", 3, by(reduce[uint32](1, mpi.Sum, 0), reduce[int32](1, mpi.Sum, 0)), mpi.ErrType, "elements of int32, this rank of uint32", ""},
	{"Bcast, roots", 3, by(
		func(c *mpi.Comm) error { return errors.Join(bcast[int](1, 0)(c), mpi.Barrier(c)) },
		func(c *mpi.Comm) error { return errors.Join(bcast[int](1, 1)(c), mpi.Barrier(c)) }), mpi.ErrRoot, "; all ranks must", ""},
	{"Bcast, types", 3, by(bcast[int32](2, 0), bcast[float32](2, 0)), mpi.ErrType, "rank 0 has elements of int32, this rank of float32", ""},
	{"Bcast, bytes for numbers", 3, by(bcast[int32](2, 0), bcast[byte](8, 0)), mpi.ErrType, "rank 0 has elements of int32, this rank of uint8", ""},
	{"Bcast, lengths", 3, by(bcast[int](2, 0), bcast[int](1, 0)), mpi.ErrCount, lengths, ""},
	{"Bcast, long lengths", 3, by(bcast[int](2000, 0), bcast[int](1000, 0)), mpi.ErrTruncate, lengths, ""},
	{"Bcast, long types", 3, by(bcast[int32](200000, 0), bcast[float32](200000, 0)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Allgather, lengths", 3, by(allgather[int](1), allgather[int](2)), mpi.ErrCount, lengths, ""},
	{"Allgather, long lengths", 3, by(allgather[int](1000), allgather[int](2000)), mpi.ErrTruncate, lengths, ""},
	{"Allgather, types", 3, by(allgather[int](1), allgather[uint](1)), mpi.ErrType, "elements of uint64, this rank of int64", ""},
	{"Allgatherv, counts", 2, by(
		func(c *mpi.Comm) error {
			return mpi.Allgatherv(c, make([]int, 1), make([]int, 3), []int{1, 2}, nil)
		},
		func(c *mpi.Comm) error {
			return mpi.Allgatherv(c, make([]int, 1), make([]int, 3), []int{2, 1}, nil)
		}), mpi.ErrTruncate, lengths, ""},
	{"Alltoall, lengths", 3, by(alltoall[int](1), alltoall[int](2)), mpi.ErrTruncate, lengths, ""},
	{"Alltoall, types", 3, by(alltoall[int](1), alltoall[float64](1)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Alltoallv, counts", 2, by(
		func(c *mpi.Comm) error {
			return mpi.Alltoallv(c, make([]int, 2), []int{1, 1}, nil, make([]int, 2), []int{1, 1}, nil)
		},
		func(c *mpi.Comm) error {
			return mpi.Alltoallv(c, make([]int, 3), []int{2, 1}, nil, make([]int, 3), []int{2, 1}, nil)
		}), mpi.ErrTruncate, lengths, ""},
	{"Gather, lengths", 3, by(gather[int](1, 0), gather[int](2, 0)), mpi.ErrTruncate, lengths, ""},
	{"Gather, types", 3, by(gather[int](1, 0), gather[float64](1, 0)), mpi.ErrType, "elements of float64, this rank of int64", ""},
	{"Gatherv, counts", 2, by(
		func(c *mpi.Comm) error {
			return mpi.Gatherv(c, make([]int, 1), make([]int, 3), []int{1, 2}, nil, 0)
		},
		func(c *mpi.Comm) error { return mpi.Gatherv(c, make([]int, 1), nil, nil, nil, 0) }), mpi.ErrTruncate, lengths, ""},
	{"Gatherv, one long count", 3, gatherv(300, 1), mpi.ErrTruncate, "8 bytes arrived from rank 1 where 2400 belong; " + lengths, ""},
	{"Gatherv, one short count", 3, gatherv(1, 300), mpi.ErrTruncate, lengths, ""},
	{"Gatherv, none and some", 3, gatherv(0, 1), mpi.ErrTruncate, "8 bytes arrived from rank 1 where 0 belong; " + lengths, ""},
	{"Scatterv, one long count", 3, scatterv(300, 1), mpi.ErrTruncate, lengths, ""},
	{"Scatterv, one short count", 3, scatterv(1, 300), mpi.ErrTruncate, "8 bytes arrived from rank 0 where 2400 belong; " + lengths, ""},
	{"Scatter, lengths", 3, by(scatter[int](1, 0), scatter[int](2, 0)), mpi.ErrTruncate, lengths, ""},
	{"Scatterv, counts", 2, by(
		func(c *mpi.Comm) error {
			return mpi.Scatterv(c, make([]int, 3), []int{1, 2}, nil, make([]int, 1), 0)
		},
		func(c *mpi.Comm) error { return mpi.Scatterv(c, nil, nil, nil, make([]int, 1), 0) }), mpi.ErrTruncate, lengths, ""},
	{"Scan, operations", 3, by(scan[int](1, mpi.Sum), scan[int](1, mpi.BAnd)), mpi.ErrOp, "all ranks must use the same operation", ""},
	{"ReduceScatter, counts", 2, by(
		func(c *mpi.Comm) error {
			return mpi.ReduceScatter(c, make([]int, 3), make([]int, 1), []int{1, 2}, mpi.Sum)
		},
		func(c *mpi.Comm) error {
			return mpi.ReduceScatter(c, make([]int, 3), make([]int, 1), []int{2, 1}, mpi.Sum)
		}), mpi.ErrCount, lengths, ""},
	{"ReduceScatterBlock, types", 2, by(
		func(c *mpi.Comm) error {
			return mpi.ReduceScatterBlock(c, make([]int, 2), make([]int, 1), mpi.Sum)
		},
		func(c *mpi.Comm) error {
			return mpi.ReduceScatterBlock(c, make([]float64, 2), make([]float64, 1), mpi.Sum)
		}), mpi.ErrType, "all ranks must use the same type", ""},

	// Different calls.
	{"Barrier and Allreduce", 3, by(mpi.Barrier, allreduce[int](1, mpi.Sum)), mpi.ErrMismatch, "; " + inOrder, ""},
	{"Barrier and Allgather", 3, by(mpi.Barrier, allgather[int](1)), mpi.ErrMismatch, "rank 0 is in Barrier; " + inOrder, ""},
	{"one of four", 4, func(c *mpi.Comm) error {
		if c.Rank() == 3 {
			return mpi.Barrier(c)
		}
		return allgather[int](1)(c)
	}, mpi.ErrMismatch, inOrder, ""},
	{"Scan and Exscan", 3, by(scan[int](1, mpi.Sum),
		func(c *mpi.Comm) error { return mpi.Exscan(c, []int{1}, []int{1}, mpi.Sum) }), mpi.ErrMismatch, inOrder, ""},
	{"Allgather and Alltoall", 3, by(allgather[int](1), alltoall[int](1)), mpi.ErrMismatch, inOrder, ""},
	{"CartCreate, dims", 3, by(cartWith(1, 3), cartWith(3, 1)), mpi.ErrMismatch, "passes other arguments", "all ranks must pass the same dims and periods"},
	{"Dup and Barrier", 3, by(dup, mpi.Barrier), mpi.ErrMismatch, "rank 0 is in Dup; " + inOrder, ""},
	{"Dup and Allgather", 3, by(dup, allgather[int](5)), mpi.ErrMismatch, inOrder, ""},
	{"another order", 3, by(
		func(c *mpi.Comm) error { return errors.Join(mpi.Barrier(c), allreduce[int](1, mpi.Sum)(c)) },
		func(c *mpi.Comm) error { return errors.Join(allreduce[int](1, mpi.Sum)(c), mpi.Barrier(c)) }), mpi.ErrMismatch, inOrder, ""},
	{"Bcast and Reduce, a root that is ahead", 3, by(
		func(c *mpi.Comm) error {
			return errors.Join(bcast[int](1, 0)(c), bcast[int](1, 0)(c), bcast[int](1, 0)(c), mpi.Barrier(c))
		},
		func(c *mpi.Comm) error {
			return errors.Join(bcast[int](1, 0)(c), reduce[int](1, mpi.Sum, 0)(c), bcast[int](1, 0)(c), mpi.Barrier(c))
		}), mpi.ErrMismatch, "all ranks must", ""},
	{"Gather and Bcast, leaves that are ahead", 3, by(
		func(c *mpi.Comm) error {
			return errors.Join(gather[int](1, 0)(c), bcast[int](1, 0)(c), gather[int](1, 0)(c))
		},
		func(c *mpi.Comm) error {
			return errors.Join(gather[int](1, 0)(c), gather[int](1, 0)(c), gather[int](1, 0)(c))
		}), mpi.ErrMismatch, "all ranks must", ""},
	{"Scatter without end", 3, by(
		func(c *mpi.Comm) (err error) {
			for range 100 {
				err = errors.Join(err, scatter[int](1, 0)(c))
			}
			return errors.Join(err, mpi.Barrier(c))
		},
		func(c *mpi.Comm) (err error) {
			for range 100 {
				err = errors.Join(err, gather[int](1, 0)(c))
			}
			return errors.Join(err, mpi.Barrier(c))
		}), mpi.ErrMismatch, "all ranks must", ""},
	{"one Barrier too many", 2, by(
		func(c *mpi.Comm) error { return errors.Join(mpi.Barrier(c), mpi.Barrier(c), scan[int](1, mpi.Sum)(c)) },
		func(c *mpi.Comm) error { return errors.Join(mpi.Barrier(c), scan[int](1, mpi.Sum)(c)) }), mpi.ErrMismatch, inOrder, ""},

	// Nonblocking calls (MPI 4.1, section 6.12), and persistent ones (6.13).
	{"Iallreduce, lengths", 3, by(iallreduce[int](1, mpi.Sum), iallreduce[int](2, mpi.Sum)), mpi.ErrTruncate, lengths, ""},
	{"Iallreduce, types", 3, by(iallreduce[float32](2, mpi.Sum), iallreduce[int32](2, mpi.Sum)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Iallreduce, operations", 3, by(iallreduce[int](1, mpi.Sum), iallreduce[int](1, mpi.Max)), mpi.ErrOp, "all ranks must use the same operation", ""},
	{"Ibcast, types", 3, by(ibcast[int32](2, 0), ibcast[float32](2, 0)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Ibcast, lengths", 3, by(ibcast[int](2, 0), ibcast[int](1, 0)), mpi.ErrTruncate, lengths, ""},
	{"Ibarrier and Iallreduce", 3, by(ibarrier, iallreduce[int](1, mpi.Sum)), mpi.ErrMismatch, inOrder, ""},
	{"Iallgather and Ialltoall", 3, by(iallgather[int](1), ialltoall[int](1)), mpi.ErrMismatch, inOrder, ""},
	{"Iallgather, types", 3, by(iallgather[int](1), iallgather[float64](1)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Iallgather, lengths", 3, by(iallgather[int](1), iallgather[int](2)), mpi.ErrTruncate, lengths, ""},
	{"Ialltoall, types", 3, by(ialltoall[int](1), ialltoall[float64](1)), mpi.ErrType, "all ranks must use the same type", ""},
	{"AllreduceInit, types", 3, by(allreduceInit[float32](2), allreduceInit[int32](2)), mpi.ErrType, "all ranks must use the same type", ""},
	{"AllreduceInit, lengths", 3, by(allreduceInit[int](1), allreduceInit[int](2)), mpi.ErrTruncate, lengths, ""},

	// Other modes of messages, chapters 3 and 4.
	{"Isend, a type", 2, send[float32, int32](2, 2, waitFor(mpi.Isend[float32])), mpi.ErrType, wrongType, ""},
	{"Issend, a type", 2, send[float32, int32](2, 2, waitFor(mpi.Issend[float32])), mpi.ErrType, wrongType, "Issend on world.dup1 to 1 tag 7: " + senderKnows},
	{"Rsend, a type", 2, posted[float32, int32](2, mpi.Rsend[float32]), mpi.ErrType, wrongType, ""},
	{"Irsend, a type", 2, posted[float32, int32](2, waitFor(mpi.Irsend[float32])), mpi.ErrType, wrongType, ""},
	{"Bsend, a type", 2, send[float32, int32](2, 2, buffered(mpi.Bsend[float32])), mpi.ErrType, wrongType, ""},
	{"Bsend, too long", 2, send[int, int](10, 5, buffered(mpi.Bsend[int])), mpi.ErrTruncate, "80 bytes do not fit 40", ""},
	{"SendInit, a type", 2, send[float32, int32](2, 2, started(mpi.SendInit[float32])), mpi.ErrType, wrongType, ""},
	{"SendInit, too long", 2, send[int, int](10, 5, started(mpi.SendInit[int])), mpi.ErrTruncate, "80 bytes do not fit 40", ""},
	{"SsendInit, a type", 2, send[float32, int32](2, 2, started(mpi.SsendInit[float32])), mpi.ErrType, wrongType, senderKnows},
	{"Issend, too long", 2, send[int, int](10, 5, waitFor(mpi.Issend[int])), mpi.ErrTruncate, "80 bytes do not fit 40", ""},
	{"Isendrecv, types", 2, func(c *mpi.Comm) error {
		_, err := mpi.Isendrecv(c, []float32{1}, 1-c.Rank(), 7, []int32{0}, 1-c.Rank(), 7).Wait()
		return err
	}, mpi.ErrType, wrongType, ""},
	{"IsendrecvReplace, lengths", 2, func(c *mpi.Comm) error {
		_, err := mpi.IsendrecvReplace(c, make([]int, 1+c.Rank()), 1-c.Rank(), 7, 1-c.Rank(), 7).Wait()
		return err
	}, mpi.ErrTruncate, "16 bytes do not fit 8", ""},
	{"Mrecv, a type", 2, matched(func(m *mpi.Message) error { _, err := mpi.Mrecv(m, []int32{0, 0}); return err }), mpi.ErrType, wrongType, ""},
	{"Imrecv, a type", 2, matched(func(m *mpi.Message) error { _, err := mpi.Imrecv(m, []int32{0, 0}).Wait(); return err }), mpi.ErrType, wrongType, ""},
	{"Mrecv, too long", 2, matched(func(m *mpi.Message) error { _, err := mpi.Mrecv(m, []float32{0}); return err }), mpi.ErrTruncate, "8 bytes do not fit 4", ""},
	{"a column as a row of another type", 2, by(
		func(c *mpi.Comm) error { return mpi.Send(c, mpi.View(make([]float64, 9), mpi.Vector(3, 1, 3)), 1, 7) },
		func(c *mpi.Comm) error { _, err := mpi.Recv(c, make([]int64, 3), 0, 7); return err }),
		mpi.ErrType, "holds float64, the buffer int64", ""},
	{"a column that is too long", 2, by(
		func(c *mpi.Comm) error { return mpi.Send(c, make([]float64, 4), 1, 7) },
		func(c *mpi.Comm) error {
			_, err := mpi.Recv(c, mpi.View(make([]float64, 9), mpi.Vector(3, 1, 3)), 0, 7)
			return err
		}), mpi.ErrTruncate, "32 bytes do not fit 24", ""},

	// More of chapter 6.
	{"Exscan, types", 3, by(exscan[int](1), exscan[float64](1)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Scan, types", 3, by(scan[int](1, mpi.Sum), scan[uint](1, mpi.Sum)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Scatter, types", 3, by(scatter[int](1, 0), scatter[float64](1, 0)), mpi.ErrType, "all ranks must use the same type", ""},
	{"Gather and Scatter", 3, by(
		func(c *mpi.Comm) error { return errors.Join(gather[int](1, 1)(c), mpi.Barrier(c)) },
		func(c *mpi.Comm) error { return errors.Join(scatter[int](1, 1)(c), mpi.Barrier(c)) }), mpi.ErrMismatch, "all ranks must", ""},
	{"Alltoallw, lengths", 2, by(alltoallw(2), alltoallw(3)), mpi.ErrTruncate, lengths, ""},
	{"a struct and its number", 3, by(bcast[mixed](2, 0), bcast[float64](4, 0)), mpi.ErrType, "all ranks must use the same type", ""},
	{"MinLoc and MaxLoc", 3, by(allreduce[mpi.ValLoc[int]](1, mpi.MinLoc), allreduce[mpi.ValLoc[int]](1, mpi.MaxLoc)), mpi.ErrOp, "all ranks must use the same operation", ""},
	{"Dup of some ranks", 3, by(dup, allreduce[int](1, mpi.Sum)), mpi.ErrMismatch, inOrder, ""},
	{"Split and Barrier", 3, by(func(c *mpi.Comm) error { _, err := c.Split(0, 0); return err }, mpi.Barrier), mpi.ErrMismatch, inOrder, ""},
}

// on runs p with one transport and returns what each rank was told. Ranks that are left
// waiting when others have been told are cancelled.
func (p *erroneous) on(option mpitest.Option) ([]error, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	told := make([]error, p.ranks)
	var mu sync.Mutex
	waiting := p.ranks
	world := mpitest.World(p.ranks, func(w *mpi.Comm) error {
		c, err := w.Dup()
		if err != nil {
			return err
		}
		err = p.run(c.WithContext(ctx))
		mu.Lock()
		told[w.Rank()] = err
		if waiting--; p.both == "" && err != nil || waiting == 0 {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
		mu.Unlock()
		<-ctx.Done() // no rank leaves before all have been told
		return nil
	}, option, mpitest.Unguarded()) // what each rank finds by itself
	if errors.Is(world, mpitest.ErrTimeout) {
		return told, world
	}
	return told, nil // Finalize may report unfinished calls
}

func TestErroneousProgramsAreDiagnosed(t *testing.T) {
	t.Parallel() // it mostly waits
	if len(erroneousPrograms) < 100 {
		t.Errorf("only %d programs", len(erroneousPrograms))
	}
	for i, p := range erroneousPrograms {
		for k, net := range transports {
			if net.name == "hosts" || k > 1 && i%3 != k%3 { // a share
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", p.name, net.name), func(t *testing.T) {
				t.Parallel()
				p := p // a copy: the transports run in parallel
				told, err := p.on(net.option)
				if err != nil {
					t.Fatal(err)
				}
				if net.name == "mailboxes" && strings.HasPrefix(p.name, "rendezvous") {
					p.both = "" // there no standard send waits
				}
				if net.name == "dimmnet2" && p.name == "long Ssend" {
					p.both = "" // its rings do not hold the message, and a rank that has failed makes no more calls that receive the rest
				}
				p.judge(t, told)
			})
		}
	}
}

// judge checks that the mistake was reported as it should be.
func (p *erroneous) judge(t *testing.T, told []error) {
	t.Helper()
	named, both := false, p.both == ""
	for _, err := range told {
		if err == nil || errors.Is(err, mpi.ErrCancelled) && !errors.Is(err, p.class) {
			continue
		}
		size := func(c error) bool { return c == mpi.ErrCount || c == mpi.ErrTruncate }
		lengths := size(p.class) && (errors.Is(err, mpi.ErrCount) || errors.Is(err, mpi.ErrTruncate)) // seen by a flag, or by a message
		later := strings.Contains(err.Error(), "has made other collective calls before")
		if !errors.Is(err, p.class) && !lengths && !later {
			t.Errorf("class: %v", err)
		}
		named = named || strings.Contains(err.Error(), p.text)
		both = both || strings.Contains(err.Error(), p.both)
	}
	if !named || !both {
		t.Errorf("want %q and %q, told\n%v", p.text, p.both, told)
	}
}

// Legal though it looks similar: named types, arrays and structs of one kind, fewer
// elements than fit, and bytes on either side.
func TestMessagesOfTheSameTypeByAnotherName(t *testing.T) {
	type celsius float64
	everywhere(t, 2, func(w *mpi.Comm) error {
		if w.Rank() == 0 {
			return errors.Join(mpi.Send(w, []celsius{1, 2}, 1, 1), mpi.Ssend(w, []float64{1, 2, 3, 4}, 1, 2), mpi.Send(w, []pair{{1, 2}}, 1, 3),
				mpi.Send(w, []mixed{{1, 2}}, 1, 4), mpi.Ssend(w, make([]byte, 16), 1, 5), mpi.Send(w, []int{3}, 1, 6))
		}
		a, b, c, d, e, f := make([]float64, 5), make([][2]celsius, 9), make([]celsius, 2), make([]byte, 99), make([]mixed, 2), []int64{0}
		var errs []error
		take := func(st mpi.Status, err error) { errs = append(errs, err) }
		take(mpi.Recv(w, a, 0, 1))
		take(mpi.Recv(w, b, 0, 2))
		take(mpi.Recv(w, c, 0, 3))
		take(mpi.Recv(w, d, 0, 4))
		take(mpi.Recv(w, e, 0, 5))
		take(mpi.Recv(w, f, 0, 6))
		errs = append(errs, equal("celsius", a[1], 2), equal("array", b[1][1], 4), equal("struct", c[1], 2), equal("int", f[0], 3))
		return errors.Join(errs...)
	})
}

// A send buffer may be in a gap between parts (MPI 4.1, section 6.7: only memory that
// is read and memory that is written must not overlap).
func TestAllgathervOfAPartInAGap(t *testing.T) {
	everywhere(t, 3, func(w *mpi.Comm) error {
		recv := make([]int, 12) // parts of 2 at 0, 4, 8; gaps of 2 between them
		counts, displs := []int{2, 2, 2}, []int{8, 0, 4}
		send := recv[4*((w.Rank()+1)%3)+2:][:2]
		send[0], send[1] = 10*w.Rank()+1, 10*w.Rank()+2
		if err := mpi.Allgatherv(w, send, recv, counts, displs); err != nil {
			return err
		}
		for r := range 3 {
			if err := equalAll(fmt.Sprint("part ", r), recv[displs[r]:][:2], []int{10*r + 1, 10*r + 2}); err != nil {
				return err
			}
		}
		err := mpi.Allgatherv(w, recv[3:5], recv, counts, displs)
		return is(err, mpi.ErrBuffer, "mpi: Allgatherv on world: send and recv overlap; they must be apart, or one and the same")
	})
}
