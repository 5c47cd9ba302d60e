package llc_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// invites returns an invitation for a receive of 4000 bytes with tag 3.
func invites(at uint32, id, index uint32, front uint32) ir.Event {
	b, word := make([]byte, wire.CTSSplitBytes), wire.Pair(at, 0)
	(*wire.CTSSplitBody)(b).Encode(word, 1, 4000, wire.NewClaim(1, front), id, index, 500)
	return with(says(wire.RTR, word, b...), func(h *ir.Header) { h.Tag = 3 })
}

func TestProtocolErrorsInInvitations(t *testing.T) {
	c := newHarness(t)
	c.refuses("0 messages have come, of 0", shared(invites(0, 7, 0, 0)))
	c.connect()
	c.refuses("not 40", says(wire.RTR, 0, 1))
	c.refuses("tag -5", with(invites(0, 7, 0, 0), func(h *ir.Header) { h.Tag = -5 }))
	c.refuses("word 2 of 2", invites(0, 7, 2, 0))
	c.refuses("claimed 1+0", invites(0, 7, 0, 1))
	c.refuses("1 messages have come, of 0", invites(1, 7, 0, 0))
	ok := invites(0, 7, 0, 0)
	if err := c.engines[1].Step(&ok); err != nil {
		t.Fatal(err)
	}
	c.refuses("transfer 0x7 comes again", invites(0, 7, 0, 0))
	*c.net.Word(0, 0) = uint64(wire.NewClaim(1, 0))
	c.send(1, &llc.Request{Peer: 0, Tag: 3, Buf: make([]byte, 4000)})
	var ev ir.Event
	for range 2 { // the segment, and then the claim
		if c.poll(1, &ev); c.engines[1].Step(&ev) != nil {
			t.Fatal(ev)
		}
		c.post(1)
	}
	again := func(id uint32, want uint64) ir.Event {
		b := make([]byte, wire.CTSSplitBytes)
		(*wire.CTSSplitBody)(b).Encode(firstID, 1, want, wire.NewClaim(1, 0), id, 0, 500)
		return says(wire.CTSSplit, firstID, b...)
	}
	c.refuses("not 40", says(wire.CTSSplit, firstID, 1))
	c.refuses("is Sharing", again(7, 4001))
	ok = again(7, 4000)
	if err := c.engines[1].Step(&ok); err != nil {
		t.Fatal(err)
	}
	c.refuses("is Sharing", again(7, 4000))
}

// TestSenderLeaves: a sender that pushes by an invitation, and is asked for a stream by another receive,
// streams; when its push has ended it reports to the receive that had invited it.
func TestSenderLeaves(t *testing.T) {
	c := newHarness(t)
	c.connect()
	const inviter = 9
	ok := invites(0, inviter, 0, 0)
	if err := c.engines[1].Step(&ok); err != nil {
		t.Fatal(err)
	}
	*c.net.Word(0, 0) = uint64(wire.NewClaim(1, 0))
	c.send(1, &llc.Request{Peer: 0, Tag: 3, Buf: make([]byte, 4000)})
	var ev ir.Event
	for range 2 { // the segment, and then the claim
		if c.poll(1, &ev); c.engines[1].Step(&ev) != nil {
			t.Fatal(ev)
		}
		c.post(1)
	}
	packets := func() (kinds []uint8, words []uint64) {
		for _, cmd := range c.engines[1].Take() {
			if cmd.Op == ir.Packet {
				kinds, words = append(kinds, cmd.Header.Kind), append(words, cmd.Header.Word)
			}
		}
		return kinds, words
	}
	stream := says(wire.CTSStream, firstID, encodeCTSStream(firstID, 50)...)
	if err := c.engines[1].Step(&stream); err != nil {
		t.Fatal(err)
	}
	if kinds, _ := packets(); !slices.Equal(kinds, []uint8{wire.Data}) {
		t.Fatalf("packets of the kinds %d", kinds)
	}
	if !c.net.Poll(1, &ev) || ev.Kind != ir.Failed && ev.Kind != ir.Pushed {
		t.Fatalf("%+v", ev)
	}
	if err := c.engines[1].Step(&ev); err != nil {
		t.Fatal(err)
	}
	if kinds, words := packets(); !slices.Equal(kinds, []uint8{wire.Part}) || words[0] != wire.Pair(inviter, 0) {
		t.Errorf("packets of the kinds %d, %x", kinds, words)
	}
	if s := c.engines[1].Snapshot(); s.Transfers != 0 {
		t.Errorf("%+v", s)
	}
}

// revoke has engine 1 invite peer 0 for a receive of eight chunks, has peer 0 claim some of them in a word
// that change may tamper with, and ends the context of the receive.
func (c *harness) revoke(claimed int, change func(wire.Claim) wire.Claim) *llc.Request {
	c.Helper()
	c.connect()
	r := c.recv(1, &llc.Request{Peer: 0, Tag: 3, Buf: make([]byte, 4000)})
	c.engines[1].Invite(r)
	c.post(1)
	for range 2 {
		if err := c.answer(); err != nil {
			c.Fatal(err)
		}
	}
	word := c.net.Word(1, 0)
	for range claimed {
		*word = uint64(wire.Claim(*word).TakeBack())
	}
	*word = uint64(change(wire.Claim(*word)))
	c.engines[1].Shut(0)
	c.post(1)
	if r.Done() {
		c.Fatal("done before the word was taken back")
	}
	return r
}

// answer gives engine 1 the next answer of its network interface.
func (c *harness) answer() error {
	c.Helper()
	var ev ir.Event
	if !c.net.Poll(1, &ev) || ev.Kind == ir.Arrived {
		c.Fatalf("no answer: %+v", ev)
	}
	defer c.post(1)
	return c.engines[1].Step(&ev)
}

// TestProtocolErrorsToARevokedReceive: a receive whose invitation is being taken back accepts no report of
// more than was claimed, and no word that its sender cannot have written, and ends.
func TestProtocolErrorsToARevokedReceive(t *testing.T) {
	same := func(w wire.Claim) wire.Claim { return w }
	part := func(moved uint32) ir.Event { return says(wire.Part, wire.Pair(firstID, moved)) }
	ended := func(t *testing.T, r *llc.Request, c *harness) {
		t.Helper()
		if s := c.engines[1].Snapshot(); !r.Done() || !errors.Is(r.Status.Err, llc.ErrShut) || s.Transfers+s.Segments+s.Words != 0 {
			t.Errorf("%+v, done %v, %+v", r.Status, r.Done(), s)
		}
	}
	t.Run("report", func(t *testing.T) {
		c := newHarness(t)
		r := c.revoke(3, same)
		c.refuses("9 chunks moved, of 8", part(9))
		for range 2 {
			if err := c.answer(); err != nil {
				t.Fatal(err)
			}
		}
		c.refuses("4 chunks moved, 3 claimed", part(4))
		c.refuses("Revoked", says(wire.FIN, firstID))
		ok := part(3)
		if err := c.engines[1].Step(&ok); err != nil {
			t.Fatal(err)
		}
		c.post(1)
		ended(t, r, c)
	})
	t.Run("report of nothing", func(t *testing.T) {
		c := newHarness(t)
		r := c.revoke(0, same)
		early := part(0)
		if err := c.engines[1].Step(&early); err != nil { // cannot be recognised as an error yet
			t.Fatal(err)
		}
		if err := c.answer(); err == nil || !strings.Contains(err.Error(), "0 chunks moved, 0 claimed") {
			t.Error(err)
		}
		ended(t, r, c)
	})
	for name, change := range map[string]func(wire.Claim) wire.Claim{
		"generation": func(w wire.Claim) wire.Claim { return wire.NewClaim(w.Generation()+5, 0) },
		"front":      func(w wire.Claim) wire.Claim { return w.TakeFront(1) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newHarness(t)
			r := c.revoke(1, change)
			if err := c.answer(); err == nil || !strings.Contains(err.Error(), "bad claim") {
				t.Error(err)
			}
			ended(t, r, c)
		})
	}
	t.Run("claims taken back", func(t *testing.T) {
		c := newHarness(t)
		r := c.revoke(3, same)
		if err := c.answer(); err != nil { // three are claimed: the next swap expects that
			t.Fatal(err)
		}
		var ev ir.Event
		if !c.net.Poll(1, &ev) || ev.Kind != ir.Swapped {
			t.Fatalf("%+v", ev)
		}
		ev.Old = uint64(wire.NewClaim(wire.Claim(ev.Old).Generation(), 0).TakeBack())
		if err := c.engines[1].Step(&ev); err == nil || !strings.Contains(err.Error(), "bad claim") {
			t.Error(err)
		}
		c.post(1)
		ended(t, r, c)
	})
}
