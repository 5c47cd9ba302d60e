package stepped

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/nicemu/dimmnet2"
)

// A receiver is a Receive Controller.
type receiver struct {
	unit
	come  []*packet // at the switch interface
	now   *packet
	hw    *dimmnet2.Hardware // of the receiving process
	mem   []byte             // target of the data
	spans []span             // the target, if there is a pattern
	space ring.Space         // in the receive ring
	bad   bool               // refused while it holds the write right
}

// step steps one clock.
func (r *receiver) step() {
	if r.state == Idle {
		if len(r.come) == 0 {
			return
		}
		r.now, r.come, r.bad = r.come[0], r.come[1:], false
		r.hw = r.board.machine.processes[r.now.target()]
		r.become(RequestHeader, 0)
	}
	if !r.tick() {
		return
	}
	switch r.state {
	case RequestHeader:
		r.become(Header1, 0)
	case Header1:
		if r.hw.PGID() != r.now.Group {
			r.refuse(dimmnet2.WrongGroup)
			return
		}
		r.become(Header2, 0)
	case Header2:
		r.identify()
	case Header3:
		r.third()
	case CheckSpace:
		r.reserve()
	case StartWrite:
		r.start()
	case RequestRight:
		r.become(AcquireRight, 0)
	case AcquireRight:
		if r.board.acquire(r.window(), r.module) {
			r.become(RequestData, 0)
		}
	case Activate:
		r.become(Column, 0)
	case Column:
		r.become(RequestData, 0)
	case RequestData:
		r.data()
	case WriteData:
		r.write()
	case ReleaseRight:
		r.board.release(r.window())
		r.tell()
	case RequestStatus:
		if u := &r.board.status; u.state == Idle {
			u.now, u.hw = r.now, r.hw
			u.become(WriteStatus, 0)
			r.end()
		}
	case Forward:
		r.forward()
	}
}

// window returns the number on the board of the Prefetch Window that is the packet's target.
func (r *receiver) window() int {
	return r.hw.Process()*4 + int(r.now.Address)/dimmnet2.WindowBytes
}

// identify examines the packet's operation.
func (r *receiver) identify() {
	p := r.now
	switch p.Op {
	case dimmnet2.PacketWrite:
		if r.mem = r.place(p.Memory, p.Address, len(p.Data)); r.mem == nil {
			r.refuse(dimmnet2.Outside)
			return
		}
		r.become(StartWrite, 0)
	case dimmnet2.PacketIPUSH:
		if n := len(p.Data) - dimmnet2.RecordHead; n < 0 || n > dimmnet2.RecordBytes {
			r.refuse(dimmnet2.BadRequest)
			return
		}
		r.become(CheckSpace, 0)
	case dimmnet2.PacketRead, dimmnet2.PacketScatter:
		r.become(Header3, 0)
	default:
		r.refuse(dimmnet2.NoOperation)
	}
}

// third continues after the last header line.
func (r *receiver) third() {
	switch p := r.now; {
	case p.Op == dimmnet2.PacketScatter:
		r.scatter()
	case len(p.Data) > 0:
		r.become(RequestData, 0)
	default:
		r.become(Forward, 0)
	}
}

// scatter determines the targets of the data's elements (the model knows the list before it has
// been received).
func (r *receiver) scatter() {
	p, q := r.now, &r.now.Request
	argument := 0
	switch q.Pattern {
	case dimmnet2.Strided:
		argument = 8
	case dimmnet2.List:
		argument = 4 * (q.Length / max(q.Element, 1))
	}
	if q.Length > dimmnet2.PacketBytes || p.Memory != dimmnet2.InDIMM || len(p.Data) != argument+q.Length {
		r.refuse(dimmnet2.BadRequest)
		return
	}
	var why dimmnet2.Reason
	if r.spans, why = spansIn(q, p.Address, p.Data[:argument]); why == 0 && !reached(r.spans, r.hw) {
		why = dimmnet2.Outside
	}
	if why != 0 {
		r.refuse(why)
		return
	}
	r.become(StartWrite, 0)
}

// place returns n bytes of memory that a packet names, or nil if the process does not have them.
func (r *receiver) place(m dimmnet2.Memory, at uint32, n int) []byte {
	from, to := uint64(at), uint64(at)+uint64(n)
	switch m {
	case dimmnet2.InPW:
		if to <= uint64(len(r.hw.Windows())) && at < uint32(len(r.hw.Windows())) && (n == 0 || from/dimmnet2.WindowBytes == (to-1)/dimmnet2.WindowBytes) {
			return r.hw.Windows()[from:to]
		}
	case dimmnet2.InLLCM:
		if from >= dimmnet2.BuffersAt && to <= dimmnet2.BuffersEnd {
			return r.hw.LLCM()[from:to]
		}
	case dimmnet2.InDIMM:
		return span{from, n}.in(r.hw)
	}
	return nil
}

// reserve reserves room in the receive ring (section 11).
func (r *receiver) reserve() {
	space, ok, err := r.hw.Ring().Begin(r.now.From, len(r.now.Data)-dimmnet2.RecordHead)
	switch {
	case err != nil:
		r.refuse(dimmnet2.RingBroken)
	case !ok:
		r.refuse(dimmnet2.RingFull)
	default:
		r.space = space
		r.become(StartWrite, 0)
	}
}

func (r *receiver) start() {
	switch p := r.now; {
	case p.Op == dimmnet2.PacketWrite && p.Memory == dimmnet2.InPW:
		r.become(RequestRight, 0)
	case p.Memory == dimmnet2.InDIMM:
		r.become(Activate, 0)
	default:
		r.become(RequestData, 0)
	}
}

// data begins to receive the data, once there is room for the status.
func (r *receiver) data() {
	p := r.now
	write := p.Op == dimmnet2.PacketWrite || p.Op == dimmnet2.PacketScatter
	if write && !p.Quiet {
		if why := r.board.status.room(r.hw); why != 0 {
			r.bad = true
			if p.Memory != dimmnet2.InPW {
				r.refuse(why)
				return
			}
			p.of.refuse(why, r.hw)
			r.become(ReleaseRight, 0)
			return
		}
	}
	switch {
	case len(p.Data) == 0:
		r.written()
	case p.Op == dimmnet2.PacketScatter && p.Request.Pattern != dimmnet2.Contiguous:
		r.become(WriteData, max(len(p.Data), len(r.spans)*dimmnet2.LineBytes)) // each element is a burst of its own
	default:
		r.become(WriteData, len(p.Data))
	}
}

// write stores the data.
func (r *receiver) write() {
	p := r.now
	switch p.Op {
	case dimmnet2.PacketWrite:
		copy(r.mem, p.Data)
	case dimmnet2.PacketScatter:
		data := p.Data[len(p.Data)-p.Request.Length:]
		for _, s := range r.spans {
			data = data[copy(s.in(r.hw), data):]
		}
	case dimmnet2.PacketIPUSH:
		var head [3]uint64
		for i := range head {
			head[i] = binary.LittleEndian.Uint64(p.Data[8*i:])
		}
		r.hw.Ring().End(r.space, &head, p.Data[dimmnet2.RecordHead:], new(ring.Tally))
	}
	r.written()
}

// written continues after the data.
func (r *receiver) written() {
	switch p := r.now; {
	case p.Op == dimmnet2.PacketRead:
		r.become(Forward, 0)
	case p.Op == dimmnet2.PacketIPUSH:
		r.end()
	case p.Memory == dimmnet2.InPW:
		r.become(ReleaseRight, 0)
	default:
		r.tell()
	}
}

// tell requests a status, if the packet wants one.
func (r *receiver) tell() {
	if r.bad || r.now.Quiet {
		r.end()
		return
	}
	r.become(RequestStatus, 0)
}

// forward hands a request to read to the Window Controller of this board.
func (r *receiver) forward() {
	p := r.now
	reply := &packet{of: p.of}
	reply.Op, reply.Memory, reply.Quiet = dimmnet2.PacketWrite, p.Request.Memory, true
	reply.Node, reply.Process, reply.Address = p.From/dimmnet2.Processes, p.From%dimmnet2.Processes, p.Request.Reply
	why := r.read(reply)
	if why != 0 {
		r.refuse(why)
		return
	}
	s := &r.board.sender
	s.requests = append(s.requests, &request{hw: r.hw, reply: p, packets: []*packet{reply}})
	r.become(Idle, 0)
}

// read gets the data that a request names.
func (r *receiver) read(reply *packet) dimmnet2.Reason {
	p, q := r.now, &r.now.Request
	spans, why := spansIn(q, p.Address, p.Data)
	switch {
	case why != 0, p.Memory != dimmnet2.InDIMM && q.Pattern != dimmnet2.Contiguous:
		return dimmnet2.BadRequest
	case p.Memory == dimmnet2.InLLCM:
		mem := r.place(dimmnet2.InLLCM, p.Address, q.Length)
		if mem == nil {
			return dimmnet2.Outside
		}
		reply.Data = append([]byte{}, mem...)
	case p.Memory != dimmnet2.InDIMM || !reached(spans, r.hw):
		return dimmnet2.Outside
	default:
		reply.gather = append(make([]span, 0, 1), spans...)
	}
	return 0
}

// refuse drops the packet.
func (r *receiver) refuse(why dimmnet2.Reason) {
	r.now.of.refuse(why, r.hw)
	r.end()
}

// end ends the work on a packet.
func (r *receiver) end() {
	of := r.now.of
	of.under--
	of.settle()
	r.become(Idle, 0)
}
