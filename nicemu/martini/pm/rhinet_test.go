package pm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

func pair(t *testing.T, o Options) (a, b *RHiNET) {
	t.Helper()
	p := open(t, 2, rhinet(o))
	return p[0].(*RHiNET), p[1].(*RHiNET)
}

// TestSlots is A4: 2040 bytes take one slot and one PUSH, one byte more takes another slot, 8184
// take four.
func TestSlots(t *testing.T) {
	a, b := pair(t, Options{})
	for _, c := range []struct {
		n     int
		slots uint64
	}{{1, 1}, {2040, 1}, {2041, 2}, {4088, 2}, {8184, 4}} {
		head, pushes := a.targets[1].head, a.Counters().Pushes
		must(t, a, 1, text(7, c.n))
		if used := a.targets[1].head - head; used != c.slots || a.Counters().Pushes-pushes != 1 {
			t.Errorf("%d bytes: %d slots, %d pushes", c.n, used, a.Counters().Pushes-pushes)
		}
		expect(t, b, 0, text(7, c.n))
	}
}

func TestThrottleNames(t *testing.T) {
	for i, name := range Throttles() {
		if got, err := ParseThrottle(name); err != nil || got != Throttle(i) || got.String() != name {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	if _, err := ParseThrottle("full"); err == nil || !strings.Contains(err.Error(), `"full"; it is off, destination, global`) {
		t.Error(err)
	}
	if Throttle(9).String() != "?" {
		t.Error("a scope that does not exist has a name")
	}
}

// TestThrottleCutsMessages: with a throttle there is one PUSH for each 2 KB, and each but the first
// waits for an ack.
func TestThrottleCutsMessages(t *testing.T) {
	for _, scope := range []Throttle{PerDestination, Global} {
		a, b := pair(t, Options{Throttle: scope})
		must(t, a, 1, text(7, maxRHiNET))
		must(t, a, 0, text(8, 10))
		want := Counters{Pushes: 5, Acks: 3}
		if scope == Global {
			want.Acks = 4
		}
		if a.Counters() != want {
			t.Errorf("scope %d: %+v", scope, a.Counters())
		}
		expect(t, b, 0, text(7, maxRHiNET))
	}
}

// TestReceiverThatStops is A5: 64 messages of one slot are accepted, the next only after a release.
func TestReceiverThatStops(t *testing.T) {
	a, b := pair(t, Options{})
	for i := range ringSlots {
		must(t, a, 1, []byte{byte(i)})
	}
	for range 3 {
		if _, err := a.GetSendBuffer(1, 1); !errors.Is(err, ErrNoBufs) {
			t.Fatal(err)
		}
	}
	expect(t, b, 0, []byte{0})
	must(t, a, 1, []byte{64})
	if err := send(a, 1, []byte{65}); !errors.Is(err, ErrNoBufs) {
		t.Fatal(err)
	}
	for i := 1; i <= ringSlots; i++ {
		expect(t, b, 0, []byte{byte(i)})
	}
}

// TestLazyTail is A6: no PULL for the first 64 messages, then about one for
// each 64.
func TestLazyTail(t *testing.T) {
	a, b := pair(t, Options{})
	for i := range 10 * ringSlots {
		if want := uint64(i-1) / ringSlots; i > 0 && a.Counters().Pulls > want {
			t.Fatalf("%d pulls for %d messages", a.Counters().Pulls, i)
		}
		must(t, a, 1, []byte{byte(i)})
		expect(t, b, 0, []byte{byte(i)})
	}
}

// TestFreeSpaceIsZero is A3, over messages of all sizes and many laps.
func TestFreeSpaceIsZero(t *testing.T) {
	a, b := pair(t, Options{})
	for i := range 400 {
		n := 1 + i*i*31%maxRHiNET
		must(t, a, 1, text(uint64(i), n))
		expect(t, b, 0, text(uint64(i), n))
		if i%50 != 0 {
			continue
		}
		if rest := bytes.Trim(b.lanes[0].ring, "\x00"); len(rest) != 0 {
			t.Fatalf("after message %d: %d bytes are not zero", i, len(rest))
		}
	}
}

// raw writes into a's ring at b, as a hostile or slow sender may do.
func raw(t *testing.T, a *RHiNET, at int, words ...uint32) {
	t.Helper()
	var b []byte
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	err := a.nic.Next().Botf(&martini.Packet{
		Type: martini.PacketPush, PID: 1, Node: 1, Segment: martini.CommonSegment,
		Offset: uint64(a.Self()*stride + at), Payload: b,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestDelayedTrailer is A7: while a trailer is missing, another source's
// message is received.
func TestDelayedTrailer(t *testing.T) {
	p := open(t, 3, rhinet(Options{}))
	a, b := p[0].(*RHiNET), p[1].(*RHiNET)
	raw(t, a, 0, makeHeader(0, 8), 1, 2)
	must(t, p[2], 1, []byte("meanwhile"))
	expect(t, b, 2, []byte("meanwhile"))
	if _, err := b.Receive(); !errors.Is(err, ErrNoMessage) || b.Counters().GiveUps == 0 {
		t.Fatalf("%v, %+v", err, b.Counters())
	}
	raw(t, a, 12, makeTrailer(0))
	expect(t, b, 0, []byte{1, 0, 0, 0, 2, 0, 0, 0})
}

// TestCorruptRings: the contents of a ring are checked where they are read.
func TestCorruptRings(t *testing.T) {
	for name, words := range map[string][]uint32{
		"no set bit":     {1},
		"sequence":       {makeHeader(1, 4), 0, makeTrailer(1)},
		"header before":  {makeHeader(1, 4), 0, makeTrailer(0)},
		"no bytes":       {makeHeader(0, 0), makeTrailer(0)},
		"too long":       {makeHeader(0, maxRHiNET+1)},
		"skip at a lap":  {makeSkip(0)},
		"other trailer":  {makeHeader(0, 4), 0, makeTrailer(5)},
		"all bits":       {^uint32(0)},
		"payload as end": {makeHeader(0, 4), 0, 12},
	} {
		p := open(t, 3, rhinet(Options{}))
		a, b := p[0].(*RHiNET), p[1].(*RHiNET)
		raw(t, a, 0, words...)
		var c *CorruptError
		if _, err := b.Receive(); !errors.As(err, &c) || c.Source != 0 || !strings.Contains(err.Error(), "node 0") {
			t.Errorf("%s: %v", name, err)
		}
		must(t, p[2], 1, []byte("others go on"))
		expect(t, b, 2, []byte("others go on"))
		if _, err := b.Receive(); !errors.Is(err, ErrNoMessage) {
			t.Errorf("%s: again: %v", name, err)
		}
	}
	a, b := pair(t, Options{}) // across the ring's end
	for range ringSlots - 1 {
		must(t, a, 1, []byte{1})
		expect(t, b, 0, []byte{1})
	}
	raw(t, a, (ringSlots-1)*slotBytes, makeHeader(ringSlots-1, 4000))
	if _, err := b.Receive(); !errors.As(err, new(*CorruptError)) {
		t.Error(err)
	}
}

// TestImplausibleTail: an implausible tail gives no room.
func TestImplausibleTail(t *testing.T) {
	a, b := pair(t, Options{})
	for range ringSlots {
		must(t, a, 1, []byte{1})
	}
	for _, tail := range []uint64{ringSlots + 1, ^uint64(0)} {
		atomic.StoreUint64(b.lanes[0].export, tail)
		if _, err := a.GetSendBuffer(1, 1); !errors.As(err, new(*CorruptError)) {
			t.Errorf("tail %d: %v", tail, err)
		}
	}
	atomic.StoreUint64(b.lanes[0].export, 64)
	must(t, a, 1, []byte{1})
}

// TestRefusals: the caller gets the refusals of the NIC.
func TestRefusals(t *testing.T) {
	_, boss, all := openJob(t, 2, rhinet(Options{Throttle: Global}))
	a := all[0].(*RHiNET)
	if _, err := a.GetSendBuffer(1, 100); err != nil {
		t.Fatal(err)
	}
	withdraw(t, boss)
	if err := a.Send(); !errors.Is(err, martini.InvalidWindow) {
		t.Error(err)
	}
	a.targets[1].head = ringSlots
	if _, err := a.GetSendBuffer(1, 1); !errors.Is(err, martini.InvalidWindow) {
		t.Error(err)
	}
	f, err := fabric.Heap(20, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	nic, err := martini.Open(f, 0, martini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewRHiNET(nic, Options{}); err == nil {
		t.Error("rings without memory")
	}
	if err := nic.Close(); err != nil {
		t.Error(err)
	}
	if f, err = fabric.Heap(1, Geometry(fabric.Small(), 1)); err != nil {
		t.Fatal(err)
	}
	if nic, err = martini.Open(f, 0, martini.Options{}); err != nil {
		t.Fatal(err)
	}
	_ = nic.Close()
	if _, err := NewRHiNET(nic, Options{}); !errors.Is(err, martini.InvalidWindow) {
		t.Error(err)
	}
}
