package progress

import "rhinet/mpi"

// Mixed measures small messages during a stream of long ones. Rank 0 sends the stream to rank 1, and
// exchanges small messages with the last rank: on two ranks the receiver of the stream, on three another
// one.
func Mixed() []Benchmark {
	b := test("Mixed", "one-way time of 8 bytes beside a stream: on 2 ranks to its receiver, on 3 to another", 64<<20, 2, 3)
	b.run, b.rows = (*env).mixed, mixedRows
	return []Benchmark{b}
}

// Results of a batch of Mixed, in seconds.
const (
	idle   = iota // with a stream
	beside        // and with
	alone         // a long message, without small ones
	stream        // and with
)

func mixedRows(f figures) []figure {
	return []figure{
		{"", f.of[beside] * 1e6}, {"_idle", f.of[idle] * 1e6}, {percent, 100 * f.of[beside] / max(f.of[idle], 1e-9)},
		{"_stream", f.of[stream] * 1e6}, {"_alone", f.of[alone] * 1e6}, {"_loss" + percent, 100 * max(0, 1-f.of[alone]/max(f.of[stream], 1e-9))},
	}
}

// idleRounds is how many round trips without a stream are done before reps long messages.
const idleRounds = 200

// The first byte of a small message.
const (
	more = iota // another comes
	last
)

func (e *env) mixed(reps int) (figures, error) {
	var f figures
	begin := mpi.Wtime()
	partner := e.c.Size() - 1
	var err error
	switch e.rank {
	case 0:
		f, err = e.talk(partner, reps)
	case partner:
		err = e.answer(partner == 1, reps)
	default:
		err = e.receive(reps)
	}
	if err != nil {
		return f, err
	}
	f.all = (mpi.Wtime() - begin) / float64(reps)
	return e.agree(f, -float64(e.rank))
}

// talk is the part of rank 0.
func (e *env) talk(partner, reps int) (f figures, err error) {
	clock := func(to *float64, times int, what func() error) func() error {
		return func() error {
			if err := mpi.Barrier(e.c); err != nil {
				return err
			}
			start := mpi.Wtime()
			err := what()
			*to = (mpi.Wtime() - start) / float64(times)
			return err
		}
	}
	rounds := 0
	err = steps(
		clock(&f.of[idle], 2*idleRounds, func() error {
			for range idleRounds {
				if err := e.round(partner, more); err != nil {
					return err
				}
			}
			return nil
		}),
		clock(&f.of[alone], reps, func() error {
			for range reps {
				if err := mpi.Send(e.c, e.long, 1, longTag); err != nil {
					return err
				}
			}
			return nil
		}),
		clock(&f.of[stream], reps, func() (err error) {
			rounds, err = e.talkBeside(partner, reps)
			return err
		}),
		func() error { return e.round(partner, last) },
	)
	f.of[beside] = f.of[stream] * float64(reps) / float64(2*max(rounds, 1))
	f.main = f.of[beside]
	return f, err
}

// talkBeside sends long messages and exchanges small ones until all long ones have been sent.
func (e *env) talkBeside(partner, reps int) (rounds int, err error) {
	for range reps {
		n, err := e.talkUntil(mpi.Isend(e.c, e.long, 1, longTag), partner)
		if rounds += n; err != nil {
			return rounds, err
		}
	}
	return rounds, nil
}

// talkUntil exchanges small messages until a long one has been sent.
func (e *env) talkUntil(long *mpi.Request, partner int) (rounds int, err error) {
	for done := false; !done; rounds++ {
		if err := e.round(partner, more); err != nil {
			return rounds, err
		}
		if _, done, err = long.Test(); err != nil {
			return rounds, err
		}
	}
	return rounds, nil
}

// round makes a round trip.
func (e *env) round(partner int, what byte) error {
	e.small[0] = what
	if err := mpi.Send(e.c, e.small, partner, smallTag); err != nil {
		return err
	}
	_, err := mpi.Recv(e.c, e.small, partner, smallTag)
	return err
}

// echo answers one small message, and reports whether it is the last.
func (e *env) echo() (bool, error) {
	if _, err := mpi.Recv(e.c, e.small, 0, smallTag); err != nil {
		return false, err
	}
	return e.small[0] == last, mpi.Send(e.c, e.small, 0, smallTag)
}

// answer is the part of the rank with which rank 0 exchanges small messages. It may also be the receiver of
// the stream.
func (e *env) answer(receiver bool, reps int) error {
	return steps(
		func() error { return mpi.Barrier(e.c) },
		func() error {
			for range idleRounds {
				if _, err := e.echo(); err != nil {
					return err
				}
			}
			return nil
		},
		func() error { return mpi.Barrier(e.c) },
		func() error {
			if receiver {
				return e.take(reps)
			}
			return nil
		},
		func() error { return mpi.Barrier(e.c) },
		func() error { return e.answerBeside(receiver, reps) },
	)
}

// answerBeside answers until the last small message, and at the same time receives long ones, one after the
// other.
func (e *env) answerBeside(receiver bool, reps int) error {
	var long *mpi.Request // being received
	for begun := 0; ; {
		if receiver && long == nil && begun < reps {
			long = mpi.Irecv(e.c, e.long, 0, longTag)
			begun++
		}
		end, err := e.echo()
		switch {
		case err != nil:
			return err
		case end:
			return arrived(long)
		}
		if long, err = left(long); err != nil {
			return err
		}
	}
}

// arrived waits for a long message, which has been sent completely, if there is one.
func arrived(long *mpi.Request) error {
	if long == nil {
		return nil
	}
	_, err := long.Wait()
	return err
}

// left tests the request and returns it if it is not complete.
func left(long *mpi.Request) (*mpi.Request, error) {
	if long == nil {
		return nil, nil
	}
	_, done, err := long.Test()
	if done {
		long = nil
	}
	return long, err
}

// take receives long messages.
func (e *env) take(reps int) error {
	for range reps {
		if _, err := mpi.Recv(e.c, e.long, 0, longTag); err != nil {
			return err
		}
	}
	return nil
}

// receive is the part of a rank 1 that only receives long messages.
func (e *env) receive(reps int) error {
	barrier := func() error { return mpi.Barrier(e.c) }
	take := func() error { return e.take(reps) }
	return steps(barrier, barrier, take, barrier, take)
}
