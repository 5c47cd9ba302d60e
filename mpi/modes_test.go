package mpi_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 3.9: a persistent request can be started several times, and sends
// what the buffer holds at each start; an inactive one counts as complete.
func TestPersistentRequestsRepeat(t *testing.T) {
	for n := 1; n <= 4; n++ {
		everywhere(t, n, func(w *mpi.Comm) error {
			right, left := (w.Rank()+1)%n, (w.Rank()+n-1)%n
			if err := w.AttachBuffer(make([]byte, 1<<16)); err != nil {
				return err
			}
			out, in := make([]int, 4), make([]int, 4)
			r0, err0 := mpi.RecvInit(w, in[0:1], left, 0)
			r1, err1 := mpi.RecvInit(w, in[1:2], mpi.AnySource, 1)
			r2, err2 := mpi.RecvInit(w, in[2:3], left, 2)
			r3, err3 := mpi.RecvInit(w, in[3:4], left, 3)
			s0, err4 := mpi.SendInit(w, out[0:1], right, 0)
			s1, err5 := mpi.SsendInit(w, out[1:2], right, 1)
			s2, err6 := mpi.BsendInit(w, out[2:3], right, 2)
			s3, err7 := mpi.RsendInit(w, out[3:4], right, 3)
			if err := errors.Join(err0, err1, err2, err3, err4, err5, err6, err7); err != nil {
				return err
			}
			all := []*mpi.Request{r0, r1, r2, r3, s0, s1, s2, s3}
			if err := mpi.WaitAll(all...); err != nil { // inactive
				return err
			}
			for round := range 20 {
				for i := range out {
					out[i] = 1000*w.Rank() + 10*round + i
				}
				if err := mpi.StartAll(all...); err != nil {
					return err
				}
				var err error
				switch round % 3 {
				case 0:
					err = mpi.WaitAll(all...)
				case 1:
					for i := 0; i != mpi.Undefined && err == nil; {
						i, _, err = mpi.WaitAny(all...)
					}
				case 2:
					for done := false; !done && err == nil; {
						_, done, err = mpi.TestAll(all...)
					}
				}
				if err != nil {
					return err
				}
				for i := range in {
					if err := equal("in", in[i], 1000*left+10*round+i); err != nil {
						return err
					}
				}
			}
			if err := r0.Start(); err != nil {
				return err
			}
			if err := is(r0.Start(), mpi.ErrRequest, "mpi: Start on world: the request of RecvInit is active; complete it first"); err != nil {
				return err
			}
			if err := errors.Join(r0.Cancel()); err != nil {
				return err
			}
			if st, err := r0.Wait(); err != nil || !st.Cancelled() {
				return fmt.Errorf("a cancelled start: %v, %v", st, err)
			}
			if err := r0.Free(); err != nil {
				return err
			}
			if err := is(r0.Start(), mpi.ErrRequest, ""); err != nil {
				return err
			}
			_, err := w.DetachBuffer()
			return err
		})
	}
}

// MPI 4.1, section 3.4: a buffered send does not wait for its receive, and MPI 4.1,
// section 3.6: detaching waits until all messages are sent and returns the buffer.
func TestBufferedSendsDoNotWait(t *testing.T) {
	const long = 100_000
	everywhere(t, 2, func(w *mpi.Comm) error {
		peer := 1 - w.Rank()
		if err := is(mpi.Bsend(w, []int{1}, peer, 0), mpi.ErrBuffer, fmt.Sprintf(
			"mpi: Bsend on world to %d tag 0: no buffer is attached; use AttachBuffer or BufferAttach first", peer)); err != nil {
			return err
		}
		mem := make([]byte, 3*(8*long+mpi.BsendOverhead))
		if err := mpi.BufferAttach(w, mem); err != nil {
			return err
		}
		if err := is(mpi.BufferAttach(w, mem), mpi.ErrBuffer, "mpi: BufferAttach on world: a buffer is attached already; detach it first"); err != nil {
			return err
		}
		for round := range 3 {
			out := make([]int, long)
			for i := range 3 { // both ranks send before either receives
				out[0], out[long-1] = i, round
				if err := mpi.Bsend(w, out, peer, i); err != nil {
					return err
				}
			}
			if err := is(mpi.Bsend(w, make([]int, 4*long), peer, 4), mpi.ErrBuffer, ""); err != nil {
				return err
			}
			if err := mpi.Barrier(w); err != nil { // so that none is received before the fourth is sent
				return err
			}
			for i := range 3 {
				in := make([]int, long)
				if _, err := mpi.Recv(w, in, peer, 2-i); err != nil {
					return err
				}
				if in[0] != 2-i || in[long-1] != round {
					return fmt.Errorf("message %d of round %d: %d, %d", 2-i, round, in[0], in[long-1])
				}
			}
			var err error
			if round == 0 {
				err = mpi.BufferFlush(w)
			} else {
				_, err = mpi.BufferIflush(w).Wait()
			}
			if err != nil {
				return err
			}
		}
		if err := w.AttachBuffer(nil); err != nil { // automatic, and used rather than the process's
			return err
		}
		if _, err := mpi.Ibsend(w, make([]int, 10*long), peer, 5).Wait(); err != nil {
			return err
		}
		if _, err := mpi.Recv(w, make([]int, 10*long), peer, 5); err != nil {
			return err
		}
		if _, err := w.IflushBuffer().Wait(); err != nil {
			return err
		}
		if err := w.FlushBuffer(); err != nil {
			return err
		}
		if _, err := w.DetachBuffer(); err != nil {
			return err
		}
		got, err := mpi.BufferDetach(w)
		if err != nil || &got[0] != &mem[0] {
			return fmt.Errorf("another buffer came back, or %v", err)
		}
		return nil
	})
}

// MPI 4.1, section 3.6: a library that attaches a buffer of its own for a while detaches
// what is there first and attaches it again, whatever it is: without a buffer it is as if
// one of no bytes were there.
func TestBuffersOfNestedLibraries(t *testing.T) {
	mem := make([]byte, 1000)
	everywhere(t, 1, func(w *mpi.Comm) error {
		s, err := w.Session()
		if err != nil {
			return err
		}
		type handle struct {
			attach func([]byte) error
			detach func() ([]byte, error)
		}
		for name, h := range map[string]handle{
			"process": {func(b []byte) error { return mpi.BufferAttach(w, b) }, func() ([]byte, error) { return mpi.BufferDetach(w) }},
			"comm":    {w.AttachBuffer, w.DetachBuffer},
			"session": {s.AttachBuffer, s.DetachBuffer},
		} {
			library := func() error {
				was, err := h.detach()
				if err = errors.Join(err, h.attach(make([]byte, 8))); err != nil {
					return err
				}
				own, err := h.detach()
				return errors.Join(err, equal(name+": own", len(own), 8), h.attach(was))
			}
			for what, outer := range map[string][]byte{"none": {}, "automatic": nil, "one": mem} {
				err := errors.Join(h.attach(outer), library(), library())
				if what == "one" && err == nil {
					err = is(h.attach(mem), mpi.ErrBuffer, "")
				}
				back, failed := h.detach()
				if err := errors.Join(err, failed, equal(name+" "+what, len(back), len(outer)), equal(name+" "+what+" nil", back == nil, outer == nil)); err != nil {
					return err
				}
			}
		}
		return errors.Join(is(mpi.Bsend(w, []int{1}, 0, 0), mpi.ErrBuffer, ""), s.Finalize())
	})
}

// MPI 4.1, section 3.4: the receive of a ready send has been posted.
func TestReadySendsMeetPostedReceives(t *testing.T) {
	everywhere(t, 2, func(w *mpi.Comm) error {
		peer, in := 1-w.Rank(), make([]int, 2)
		a, b := mpi.Irecv(w, in[:1], peer, 0), mpi.Irecv(w, in[1:], peer, 1)
		if err := mpi.Barrier(w); err != nil {
			return err
		}
		if err := mpi.Rsend(w, []int{10 + w.Rank()}, peer, 0); err != nil {
			return err
		}
		s := mpi.Irsend(w, []int{20 + w.Rank()}, peer, 1)
		return errors.Join(mpi.WaitAll(a, b, s), equalAll("in", in, []int{10 + peer, 20 + peer}))
	})
}

// MPI 4.1, section 3.4: a send in buffered mode is local, also while another call waits until the
// messages before it are sent (section 3.6). A flush does not wait for those that come later.
func TestBufferedSendsDoNotWaitForAFlush(t *testing.T) {
	for _, tr := range transports[1:] { // those that keep a long message in the buffer until it is received
		t.Run(tr.name, func(t *testing.T) {
			mpitest.Run(t, 1, bufferedBesideAFlush, tr.option)
		})
	}
}

// bufferedBesideAFlush makes these calls.
func bufferedBesideAFlush(w *mpi.Comm) error {
	const long = 400_000
	mem := make([]byte, 3*long)
	err := errors.Join(mpi.BufferAttach(w, mem), mpi.Bsend(w, make([]byte, long), 0, 0))
	if err != nil {
		return err
	}
	flush, detached := mpi.BufferIflush(w), make(chan error)
	go func() {
		got, err := mpi.BufferDetach(w)
		if err == nil && &got[0] != &mem[0] {
			err = errors.New("another buffer came back")
		}
		detached <- err
	}()
	sent := make(chan error)
	go func() {
		time.Sleep(time.Millisecond) // for the others to wait; the outcome is the same if they do not
		sent <- errors.Join(mpi.Bsend(w, []byte{1}, 0, 1), mpi.Bsend(w, make([]byte, long), 0, 2))
	}()
	select {
	case err = <-sent:
	case <-time.After(20 * time.Second):
		return errors.New("a send in buffered mode waits for a flush")
	}
	if _, done, _ := flush.Test(); done {
		return errors.New("the flush is over before the message is sent")
	}
	for _, tag := range []int{0, 1} {
		_, e := mpi.Recv(w, make([]byte, long), 0, tag)
		err = errors.Join(err, e)
	}
	_, e := flush.Wait() // although the last message is not received
	select {
	case <-detached:
		return errors.New("detached before the last message is sent")
	default:
	}
	_, last := mpi.Recv(w, make([]byte, long), 0, 2)
	return errors.Join(err, e, last, <-detached)
}
