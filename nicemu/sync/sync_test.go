package sync

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/fabric/fabrictest"
	"rhinet/nicemu/syncctl"
)

const mailboxBytes = 64 << 10

// open returns the NICs of a job of goroutines, and its manager.
func open(t testing.TB, ranks int) (boss *Manager, all []*NIC) {
	t.Helper()
	g := fabric.Small()
	g.Rings, g.Device, g.FlagArrays = 1, 0, 1
	_, all = fabrictest.Heap(t, ranks, Geometry(g, mailboxBytes), func(f *fabric.Fabric) (err error) { boss, err = Manage(f); return err }, Open)
	return boss, all
}

// mapped returns the NICs of a job of processes.
func mapped(t testing.TB, ranks int) []*NIC {
	t.Helper()
	return fabrictest.Mapped(t, ranks, Geometry(fabric.Default(), mailboxBytes), func(f *fabric.Fabric) error { _, err := Manage(f); return err }, Open)
}

// testWay returns a Way to a buffer, which must exist.
func (n *NIC) testWay(t testing.TB, to int, b Buffer) *Way {
	t.Helper()
	w, err := n.Way(to, b)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestDataPackets(t *testing.T) {
	_, goroutines := open(t, 4)
	for kind, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 4)} {
		w := n[0].testWay(t, 3, Mailbox)
		want := make([]byte, 1000)
		for i := range want {
			want[i] = byte(i*7 + i>>8)
		}
		if err := w.Put(128, want); err != nil || !bytes.Equal(n[3].MailboxArea()[128:][:1000], want) {
			t.Errorf("%s: %v, or other bytes", kind, err)
		}
		l := ring.Line{9, 8, 7, 6, 5, 4, 3, 2}
		if err := w.Line(5, &l); err != nil || fabric.LinesOf(n[3].MailboxArea())[5] != l {
			t.Errorf("%s: %v, or another line", kind, err)
		}
		if v, err := w.Get(5*64 + 8); err != nil || v != 8 {
			t.Errorf("%s: credit %d, %v", kind, v, err)
		}
		if events, data := n[0].Sent(); events != 1 || data != 16+1 {
			t.Errorf("%s: %d event packets, %d data packets", kind, events, data)
		}
	}
}

func TestEventPackets(t *testing.T) {
	_, goroutines := open(t, 3)
	for kind, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 3)} {
		in := n[2].Events()
		var p ring.Packet
		for i := range 3000 {
			sent := syncctl.Packet{
				Source: 77, Destination: 2, IntLevel: uint8(i % 16), Control: uint16(i), Kind: syncctl.Kind(i % 16), ID: uint16(i % 4096),
				Data2: uint16(i * 31), Address: uint16(i * 17), Status: uint32(i) * 0x12345,
			}
			if ok, err := n[i%2].SendEvent(&sent); !ok || err != nil {
				t.Fatal(kind, i, ok, err)
			}
			ok, err := in.Poll(&p)
			if !ok || err != nil {
				t.Fatal(kind, i, ok, err)
			}
			sent.Source = uint16(i % 2) // set by the RP, whatever the process has written
			if got := ReadEvent(&p.Head); got != sent || p.Peer != i%2 || len(p.Data) != 0 {
				t.Fatalf("%s: %+v from %d, want %+v", kind, got, p.Peer, sent)
			}
			in.Consume()
		}
		if events, _ := n[0].Sent(); events != 1500 || n[1].Signalled(2).Lines != 1500 {
			t.Errorf("%s: %d events, %d", kind, events, n[1].Signalled(2).Lines)
		}
	}
}

func TestFullEventQueue(t *testing.T) {
	_, n := open(t, 2)
	sent := 0
	for p := (syncctl.Packet{Destination: 1}); ; sent++ {
		ok, err := n[0].SendEvent(&p)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			break
		}
	}
	if lines := n[0].f.Geometry().Shared.Lines; sent != lines {
		t.Errorf("%d events in %d lines", sent, lines)
	}
}

func TestFlags(t *testing.T) {
	_, n := open(t, 2)
	f, err := n[0].Flags()
	if err != nil {
		t.Fatal(err)
	}
	f.Prefetch(0, 1, 8)
	if err := f.Raise(0, 1, 5, []byte("flag")); err != nil {
		t.Fatal(err)
	}
	into := make([]byte, 4)
	if mark, ok := n[1].f.Raised(n[1].f.Flags(), 0, 0, 1, into); !ok || mark != 5 || string(into) != "flag" {
		t.Error(mark, ok, into)
	}
	if err := f.Raise(1, 1, 0, nil); !errors.Is(err, NoFlag) {
		t.Error(err)
	}
	if err := f.Audit(); err != nil {
		t.Error(err)
	}
	n[1].f.Flags()[fabric.FlagFront*fabric.FlagPlace(1)*2][3] ^= 1
	if err := f.Audit(); !errors.Is(err, fabric.ErrFlag) {
		t.Error(err)
	}
}

func TestManager(t *testing.T) {
	boss, n := open(t, 2)
	if _, err := Manage(boss.f); !errors.Is(err, ErrManaged) {
		t.Error(err)
	}
	if _, err := Open(boss.f, 1); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Error(err)
	}
	f, err := fabric.Heap(2, fabric.Geometry{Rings: 1, Ring: fabric.Small().Ring, Shared: fabric.Small().Shared})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Manage(f); err == nil || !strings.Contains(err.Error(), "it takes") {
		t.Error(err)
	}
	if _, err := Open(f, 0); !errors.Is(err, errAbsent) {
		t.Error(err)
	}
	for _, tr := range n {
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		if err := tr.Close(); err == nil {
			t.Error("closed twice")
		}
	}
}

// TestNoManager: a job of processes needs a manager before NICs can be opened.
func TestNoManager(t *testing.T) {
	if _, err := Open(fabrictest.Views(t, 1, Geometry(fabric.Default(), mailboxBytes))(), 0); !errors.Is(err, errAbsent) {
		t.Error(err)
	}
}

// TestClosed: a closed NIC does nothing more, and says why.
func TestClosed(t *testing.T) {
	_, n := open(t, 2)
	w := n[0].testWay(t, 1, Mailbox)
	flags, _ := n[0].Flags()
	c, err := n[0].Codes(0, []int{0, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := n[0].Close(); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]func() error{
		"line":  func() error { return w.Line(0, new(ring.Line)) },
		"put":   func() error { return w.Put(0, []byte{1}) },
		"get":   func() error { _, err := w.Get(0); return err },
		"way":   func() error { _, err := n[0].Way(1, Mailbox); return err },
		"event": func() error { _, err := n[0].SendEvent(&syncctl.Packet{Destination: 1}); return err },
		"flags": func() error { _, err := n[0].Flags(); return err },
		"raise": func() error { return flags.Raise(0, 1, 0, nil) },
		"codes": func() error { _, err := n[0].Codes(0, []int{0, 1}, 9); return err },
		"code":  func() error { return c.Wait(1, 0) },
	} {
		if err := f(); !errors.Is(err, Closed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n[0].Events() != nil || n[0].MailboxArea() != nil {
		t.Error("memory of a closed NIC")
	}
	n[0].Account(1, 0, fabric.PacketAccount).Put(ring.Tally{Lines: 7})
	if s, _, _ := n[1].Account(1, 0, fabric.PacketAccount).Get(); s.Lines != 0 {
		t.Error("others see an account of a closed NIC")
	}
}

func TestNothingAllocates(t *testing.T) {
	_, n := open(t, 2)
	w := n[0].testWay(t, 1, ReceiveBuffers)
	c := make([]*Codes, 2)
	for i := range c {
		var err error
		if c[i], err = n[i].Codes(0, []int{0, 1}, 1); err != nil {
			t.Fatal(err)
		}
	}
	in, b := n[1].Events(), make([]byte, 100)
	var l ring.Line
	var p ring.Packet
	event := syncctl.Packet{Destination: 1}
	if used := testing.AllocsPerRun(100, func() {
		_ = w.Line(0, &l)
		_ = w.Put(0, b)
		_, _ = w.Get(0)
		_, _ = n[0].SendEvent(&event)
		_, _ = in.Poll(&p)
		in.Consume()
		for _, c := range c {
			_ = c.Wait(1, 0)
		}
		for _, c := range c {
			if !c.Go() {
				t.Fatal("no PE Go")
			}
		}
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}

func TestReasons(t *testing.T) {
	for r := range numReasons + 1 {
		if text := r.Error(); text == "" || (r == reasonNone || r == numReasons) != strings.HasPrefix(text, "reason ") {
			t.Errorf("%d: %q", r, text)
		}
	}
	_, n := open(t, 2)
	_, err := n[0].Way(5, Mailbox)
	if err == nil || err.Error() != "sync: way, node 5: no such node" {
		t.Error(err)
	}
	if own, arrived := n[0].Refused(numReasons); own+arrived != 0 {
		t.Error("counts of no reason")
	}
}
