package collectives

import "rhinet/internal/vec"

// An execution is one run of a schedule: blocking calls run it to the end,
// nonblocking ones advance it whenever progress is made.
type execution struct {
	sched   *schedule
	pc      int // next step
	open    int // transfers posted since the last wait
	slot    int // first of the slots in use
	tag     int
	barrier int  // the barrier that was entered
	entered bool // a barrier was entered
	bufs    [numBufs][]byte
	reducer Reducer
	err     error // the first error

	abandoned bool // transfers of the call are still in progress: see Abandoning
}

func (x *execution) at(r region) []byte { return x.bufs[r.buf][r.off : r.off+r.n] }

func (x *execution) note(err error) {
	if err != nil && x.err == nil {
		x.err = err
	}
}

// advance runs the schedule as far as possible and reports whether it is at its end. An
// error does not stop it: other ranks wait for this rank's messages. Only a call with
// abandoned transfers ends.
func (x *execution) advance(g *Group, block bool) bool {
	steps := x.sched.steps
	for ; x.pc < len(steps); x.pc++ {
		s := &steps[x.pc]
		switch s.op {
		case opSend:
			x.note(g.t.Isend(x.slot+x.open, x.at(s.a), int(s.peer), x.tag))
			x.open++
		case opRecv, opRecvFold:
			if s.op == opRecvFold && g.folding != nil {
				g.folding.Folds()
			}
			x.receive(g, x.at(s.a), s, block)
		case opWait:
			if block {
				x.note(g.wait(x.slot, x.slot+x.open))
			} else {
				done, err := g.t.Test(x.slot, x.slot+x.open)
				if !done {
					return false
				}
				x.note(err)
			}
			x.open = 0
			if x.err != nil && g.abandoning != nil && g.abandoning.Abandoned() {
				// No barrier has to be left: a wait does not come between enter and leave.
				x.abandoned, x.pc = true, len(steps)
				return true
			}
		case opCopy:
			// A part that is in place already may be in use by a send.
			if dst, src := x.at(s.b), x.at(s.a); &dst[0] != &src[0] {
				vec.Copy(dst, src)
			}
		case opReduce:
			x.reducer.Reduce(x.at(s.a), x.at(s.b))
		case opDescribe:
			putDescriptor(x.at(s.b), s.a.off, s.a.n)
		case opDisclose:
			x.disclose(g, s, block)
		case opEnter:
			var err error
			x.barrier, err = g.controller.Enter()
			x.entered = err == nil
			x.note(err)
		case opLeave:
			if !x.entered {
				continue
			}
			if block {
				x.note(g.leave(x.barrier))
			} else {
				done, err := g.controller.Left(x.barrier, false)
				if !done {
					return false
				}
				x.note(err)
			}
			x.entered = false
		case opExchange:
			x.note(g.trade(g.exchange, s.flow, int(s.peer), x.at(s.a), x.at(s.b)))
		case opSwitch:
			x.note(g.trade(g.switched, s.flow, int(s.peer), x.at(s.a), x.at(s.b)))
		}
	}
	return true
}

// receive posts the receive of step s, or completes it if a blocking call has no other
// transfer in progress and waits for it next.
func (x *execution) receive(g *Group, buf []byte, s *step, block bool) {
	if block && x.open == 0 && g.receiver != nil && len(g.ops.active) == 0 {
		if next := x.pc + 1; next < len(x.sched.steps) && x.sched.steps[next].op == opWait {
			x.note(g.receiver.Recv(buf, int(s.peer), x.tag))
			return
		}
	}
	x.note(g.t.Irecv(x.slot+x.open, buf, int(s.peer), x.tag))
	x.open++
}

// release drops the references to the caller's buffers.
func (x *execution) release() {
	x.sched, x.reducer = nil, nil
	x.bufs[bufIn], x.bufs[bufOut] = nil, nil
}
