package mpi

// Counters are what this rank has done on a communicator so far: performance variables
// of class counter.
//
// MPI 4.1, section 15.3.7 (MPI_T performance variables).
type Counters struct {
	Sent, SentBytes         int64 // point-to-point messages and those within collective calls
	Received, ReceivedBytes int64
	Unexpected              int64 // messages that had to wait for their receive, in memory of this rank
	Waits                   int64 // calls that had to wait more than briefly for another rank
}

// Counters returns what this rank has done on c. Messages are counted if the job is
// observed (mpirun --stats, --trace or --metrics); otherwise the call fails with class
// [ErrOther], and only Unexpected is set. A received message counts when its receive is
// completed.
//
// MPI 4.1, section 15.3.7 (MPI_T_pvar_read).
func (c *Comm) Counters() (_ Counters, err error) {
	defer c.raised(&err)
	s := at("Counters")
	if err := c.check(s); err != nil {
		return Counters{}, err
	}
	all := Counters{Unexpected: int64(unexpected(c.t, c.id.pointToPoint()) - c.seen)}
	if c.w.Observe == nil {
		return all, c.errorAt(s, ErrOther, "messages are counted only in a job that is observed; start it with mpirun --stats, --trace or --metrics")
	}
	k, _ := c.w.Observe.Counters(c.counted)
	all.Sent, all.SentBytes, all.Received, all.ReceivedBytes, all.Waits =
		int64(k.Sent), int64(k.SentBytes), int64(k.Received), int64(k.ReceivedBytes), int64(k.Waits)
	return all, nil
}

// show has the transport tell reports of messages in a context of the program, if it reports any.
func show(t Transport, ctx uint16) {
	switch t := t.(type) {
	case *observed:
		show(t.Transport, ctx)
	case *counted:
		t.Port.Show(ctx)
	case *recorded:
		show(t.Transport, ctx)
	case *virtual:
		show(t.Transport, ctx)
	case interface{ Show(ctx uint16) }:
		t.Show(ctx)
	}
}

// unexpected returns how many messages have waited in a context, if the transport
// knows.
func unexpected(t Transport, ctx uint16) uint64 {
	switch t := t.(type) {
	case *observed:
		return unexpected(t.Transport, ctx)
	case *counted:
		return t.Port.Unexpected(ctx)
	case *recorded:
		return unexpected(t.Transport, ctx)
	case *virtual:
		return unexpected(t.Transport, ctx)
	case interface{ Unexpected(ctx uint16) uint64 }:
		return t.Unexpected(ctx)
	}
	return 0
}
