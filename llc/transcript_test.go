package llc_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"rhinet/internal/script"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/sim"
	"rhinet/llc/wire"
)

// TestTranscripts runs testdata/*.txt. The commands:
//
//	world peers=2 [capability=value ...]       new engines; connected: with rings between all; oversubscribed: they share processors
//	send P to=Q tag= bytes= [sync] [context=]  the n-th request of P is called n
//	recv P from=Q|-1 tag= bytes= [context=] [invite]
//	cancel P N; probe P from= tag= [context=]
//	poll P [times=]                            events for one engine, or a retry
//	run                                        events for all until nothing happens
//	refuse pull|push|expose|swap|nothing [hard] [port=]   from now on
//	kill P                                     P dies, and all others are told
//	attend P bytes=                            the program of P waits for such a message
//	snapshot P; pending P; protocols; service
//
// The output shows, by the number of the engine: what it takes, changes of state, what it posts, and what is
// done.
func TestTranscripts(t *testing.T) {
	script.RunAll(t, "testdata/*.txt", func(t *testing.T) func(*script.Command) string { return (&stage{tb: t}).play })
}

// A stage is the world of one transcript.
type stage struct {
	tb      testing.TB
	caps    ir.Caps
	net     *sim.Net
	engines []*llc.Engine
	reqs    [][]*actor
	dead    map[int]bool
	refuse  ir.Op
	hard    bool
	port    int // that refuses; negative: all
	ports   int
	out     strings.Builder
}

// An actor is one request and whether its end has been printed.
type actor struct {
	llc.Request
	send bool
	said bool
}

func (s *stage) say(format string, args ...any) { fmt.Fprintf(&s.out, format+"\n", args...) }

func (s *stage) play(c *script.Command) string {
	s.out.Reset()
	if handle, ok := scenes[c.Name]; ok {
		handle(s, c)
	} else {
		c.Fatalf("no command %q", c.Name)
	}
	return s.out.String()
}

var scenes = map[string]func(*stage, *script.Command){
	"world": (*stage).world, "send": (*stage).send, "recv": (*stage).recv, "cancel": (*stage).cancel, "probe": (*stage).probe,
	"poll": (*stage).poll, "run": (*stage).run, "refuse": (*stage).refuseNext, "kill": (*stage).kill,
	"open": (*stage).open, "shut": (*stage).shut, "attend": (*stage).attend,
	"snapshot": (*stage).snapshot, "pending": (*stage).pending, "protocols": (*stage).protocols, "service": (*stage).service,
}

func (s *stage) world(c *script.Command) {
	n := c.Int("peers", 2)
	s.caps = ir.Caps{
		Name: "script", Remote: c.Int("remote", 1) == 1, Rings: c.Int("rings", 4), Slots: c.Int("slots", 8), Bytes: c.Int("ring", 1024),
		Words: c.Int("words", 2), Fragment: c.Int("fragment", 256), Eager: c.Int("eager", 1000), Split: c.Int("split", 4000),
		SplitUnit: c.Int("unit", 1000), Copies: 1,
	}
	s.net = sim.NewNet(n, s.caps, c.Int("shared", 4), nil)
	s.net.Refuse = func(_ int, cmd *ir.Command) error {
		switch {
		case cmd.Op != s.refuse || s.port >= 0 && s.port != int(cmd.Port):
			return nil
		case s.hard:
			return errors.New("page fault")
		}
		return fmt.Errorf("attach: %w", fs.ErrPermission)
	}
	s.engines, s.reqs, s.dead, s.refuse, s.hard = nil, make([][]*actor, n), map[int]bool{}, 0, false
	s.ports = c.Int("ports", 0)
	s.net.Ports = s.ports
	for i := range n {
		s.engines = append(s.engines, llc.New(llc.Config{Self: i, Peers: n, Caps: s.caps, RingMemory: c.Int("memory", 0), Ports: s.ports, Oversubscribed: c.Has("oversubscribed"), Trace: func(t llc.Transition) {
			id := ""
			if t.ID != 0 {
				id = fmt.Sprintf(" %#x", t.ID)
			}
			s.say("%d %s%s with %d: %s -> %s", i, t.Machine, id, t.Peer, t.From, t.To)
		}}))
	}
	if c.Has("connected") {
		s.connect(c)
	}
}

// connect has all engines send an empty message to all others, so that all have rings. It is not part of the
// output.
func (s *stage) connect(c *script.Command) {
	for i, from := range s.engines {
		for k, to := range s.engines {
			if i != k {
				to.Recv(&llc.Request{Peer: i})
				from.Send(&llc.Request{Peer: k})
				s.post(i)
				s.post(k)
			}
		}
	}
	s.run(c)
	for i, e := range s.engines {
		for k := range s.engines {
			if w, r := llc.States(e, k); i != k && (w != "Ring" || r != "Watching") {
				c.Fatalf("%d and %d are %s, %s", i, k, w, r)
			}
		}
	}
	s.out.Reset()
}

func (s *stage) add(c *script.Command, peer string) (int, *actor) {
	i := c.ArgInt(0)
	a := &actor{send: c.Name == "send"}
	a.Peer, a.Tag, a.Context = c.Int(peer, 0), c.Int("tag", 0), uint16(c.Int("context", 0))
	a.Buf, a.Type, a.Together = make([]byte, c.Int("bytes", 0)), uint32(c.Int("type", 0)), c.Has("together")
	a.Read = c.Has("read")
	s.reqs[i] = append(s.reqs[i], a)
	return i, a
}

func (s *stage) send(c *script.Command) {
	i, a := s.add(c, "to")
	copy(a.Buf, pattern(len(a.Buf), a.Tag))
	if c.Has("sync") {
		a.Mode = llc.Synchronous
	}
	s.engines[i].Send(&a.Request)
	s.post(i)
}

func (s *stage) recv(c *script.Command) {
	i, a := s.add(c, "from")
	s.engines[i].Recv(&a.Request)
	if c.Has("invite") {
		s.engines[i].Invite(&a.Request)
	}
	s.post(i)
}

func (s *stage) cancel(c *script.Command) {
	i := c.ArgInt(0)
	s.say("%d cancelled: %v", i, s.engines[i].Cancel(&s.reqs[i][c.ArgInt(1)-1].Request))
	s.post(i)
}

func (s *stage) probe(c *script.Command) {
	i := c.ArgInt(0)
	st, ok := s.engines[i].Probe(uint16(c.Int("context", 0)), c.Int("from", -1), c.Int("tag", -1))
	if !ok {
		s.say("%d sees nothing", i)
		return
	}
	s.say("%d sees %d bytes from %d with tag %d", i, st.Bytes, st.Source, st.Tag)
}

func (s *stage) poll(c *script.Command) {
	for range c.Int("times", 1) {
		s.step(c.ArgInt(0))
	}
}

func (s *stage) run(*script.Command) {
	for quiet := 0; quiet < 3; {
		quiet++
		for i := range s.engines {
			if !s.dead[i] && s.step(i) {
				quiet = 0
			}
		}
	}
}

// step gives one event to an engine and reports whether anything happened.
func (s *stage) step(i int) bool {
	var ev ir.Event
	before := s.out.Len()
	if s.net.Poll(i, &ev) {
		s.say("%d takes %s", i, event(&ev))
		if err := s.engines[i].Step(&ev); err != nil {
			s.say("%d error: %v", i, err)
		}
	} else {
		s.engines[i].Retry()
	}
	s.post(i)
	return s.out.Len() > before
}

// post carries out what engine i wants done and prints which requests are done.
func (s *stage) post(i int) {
	cmds := s.engines[i].Take()
	for k := range cmds {
		text := command(&cmds[k])
		if s.ports > 1 && (cmds[k].Op == ir.Pull || cmds[k].Op == ir.Push) {
			text += fmt.Sprintf(" by port %d", cmds[k].Port)
		}
		s.say("%d posts %s", i, text)
		s.net.Post(i, &cmds[k])
	}
	for _, b := range s.net.Broken {
		s.tb.Errorf("broken: %s", b)
	}
	for n, a := range s.reqs[i] {
		if !a.Done() || a.said {
			continue
		}
		a.said = true
		st := a.Status
		switch {
		case st.Err != nil && st.Bytes > 0:
			s.say("%d request %d done: %d bytes from %d with tag %d: %v", i, n+1, st.Bytes, st.Source, st.Tag, st.Err)
		case st.Err != nil:
			s.say("%d request %d done: %v", i, n+1, st.Err)
		case a.send:
			s.say("%d request %d done", i, n+1)
		default:
			s.say("%d request %d done: %d bytes from %d with tag %d", i, n+1, st.Bytes, st.Source, st.Tag)
		}
		if !a.send && (st.Err == nil || errors.Is(st.Err, llc.ErrTruncated)) {
			got := a.Buf[:min(int64(len(a.Buf)), st.Bytes)]
			if string(got) != string(pattern(int(st.Bytes), st.Tag)[:len(got)]) {
				s.tb.Errorf("engine %d request %d: wrong bytes", i, n+1)
			}
		}
	}
}

func (s *stage) refuseNext(c *script.Command) {
	ops := map[string]ir.Op{"pull": ir.Pull, "push": ir.Push, "expose": ir.Expose, "swap": ir.Swap, "nothing": 0}
	op, ok := ops[c.Arg(0)]
	if !ok {
		c.Fatalf("refuse %v", ops)
	}
	s.refuse, s.hard, s.port = op, c.Has("hard"), c.Int("port", -1)
}

func (s *stage) kill(c *script.Command) {
	d := c.ArgInt(0)
	s.dead[d] = true
	s.net.Kill(d)
	for i := range s.engines {
		if i != d {
			s.net.Announce(i, d)
		}
	}
}

func (s *stage) open(c *script.Command) {
	s.engines[c.ArgInt(0)].Open(uint16(c.Int("context", 0)), uint32(c.Int("mask", 0)), uint32(c.Int("want", 0)))
}

func (s *stage) shut(c *script.Command) {
	i := c.ArgInt(0)
	s.engines[i].Shut(uint16(c.Int("context", 0)))
	s.post(i)
}

func (s *stage) attend(c *script.Command) { s.engines[c.ArgInt(0)].Attend(c.Int("bytes", 0)) }

func (s *stage) snapshot(c *script.Command) {
	i := c.ArgInt(0)
	s.say("%d idle=%v %+v", i, s.engines[i].Idle(), s.engines[i].Snapshot())
}

func (s *stage) pending(c *script.Command) {
	for _, p := range s.engines[c.ArgInt(0)].Pending() {
		s.say("send=%v peer=%d tag=%d bytes=%d moved=%d: %s", p.Send, p.Request.Peer, p.Request.Tag, len(p.Request.Buf), p.Moved, p.State)
	}
}

func (s *stage) service(*script.Command) { s.say("%s", llc.Service(s.caps, s.ports)) }

func (s *stage) protocols(*script.Command) { s.out.WriteString(llc.Protocols(s.caps)) }

// packetText describes a packet.
func packetText(h *ir.Header) string {
	low, high := wire.Halves(h.Word)
	text := wire.KindName(h.Kind)
	switch h.Kind {
	case wire.Eager, wire.RTS:
		id := uint32(0)
		if h.Flags&wire.Sync != 0 {
			low, high, id = wire.SyncParts(h.Word)
		}
		text += fmt.Sprintf(" context=%d tag=%d size=%d", h.Context, h.Tag, low)
		if high != 0 {
			text += fmt.Sprintf(" type=%#x", high)
		}
		if id != 0 {
			text += fmt.Sprintf(" ack=%#x", id)
		}
		if h.Flags&wire.Ask != 0 {
			text += " ask"
		}
	case wire.Fragment:
		text += fmt.Sprintf(" at=%d", h.Word)
	case wire.Data, wire.Part:
		text += fmt.Sprintf(" id=%#x no=%d", low, high)
	case wire.RTR:
		text += fmt.Sprintf(" context=%d tag=%d at=%d", h.Context, h.Tag, low)
	case wire.Ack, wire.CTSSplit, wire.CTSStream, wire.FIN:
		text += fmt.Sprintf(" id=%#x", low)
	case wire.Grant, wire.Switch:
		text += fmt.Sprintf(" ring=%d", low)
	}
	if h.Flags&wire.Failed != 0 {
		text += " failed"
		if high == wire.NoContext {
			text += " no context"
		} else if high != 0 {
			text += fmt.Sprintf(" want=%#x", high)
		}
	}
	return fmt.Sprintf("%s bytes=%d", text, h.Length)
}

func command(c *ir.Command) string {
	switch c.Op {
	case ir.Packet:
		return fmt.Sprintf("packet to %d in ring %d line %d: %s", c.Peer, c.Ring, c.Slot, packetText(&c.Header))
	case ir.Shared:
		return fmt.Sprintf("shared packet to %d: %s", c.Peer, packetText(&c.Header))
	case ir.Open:
		return fmt.Sprintf("opening of ring %d of %d", c.Ring, c.Peer)
	case ir.Watch:
		return fmt.Sprintf("watch of ring %d for %d", c.Ring, c.Peer)
	case ir.ReadTail:
		return fmt.Sprintf("look at the tail of ring %d at %d", c.Ring, c.Peer)
	case ir.Expose:
		return fmt.Sprintf("exposure of %d bytes", len(c.Data))
	case ir.Conceal:
		return fmt.Sprintf("concealment of segment %d", c.Segment)
	case ir.Pull, ir.Push:
		name := "pull from"
		if c.Op == ir.Push {
			name = "push to"
		}
		return fmt.Sprintf("%s %d segment %d: %d bytes at %d", name, c.Peer, c.Segment, len(c.Data), c.Offset)
	case ir.Swap:
		return fmt.Sprintf("swap of word %d at %d: %v -> %v", c.Offset, c.Peer, wire.Claim(c.Old), wire.Claim(c.New))
	}
	return fmt.Sprintf("operation %d", c.Op)
}

func event(ev *ir.Event) string {
	switch ev.Kind {
	case ir.Arrived:
		if ev.Ring == ir.NoRing {
			return fmt.Sprintf("shared packet of %d: %s", ev.Peer, packetText(&ev.Header))
		}
		return fmt.Sprintf("packet of %d in ring %d: %s", ev.Peer, ev.Ring, packetText(&ev.Header))
	case ir.Busy:
		return fmt.Sprintf("busy of %d", ev.Peer)
	case ir.Tail:
		return fmt.Sprintf("tail of %d: %d lines, %d bytes consumed", ev.Peer, ev.Slot, ev.Pos)
	case ir.Exposed:
		return fmt.Sprintf("segment %d", ev.Segment)
	case ir.Pulled:
		return "end of pull"
	case ir.Pushed:
		return "end of push"
	case ir.Swapped:
		return fmt.Sprintf("swapped, was %v", wire.Claim(ev.Old))
	case ir.Failed:
		return fmt.Sprintf("failure: %v", ev.Err)
	}
	return fmt.Sprintf("event %d", ev.Kind)
}
