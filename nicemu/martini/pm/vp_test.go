package pm

import (
	"errors"
	"sync/atomic"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// TestArrivalOrder is A9: all sources share the ring, in the order of arrival.
func TestArrivalOrder(t *testing.T) {
	p := open(t, 4, vp)
	for i := range 20 {
		must(t, p[1+i%3], 0, text(uint64(i), maxVP))
	}
	for i := range 20 {
		expect(t, p[0], 1+i%3, text(uint64(i), maxVP))
	}
}

// TestBackPressure is A11: a full ring refuses, loses nothing, and recovers.
func TestBackPressure(t *testing.T) {
	p := open(t, 2, vp)
	sent := 0
	for send(p[0], 1, text(uint64(sent), maxVP)) == nil {
		sent++
	}
	if err := send(p[0], 1, text(0, maxVP)); !errors.Is(err, ErrNoBufs) || sent < 4 {
		t.Fatalf("%d messages, then %v", sent, err)
	}
	for i := range sent {
		expect(t, p[1], 0, text(uint64(i), maxVP))
		must(t, p[0], 1, text(uint64(sent+i), maxVP))
	}
	for i := range sent {
		expect(t, p[1], 0, text(uint64(sent+i), maxVP))
	}
}

// TestSpoiltVPRing: nothing is received from a ring that is corrupt.
func TestSpoiltVPRing(t *testing.T) {
	f, _, p := openJob(t, 2, vp)
	must(t, p[0], 1, []byte("first"))
	v := p[1].(*VP)
	mem := f.Words(1, fabric.Shared)
	for i := range mem {
		if uint32(mem[i]) == 1 && i > 8 { // the record's sequence; its length follows
			atomic.StoreUint64(&mem[i+1], 5000)
			break
		}
	}
	if _, err := v.Receive(); !errors.As(err, new(*CorruptError)) {
		t.Fatal(err)
	}
	if _, err := v.Receive(); !errors.Is(err, ErrNoMessage) {
		t.Error(err)
	}
}

func TestVPRefusals(t *testing.T) {
	_, boss, p := openJob(t, 2, vp)
	v := p[0].(*VP)
	must(t, v, 1, []byte("opens the way"))
	if _, err := v.GetSendBuffer(1, 1); err != nil {
		t.Fatal(err)
	}
	withdraw(t, boss)
	if err := v.Send(); !errors.Is(err, martini.InvalidWindow) {
		t.Error(err)
	}
	if _, err := v.GetSendBuffer(0, 1); !errors.Is(err, martini.InvalidWindow) {
		t.Error(err)
	}
}
