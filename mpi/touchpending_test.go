package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
)

// spares checks that blocking calls on what a started request of g receives into are told, and those on what it
// only sends are not, until it is complete.
func (g *guardedCall) spares(w, c *mpi.Comm, persistent bool, parts, root int) error {
	isRoot, me := w.Rank() == 0, w.Rank()
	reads, fills := g.reads(isRoot, c.IsInter()), g.fills(isRoot, c.IsInter())
	send, recv, far := make([]int, 2*parts), make([]int, 2*parts), make([]int, 1)
	r, err := g.started(persistent, c, send, recv, parts, root)
	if err != nil {
		return err
	}
	<-r.Done() // the data have been moved; the request is complete when it has been waited for
	const overlaps = "the buffer overlaps that of a request that was not complete: "
	wrong := func(what string, wrong bool, err error) error {
		if wrong {
			err = tells(err, mpi.ErrBuffer, overlaps)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	reading := func(b []int) error { return mpi.Bsend(w, b, me, 7) }
	filling := func(b []int) error { return second(mpi.Recv(w, b, me, 7)) }
	err = errors.Join(wrong("sends what is sent", false, reading(send[1:2])), wrong("sends what is received", fills, reading(recv[1:2])),
		wrong("receives what is received", fills, filling(recv[1:2])), wrong("receives what is sent", reads, filling(send[1:2])))
	if err == nil {
		err = waited(r)
	}
	if err == nil && persistent { // inactive
		err = errors.Join(wrong("inactive", false, reading(recv[1:2])), wrong("inactive", false, filling(send[1:2])))
	}
	if err == nil && !persistent {
		err = errors.Join(wrong("complete", false, reading(recv[1:2])), wrong("complete", false, filling(far)))
	}
	return err
}

// MPI 4.1, sections 6.12, 6.13, 8.7 and 8.8: blocking calls meanwhile must not use the buffers of nonblocking and
// persistent collective calls, of those between groups and to neighbors, too.
func TestBlockingCallsOnBuffersOfPendingCollectiveCalls(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		if err := w.AttachBuffer(nil); err != nil {
			return err
		}
		ring, err := w.CartCreate([]int{2}, []bool{true})
		if err != nil {
			return err
		}
		inter, first, err := sides(w, 1)
		if err != nil {
			return err
		}
		for _, persistent := range []bool{false, true} {
			for _, g := range guardedCalls {
				if err := g.spares(w, w, persistent, 2, 0); err != nil {
					return fmt.Errorf("%s, persistent %t: %w", g.name, persistent, err)
				}
				if g.name == "scan" || g.name == "exscan" {
					continue
				}
				if err := g.spares(w, inter, persistent, 1, map[bool]int{true: mpi.Root, false: 0}[first]); err != nil {
					return fmt.Errorf("%s between groups, persistent %t: %w", g.name, persistent, err)
				}
			}
			for _, g := range guardedNeighborCalls {
				if err := g.spares(w, ring, persistent, 2, 0); err != nil {
					return fmt.Errorf("%s, persistent %t: %w", g.name, persistent, err)
				}
			}
		}
		return errors.Join(ring.Free(), inter.Free())
	})
}

// MPI 4.1, section 4.2.2: a partition is in use from Pready on, and where the message is received from Start on,
// until it has arrived.
func TestBlockingCallsOnBuffersOfPartitions(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		buf, sum := make([]int, 2), make([]int, 1)
		if w.Rank() == 1 {
			r, err := mpi.PrecvInit(w, buf, 2, 0, 5)
			if err != nil {
				return err
			}
			err = errors.Join(r.Start(), tells(mpi.Allreduce(w, buf[1:], sum, mpi.Sum), mpi.ErrBuffer, "not complete: PrecvInit on world from 0 tag 5"),
				mpi.Allreduce(w, []int{0}, sum, mpi.Sum))
			for there := false; !there && err == nil; { // so that nothing reads what the other rank changes
				there, err = r.Parrived(0)
			}
			return errors.Join(err, mpi.Allreduce(w, []int{0}, sum, mpi.Sum), waited(r), mpi.Allreduce(w, buf[1:], sum, mpi.Sum))
		}
		r, err := mpi.PsendInit(w, buf, 2, 1, 5)
		if err != nil {
			return err
		}
		err = errors.Join(r.Start(), mpi.Allreduce(w, []int{3}, buf[1:], mpi.Sum), // not ready
			r.Pready(0), mpi.Allreduce(w, buf[:1], sum, mpi.Sum), // only read
			tells(mpi.Allreduce(w, []int{0}, buf[:1], mpi.Sum), mpi.ErrBuffer, "not complete: PsendInit on world to 1 tag 5"),
			r.Pready(1), waited(r))
		return errors.Join(err, mpi.Allreduce(w, []int{0}, buf[:1], mpi.Sum))
	})
}

// MPI 4.1, section 6.11.2: what rank 0 gives Exscan to receive into is not significant, also in place.
func TestExscanReceivesNothingAtRankZero(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		for _, async := range []bool{false, true} {
			exscan := func(in, out []int) error {
				if async {
					return waited(mpi.Iexscan(w, in, out, mpi.Sum))
				}
				return mpi.Exscan(w, in, out, mpi.Sum)
			}
			in, out := []int{2}, []int{7}
			end := toSelf(w, out, false)
			err := exscan(in, out)
			if w.Rank() == 1 {
				err = tells(err, mpi.ErrBuffer, "the buffer overlaps that of a request that was not complete: Irecv on world from 1 tag 3: 8 bytes (")
			}
			if err = errors.Join(err, end(), equalAll("received", out, []int{1})); err != nil {
				return fmt.Errorf("nonblocking %t: %w", async, err)
			}
			end = toSelf(w, in, true)
			err = exscan(in, in)
			if w.Rank() == 1 {
				err = tells(err, mpi.ErrBuffer, "Issend on world to 1 tag 3: 8 bytes (")
			}
			if err = errors.Join(err, end()); err != nil {
				return fmt.Errorf("in place, nonblocking %t: %w", async, err)
			}
		}
		return nil
	})
}

// MPI 4.1, section 3.7.2: the buffers of a pending exchange are in use until it is complete, also when both
// messages have arrived.
func TestBuffersOfPendingExchanges(t *testing.T) {
	const overlaps = "mpi: Allreduce on world: the buffer overlaps that of a request that was not complete: "
	sum := func(w *mpi.Comm, b []int) error { return mpi.Allreduce(w, b, make([]int, len(b)), mpi.Sum) }
	everywhere(t, 1, func(w *mpi.Comm) error {
		send, recv, one := []int{1, 2}, make([]int, 2), []int{5}
		r := mpi.Isendrecv(w, send, 0, 1, recv, 0, 1)
		<-r.Done()
		err := errors.Join(tells(sum(w, recv[1:]), mpi.ErrBuffer, overlaps+"Isendrecv on world to 0 tag 1 ("),
			tells(mpi.Allreduce(w, one, send[1:], mpi.Sum), mpi.ErrBuffer, overlaps+"Isendrecv on world to 0 tag 1 ("),
			sum(w, send), waited(r), sum(w, recv))

		r = mpi.IsendrecvReplace(w, recv, 0, 1, 0, 1)
		<-r.Done()
		err = errors.Join(err, tells(sum(w, recv[1:]), mpi.ErrBuffer, overlaps+"IsendrecvReplace on world to 0 tag 1 ("), waited(r), sum(w, recv))

		r = mpi.Isendrecv(w, firstAndLast([]int{1, 2, 3}), 0, 1, gapped(make([]int, 4)), 0, 1)
		err = errors.Join(err, waited(r))
		r = mpi.Isendrecv(w, send, 0, 1, recv, 0, 1)
		<-r.Done()
		send[0]++
		err = errors.Join(err, tells(waited(r), mpi.ErrBuffer, "mpi: Isendrecv on world to 0 tag 1: the buffer was changed before the request ("))

		pending := mpi.Irecv(w, recv[:1], 0, 3)
		err = errors.Join(err, tells(waited(mpi.Isendrecv(w, send, 0, 1, recv, 0, 1)), mpi.ErrBuffer,
			"mpi: Isendrecv on world to 0 tag 1: the buffer overlaps that of a request that was not complete: Irecv on world from 0 tag 3: 8 bytes ("),
			waited(mpi.Isendrecv(w, send, 0, 1, recv, mpi.ProcNull, 1)), mpi.Send(w, one, 0, 3), waited(pending))
		return errors.Join(err, second(mpi.Recv(w, make([]int, 2), 0, 1)))
	})
}
