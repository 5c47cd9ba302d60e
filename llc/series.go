package llc

import (
	"rhinet/llc/match"
	"rhinet/llc/wire"
)

// A series is where the latest receives from a peer wait, if they are for messages of one kind: the receives
// of a window are posted and taken one after the other without a search. A series begins with the second
// receive, since most programs post single ones.
type series struct {
	row  match.Row[Request, message]
	lead uint32 // of the header of their messages: kind and context
	tag  int32
	typ  uint32
}

// lead returns the high half of the first header word of a standard message's first packet.
func lead(ctx uint16) uint32 { return uint32(wire.Eager) | uint32(ctx)<<16 }

// takes reports whether r is for the messages of s.
func (s *series) takes(r *Request) bool { return s.lead == lead(r.Context) && int(s.tag) == r.Tag }

// begin has the next receive like r, which waits for a message of p, be the second one of a series.
func (s *series) begin(r *Request) {
	s.lead, s.tag, s.typ = lead(r.Context), int32(r.Tag), r.Type
	s.row.End()
}

// proceed has receives like r, which waits for a message of p and is not the first one, be appended to one
// row.
func (e *Engine) proceed(p *peer, r *Request) {
	s := &p.series
	s.typ = r.Type
	s.row = e.table.Row(r.Context, p.number, s.tag, s.typ)
}
