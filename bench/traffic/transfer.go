package traffic

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rhinet/mpi"
)

// decoyTag is the tag of receives that no message matches.
const decoyTag = 1 << 30

// begin executes an op, or starts it.
func (w *worker) begin(o op) error {
	m := &w.x.s.Messages[o.message]
	if o.receive < 0 {
		time.Sleep(m.Rest)
		return w.send(m, o.message)
	}
	time.Sleep(m.Nap)
	return w.receive(m, o.receive)
}

func (w *worker) send(m *Message, i int) error {
	x := w.x
	b := x.outgoing(i)
	dst := x.local(m.To)
	finish := func(_ mpi.Status, err error) error {
		if err != nil {
			return fmt.Errorf("%v of message %d to %d: %w", m.Send, i, m.To, err)
		}
		spoil(b)
		return nil
	}
	switch m.Send {
	case Send:
		return finish(mpi.Status{}, mpi.Send(x.c, b, dst, m.Tag))
	case Ssend:
		return finish(mpi.Status{}, mpi.Ssend(x.c, b, dst, m.Tag))
	case Isend:
		w.pending = append(w.pending, pending{mpi.Isend(x.c, b, dst, m.Tag), true, finish})
	case Issend:
		w.pending = append(w.pending, pending{mpi.Issend(x.c, b, dst, m.Tag), true, finish})
	case SsendGivenUp:
		c, end := x.limited()
		r := mpi.Issend(c, b, dst, m.Tag)
		stop := end()
		defer stop()
		_, err := r.Wait()
		if errors.Is(err, mpi.ErrCancelled) {
			return nil // the message arrives anyway, and the buffer is never reused
		}
		return finish(mpi.Status{}, err)
	}
	return nil
}

// outgoing returns the bytes of a message.
func (x *exchange) outgoing(i int) []byte {
	b := make([]byte, x.s.Messages[i].Bytes)
	x.key(i).fill(b)
	return b
}

// limit is when the context ends in a wait that is given up.
const limit = 700 * time.Microsecond

// limited returns a view of the communicator whose waits end soon after end is called. end must be called
// after the transfer has been started, since none starts on a context that has ended. The function that end
// returns releases the view's resources.
func (x *exchange) limited() (c *mpi.Comm, end func() (stop func())) {
	ctx, cancel := context.WithCancel(context.Background())
	return x.c.WithContext(ctx), func() func() {
		t := time.AfterFunc(limit, cancel)
		return func() { t.Stop(); cancel() }
	}
}

func (w *worker) receive(m *Message, number int) error {
	if m.Recv == RecvGivenUp {
		return w.giveUp(number)
	}
	if m.Recv == Probed || m.Recv == Iprobed {
		return w.probed(m, number)
	}
	if m.Recv == Decoyed {
		c, end := w.x.limited()
		decoy := mpi.Irecv(c, make([]byte, 8), mpi.AnySource, decoyTag)
		defer end()()
		if err := w.take(m, number); err != nil {
			return err
		}
		if st, err := decoy.Wait(); !errors.Is(err, mpi.ErrCancelled) {
			return fmt.Errorf("a receive that nothing matches and that a context ends gave %+v, %v", st, err)
		}
		return nil
	}
	return w.take(m, number)
}

// take is Recv, or an Irecv that is completed later.
func (w *worker) take(m *Message, number int) error {
	x, j := w.x, w.x.j
	a, src, tag := j.post(number)
	if m.Recv == Irecv {
		w.pending = append(w.pending, pending{mpi.Irecv(x.c, a.buf, src, tag), false, func(st mpi.Status, err error) error {
			return j.complete(a, st, err)
		}})
		return nil
	}
	st, err := mpi.Recv(x.c, a.buf, src, tag)
	return j.complete(a, st, err)
}

// patience is how often a receive is given up before it waits without limit.
const patience = 5

// giveUp receives a short message, after giving up several times.
func (w *worker) giveUp(number int) error {
	a, src, tag := w.x.j.post(number)
	for range patience {
		c, end := w.x.limited()
		r := mpi.Irecv(c, a.buf, src, tag)
		stop := end()
		st, err := r.Wait()
		stop()
		if !errors.Is(err, mpi.ErrCancelled) {
			return w.x.j.complete(a, st, err)
		}
	}
	st, err := mpi.Recv(w.x.c, a.buf, src, tag)
	return w.x.j.complete(a, st, err)
}

// probed receives what a probe describes.
func (w *worker) probed(m *Message, number int) error {
	x := w.x
	src, tag := x.j.wanted(number)
	var said mpi.Status
	var err error
	if m.Recv == Probed {
		said, err = mpi.Probe(x.c, src, tag)
	} else {
		found := false
		for tries := 0; !found && err == nil; tries++ {
			if said, found, err = mpi.Iprobe(x.c, src, tag); !found {
				idle(tries)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("%v of source %d, tag %d: %w", m.Recv, src, tag, err)
	}
	a, _, _ := x.j.post(number)
	if said.Bytes > int64(len(a.buf)) && !m.Short {
		return x.j.wrong(a, "a probe describes %+v, which does not fit %d bytes", said, len(a.buf))
	}
	st, err := mpi.Recv(x.c, a.buf, said.Source, said.Tag)
	if err == nil && (st.Source != said.Source || st.Tag != said.Tag || st.Bytes != said.Bytes) {
		return x.j.wrong(a, "a probe described %+v, and %+v was received", said, st)
	}
	return x.j.complete(a, st, err)
}

// sendrecv executes a send and a receive in one call: a is the receive, unless both are one message of this
// rank to itself.
func (w *worker) sendrecv(a, b op) error {
	in, out := a, b
	if a.receive < 0 {
		in, out = b, a
	}
	x := w.x
	m := &x.s.Messages[out.message]
	got, src, tag := x.j.post(in.receive)
	bytes := x.outgoing(out.message)
	st, err := mpi.Sendrecv(x.c, bytes, x.local(m.To), m.Tag, got.buf, src, tag)
	spoil(bytes)
	return x.j.complete(got, st, err)
}
