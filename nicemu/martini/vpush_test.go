package martini

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/internal/ring"
)

// arrived takes the next record out of a node's VPUSH ring.
func arrived(t *testing.T, r *ring.SharedReader) (from int, b []byte) {
	t.Helper()
	var p ring.Packet
	ok, err := r.Poll(&p)
	if err != nil {
		t.Fatal(err)
	}
	if !ok {
		return -1, nil
	}
	b = bytes.Clone(p.Data)
	r.Consume()
	return p.Peer, b
}

// TestVPushOfAWindow: PUSH and BOTF with the SID of VPUSH append to the same ring as a Mailbox, in
// order of arrival; contflag rises and no ack comes (martini, sections 11.3, 11.4).
func TestVPushOfAWindow(t *testing.T) {
	n := open(t, 3)
	r := n[2].MailReader()
	b := make([]byte, n[0].MaxMail())
	for i := range b {
		b[i] = byte(i)
	}
	for _, nic := range n[:2] {
		if _, err := nic.Pin(b); err != nil {
			t.Fatal(err)
		}
	}
	mail, err := n[1].Mailbox(n[1].Window(3), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 1, 40, 41, 64, len(b)} {
		w := n[0].Window(1)
		done := w.Contflag()
		_, appended := mail.Append(&[3]uint64{}, b[:size])
		for i, err := range []error{
			w.Push(Request{Node: 2, Segment: VPushSegment, Flag: 7}, b[:size]),
			n[1].Window(0).Botf(&Packet{Type: PacketPush, Node: 2, PID: 2, Segment: VPushSegment, Flag: 7, Payload: b[:size]}),
			appended,
		} {
			if err != nil {
				t.Fatalf("request %d of %d bytes: %v", i, size, err)
			}
		}
		for i, want := range []int{1, 0, 1} {
			if from, got := arrived(t, r); from != want || !bytes.Equal(got, b[:size]) {
				t.Errorf("record %d: %d bytes of node %d, want %d of %d", i, len(got), from, size, want)
			}
		}
		if w.Contflag() != done+1 || w.Flag(7) != 0 || n[1].Window(0).Flag(7) != 0 {
			t.Errorf("%d bytes: contflag %d, flags %d %d", size, w.Contflag(), w.Flag(7), n[1].Window(0).Flag(7))
		}
	}
}

// TestVPushIsRefused checks the limits of VPUSH (martini, section 11.4) and its protection.
func TestVPushIsRefused(t *testing.T) {
	n := open(t, 3, Options{}, Options{}, stranger())
	b := make([]byte, 3*MaxImage)
	for _, nic := range n {
		if _, err := nic.Pin(b); err != nil {
			t.Fatal(err)
		}
	}
	n[0].own.invalidate(4)
	to := Request{Node: 1, Segment: VPushSegment, Flag: 1}
	image := func(p Packet) *Packet {
		p.Segment, p.Node = VPushSegment, 1
		return &p
	}
	raw := func(pid int) error {
		w := n[0].Window(5)
		w.Store(DWTarget, 1|uint64(pid)<<16)
		return w.Write(DWKick, 1)
	}
	_ = n[0].Window(5).Push(Request{Node: 0, Segment: VPushSegment, Flag: 1}, b[:8])
	arrived(t, n[0].MailReader())
	if err := n[0].RegisterHeader(1, Header{Node: 1, Segment: VPushSegment}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		err  error
		want Reason
	}{
		{"longer than an MTU", n[0].Window(0).Push(to, b[:MaxImage+1]), WrongLength},
		{"several packets", n[0].Window(0).Push(to, b), WrongLength},
		{"no room for the frame", n[0].Window(0).Botf(image(Packet{Type: PacketPush, PID: 1, Flag: 1, Payload: b[:MaxImage]})), WrongLength},
		{"without the ack's request", n[0].Window(0).Push(Request{Node: 1, Segment: VPushSegment}, b[:8]), SpecialPacket},
		{"PULL", n[0].Window(0).Pull(to, b[:8]), SpecialPacket},
		{"pull request", n[0].Window(0).Botf(image(Packet{Type: PacketPullRequest, PID: 1, Flag: 1, Length: 8, Local: 1 << 40})), SpecialPacket},
		{"AOTF", n[0].WriteAOTF(1<<aotfPageShift, 1), SpecialPacket},
		{"not pinned", n[0].Window(0).Push(to, make([]byte, 8)), NotPinned},
		{"invalid Window", n[0].Window(4).Push(to, b[:8]), InvalidWindow},
		{"another process", raw(0), NoSegment},
		{"no node", n[0].Window(0).Push(Request{Node: 3, Segment: VPushSegment, Flag: 1}, b[:8]), NoNode},
		{"another job", n[2].Window(0).Push(to, b[:8]), WrongJob},
		{"of another job", n[0].Window(0).Push(Request{Node: 2, Segment: VPushSegment, Flag: 1}, b[:8]), WrongJob},
		{"another generation", n[0].Window(0).Push(Request{Node: 1, Segment: VPushSegment + 1<<32, Flag: 1}, b[:8]), NoSegment},
	} {
		if !errors.Is(c.err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, c.err, c.want)
		}
	}
	n[1].own.extent(ioExtent).invalidate(1)
	if err := n[0].Window(0).Push(to, b[:8]); !errors.Is(err, NotPinned) {
		t.Errorf("a ring that is not pinned: %v", err)
	}
	n[1].own.tables[regPower] = stateOff
	if err := n[0].Window(0).Push(to, b[:8]); !errors.Is(err, NoNode) {
		t.Errorf("a NIC that is not up: %v", err)
	}
	for _, nic := range n {
		if nic.MailReader().Ready() {
			t.Errorf("something has arrived at node %d", nic.Rank())
		}
	}
}

// TestVPushIntoAFullRing: nothing is lost, and the ring works again afterwards.
func TestVPushIntoAFullRing(t *testing.T) {
	n := open(t, 2)
	b := make([]byte, 1000)
	if _, err := n[0].Pin(b); err != nil {
		t.Fatal(err)
	}
	push := func(i int) error {
		b[0] = byte(i)
		return n[0].Window(0).Push(Request{Node: 1, Segment: VPushSegment, Flag: 1}, b)
	}
	sent := 0
	for push(sent) == nil {
		sent++
	}
	if err := push(sent); !errors.Is(err, NoRoom) || sent < 10 {
		t.Fatalf("%d records, then %v", sent, err)
	}
	r := n[1].MailReader()
	for i := range 3 * sent {
		if _, got := arrived(t, r); len(got) != len(b) || got[0] != byte(i) {
			t.Fatalf("record %d is %d bytes, number %d", i, len(got), got[:1])
		}
		if err := push(sent + i); err != nil {
			t.Fatal(err)
		}
	}
}
