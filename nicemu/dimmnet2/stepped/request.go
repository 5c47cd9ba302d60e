package stepped

import (
	"encoding/binary"

	"rhinet/nicemu/dimmnet2"
)

// A request waits for a Window Controller: it is a command, or the answer to a request to read from
// another board.
type request struct {
	hw      *dimmnet2.Hardware // the process whose memory is read
	text    []byte             // the command
	c       dimmnet2.Command
	packets []*packet // its packets, once it is identified
	reply   *packet   // the request to read that it answers

	left    bool // the sender has finished with it
	under   int  // packets in flight
	counted bool
	why     dimmnet2.Reason // the first refusal
}

// A packet is a packet that is sent, with information for the model.
type packet struct {
	dimmnet2.Packet
	of     *request
	gather []span // SO-DIMM source of the data, or nil if Data is complete
	image  []byte // of a BOTF: not parsed yet
}

// settle counts a request as complete, once it is.
func (r *request) settle() {
	if !r.left || r.under > 0 || r.counted {
		return
	}
	r.counted = true
	if r.why != 0 {
		r.hw.CountRefused(r.why, false)
	}
}

// refuse records why a packet of a request was not received; at is the process that has refused.
func (r *request) refuse(why dimmnet2.Reason, at *dimmnet2.Hardware) {
	if why.Arrived() {
		at.CountRefused(why, true)
	}
	if r.why == 0 {
		r.why = why
	}
}

// A span is n bytes from an address of SO-DIMM on.
type span struct {
	at uint64
	n  int
}

// in returns the memory of a span in the SO-DIMM of a process, or nil if it is not in it.
func (s span) in(hw *dimmnet2.Hardware) []byte {
	from, size := hw.Base()
	if s.at < uint64(from) || s.at+uint64(s.n) > uint64(from)+uint64(size) {
		return nil
	}
	at := s.at - uint64(from)
	return hw.Module()[at : at+uint64(s.n) : at+uint64(s.n)]
}

// reached reports whether all spans are in the SO-DIMM of a process.
func reached(spans []span, hw *dimmnet2.Hardware) bool {
	for _, s := range spans {
		if s.in(hw) == nil {
			return false
		}
	}
	return true
}

// gather returns the contents of spans.
func gather(spans []span, hw *dimmnet2.Hardware) (b []byte) {
	for _, s := range spans {
		b = append(b, s.in(hw)...)
	}
	return b
}

// spansOf returns the spans of a pattern, and false if the pattern is invalid.
func spansOf(p dimmnet2.Pattern, at uint32, length, element int, stride uint32, list []uint32) ([]span, bool) {
	if p == dimmnet2.Contiguous {
		return []span{{uint64(at), length}}, true
	}
	if p > dimmnet2.List || element != 4 && element != 8 || length%element != 0 {
		return nil, false
	}
	var all []span
	for i := range length / element {
		where := uint64(at) + uint64(i)*uint64(stride)
		if p == dimmnet2.List {
			if i >= len(list) {
				return nil, false
			}
			where = uint64(list[i])
		}
		all = append(all, span{where, element})
	}
	return all, true
}

// spansIn returns the spans of a packet's third line and the argument of its pattern.
func spansIn(q *dimmnet2.Request, at uint32, argument []byte) ([]span, dimmnet2.Reason) {
	var stride uint32
	var addresses []uint32
	switch {
	case q.Length > dimmnet2.PacketBytes:
		return nil, dimmnet2.BadRequest
	case q.Pattern == dimmnet2.Strided:
		if len(argument) != 8 {
			return nil, dimmnet2.BadRequest
		}
		stride = uint32(binary.LittleEndian.Uint64(argument))
	case q.Pattern == dimmnet2.List:
		for i := 0; i+4 <= len(argument); i += 4 {
			addresses = append(addresses, binary.LittleEndian.Uint32(argument[i:]))
		}
		if q.Element > 0 && len(argument) != 4*(q.Length/q.Element) || len(addresses) > dimmnet2.ListElements {
			return nil, dimmnet2.BadRequest
		}
	}
	spans, ok := spansOf(q.Pattern, at, q.Length, q.Element, stride, addresses)
	if !ok {
		return nil, dimmnet2.BadRequest
	}
	return spans, 0
}

// list returns the first n addresses of the list that the mode register points to.
func list(hw *dimmnet2.Hardware, n int) ([]uint32, dimmnet2.Reason) {
	if n > dimmnet2.ListElements {
		return nil, dimmnet2.WrongLength
	}
	_, _, at := hw.Mode()
	mem := span{at, 4 * n}.in(hw)
	if at&dimmnet2.ListInLLCM != 0 {
		mem = nil
		if at &^= dimmnet2.ListInLLCM; at+uint64(4*n) <= uint64(len(hw.LLCM())) {
			mem = hw.LLCM()[at : at+uint64(4*n)]
		}
	}
	if mem == nil {
		return nil, dimmnet2.OutOfReach
	}
	all := make([]uint32, n)
	for i := range all {
		all[i] = binary.LittleEndian.Uint32(mem[4*i:])
	}
	return all, 0
}
