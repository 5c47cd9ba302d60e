package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Early invitation (a rendezvous that the receiver begins): a long receive that is posted before its message
// comes exposes its buffer at once and says so in an RTR packet (ready to receive). The sender can then push
// while the receiver computes; without the RTR packet the offer would not be answered meanwhile. From the
// match on the transfer is one of split.go, with the same claim word.
//
// The receiver:
//
//	       Expose own buffer, open the word        both answers in
//	Idle ---------------------------------> Inviting -------------> Invited (RTR packet)
//	          Inviting, Invited --RTS matches--> Sharing (split.go)
//	          Inviting, Invited --another message matches, Cancel--> Closing
//
//	Invited --the receive ends, and its message has not come--> Revoking
//	          Revoking --the sender has claimed nothing--> Closing
//	          Revoking --the sender has claimed--> Revoked --Part packet--> Closing
//
// The sender:
//
//	Offered --RTR packet for this offer--> Sharing; a CTSSplit packet still comes, and adds nothing
//
// An RTR packet is for the first message that the receiver had not seen when the packet left, and only if
// that message has the context, the tag and the type of the receive. Both sides count the messages in the
// packet ring: so the sender knows which message is meant, even if others are on their way. If that message
// is not an offer the packet is void, and the transfer goes on as without it. So no receive gets a message
// that belongs to another one: when the packet leaves, no receive that was posted earlier could match such a
// message.
//
// A receive is not given back before its buffer is out of reach. Cancel first moves the word to another use:
// then the sender's claim fails, or it came before, and the message is matched. The end of a receive by
// [Engine.Shut], or by an error of another receive (types.go), does the same. A sender that has claimed by
// then may be writing: the receive waits for its report, as one that has matched waits for the message. Such
// a sender stops when it hears where its message goes, and reports whatever it has claimed.

// An invitation is the content of an RTR packet, at the sender.
type invitation struct {
	open  bool // its message has not gone
	at    uint32
	ctx   uint16
	tag   int32
	typ   uint32
	flags uint8
	terms wire.CTSSplitBody
}

// Invite lets the sender of r, a receive that has just been posted, move its message whatever this rank
// computes meanwhile. It does nothing for a receive that cannot be invited for: a short one, one that takes
// messages of several peers or tags, or one of several that may take the next message.
func (e *Engine) Invite(r *Request) {
	if len(r.Buf) >= e.inviting {
		e.inviteSender(r)
	}
}

// invitable returns the length from which receives are worth an invitation.
func (n *nic) invitable() int {
	if c := &n.caps; c.Remote && c.Words > 0 && c.Split > 0 && c.SplitUnit > 0 {
		return max(c.Split, c.SplitUnit+1)
	}
	return never
}

func (e *Engine) inviteSender(r *Request) {
	if r.done || r.Peer < 0 || r.Tag < 0 || r.Body != nil || e.oversubscribed || r.alone(len(r.Buf)) {
		return
	}
	p := &e.peers[r.Peer]
	n, row := p.nic, e.table.Row(r.Context, int32(r.Peer), int32(r.Tag), r.Type)
	if p.early != nil || p.end != nil || p.via == 0 || p.via == noRoute || len(r.Buf) < n.invitable() ||
		2*len(n.words.free) <= len(n.words.values) || // the others are for messages that have come
		e.table.Head(&row) != &r.entry {
		return
	}
	t := e.newTransfer(p, r)
	if t == nil {
		return
	}
	n.words.take(&t.split)
	p.early, r.early, t.standby = t, true, true
	t.n, t.unit = len(r.Buf), unitFor(len(r.Buf), n.caps.SplitUnit)
	t.split.total = chunks(t.n, t.unit)
	e.become(t, recvInviting)
	e.openWord(t, 0)
	e.expose(t)
}

// chunks returns the number of chunks of unit bytes in n bytes.
func chunks(n, unit int) uint32 { return uint32((n + unit - 1) / unit) }

// invitingOn takes the segment of the receive, or learns that there is none.
func (e *Engine) invitingOn(t *transfer, ev *ir.Event) error {
	if _ = e.keepSegment(t, ev); t.segment == 0 {
		return e.uninvitable(t, ev)
	}
	e.ready(t)
	return nil
}

// wordOpened takes the answer to the opening of the word.
func (e *Engine) wordOpened(t *transfer, ev *ir.Event) error {
	s := &t.split
	if ev.Old != s.old { // the word's last user left another value
		e.swap(t, int32(e.self), ev.Old, s.new)
		return nil
	}
	s.opened, s.claim = true, wire.Claim(s.new)
	e.ready(t)
	return nil
}

// uninvitable ends an invitation that lacks its word or segment: the receive goes on without one.
func (e *Engine) uninvitable(t *transfer, _ *ir.Event) error {
	e.close(t, nil)
	return nil
}

// ready sends the RTR packet once the word and the segment are there.
func (e *Engine) ready(t *transfer) {
	s, r := &t.split, t.r
	if !s.opened || t.segment == 0 {
		return
	}
	s.invited, t.line = true, t.p.seen
	h := ir.Header{Kind: wire.RTR, Flags: e.helping(t), Context: r.Context, Tag: int32(r.Tag), Word: wire.Pair(t.line, r.Type)}
	e.become(t, recvInvited)
	e.control(t.p, h, e.terms(t, h.Word))
}

// terms encodes the terms on which t is shared, for a packet with word in its header.
func (e *Engine) terms(t *transfer, word uint64) []byte {
	s, b := &t.split, e.scratch[:]
	(*wire.CTSSplitBody)(b).Encode(word, uint64(t.segment), uint64(t.n), s.claim, t.id, s.word, uint32(t.unit))
	return b[:wire.CTSSplitBytes+t.describe(b[wire.CTSSplitBytes:], word)]
}

// readTerms reads what terms has encoded, and the layout of the message on the other side.
func (n *nic) readTerms(ev *ir.Event) (b wire.CTSSplitBody, l wire.Layout, err error) {
	data, l, err := n.cutLayout(ev.Header.Word, ev.Data, wire.CTSSplitBytes)
	if err == nil {
		b, err = wire.ParseCTSSplit(ev.Header.Word, data)
	}
	return b, l, err
}

// meet has an invited receive go on with the offer that has matched it.
func (e *Engine) meet(t *transfer, n int, tag int32, size uint64, segment ir.Segment, id uint32) {
	t.detach()
	t.n, t.size, t.tag, t.remote, t.theirs = n, size, tag, id, segment
	s := &t.split
	s.total = chunks(n, t.unit)
	e.become(t, recvSharing)
	if s.opened && t.owed&forSwap == 0 {
		e.begin(t)
	}
}

// detach separates a request and its transfer from their invitation.
func (t *transfer) detach() {
	t.standby, t.r.early, t.p.early = false, false, nil
}

// invitedFor returns the invitation of a receive that has one, or nil if it is closing.
func (e *Engine) invitedFor(r *Request) *transfer {
	if t := e.peers[r.Peer].early; t.state != recvClosing {
		return t
	}
	return nil
}

// disinvite ends the invitation of a receive that is about to complete without it, and reports whether its
// buffer is free; if not, the receive completes later. A sender whose message has come no longer acts on it.
func (e *Engine) disinvite(r *Request) bool {
	switch t := e.peers[r.Peer].early; {
	case t.state == recvInvited && t.line == t.p.seen:
		t.over = true
		e.become(t, recvRevoking)
		if t.owed&forSwap == 0 {
			e.takeBack(t)
		}
	case t.state == recvInviting || t.state == recvInvited:
		e.close(t, nil)
		t.over = r.early
	default:
		t.over = true
	}
	return !r.early
}

// takeBack moves the word to another use.
func (e *Engine) takeBack(t *transfer) {
	s := &t.split
	s.revoking = true
	e.swap(t, int32(e.self), uint64(s.claim), uint64(wire.NewClaim(s.claim.Generation()+1, 0)))
}

// takenBack takes the answer. The sender may have claimed one more chunk meanwhile.
func (e *Engine) takenBack(t *transfer, ev *ir.Event) error {
	s, claimed := &t.split, t.split.claim.Back()
	if err := e.reread(t, ev); err != nil {
		e.close(t, nil)
		return err
	}
	if ev.Old != s.old {
		e.takeBack(t)
		return nil
	}
	switch s.taken = claimed; {
	case s.part && !s.reported(s.moved):
		err := &ProtocolError{Peer: int(t.p.number), Event: "part packet",
			What: fmt.Sprintf("%d chunks moved, %d claimed", s.moved, claimed), Lost: true}
		e.close(t, nil)
		return err
	case s.part || claimed == 0:
		e.close(t, nil)
	default:
		e.become(t, recvRevoked)
	}
	return nil
}

// reported reports whether a sender that has claimed can have moved so many chunks.
func (s *split) reported(moved uint32) bool { return s.taken > 0 && moved <= s.taken }

// untaken gives up the invitation when the word cannot be read.
func (e *Engine) untaken(t *transfer, _ *ir.Event) error {
	if !t.split.part {
		t.p.late++
	}
	e.close(t, nil)
	return nil
}

// dropPart takes the report of a sender that had claimed.
func (e *Engine) dropPart(t *transfer, ev *ir.Event) error {
	if _, moved := wire.Halves(ev.Header.Word); !t.split.reported(moved) {
		return protocolError(ev, "%d chunks moved, %d claimed", moved, t.split.taken)
	}
	e.close(t, nil)
	return nil
}

// dismissed gives back the request of an invitation that is closing.
func (e *Engine) dismissed(t *transfer) {
	r := t.r
	t.detach()
	if t.r = nil; t.over {
		e.complete(r)
	}
}

// Revoke takes back the invitation for r, which is to be cancelled, and reports whether answers are due
// before Cancel can succeed or fail: the driver takes them and calls Cancel again.
func (e *Engine) Revoke(r *Request) bool {
	if !r.early {
		return false
	}
	t := e.peers[r.Peer].early
	switch s := &t.split; {
	case t.state == recvInviting:
		e.close(t, nil) // no peer knows of it
	case t.state == recvInvited && t.owed == 0 && s.claim.Back() == 0:
		e.takeBack(t)
	}
	return r.early && t.owed != 0
}

// revoked takes the answer: the word has another use now, or the sender has claimed before.
func (e *Engine) revoked(t *transfer, ev *ir.Event) error {
	if err := e.reread(t, ev); err != nil {
		e.close(t, nil)
		return err
	}
	if t.split.claim.Back() == 0 {
		e.close(t, nil)
	}
	return nil
}

// unrevoked leaves the invitation as it is.
func (e *Engine) unrevoked(t *transfer, _ *ir.Event) error {
	t.split.revoking = false
	return nil
}

// reread takes the value of the word from the answer to a revocation.
func (e *Engine) reread(t *transfer, ev *ir.Event) error {
	s, was := &t.split, wire.Claim(ev.Old)
	s.revoking = false
	if ev.Old == s.old {
		s.claim = wire.Claim(s.new)
		return nil
	}
	if was.Generation() != s.claim.Generation() || was.Front() != 0 || was.Back() < s.claim.Back() || !was.Fits(s.total) {
		return strangeWord(t, was)
	}
	s.claim = was
	return nil
}

// onRTR keeps an invitation until its message goes, or has the offer that has already gone act on it.
func (e *Engine) onRTR(p *peer, ev *ir.Event) error {
	h := &ev.Header
	b, err := wire.ParseCTSSplit(h.Word, ev.Data)
	at, typ := wire.Halves(h.Word)
	in := p.invitation
	switch {
	case err != nil:
		return protocolError(ev, "%v", err)
	case h.Tag < 0 || uint64(b.Index()) >= uint64(p.nic.caps.Words) || b.Claim().Front() != 0:
		return protocolError(ev, "tag %d, word %d of %d, claimed %v", h.Tag, b.Index(), p.nic.caps.Words, b.Claim())
	case p.out != outRing || int32(p.sent()-at) < 0:
		return protocolError(ev, "%d messages have come, of %d", at, p.sent())
	case in != nil && in.terms.ID() == b.ID():
		return protocolError(ev, "the invitation of transfer %#x comes again", b.ID())
	case in == nil:
		in = new(invitation)
		p.invitation = in
	}
	*in = invitation{open: true, at: at, ctx: h.Context, tag: h.Tag, typ: typ, flags: h.Flags, terms: b}
	if p.sent() == at {
		return nil
	}
	in.open = false
	for _, t := range e.transfers.table {
		if t.p == p && t.state == sendOffered && t.line == at && in.suits(t) {
			e.accepted(t)
			return nil
		}
	}
	return nil
}

// noLine is the line of an offer that has not gone in the packet ring.
const noLine = 1<<32 - 1

// sent returns the number of messages that have gone to p in its packet ring.
func (p *peer) sent() uint32 { return uint32(p.lines.Next()) - p.controls }

// suits reports whether the receive takes the message of t. A message without a segment is streamed.
func (in *invitation) suits(t *transfer) bool {
	r := t.r
	return r.Context == in.ctx && int32(r.Tag) == in.tag && fits(r.Type, in.typ, false) && t.segment != 0
}

// answerInvitation has an offer that has just gone act on the invitation that waits for it.
func (e *Engine) answerInvitation(t *transfer) {
	p, in := t.p, t.p.invitation
	if t.line = noLine; p.out != outRing {
		return
	}
	if t.line = p.sent() - 1; in == nil || !in.open {
		return
	}
	if in.open = false; in.at == t.line && in.suits(t) {
		e.accepted(t)
	}
}

// accepted starts the sender's side on the terms of the invitation. It claims only after looks that have
// found nothing: an offer of the other side may be about to come, and then each side moves what it receives.
// That is likely if this side has invited the other one, too.
func (e *Engine) accepted(t *transfer) {
	b := &t.p.invitation.terms
	t.n = int(min(b.Want(), t.size))
	t.take(b)
	t.early = true
	t.timed, t.aside = t.p.invitation.flags&wire.Timed != 0, t.p.invitation.flags&wire.Aside != 0
	e.become(t, sendSharing)
	t.deferred = true
	if e.fresh = max(e.fresh, 1); t.p.early != nil || t.aside {
		e.fresh = exchangeLooks
	}
	e.deferred = append(e.deferred, t)
}

// take has t share the work on the terms of the receiver; its n is set.
func (t *transfer) take(b *wire.CTSSplitBody) {
	t.unit, t.remote, t.theirs = int(b.Unit()), b.ID(), ir.Segment(b.Segment())
	t.split = split{word: b.Index(), total: chunks(t.n, t.unit), claim: b.Claim(), with: b.ID()}
}

// invitedAgain takes the CTSSplit packet of a transfer that an RTR packet has begun. It may be that of
// another receive: then the invited receive has ended, the sender's claims fail, and the receiver moves
// everything.
func (e *Engine) invitedAgain(t *transfer, ev *ir.Event) error {
	b, _, err := t.p.nic.readTerms(ev)
	switch {
	case err != nil:
		return protocolError(ev, "%v", err)
	case !t.early || b.Want() > t.size:
		return protocolError(ev, "transfer %#x is %v", t.id, t.state)
	}
	t.early, t.elsewhere = false, b.ID() != t.split.with
	return nil
}
