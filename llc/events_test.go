package llc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/internal/invariants"
	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

func TestUnexpectedAnswers(t *testing.T) {
	c := newHarness(t)
	c.connect()
	for _, kind := range []ir.Kind{ir.Exposed, ir.Pulled, ir.Pushed, ir.Swapped, ir.Failed} {
		c.refuses("no command is under way", ir.Event{Kind: kind, Token: firstID | 1<<32})
	}
	c.refuses("kind 0", ir.Event{})
	c.refuses("kind 200", ir.Event{Kind: 200})
	c.refuses("no packet 5 is on its way", ir.Event{Kind: ir.Busy, Token: 5})
	c.refuses("was not asked for", ir.Event{Kind: ir.Tail})
	for _, peer := range []int32{-1, 3} {
		for _, kind := range []ir.Kind{ir.Busy, ir.Tail, ir.Failed} {
			c.refuses("there are 3 peers", ir.Event{Kind: kind, Peer: peer, Err: llc.ErrPeerGone})
		}
	}
	c.refuses("length 5000", ir.Event{Kind: ir.Failed, Err: errors.New("length 5000 in ring 0")})
	c.refuses("peer is gone", ir.Event{Kind: ir.Failed, Peer: 1, Err: llc.ErrPeerGone})
	gone := ir.Event{Kind: ir.Failed, Peer: 2, Err: fmt.Errorf("process 17: %w", llc.ErrPeerGone)}
	if err := c.engines[1].Step(&gone); err != nil {
		t.Fatal(err)
	}
	c.refuses("reported dead before", gone)
	late := shared(says(wire.Eager, 0))
	late.Peer = 2
	if err := c.engines[1].Step(&late); err != nil {
		t.Fatalf("a packet that was on its way when its sender died: %v", err)
	}
}

func TestAnswerOfTheWrongKind(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.engines[1].Send(&llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	cmds := c.engines[1].Take()
	if len(cmds) != 1 || cmds[0].Op != ir.Expose {
		t.Fatalf("%+v", cmds)
	}
	token := cmds[0].Token
	for _, kind := range []ir.Kind{ir.Pulled, ir.Pushed, ir.Swapped} {
		c.refuses("does not answer", ir.Event{Kind: kind, Token: token})
	}
	c.refuses("no command is under way", ir.Event{Kind: ir.Exposed, Token: token ^ 3<<32, Segment: 1})
	ok := ir.Event{Kind: ir.Exposed, Token: token, Segment: 1}
	if err := c.engines[1].Step(&ok); err != nil {
		t.Fatal(err)
	}
	c.engines[1].Take()
	c.refuses("no command is under way", ok)
}

// A receive whose sender dies completes when the copy into its buffer that is under way has ended, and not
// before.
func TestBufferIsHeldByACopy(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 1000)})
	c.run(10)
	e, r := c.engines[1], &llc.Request{Peer: 0, Buf: make([]byte, 1000)}
	e.Recv(r)
	cmds := e.Take()
	if len(cmds) != 1 || cmds[0].Op != ir.Pull {
		t.Fatalf("%+v", cmds)
	}
	token := cmds[0].Token
	if err := e.Step(&ir.Event{Kind: ir.Failed, Peer: 0, Err: llc.ErrPeerGone}); err != nil || r.Done() {
		t.Fatalf("%v, done %v with the copy under way", err, r.Done())
	}
	if err := e.Step(&ir.Event{Kind: ir.Pulled, Peer: 0, Token: token}); err != nil || !errors.Is(r.Status.Err, llc.ErrPeerGone) || !e.Idle() {
		t.Errorf("%v, %+v, idle %v", err, r.Status, e.Idle())
	}
}

func TestBusyBeforeThePacketIsPosted(t *testing.T) {
	c := newHarness(t)
	c.engines[1].Send(&llc.Request{Peer: 0})
	ev := ir.Event{Kind: ir.Busy, Peer: 0, Token: 1}
	if err := c.engines[1].Step(&ev); err == nil || !strings.Contains(err.Error(), "has not been posted") {
		t.Fatal(err)
	}
}

// full fills the ring of 0 that engine 1 writes. It returns the request that waits for room, and the tail that engine
// 1 has asked for and not been given.
func (c *harness) full() (last *llc.Request, tail ir.Event) {
	c.Helper()
	for range 9 {
		last = c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 120)})
	}
	if last.Done() {
		c.Fatal("the ring is not full")
	}
	for c.net.Poll(1, &tail); tail.Kind != ir.Tail; c.net.Poll(1, &tail) {
	}
	return last, tail
}

func TestTailsThatCannotBe(t *testing.T) {
	c := newHarnessOf(t, func(c *ir.Caps) { c.Fragment = 128 })
	c.connect()
	last, honest := c.full()
	for _, lie := range []struct {
		why       string
		slot, pos uint64
	}{{"lines: tail 100", 100, 0}, {"data: tail 4096", honest.Slot, 4096}} {
		ev := honest
		ev.Slot, ev.Pos = lie.slot, lie.pos
		c.refuses(lie.why, ev)
		c.engines[1].Retry() // asks again
		if cmds := c.engines[1].Take(); len(cmds) != 1 || cmds[0].Op != ir.ReadTail {
			t.Fatalf("after a bad tail: %+v", cmds)
		}
	}
	other := honest
	other.Ring = 1
	c.refuses("was not asked for", other)
	honest.Slot, honest.Pos = 1, 128
	if err := c.engines[1].Step(&honest); err != nil || !last.Done() {
		t.Fatal(err, last.Done())
	}
}

func TestTooManyTransfers(t *testing.T) {
	c := newHarness(t)
	c.connect()
	for i := range 2 {
		llc.LimitTransfers(c.engines[i], 0)
	}
	for _, r := range []*llc.Request{{Peer: 1, Buf: make([]byte, 1000)}, {Peer: 1, Mode: llc.Synchronous}} {
		if c.send(0, r); !r.Done() || !errors.Is(r.Status.Err, llc.ErrTooMany) {
			t.Errorf("send: %+v", r.Status)
		}
	}
	// The receiver has no room: both are told.
	llc.LimitTransfers(c.engines[0], 10)
	s := c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 1000)})
	r := c.recv(1, &llc.Request{Peer: 0, Buf: make([]byte, 1000)})
	c.run(10)
	if !errors.Is(s.Status.Err, llc.ErrRefused) || !errors.Is(r.Status.Err, llc.ErrTooMany) {
		t.Fatalf("send %+v, receive %+v", s.Status, r.Status)
	}
	if !c.engines[0].Idle() || !c.engines[1].Idle() {
		t.Fatal("not idle")
	}
}

// TestIdentifiersWrap: after its last use an index starts again, and 0 is never an id.
func TestIdentifiersWrap(t *testing.T) {
	c := newHarness(t)
	c.connect()
	for range 5 {
		r := c.recv(1, &llc.Request{Peer: 0, Buf: make([]byte, 1000)})
		s := c.send(0, &llc.Request{Peer: 1, Buf: make([]byte, 1000)})
		c.run(10)
		if !r.Done() || !s.Done() || r.Status.Err != nil {
			t.Fatal(r.Status, s.Status)
		}
		llc.AgeTransfers(c.engines[0])
		llc.AgeTransfers(c.engines[1])
	}
}

func TestCompletedListsOnce(t *testing.T) {
	c := newHarness(t)
	c.connect()
	e := c.engines[1]
	list := []*llc.Request{
		{Peer: 0, Notify: true},
		{Peer: 0, Tag: 1},
		{Peer: 0, Tag: 2, Notify: true},
	}
	for _, r := range list {
		c.recv(1, r)
	}
	straight := c.send(1, &llc.Request{Peer: 0, Notify: true})
	e.Cancel(list[2])
	e.Cancel(list[1])
	e.Cancel(list[0])
	for _, want := range []*llc.Request{straight, list[2], list[0], nil, nil} {
		if got := e.Completed(); got != want {
			t.Fatalf("got %p, want %p", got, want)
		}
	}
}

func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"8 bytes do not fit 4":             &llc.TruncatedError{Bytes: 8, Room: 4},
		"peer 3: peer is gone":             &llc.PeerError{Peer: 3, Err: llc.ErrPeerGone},
		"peer 2 sent a bad ack packet: no": &llc.ProtocolError{Peer: 2, Event: "ack packet", What: "no"},
	} {
		if err.Error() != want {
			t.Errorf("%q, want %q", err, want)
		}
	}
	if !errors.Is(&llc.PeerError{Err: llc.ErrPeerGone}, llc.ErrPeerGone) || !errors.Is(&llc.TruncatedError{}, llc.ErrTruncated) {
		t.Error("errors.Is does not find the class")
	}
}

// panics runs f and returns the text it panics with.
func panics(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestBrokenContractsPanic(t *testing.T) {
	good := llc.Config{Self: 0, Peers: 2, Caps: ir.Caps{Slots: 1, Bytes: 128}}
	llc.New(good)
	for _, spoil := range []func(*llc.Config){
		func(c *llc.Config) { c.Self = 2 },
		func(c *llc.Config) { c.Self = -1 },
		func(c *llc.Config) { c.Peers = ir.MaxPeers + 1 },
		func(c *llc.Config) { c.Caps.Slots = 0 },
		func(c *llc.Config) { c.Caps.Bytes = 64 },
		func(c *llc.Config) { c.Caps.Bytes = 192 },
		func(c *llc.Config) { c.Caps.Rings = -1 },
		func(c *llc.Config) { c.Others = []ir.Caps{c.Caps} },
		func(c *llc.Config) { c.Via = func(int) int { return 0 } },
		func(c *llc.Config) { c.Others, c.Via = []ir.Caps{{Slots: 1, Bytes: 64}}, func(int) int { return 0 } },
	} {
		bad := good
		spoil(&bad)
		if text := panics(func() { llc.New(bad) }); !strings.Contains(text, "Config wants") {
			t.Errorf("%+v: %q", bad, text)
		}
	}
	e := llc.New(good)
	for _, tag := range []int{-1, 1 << 31} {
		if text := panics(func() { e.Send(&llc.Request{Peer: 1, Tag: tag}) }); !strings.Contains(text, "tag of a send") {
			t.Errorf("tag %d: %q", tag, text)
		}
	}
}

// TestProtocolsLeavesOutWhatServesNoSize: a threshold below another one.
func TestProtocolsLeavesOutWhatServesNoSize(t *testing.T) {
	got := llc.Protocols(ir.Caps{Remote: true, Eager: 1000, Split: 500, SplitUnit: 100, Words: 1})
	if want := "0-1000: eager\n1001-: rendezvous/split\n"; got != want {
		t.Fatalf("%s", got)
	}
}

// TestRefusalWithoutReason: a refusal without a reason is accepted.
func TestRefusalWithoutReason(t *testing.T) {
	c := newHarness(t)
	c.connect()
	r := c.recv(1, &llc.Request{Peer: 0, Buf: make([]byte, 1000)})
	offer := says(wire.RTS, 1000, encodeRTS(1000, 9, 9)...)
	if err := c.engines[1].Step(&offer); err != nil {
		t.Fatal(err)
	}
	pull := c.engines[1].Take()[0]
	no := ir.Event{Kind: ir.Failed, Token: pull.Token}
	if err := c.engines[1].Step(&no); err != nil || !errors.Is(r.Status.Err, llc.ErrRefused) {
		t.Fatal(err, r.Status)
	}
}

// TestPostedTwice: a request that waits must not be posted again. Only builds with invariants check this.
func TestPostedTwice(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("built without invariants")
	}
	c := newHarness(t)
	c.connect()
	waits := c.recv(1, &llc.Request{Peer: 0})
	moves := c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 5000)})
	for _, r := range []*llc.Request{waits, moves} {
		for _, post := range []func(*llc.Request){c.engines[1].Recv, c.engines[1].Send} {
			if r.Buf == nil {
				r.Mode = llc.Synchronous // otherwise it would go straight through
			}
			if text := panics(func() { post(r) }); !strings.Contains(text, "before it was done") {
				t.Fatal(text)
			}
		}
	}
}

// TestMachinesKeepToTheirArrows: builds with invariants check every change of state against the pictures.
func TestMachinesKeepToTheirArrows(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("built without invariants")
	}
	for i := range 3 {
		if text := panics(func() { llc.Unexpected(newHarness(t).engines[1], i) }); !strings.Contains(text, "no arrow") {
			t.Errorf("machine %d: %q", i, text)
		}
	}
}

// TestReceiveOfNonsense: a receive that can match nothing is a mistake of the caller. Only builds with
// invariants check this.
func TestReceiveOfNonsense(t *testing.T) {
	if !invariants.Enabled {
		t.Skip("built without invariants")
	}
	e := newHarness(t).engines[1]
	for _, r := range []llc.Request{{Tag: 1 << 31}, {Tag: 1 << 32}, {Tag: -2}, {Peer: 3}, {Peer: 1 << 32}, {Peer: -2}} {
		if text := panics(func() { e.Recv(&r) }); !strings.Contains(text, " receive ") {
			t.Errorf("Recv from %d tag %d: %q", r.Peer, r.Tag, text)
		}
		if text := panics(func() { e.Probe(0, r.Peer, r.Tag) }); !strings.Contains(text, " receive ") {
			t.Errorf("Probe from %d tag %d: %q", r.Peer, r.Tag, text)
		}
	}
}

// TestManyCommandsBetweenTakes: the arrays grow, and payloads of control packets stay where they are until
// they have been posted.
func TestManyCommandsBetweenTakes(t *testing.T) {
	c := newHarness(t)
	c.connect()
	var recvs []*llc.Request
	for tag := range 40 {
		c.engines[0].Send(&llc.Request{Peer: 1, Tag: tag, Buf: pattern(5000, tag)}) // no Take in between
	}
	c.post(0)
	c.run(200)
	for tag := range 40 {
		r := &llc.Request{Peer: 0, Tag: tag, Buf: make([]byte, 5000)}
		c.engines[1].Recv(r) // no Take in between
		recvs = append(recvs, r)
	}
	c.run(3000)
	for tag, r := range recvs {
		if !r.Done() || r.Status.Err != nil || string(r.Buf) != string(pattern(5000, tag)) {
			t.Fatalf("message %d: done %v, %+v", tag, r.Done(), r.Status)
		}
	}
}
