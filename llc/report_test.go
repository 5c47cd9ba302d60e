package llc_test

import (
	"errors"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// TestReportOfMoreThanIsClaimed: a receiver that has moved its part, and waits for what the sender has
// claimed, goes on waiting after an impossible report.
func TestReportOfMoreThanIsClaimed(t *testing.T) {
	c := newHarness(t)
	r := c.shareTo()
	var ev ir.Event
	claimed := false
	for c.poll(1, &ev) {
		if err := c.engines[1].Step(&ev); err != nil {
			t.Fatal(err)
		}
		c.post(1)
		for i := range 2 {
			if word := c.net.Word(1, i); wire.Claim(*word).Front() == 2 && !claimed {
				claimed = true
				*word = uint64(wire.Claim(*word).TakeBack())
			}
		}
	}
	if list := c.engines[1].Pending(); !claimed || len(list) != 1 || list[0].Request != r || r.Done() {
		t.Fatalf("claimed %v, %+v", claimed, list)
	}
	c.refuses("2 chunks moved, of 8", says(wire.Part, wire.Pair(firstID, 2)))
	part := says(wire.Part, wire.Pair(firstID, 1))
	if err := c.engines[1].Step(&part); err != nil || !r.Done() || r.Status.Err != nil {
		t.Errorf("%v, %+v", err, r.Status)
	}
}

// TestOneLateReport: the sender of a transfer that was given up reports once.
func TestOneLateReport(t *testing.T) {
	c := newHarness(t)
	r := c.shareTo()
	var ev ir.Event
	for swaps := 0; !r.Done(); {
		if !c.poll(1, &ev) {
			t.Fatal("nothing happens")
		}
		if ev.Kind == ir.Swapped {
			if swaps++; swaps == 2 { // the first opens the word, before the sender is invited
				ev = ir.Event{Kind: ir.Failed, Token: ev.Token, Err: errors.New("no")}
			}
		}
		if err := c.engines[1].Step(&ev); err != nil {
			t.Fatal(err)
		}
		c.post(1)
	}
	part := says(wire.Part, wire.Pair(firstID, 1))
	if err := c.engines[1].Step(&part); err != nil || r.Status.Err == nil {
		t.Fatalf("%v, %+v", err, r.Status)
	}
	c.refuses("no transfer", part)
}

// TestControlPacketsOfOneBatch: several calls may come before the translator
// carries out what they want; each packet has a payload of its own until then.
func TestControlPacketsOfOneBatch(t *testing.T) {
	c := newHarness(t)
	c.connect()
	for i := range uint32(2) {
		offer := says(wire.RTS, 5000, encodeRTS(5000, 0, 9+i)...)
		if err := c.engines[1].Step(&offer); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 {
		c.engines[1].Recv(&llc.Request{Peer: 0, Buf: make([]byte, 1000*(i+1))})
	}
	var want []uint64
	for _, cmd := range c.engines[1].Take() {
		if cmd.Header.Kind != wire.CTSStream {
			continue
		}
		b, err := wire.ParseCTSStream(cmd.Header.Word, cmd.Data)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, b.Want())
	}
	if len(want) != 2 || want[0] != 1000 || want[1] != 2000 {
		t.Errorf("asks for streams of %d bytes", want)
	}
}

// TestBusyOfAnotherPacket: Busy names the packet in flight.
func TestBusyOfAnotherPacket(t *testing.T) {
	c := newHarness(t)
	c.send(1, &llc.Request{Peer: 0})
	c.refuses("no packet 7 is on its way", ir.Event{Kind: ir.Busy, Token: 7})
	busy := ir.Event{Kind: ir.Busy, Token: 1}
	if err := c.engines[1].Step(&busy); err != nil {
		t.Fatal(err)
	}
	c.refuses("no packet 1 is on its way", busy)
}

// TestSwitchToAnotherRing: a peer that has been granted a ring takes another one.
func TestSwitchToAnotherRing(t *testing.T) {
	c := newHarness(t)
	c.send(0, &llc.Request{Peer: 1})
	var ev ir.Event
	for writer, reader := "", ""; reader != "Granted"; writer, reader = llc.States(c.engines[1], 0) {
		if !c.poll(1, &ev) {
			t.Fatalf("nothing arrives: %s, %s", writer, reader)
		}
		if err := c.engines[1].Step(&ev); err != nil {
			t.Fatal(err)
		}
		c.post(1)
	}
	c.engines[1].Retry() // the grant has gone
	c.post(1)
	c.refuses("ring 1 was not granted", shared(says(wire.Switch, 1)))
}

// TestFinishOfAClaimedChunk: a receiver cannot have all of a message of which the sender has claimed a part,
// and not reported.
func TestFinishOfAClaimedChunk(t *testing.T) {
	c := newHarness(t)
	c.connect()
	c.send(1, &llc.Request{Peer: 0, Buf: make([]byte, 4000)})
	c.run(3)
	*c.net.Word(0, 0) = uint64(wire.NewClaim(1, 1))
	split := says(wire.CTSSplit, firstID, encodeCTSSplit(firstID, 1, 4000, 0, 500)...)
	if err := c.engines[1].Step(&split); err != nil {
		t.Fatal(err)
	}
	c.post(1)
	var ev ir.Event
	for ev.Kind != ir.Swapped {
		if !c.poll(1, &ev) {
			t.Fatal("no answer to the claim")
		}
		if err := c.engines[1].Step(&ev); err != nil {
			t.Fatal(err)
		}
	}
	if n := wire.Claim(*c.net.Word(0, 0)).Back(); n != 1 {
		t.Fatalf("%d chunks claimed", n)
	}
	c.post(1)
	c.refuses("is Sharing", says(wire.FIN, firstID))
}

// TestClaimWordOfTheReceiver: only the receiver increments the generation and the front of its claim word.
// Other values that look possible end the receive.
func TestClaimWordOfTheReceiver(t *testing.T) {
	for name, forge := range map[string]func(wire.Claim) wire.Claim{
		"generation": func(c wire.Claim) wire.Claim { return wire.NewClaim(c.Generation()+1, c.Front()) },
		"front":      func(c wire.Claim) wire.Claim { return wire.NewClaim(c.Generation(), c.Front()+1) },
	} {
		c := newHarness(t)
		r := c.shareTo()
		var ev ir.Event
		var found error
		for swaps := 0; !r.Done(); {
			if !c.poll(1, &ev) {
				t.Fatalf("%s: nothing happens", name)
			}
			if ev.Kind == ir.Swapped {
				if swaps++; swaps == 2 {
					ev.Old = uint64(forge(wire.Claim(ev.Old)))
				}
			}
			if err := c.engines[1].Step(&ev); swaps == 2 && found == nil {
				if found = err; err == nil {
					t.Fatalf("%s: the receive goes on", name)
				}
			}
			c.post(1)
		}
		var pe *llc.ProtocolError
		if !errors.As(found, &pe) || pe.Peer != 0 || r.Status.Err == nil {
			t.Errorf("%s: %v, %+v", name, found, r.Status)
		}
	}
}

// TestNotIdleBeforeTheSwitch: the packet that says which ring is used from now on may be refused, and then
// nothing else waits for it.
func TestNotIdleBeforeTheSwitch(t *testing.T) {
	c := newHarness(t)
	c.send(1, &llc.Request{Peer: 0})
	var ev ir.Event
	for writer := ""; writer != "Ring"; writer, _ = llc.States(c.engines[1], 0) {
		c.engines[1].Retry()
		c.post(1)
		if c.net.Poll(0, &ev) {
			if err := c.engines[0].Step(&ev); err != nil {
				t.Fatal(err)
			}
		}
		c.post(0)
		if c.net.Poll(1, &ev) {
			if err := c.engines[1].Step(&ev); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.post(1); c.engines[1].Idle() {
		t.Error("idle, with a packet of which it is not known whether it went")
	}
	if c.engines[1].Retry(); !c.engines[1].Idle() {
		t.Error("not idle, though it went")
	}
}
