package tcp

import (
	"errors"
	"time"

	"rhinet/internal/tcp"
	"rhinet/llc/ir"
)

// A state is the state of a stream.
type state uint8

const (
	dialing  state = iota // the system is connecting it
	greeting              // this rank has said which it is, and waits for the other
	stranger              // it was accepted, and its rank is not known yet
	joined                // it is the stream of a peer
	ended
)

// A link is one stream.
type link struct {
	socket tcp.Socket
	key    int // in the poller
	peer   int // -1: not known yet
	state  state
	since  time.Time // when it began, for streams that are not joined

	reader  tcp.Reader
	frame   tcp.Head // its body is what the reader waits for
	refused bool     // that body is dropped
	fresh   bool     // it is in Translator.fresh
	cut     bool     // nothing can be sent on it any more
	tells   bool     // the poller reports when the system takes more
}

// link adds a socket to the poller. It returns nil if the poller cannot take it.
func (t *Translator) link(s tcp.Socket, peer int, st state) *link {
	l := &link{socket: s, peer: peer, state: st, since: time.Now(), reader: tcp.NewReader(longest)}
	for l.key = 1; l.key < len(t.links) && t.links[l.key] != nil; l.key++ {
	}
	if l.key == len(t.links) {
		t.links = append(t.links, nil)
	}
	if err := t.poller.Add(s, l.key, st == dialing); err != nil {
		s.Close()
		return nil
	}
	t.links[l.key] = l
	return l
}

// hangUp ends a stream.
func (t *Translator) hangUp(l *link) {
	if l.state == ended {
		return
	}
	t.poller.Remove(l.socket)
	l.socket.Close()
	t.links[l.key] = nil
	switch l.state {
	case stranger:
		t.unknown--
	case joined:
		for i, other := range t.joined {
			if other == l {
				t.joined = append(t.joined[:i], t.joined[i+1:]...)
				break
			}
		}
	}
	if l.peer >= 0 && t.peers[l.peer].link == l {
		t.peers[l.peer].link = nil
	}
	l.state = ended
}

// reach begins to connect to a peer, which publishes its address when it starts.
func (t *Translator) reach(number int) {
	p := &t.peers[number]
	if p.link != nil || time.Now().Before(p.awaited) {
		return
	}
	name := t.Name(number)
	if name == nil {
		return
	}
	at, _, ok := where(name)
	if !ok {
		t.End(number, errTold)
		return
	}
	s, err := tcp.Dial(at)
	if err != nil {
		t.End(number, err)
		return
	}
	if p.link = t.link(s, number, dialing); p.link == nil {
		t.End(number, errPoller)
	}
}

// errPoller reports a stream that the system does not watch.
var errPoller = errors.New("llc/tcp: the system watches no more streams")

// dialed says which rank this is, on a stream that has been connected.
func (t *Translator) dialed(l *link) {
	if err := l.socket.Connected(); err != nil {
		t.End(l.peer, err)
		return
	}
	t.poller.Change(l.socket, l.key, false)
	_, word, _ := where(t.Name(l.peer))
	if err := t.greet(l, hello, word); err != nil {
		t.End(l.peer, err)
		return
	}
	l.state = greeting
}

// greet says which rank this is, with the word that a peer tells only the ranks of the job. A new stream has
// room for it.
func (t *Translator) greet(l *link, kind byte, word uint64) error {
	var h tcp.Head
	t.lead(&h, kind, 0, &ir.Header{Kind: kind, Word: word})
	if n, err := l.socket.Send(h[:]); err != nil || n != len(h) {
		return errors.Join(err, errLeft)
	}
	return nil
}

// accept takes the streams that have come, unless too many are of unknown ranks.
func (t *Translator) accept() {
	for _, l := range t.links {
		if l != nil && l.state == stranger && time.Since(l.since) > patience {
			t.hangUp(l)
		}
	}
	for t.unknown < len(t.peers)+strangers {
		s, err := t.listener.Accept()
		if err != nil || s == tcp.None {
			return
		}
		if t.link(s, -1, stranger) != nil {
			t.unknown++
		}
	}
}

// met checks the first frame of a stream, and reports whether it can be right.
func (t *Translator) met(l *link, h *tcp.Head) bool {
	kind, n := h.About()
	source := t.Source(h[8:])
	if n != 0 || source < 0 || h.Word(1) != t.word {
		return false
	}
	if l.state == greeting {
		if kind != welcome || source != l.peer {
			return false
		}
		t.join(l)
		return true
	}
	return kind == hello && t.welcome(l, source)
}

// welcome takes the stream of a peer, and reports whether both will use it. Where both have begun one, that
// of the lower rank stays.
func (t *Translator) welcome(l *link, source int) bool {
	p := &t.peers[source]
	if t.Gone(source) || source == t.Self() || p.link != nil && (p.link.state == joined || t.Self() < source) {
		return false
	}
	_, word, ok := where(t.Name(source))
	if !ok || t.greet(l, welcome, word) != nil {
		return false
	}
	if p.link != nil {
		t.hangUp(p.link)
	}
	t.unknown--
	l.peer, p.link = source, l
	t.join(l)
	return true
}

// join has packets use a stream.
func (t *Translator) join(l *link) {
	l.state = joined
	t.joined = append(t.joined, l)
	t.flush(l.peer)
}

// fill takes what has come on a stream from the system, and reports whether the last look found something.
func (t *Translator) fill(l *link) (news bool) {
	for whole := true; whole && l.state != ended && !l.reader.Over(); {
		news, whole = l.reader.Fill(l.socket)
		if news {
			t.freshen(l)
		}
		if l.reader.Over() {
			t.poller.Remove(l.socket) // it would report the end of the stream for ever
		} else if whole {
			t.whole(l)
		}
	}
	return news
}

// freshen has Poll look at what has come on a stream.
func (t *Translator) freshen(l *link) {
	if !l.fresh {
		l.fresh = true
		t.fresh = append(t.fresh, l)
	}
}

// parse goes through what has come on a stream, until there is a packet, which is an event.
func (t *Translator) parse(l *link, ev *ir.Event) bool {
	for l.state != ended {
		h := l.reader.Head()
		if h == nil {
			return false
		}
		kind, n := h.About()
		right := true
		switch {
		case l.state != joined:
			l.reader.Into(nil)
			right = t.met(l, h)
		case kind != packet:
			l.frame = *h
			var to []byte
			if to, right = t.serve(l, kind, n); right && l.reader.Into(to) && len(to) > 0 {
				t.whole(l)
			}
		case n > packetBytes || t.Source(h[8:]) != l.peer:
			right = false
		default:
			b := l.reader.Packet(n)
			if b == nil {
				return false
			}
			if msg := b[8:]; msg[0] != 0 {
				t.Arrived(ev, l.peer, msg)
				return true
			}
		}
		if !right {
			t.refuse(l)
		}
	}
	return false
}

// refuse ends a stream with an impossible frame, and its peer.
func (t *Translator) refuse(l *link) {
	if l.peer < 0 {
		t.hangUp(l)
		return
	}
	t.End(l.peer, errTold)
}

// finished handles the end of a stream by the other side. A rank that waits for an answer of the peer, or has
// something to send, learns that the peer has left; others will when they have.
func (t *Translator) finished(l *link) {
	number, before := l.peer, l.state
	t.hangUp(l)
	if number < 0 {
		return
	}
	p := &t.peers[number]
	if before == greeting && number < t.Self() { // it prefers its own stream, which it is making
		p.awaited = time.Now().Add(patience)
		return
	}
	if p.left = true; l.cut || !p.queue.Empty() || t.moving(number) {
		t.End(number, errLeft)
	}
}
