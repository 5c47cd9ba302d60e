package martini

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

func TestChannelCarriesPackets(t *testing.T) {
	n := open(t, 2)
	c, err := n[0].Channel(n[0].Next(), 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := n[1].RingReader(3)
	if n[1].RingReader(-1) != nil || n[1].RingReader(fabric.Small().Rings) != nil {
		t.Fatal("reader of a ring that is not there")
	}
	var p ring.Packet
	slot, pos := uint64(0), uint64(0)
	for i := range 3 * fabric.Small().Ring.Slots {
		payload := bytes.Repeat([]byte{byte(i)}, i%200)
		if len(payload)%3 == 0 && len(payload) <= ring.Inline {
			was := c.window.Contflag()
			if !c.Outlet().Line(slot, 1<<32, uint64(len(payload)), uint64(i), payload) || c.window.Contflag() == was {
				t.Fatalf("packet %d does not go by the outlet, or the contflag does not rise", i)
			}
		} else if err := c.Put(slot, pos, &[3]uint64{1 << 32, 0, uint64(i)}, payload); err != nil {
			t.Fatal(err)
		}
		_, pos = ring.Place(pos, uint64(fabric.Small().Ring.Bytes), len(payload), fabric.Small().Ring.Spread)
		slot++
		if ok, err := r.Poll(&p); !ok || err != nil || p.Head[2] != uint64(i) || !bytes.Equal(p.Data, payload) {
			t.Fatalf("packet %d: %v, %v", i, ok, err)
		}
		r.Consume()
	}
	if s, d, err := c.Consumed(); s != slot || d != pos || err != nil {
		t.Fatalf("consumed %d, %d, want %d, %d: %v", s, d, slot, pos, err)
	}
	if used := testing.AllocsPerRun(50, func() { _ = c.Put(slot, pos, &[3]uint64{}, nil) }); used != 0 {
		t.Errorf("%v allocations", used)
	}
	if err := c.Put(slot, pos, &[3]uint64{}, make([]byte, fabric.Small().Ring.Bytes+1)); !errors.Is(err, WrongLength) {
		t.Error(err)
	}
	for _, i := range []int{-1, fabric.Small().Rings} {
		if _, err := n[0].Channel(n[0].Next(), 1, i); !errors.Is(err, BeyondSegment) {
			t.Errorf("ring %d: %v", i, err)
		}
	}
}

// TestRoutesAreCheckedBeforeEachPacket withdraws, one after the other, everything that a
// translation made in advance depends on.
func TestRoutesAreCheckedBeforeEachPacket(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(n []*NIC)
		want  Reason
	}{
		"window":         {func(n []*NIC) { n[0].own.invalidate(2) }, InvalidWindow},
		"job":            {func(n []*NIC) { n[0].own.assign(2, 0xbad, 0) }, WrongJob},
		"extent":         {func(n []*NIC) { n[1].own.extent(ioExtent).invalidate(1) }, NotPinned},
		"extent's pages": {func(n []*NIC) { x := n[1].own.extent(ioExtent); x.store(entSize, 1); x.validate() }, NotPinned},
		"extent's end": {func(n []*NIC) {
			x := n[1].own.extent(ioExtent)
			x.store(entSize, 1<<62)
			x.store(entStart, 1<<63)
			x.validate()
		}, NotPinned},
		"segment":          {func(n []*NIC) { withdrawOwn(n[1]) }, Stale},
		"segment's owner":  {func(n []*NIC) { reown(n[1], entKey, makeKey(n[1].f.Job(), 0)) }, NoSegment},
		"segment's length": {func(n []*NIC) { reown(n[1], entSize, ^uint64(0)) }, Fault},
	} {
		n := open(t, 2)
		w := n[0].Window(2)
		ch, err1 := n[0].Channel(w, 1, 0)
		mail, err2 := n[0].Mailbox(w, 1)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		c.spoil(n)
		if was := w.Contflag(); ch.Outlet().Line(0, 1<<32, 0, 0, nil) || w.Contflag() != was {
			t.Errorf("%s: a line goes by the outlet", name)
		}
		_, mailed := mail.Append(&[3]uint64{}, nil)
		_, _, tail := ch.Consumed()
		for i, err := range []error{ch.Put(0, 0, &[3]uint64{}, nil), mailed, tail} {
			if !errors.Is(err, c.want) {
				t.Errorf("%s, request %d: %v, want %v", name, i, err, c.want)
			}
		}
		if n[1].RingReader(0).Ready() || n[1].MailReader().Ready() {
			t.Errorf("%s: something arrived", name)
		}
		if w.Contflag() == 0 {
			t.Errorf("%s: the contflag does not rise", name)
		}
	}
}

// TestFlagWriterIsRefused: each change that invalidates its translations makes it refuse.
func TestFlagWriterIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(*NIC)
		want  Reason
	}{
		"window":  {func(n *NIC) { n.own.invalidate(2) }, InvalidWindow},
		"job":     {func(n *NIC) { n.own.assign(2, 0xbad, 0) }, WrongJob},
		"extent":  {func(n *NIC) { n.own.extent(flagArrayExtent).invalidate(1) }, NotPinned},
		"segment": {withdrawOwn, Stale},
	} {
		n := open(t, 2)
		p, err := n[0].FlagWriter(n[0].Window(2))
		if err != nil {
			t.Fatal(err)
		}
		c.spoil(n[0])
		if err := p.Raise(0, 1, 0, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if _, ok := n[1].Raised(n[1].Flags(), 0, 0, 1, nil); ok {
			t.Errorf("%s: a flag is up", name)
		}
	}
}

var ownSIDs = [...]int{sidShared, sidFlagArrays, sidRings}

func withdrawOwn(n *NIC) {
	for _, sid := range ownSIDs {
		n.own.segment(sid).invalidate(ioGen)
	}
}

// reown rewrites one word of the NIC's own segments, as a bug in its driver might, and invalidates
// the translations made in advance.
func reown(n *NIC, word int, v uint64) {
	for _, sid := range ownSIDs {
		n.own.segment(sid).store(word, v)
	}
	x := n.own.extent(ioExtent)
	x.store(entState, x.load(entState)+1<<entGenShift)
}

// TestARouteIsMadeAgain: a route survives a harmless change.
func TestARouteIsMadeAgain(t *testing.T) {
	n := open(t, 2)
	c, err := n[0].Channel(n[0].Window(0), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	x := n[1].own.extent(ioExtent)
	x.store(entState, x.load(entState)+1<<entGenShift)
	if c.good() || c.Outlet().Line(0, 0, 0, 0, nil) {
		t.Fatal("not noticed")
	}
	if err := c.Put(0, 0, &[3]uint64{}, nil); err != nil || !c.good() || !c.Outlet().Line(1, 0, 0, 0, nil) {
		t.Fatal(err)
	}
}

func TestMailboxIsBusyWhenFull(t *testing.T) {
	n := open(t, 3)
	var m [2]*Mailbox
	for i := range m {
		var err error
		if m[i], err = n[i].Mailbox(n[i].Next(), 2); err != nil {
			t.Fatal(err)
		}
	}
	sent := 0
	for ; ; sent++ {
		ok, err := m[sent%2].Append(&[3]uint64{0, 0, uint64(sent)}, make([]byte, 500))
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
	}
	r := n[2].MailReader()
	var p ring.Packet
	for i := range sent {
		if ok, err := r.Poll(&p); !ok || err != nil || p.Peer != i%2 || p.Head[2] != uint64(i) {
			t.Fatalf("record %d of %d: %v, %v, from %d", i, sent, ok, err, p.Peer)
		}
		r.Consume()
	}
	if _, err := m[0].Append(&[3]uint64{}, make([]byte, ring.MaxShared+1)); !errors.Is(err, WrongLength) {
		t.Error(err)
	}
}

func TestFlags(t *testing.T) {
	n := open(t, 3)
	rng := rand.New(rand.NewPCG(1, 1))
	flags := n[2].Flags()
	p, err := n[1].FlagWriter(n[1].Next())
	if err != nil {
		t.Fatal(err)
	}
	for seq := uint32(1); seq < 50; seq++ {
		data, got := make([]byte, rng.IntN(FlagBytes+1)), make([]byte, FlagBytes)
		if seq%3 == 0 {
			data = data[:0:0]
			data = append(data, 1, 2, 3, 4, 5, 6, 7, byte(seq))
		}
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		flagArray := rng.IntN(fabric.Small().FlagArrays)
		if _, ok := n[2].Raised(flags, flagArray, 1, seq, got); ok {
			t.Fatalf("flag %d is up before it was raised", seq)
		}
		if err := p.Raise(flagArray, seq, ^seq, data); err != nil {
			t.Fatal(err)
		}
		if mark, ok := n[2].Raised(flags, flagArray, 1, seq, got[:len(data)]); !ok || mark != ^seq || !bytes.Equal(got[:len(data)], data) {
			t.Fatalf("flag %d with %d bytes", seq, len(data))
		}
		_, other := n[2].Raised(flags, flagArray, 0, seq, got)
		if _, later := n[2].Raised(flags, flagArray, 1, seq+2, got); other || later {
			t.Fatalf("flag %d shows elsewhere", seq)
		}
	}
	for _, err := range []error{p.Raise(-1, 1, 0, nil), p.Raise(99, 1, 0, nil), p.Raise(0, 1, 0, make([]byte, FlagBytes+1)), p.Raise(0, 0, 0, nil)} {
		if !errors.Is(err, BeyondSegment) {
			t.Error(err)
		}
	}
	for _, at := range [][2]int{{99, 0}, {0, 9}} {
		if _, up := n[2].Raised(flags, at[0], at[1], 1, nil); up {
			t.Error("a flag outside the flag arrays is up")
		}
	}
	if used := testing.AllocsPerRun(50, func() { _ = p.Raise(0, 7, 0, []byte{1}) }); used != 0 {
		t.Errorf("%v allocations", used)
	}
}
