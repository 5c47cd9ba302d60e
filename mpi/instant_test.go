package mpi

import (
	"context"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// An instant is a transport on which every transfer is complete at once and that
// allocates nothing, so that tests see what this package does itself.
type instant struct {
	err    error // what Send and Recv return, and requests carry
	probed llc.Status
	bytes  int64 // of the message that a receive gets; negative: as many as fit
	stuck  bool  // requests never complete
	closed error // what Close returns
}

func (t *instant) Send(llc.Key, int, int, llc.Mode, []byte) error { return t.err }

func (t *instant) Recv(_ llc.Key, _, tag int, buf []byte) (llc.Status, error) {
	return t.status(tag, buf), t.err
}

func (t *instant) status(tag int, buf []byte) llc.Status {
	st := llc.Status{Tag: tag, Bytes: t.bytes, Err: t.err}
	if t.bytes < 0 {
		st.Bytes = int64(len(buf))
	}
	return st
}

func (t *instant) Start(r *llc.Request, _ bool)           { r.Status = t.status(r.Tag, r.Buf) }
func (t *instant) Wait(*llc.Request)                      {}
func (t *instant) WaitAll(*llc.Request)                   {}
func (t *instant) TrySend(llc.Key, int, int, []byte) bool { return false }
func (t *instant) RecvFor(_ string, key llc.Key, src, tag int, buf []byte) (llc.Status, error) {
	return t.Recv(key, src, tag, buf)
}
func (t *instant) Isend(*port.Spares, llc.Key, int, int, []byte) (*llc.Request, bool) {
	return nil, false
}
func (t *instant) Irecv(*port.Spares, llc.Key, int, int, []byte) *llc.Request { return nil }
func (t *instant) Test(*llc.Request) bool                                     { return !t.stuck }
func (t *instant) WaitAny(string, []*llc.Request, func() bool) int            { return 0 }
func (t *instant) Survive(func(int, error)) bool                              { return false }
func (t *instant) Cancel(*llc.Request) bool                                   { return false }
func (t *instant) Open(uint16, uint32, uint32)                                {}
func (t *instant) Shut(uint16)                                                {}
func (t *instant) Drain(uint16) int                                           { return 0 }
func (t *instant) Unreceived(func(uint16, llc.Status))                        {}
func (t *instant) Addressed(int) bool                                         { return false }
func (t *instant) Host(int) int                                               { return 0 }
func (t *instant) FlagArray() ir.FlagArray                                    { return nil }
func (t *instant) Codes(int, []int, uint64) (ir.Codes, error)                 { return nil, nil }
func (t *instant) Sequences() int                                             { return 0 }
func (t *instant) Switch() ir.Switch                                          { return nil }
func (t *instant) Memory() ir.Memory                                          { return nil }
func (t *instant) Remote() ir.Remote                                          { return nil }
func (t *instant) Atomics() ir.Atomics                                        { return nil }
func (t *instant) Locker() ir.Locker                                          { return nil }
func (t *instant) Vectors() ir.Vectors                                        { return nil }
func (t *instant) Carrier() port.Carrier                                      { return nil }
func (t *instant) GiveWay() func()                                            { return nil }
func (t *instant) Wake(int)                                                   {}
func (t *instant) AwaitCollective(_ string, _ *ir.Collective, begin func(), cond func() bool) {
	if begin != nil {
		begin()
	}
	cond()
}
func (t *instant) Perform(f func()) { f() }
func (t *instant) Close() error     { return t.closed }
func (t *instant) Match(uint16, int, int, uint16, int) (llc.Status, bool) {
	return t.probed, !t.stuck
}

func (t *instant) Probe(uint16, int, int) (llc.Status, bool) {
	return t.probed, !t.stuck
}

func (t *instant) ProbeUntil(_ string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool) {
	for t.stuck && over != nil && !over() {
	}
	return t.Probe(ctx, src, tag)
}

func (t *instant) WaitContext(ctx context.Context, _ *llc.Request) error {
	if t.stuck {
		return ctx.Err()
	}
	return nil
}

// ended is a context that has ended.
func ended() context.Context {
	ctx, cancel := withCancel()
	cancel()
	return ctx
}

func withCancel() (context.Context, func()) { return context.WithCancel(context.Background()) }
