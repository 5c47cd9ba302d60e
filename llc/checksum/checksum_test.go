package checksum

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rhinet/llc/cenju4"
	"rhinet/llc/dimmnet2"
	"rhinet/llc/ib"
	"rhinet/llc/ir"
	"rhinet/llc/martini"
	"rhinet/llc/martinipm"
	"rhinet/llc/nictest"
	"rhinet/llc/sync"
	"rhinet/llc/tofu"
	parcels "rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
	hca "rhinet/nicemu/ib"
	nic "rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// job returns the wrapped translators of a job of goroutines, and its memory.
func job(t testing.TB, peers int, g fabric.Geometry, name string) (*fabric.Fabric, []ir.Translator) {
	t.Helper()
	switch name {
	case "martini:pm":
		g = pm.Geometry(g, peers)
	case "ib":
		g = hca.Geometry(g, peers)
	case "tofu":
		g = tofu.Geometry(g, peers)
	case "dimmnet2":
		g = dimmnet2.Geometry(g, peers)
	case "cenju4":
		g = cenju4.Geometry(g, peers)
	case "sync":
		g = sync.Geometry(g, peers)
	}
	f, err := fabric.Heap(peers, g)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]ir.Translator, peers)
	for i := range all {
		var tr ir.Translator
		switch name {
		case "martini:pm":
			tr, err = martinipm.OpenRHiNET(f, i, nic.Options{}, pm.Options{})
		case "tofu":
			tr, err = tofu.Open(f, i, tofu.Options{})
		case "dimmnet2":
			tr, err = dimmnet2.Open(f, i)
		case "cenju4":
			tr, err = cenju4.Open(f, i, parcels.Options{})
		case "sync":
			tr, err = sync.Open(f, i)
		case "martini:vp":
			tr, err = martinipm.OpenVP(f, i, nic.Options{})
		case "ib":
			tr, err = ib.Open(f, i, hca.Options{})
		default:
			tr, err = martini.Open(f, i, nic.Options{})
		}
		if err != nil {
			t.Fatal(err)
		}
		all[i] = Wrap(tr)
	}
	return f, all
}

// TestContract: a wrapped translator keeps the contract.
func TestContract(t *testing.T) {
	for _, name := range []string{"martini", "martini:pm", "martini:vp", "ib", "tofu", "dimmnet2", "cenju4", "sync"} {
		t.Run(name, func(t *testing.T) {
			nictest.Run(t, func(t testing.TB, peers int) []ir.Translator {
				_, all := job(t, peers, fabric.Small(), name)
				return all
			})
		})
	}
}

// TestRoom: the engine gets the whole ring of the NIC, and knows what a checksum takes of it.
func TestRoom(t *testing.T) {
	for _, g := range []fabric.Geometry{fabric.Small(), fabric.Default()} {
		_, all := job(t, 2, g, "martini")
		c := all[0].Caps()
		if c.Slots != g.Ring.Slots || c.Bytes != g.Ring.Bytes || c.Trailer != sumBytes || c.Fragment+sumBytes > c.Bytes/2 {
			t.Errorf("%+v of rings of %+v", c, g.Ring)
		}
	}
}

// send has rank 0 send one packet to rank 1 on each way.
func send(all []ir.Translator, slot uint64, data []byte) {
	all[0].Post(&ir.Command{Op: ir.Packet, Peer: 1, Slot: slot, Header: ir.Header{Kind: 1, Tag: 9}, Data: data})
	all[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 2, Tag: 9}, Data: data})
}

// TestEachBit: no bit of a packet can change without notice.
func TestEachBit(t *testing.T) {
	for _, way := range []struct {
		area fabric.Area
		n    int // bytes
	}{{fabric.Rings, 50}, {fabric.Rings, 100}, {fabric.Shared, 50}} {
		area, data := way.area, bytes.Repeat([]byte("x"), way.n)
		for _, bit := range bitsOf(area, len(data)) {
			f, all := job(t, 2, fabric.Small(), "martini")
			all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
			send(all, 0, data)
			f.Bytes(1, area)[bit/8] ^= 1 << (bit % 8)
			var ev ir.Event
			whole, failed := 0, 0
			for range 10 {
				if !all[1].Poll(&ev) {
					ir.AbilitiesOf(all[1]).Auditor.Audit()
					ir.AbilitiesOf(all[0]).Auditor.Audit()
					continue
				}
				switch {
				case ev.Kind == ir.Failed && ev.Token == 0 && ev.Peer == 0 && errors.Is(ev.Err, ir.ErrPeerGone):
					failed++
				case ev.Kind == ir.Arrived && bytes.Equal(ev.Data, data):
					whole++
				default:
					t.Fatalf("area %v, bit %d: %+v", area, bit, ev)
				}
			}
			if failed != 1 || whole > 1 {
				t.Errorf("area %v, bit %d: %d packets came, %d failures", area, bit, whole, failed)
			}
		}
	}
}

// TestEachBitByLook: Look does not show a packet with a changed bit; Poll reports it. Nothing of its sender
// is shown after that.
func TestEachBitByLook(t *testing.T) {
	data := []byte("eight of")
	h := ir.Header{Kind: 1, Tag: 9}
	words := h.Words()
	for bit := range 8 * (ir.HeaderBytes + len(data) + sumBytes) {
		if bit < 128 && bit%64 < 32 {
			continue // the ring's own
		}
		f, all := job(t, 2, fabric.Small(), "martini")
		all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
		all[0].Post(&ir.Command{Op: ir.Open, Peer: 1})
		from, to := ir.AbilitiesOf(all[0]).Express, ir.AbilitiesOf(all[1]).Express
		for slot := range uint64(3) {
			from.Place(1, slot, 0, &words, data)
		}
		f.Lines(1, fabric.Rings)[fabric.Small().Ring.Line(1)][bit/64] ^= 1 << (bit % 64)
		var v ir.View
		var ev ir.Event
		if !to.Look(0, &v) || !bytes.Equal(v.Data, data) {
			t.Fatalf("bit %d: Look shows %q before it", bit, v.Data)
		}
		if to.Take(); to.Look(0, &v) {
			t.Errorf("bit %d: Look shows %q", bit, v.Data)
		}
		if !all[1].Poll(&ev) || ev.Kind != ir.Failed || !errors.Is(ev.Err, ErrDamaged) || !strings.Contains(ev.Err.Error(), "packet 1 from rank 0 to rank 1") {
			t.Errorf("bit %d: %+v", bit, ev)
		}
		if to.Look(0, &v) || to.PollOthers(0, &ev) || all[1].Poll(&ev) {
			t.Errorf("bit %d: something is shown after the end of its sender", bit)
		}
	}
}

// bitsOf returns the bits of the first packet: its line, and its payload with the checksum.
func bitsOf(area fabric.Area, n int) (all []int) {
	line, payload := 0, 24
	switch {
	case area == fabric.Shared:
		line, payload = 256, 256+64
	case n+sumBytes > ir.Short:
		payload = fabric.Small().Ring.Data()
	}
	for i := range 24 * 8 {
		all = append(all, line*8+i)
	}
	for i := range (n + sumBytes) * 8 {
		all = append(all, payload*8+i)
	}
	return all
}

// TestFlags: short and long flags arrive, and one that was overwritten does not.
func TestFlags(t *testing.T) {
	raised := func(b ir.FlagArray, seq uint32, into []byte) bool {
		mark, ok := b.Raised(0, 1, seq, into)
		return ok && mark == seq+100
	}
	for _, n := range []int{0, 1, 8, 37, 38, 39, 48, 64, 65, 300, 549, 550, 1125, 1126, 1127, ir.FlagBytes} {
		for _, at := range []int{4, 16, 24, 26 + n - 1} { // the mark; the checksum; the length; the last of the payload
			f, all := job(t, 2, fabric.Small(), "martini")
			b, other := ir.AbilitiesOf(all[0]).FlagArray, ir.AbilitiesOf(all[1]).FlagArray
			if b.FlagArrays() != fabric.Small().FlagArrays {
				t.Fatalf("%d flag arrays", b.FlagArrays())
			}
			data, got := bytes.Repeat([]byte("f"), n), make([]byte, n)
			b.Prefetch(1, 4, 8)
			b.Raise([]int{1}, 1, 4, 104, data)
			if _, wrong := other.Raised(0, 0, 4, got); wrong || raised(other, 5, got) || !raised(other, 4, got) || !bytes.Equal(got, data) {
				t.Errorf("%d bytes: %q", n, got)
			}
			b.Raise([]int{1}, 1, 6, 106, data)
			flagArrays, _ := f.FlagSpan()
			flag := (ir.FlagTurns + fabric.FlagPlace(6)) * 2 // of flag array 1, of rank 0 of 2
			lines, before, place := fabric.Small().FlagArrays*ir.FlagTurns*2, 0, 0
			for _, piece := range append([]int{2 * 64}, fabric.FlagPieces()...) { // the front lines, and the pieces of the rest
				if place = lines*before + flag*piece + at - before; at < before+piece {
					break
				}
				before += piece
			}
			f.Memory(flagArrays+uint64(place), 1)[0] ^= 4
			if _, ok := other.Raised(0, 1, 6, got); ok {
				t.Errorf("%d bytes: raised, though byte %d was overwritten", n, at)
			}
			var ev ir.Event
			if !all[1].Poll(&ev) || ev.Kind != ir.Failed || ev.Peer != 0 || !errors.Is(ev.Err, ErrDamaged) || !strings.Contains(ev.Err.Error(), "flag 6 of rank 0") {
				t.Errorf("%d bytes: %+v", n, ev)
			}
			if raised(other, 6, got) || all[1].Poll(&ev) {
				t.Errorf("%d bytes: and then %+v", n, ev)
			}
		}
	}
}

// TestFlagsOfAnotherLength: a flag whose reader is in another call, and expects another length, is seen by
// its mark and does not count as damaged.
func TestFlagsOfAnotherLength(t *testing.T) {
	lengths := []int{0, 8, 38, 39, 48, 64, ir.FlagBytes}
	for _, gives := range lengths {
		for _, wants := range lengths {
			_, all := job(t, 2, fabric.Small(), "martini")
			b, other := ir.AbilitiesOf(all[0]).FlagArray, ir.AbilitiesOf(all[1]).FlagArray
			data, got := bytes.Repeat([]byte("f"), gives), make([]byte, wants)
			b.Raise([]int{1}, 1, 4, 104, data)
			both := min(gives, wants)
			if mark, ok := other.Raised(0, 1, 4, got); !ok || mark != 104 || !bytes.Equal(got[:both], data[:both]) {
				t.Errorf("%d bytes for %d: mark %d, %v, %q", gives, wants, mark, ok, got)
			}
			var ev ir.Event
			if all[1].Poll(&ev) {
				t.Errorf("%d bytes for %d: %+v", gives, wants, ev)
			}
		}
	}
}

// TestAbilities: a wrapped translator keeps its abilities.
func TestAbilities(t *testing.T) {
	for _, name := range []string{"martini", "martini:vp"} {
		_, all := job(t, 2, fabric.Small(), name)
		a := ir.AbilitiesOf(all[0])
		if quick := name == "martini"; (a.FlagArray != nil) != quick || (a.Aimer != nil) != quick || (a.Express != nil) != quick || a.Reporter == nil || a.Announcer == nil || a.Auditor == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

// TestReplay: an old packet in place of a new one is found.
func TestReplay(t *testing.T) {
	f, all := job(t, 2, fabric.Small(), "martini")
	all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
	var ev ir.Event
	for i := range uint64(2) {
		all[0].Post(&ir.Command{Op: ir.Packet, Peer: 1, Slot: i, Header: ir.Header{Kind: 1}, Data: []byte("same")})
	}
	lines, next := f.Lines(1, fabric.Rings), fabric.Small().Ring.Line(1)
	seq := lines[next][0] & 0xffffffff
	lines[next] = lines[0]
	lines[next][0] = lines[0][0]&^0xffffffff | seq
	if !all[1].Poll(&ev) || ev.Kind != ir.Arrived || string(ev.Data) != "same" {
		t.Fatalf("%+v", ev)
	}
	if !all[1].Poll(&ev) || ev.Kind != ir.Failed || !strings.Contains(ev.Err.Error(), "packet 1 from rank 0 to rank 1") {
		t.Errorf("%+v", ev)
	}
}

// TestReplayedFlag: the content of an old flag with the sequence of a new one is not raised.
func TestReplayedFlag(t *testing.T) {
	f, all := job(t, 2, fabric.Small(), "martini")
	b, other := ir.AbilitiesOf(all[0]).FlagArray, ir.AbilitiesOf(all[1]).FlagArray
	flagArrays, _ := f.FlagSpan()
	// Flag array 1, rank 0 of 2, the flag of 4 and of the next lap.
	const next = 4 + ir.FlagTurns
	line := f.Memory(flagArrays+uint64(ir.FlagTurns+fabric.FlagPlace(4))*2*2*64, 64)
	got := make([]byte, 3)
	b.Raise([]int{1}, 1, 4, 7, []byte("old"))
	if _, ok := other.Raised(0, 1, 4, got); !ok || string(got) != "old" {
		t.Fatalf("not raised: %q", got)
	}
	old := bytes.Clone(line)
	b.Raise([]int{1}, 1, next, 7, []byte("new"))
	copy(line[4:], old[4:]) // all but the sequence
	if _, ok := other.Raised(0, 1, next, got); ok {
		t.Errorf("raised, with %q", got)
	}
}

// TestDamageInTheSharedRing: the number of the sender may be what was overwritten, so all peers that write
// the ring are lost.
func TestDamageInTheSharedRing(t *testing.T) {
	f, all := job(t, 4, fabric.Small(), "martini")
	send(all, 0, []byte("hello"))
	f.Bytes(1, fabric.Shared)[256+24] ^= 1 // the payload
	lost := map[int32]bool{}
	var ev ir.Event
	for all[1].Poll(&ev) {
		if ev.Kind != ir.Failed || !errors.Is(ev.Err, ErrDamaged) || !errors.Is(ev.Err, ir.ErrPeerGone) || lost[ev.Peer] {
			t.Fatalf("%+v", ev)
		}
		lost[ev.Peer] = true
	}
	if len(lost) != 3 || lost[1] {
		t.Errorf("lost: %v", lost)
	}
}

// TestLaneOfTheLost: the lane shows nothing of a peer that was lost elsewhere, though its packets there are
// right.
func TestLaneOfTheLost(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		f, all := job(t, 2, fabric.Small(), "martini")
		all[1].Post(&ir.Command{Op: ir.Watch, Peer: 0})
		all[0].Post(&ir.Command{Op: ir.Open, Peer: 1})
		all[0].Post(&ir.Command{Op: ir.Shared, Peer: 1, Header: ir.Header{Kind: 2, Tag: 9}, Data: []byte("hello")})
		if damaged {
			f.Bytes(1, fabric.Shared)[256+24] ^= 1 // the payload
		}
		var ev ir.Event
		if !all[1].Poll(&ev) || (ev.Kind == ir.Failed) != damaged {
			t.Fatalf("damaged %t: %+v", damaged, ev)
		}
		h := ir.Header{Kind: 1, Tag: 9}
		words := h.Words()
		ir.AbilitiesOf(all[0]).Express.Place(1, 0, 0, &words, []byte("eight of"))
		var v ir.View
		if ir.AbilitiesOf(all[1]).Express.Look(0, &v) == damaged {
			t.Errorf("damaged %t: Look shows %q", damaged, v.Data)
		}
	}
}

// A line is a translator of two peers whose packets come to the other one, in whatever ring they name.
type line struct {
	ir.Translator
	other *line
	came  []ir.Event
}

func (l *line) Post(cmd *ir.Command) {
	if cmd.Op == ir.Packet {
		l.other.came = append(l.other.came, ir.Event{
			Kind: ir.Arrived, Peer: int32(l.Self()), Ring: cmd.Ring, Header: cmd.Header, Data: bytes.Clone(cmd.Data)})
	}
}

func (l *line) Poll(ev *ir.Event) bool {
	if len(l.came) == 0 {
		return false
	}
	*ev, l.came = l.came[0], l.came[1:]
	return true
}

// TestAnotherRing: writer and reader count from 0 in a packet ring that is opened after another one, as the
// engine's lines do.
func TestAnotherRing(t *testing.T) {
	ends := nictest.Loopback(2, nictest.DefaultCaps())
	a, b := &line{Translator: ends[0]}, &line{Translator: ends[1]}
	a.other, b.other = b, a
	writer, reader := Wrap(a), Wrap(b)
	for ring := range ir.Ring(2) {
		reader.Post(&ir.Command{Op: ir.Watch, Peer: 0, Ring: ring})
		writer.Post(&ir.Command{Op: ir.Open, Peer: 1, Ring: ring})
		for slot := range uint64(3) {
			data := []byte{byte(ring), byte(slot)}
			writer.Post(&ir.Command{Op: ir.Packet, Peer: 1, Ring: ring, Slot: slot, Header: ir.Header{Kind: 1}, Data: data})
			var ev ir.Event
			if !reader.Poll(&ev) || ev.Kind != ir.Arrived || ev.Ring != ring || !bytes.Equal(ev.Data, data) {
				t.Fatalf("ring %d, line %d: %+v", ring, slot, ev)
			}
		}
	}
}
