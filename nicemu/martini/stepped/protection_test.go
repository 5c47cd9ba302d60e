package stepped

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/nicemu/martini"
)

// One test for each rule of protection (martini, sections 1.9, 5, 8), in which a hostile process
// tries to break it on every path: it is refused, counted and reported, nothing moves, and the
// victim still works.

// A path is one method to access memory of node 1 from a Window of node by.
type path struct {
	name string
	kick func(w *world, by, win int, seg martini.Segment, off uint64, victim uint32) (uint64, error)
}

// attackBytes is the number of bytes that each path tries to move.
const attackBytes = 64

func victims(seg martini.Segment, off uint64) martini.Request {
	return martini.Request{Node: 1, Segment: seg, Offset: off, Flag: 1}
}

func botf(kind uint8) func(w *world, by, win int, seg martini.Segment, off uint64, victim uint32) (uint64, error) {
	return func(w *world, by, win int, seg martini.Segment, off uint64, victim uint32) (uint64, error) {
		p := martini.Packet{
			Type: kind, PGID: victim, PID: 1, Node: 1, Segment: seg, Offset: off, Flag: 1,
			Local: addr(w.areas[by]), Length: attackBytes, Payload: bytes.Repeat([]byte{0x5a}, attackBytes),
		}
		if kind == martini.PacketPullRequest {
			p.Payload = nil
		}
		return w.m.Botf(by, win, &p)
	}
}

// named returns the paths that name memory by SID.
func named() []path {
	return []path{
		{"PUSH", func(w *world, by, win int, seg martini.Segment, off uint64, _ uint32) (uint64, error) {
			return w.m.Push(by, win, victims(seg, off), w.areas[by][:attackBytes])
		}},
		{"PULL", func(w *world, by, win int, seg martini.Segment, off uint64, _ uint32) (uint64, error) {
			return w.m.Pull(by, win, victims(seg, off), w.areas[by][:attackBytes])
		}},
		{"BOTF push with a forged PGID", botf(martini.PacketPush)},
		{"BOTF pull request with a forged PGID", botf(martini.PacketPullRequest)},
	}
}

// plain returns the paths that name memory by address; seg is then the address.
func plain() []path {
	var all []path
	for _, kind := range []uint8{martini.PacketAck, martini.PacketPullResponse} {
		all = append(all, path{"BOTF of a reply", func(w *world, by, win int, _ martini.Segment, at uint64, victim uint32) (uint64, error) {
			return w.m.Botf(by, win, &martini.Packet{
				Type: kind, PGID: victim, PID: 1, Node: 1, Local: at, Flag: 1, Payload: bytes.Repeat([]byte{0x5a}, attackBytes),
			})
		}})
	}
	return all
}

func (w *world) pgid(i int) uint32 {
	key, _ := w.inside(i).Owner(0)
	return uint32(key)
}

// attack tries one path and checks all effects of a refusal. The reason is counted at node counted,
// if that is not negative.
func (w *world) attack(rule string, p path, by, win int, seg martini.Segment, off uint64, want martini.Reason, counted int) {
	w.t.Helper()
	var before [][]byte
	for _, b := range w.areas {
		before = append(before, bytes.Clone(b))
	}
	issued, _ := w.nics[by].Refused(want)
	arrived := uint64(0)
	if counted >= 0 {
		_, arrived = w.nics[counted].Refused(want)
	}
	window := w.nics[by].Window(win)
	flag := window.Flag(1)
	serial := w.must(p.kick(w, by, win, seg, off, w.pgid(1)))
	if got := w.last(); got != want {
		w.t.Errorf("%s, %s: %v, want %v", rule, p.name, got, want)
	}
	for i, b := range w.areas {
		if !bytes.Equal(b, before[i]) {
			w.t.Errorf("%s, %s: memory of node %d changed", rule, p.name, i)
		}
	}
	if now, _ := w.nics[by].Refused(want); now != issued+1 {
		w.t.Errorf("%s, %s: not counted by the issuer", rule, p.name)
	}
	if counted >= 0 {
		if _, now := w.nics[counted].Refused(want); now != arrived+1 {
			w.t.Errorf("%s, %s: not counted by the target", rule, p.name)
		}
	}
	if window.Contflag() != serial || window.Flag(1) != flag {
		w.t.Errorf("%s, %s: contflag %d of %d, completion flag %d", rule, p.name, window.Contflag(), serial, window.Flag(1))
	}
	w.continues(rule + ", " + p.name)
}

// continues checks that the victim still receives and sends.
func (w *world) continues(after string) {
	w.t.Helper()
	w.must(w.m.Push(1, 9, martini.Request{Node: 0, Segment: w.seg[0], Flag: 3}, w.areas[1][:8]))
	serial := w.must(w.m.Pull(0, 9, martini.Request{Node: 1, Segment: w.seg[1], Flag: 3}, w.areas[0][:8]))
	if w.last() != 0 || w.nics[0].Window(9).Flag(3) != serial {
		w.t.Errorf("after %s the victim does not go on", after)
	}
}

// hostile returns a world whose node 2 belongs to another job.
func hostile(t *testing.T, o Options) *world {
	return newWorld(t, 3, 2, o, martini.Options{}, martini.Options{}, martini.Options{Job: 0xbad})
}

// 1.9: only processes of the same job may communicate.
func TestOnlyProcessesOfTheSameJobCommunicate(t *testing.T) {
	w := hostile(t, Options{})
	for _, p := range named() {
		w.attack("another job", p, 2, 0, w.seg[1], 0, martini.WrongJob, 1)
	}
	for _, p := range plain() {
		w.attack("another job", p, 2, 0, 0, addr(w.areas[1]), martini.NotPinned, 1)
	}
	swap := path{"BOTF swap", func(w *world, by, win int, _ martini.Segment, word uint64, victim uint32) (uint64, error) {
		return w.m.Botf(by, win, &martini.Packet{Type: martini.PacketSwap, PGID: victim, PID: 1, Node: 1, Offset: word, Flag: 1, Payload: make([]byte, 16)})
	}}
	w.attack("another job", swap, 2, 0, 0, 0, martini.WrongJob, 1)
}

// 5.2: the PGID of a key is that of the issuing process: an entry of RVATLB or PATLB that an
// authorized process has loaded does not help an unauthorized one.
func TestWarmEntriesHelpNoOtherJob(t *testing.T) {
	w := hostile(t, Options{TLB: Geometry{1, 1}})
	for _, p := range append(named(), plain()...) {
		w.continues("the beginning")
		w.must(w.m.Push(0, 1, victims(w.seg[1], 0), w.areas[0][:8]))
		want := martini.WrongJob
		off := uint64(0)
		if p.name == "BOTF of a reply" {
			want, off = martini.NotPinned, addr(w.areas[1])
		}
		w.attack("warm TLB", p, 2, 0, w.seg[1], off, want, 1)
	}
}

// 1.9, 5.4, 8.2: memory that is not pinned cannot be accessed, at either end.
func TestOnlyPinnedPagesAreReached(t *testing.T) {
	w := hostile(t, Options{})
	b := pages(2)
	w.areas = append(w.areas, b)
	wild, err := w.nics[1].Register(addr(b), uint64(len(b))) // 8.6: the SID table is not checked
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range named() {
		w.attack("remote not pinned", p, 0, 0, wild, 8, martini.NotPinned, 1)
	}
	for _, p := range plain() {
		w.attack("remote not pinned", p, 0, 0, 0, addr(b), martini.NotPinned, 1)
	}
	own := pages(1)
	w.areas = append(w.areas, own)
	for name, p := range map[string]path{
		"PUSH": {"PUSH", func(w *world, by, win int, seg martini.Segment, off uint64, _ uint32) (uint64, error) {
			return w.m.Push(by, win, victims(seg, off), own[:64])
		}},
		"PULL": {"PULL", func(w *world, by, win int, seg martini.Segment, off uint64, _ uint32) (uint64, error) {
			return w.m.Pull(by, win, victims(seg, off), own[:64])
		}},
	} {
		w.attack("own memory not pinned, "+name, p, 0, 0, w.seg[1], 0, martini.NotPinned, -1)
	}
}

// 5.5: an offset does not lead out of its segment. Our choice: segments have a length.
func TestOffsetsStayInTheirSegment(t *testing.T) {
	w := hostile(t, Options{})
	size := uint64(len(w.areas[1]))
	for _, off := range []uint64{size, size - attackBytes + 1, ^uint64(0) - 7, 1 << 63} {
		for _, p := range named() {
			w.must(w.m.Push(0, 1, victims(w.seg[1], 0), w.areas[0][:8])) // warm
			w.attack("beyond the segment", p, 0, 0, w.seg[1], off, martini.BeyondSegment, 1)
		}
	}
}

// 5.3: a SID that is not registered, or not by this process, is refused.
func TestUnknownSegmentsAreRefused(t *testing.T) {
	w := hostile(t, Options{})
	for _, seg := range []martini.Segment{0, 1 << 20, w.seg[1] + 99, martini.Segment(1 << 32), ^martini.Segment(0)} {
		for _, p := range named() {
			w.attack("no such segment", p, 0, 0, seg, 0, martini.NoSegment, 1)
		}
	}
}

// 3.2, 8.5: a Window works only for its owner in PGIDTBL.
func TestWindowsWorkOnlyForTheirOwner(t *testing.T) {
	w := hostile(t, Options{})
	must(t, w.boss.Invalidate(0, 5))
	for _, p := range append(named(), plain()...) {
		w.attack("invalid Window", p, 0, 5, w.seg[1], 0, martini.InvalidWindow, -1)
	}
	// Assigned to another process of the job: it cannot read memory of this one.
	must(t, w.boss.Assign(0, 6, w.pgid(1), 1))
	w.attack("Window of another process", named()[0], 0, 6, w.seg[1], 0, martini.NotPinned, -1)
	// The contflag page of a Window belongs to its owner only.
	at := w.inside(1).FlagAddress(7, 0)
	must(t, w.boss.Invalidate(1, 7))
	for _, p := range plain() {
		w.attack("contflag page of nobody", p, 0, 0, 0, at, martini.NotPinned, 1)
	}
}

// 8.3: an entry is removed from PATLB before its page is released, whichever process has used it.
func TestUnpinComesAfterInvalidation(t *testing.T) {
	w := hostile(t, Options{})
	b := pages(2)
	w.areas = append(w.areas, b)
	for _, p := range append(named(), plain()...) {
		pin, err := w.nics[1].Pin(b)
		if err != nil {
			t.Fatal(err)
		}
		seg, err := w.nics[1].Register(addr(b), uint64(len(b)))
		if err != nil {
			t.Fatal(err)
		}
		off := uint64(0)
		if p.name == "BOTF of a reply" {
			off = addr(b)
		}
		w.must(p.kick(w, 0, 1, seg, off, 0)) // while it is pinned
		if why := w.last(); why != 0 {
			t.Fatalf("%s: %v", p.name, why)
		}
		if err := w.nics[1].Unpin(pin); err != nil {
			t.Fatal(err)
		}
		w.attack("stale PATLB entry", p, 0, 0, seg, off, martini.NotPinned, 1)
		if err := w.nics[1].Release(seg); err != nil {
			t.Fatal(err)
		}
		if off == 0 {
			w.attack("stale RVATLB entry", p, 0, 0, seg, off, martini.Stale, 1)
		}
	}
}

// 8.3: unpinning in the middle of a transfer waits for the requested DMA, and nothing accesses the
// memory afterwards, wherever the packets are.
func TestUnpinInTheMiddleOfATransfer(t *testing.T) {
	const size = 4 * pageBytes
	stride := 3
	if raceDetector {
		stride = 20
	}
	for wait := 0; wait < 260; wait += stride {
		for side := range 2 {
			w := newWorld(t, 2, 4, Options{})
			if _, err := w.m.Push(0, 0, victims(w.seg[1], 0), w.areas[0]); err != nil {
				t.Fatal(err)
			}
			for range wait {
				w.m.Step()
			}
			if err := w.nics[side].Conceal(w.seg[side]); err != nil {
				t.Fatalf("after %d steps: %v", wait, err)
			}
			released := bytes.Clone(w.areas[1])
			if side == 0 {
				fill(w.areas[0], 0xee) // the process reuses its memory
			}
			fresh := bytes.Clone(w.areas[0])
			w.run()
			why := w.last()
			if side == 1 && !bytes.Equal(w.areas[1], released) || side == 0 && !bytes.Equal(w.areas[0], fresh) {
				t.Fatalf("after %d steps: released memory was written", wait)
			}
			if side == 0 {
				sent := make([]byte, size)
				fill(sent, 0)
				before := make([]byte, size)
				fill(before, 31)
				for i, v := range w.areas[1] {
					if v != sent[i] && v != before[i] {
						t.Fatalf("after %d steps: byte %d was read after its release", wait, i)
					}
				}
			}
			if done := w.nics[0].Window(0).Flag(1) == 1; done != (why == 0) {
				t.Fatalf("after %d steps: complete %v, refused %v", wait, done, why)
			}
			if w.nics[0].Window(0).Contflag() != 1 {
				t.Fatalf("after %d steps: the Window is not given back", wait)
			}
		}
	}
}

// 8.3: when the device is closed, everything of the process is withdrawn.
func TestCloseWithdrawsEverything(t *testing.T) {
	w := newWorld(t, 2, 1, Options{})
	w.must(w.m.Push(0, 0, victims(w.seg[1], 0), w.areas[0][:8]))
	if err := w.nics[1].Close(); err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(w.areas[1])
	for _, p := range append(named(), plain()...) {
		off := uint64(0)
		if p.name == "BOTF of a reply" {
			off = addr(w.areas[1])
		}
		w.must(p.kick(w, 0, 0, w.seg[1], off, 0))
		if why := w.last(); why != martini.Stale && why != martini.NotPinned || !bytes.Equal(before, w.areas[1]) {
			t.Errorf("%s after close: %v", p.name, why)
		}
	}
}

// 6.1, 10.8: users cannot forge packets of hardware and firmware.
func TestNoticesCannotBeForged(t *testing.T) {
	w := hostile(t, Options{})
	forge := path{"BOTF of a notice", func(w *world, by, win int, _ martini.Segment, _ uint64, victim uint32) (uint64, error) {
		return w.m.Botf(by, win, &martini.Packet{Type: packetNotice, PGID: victim, PID: 1, Node: 1, Offset: uint64(martini.Gone), Flag: 1})
	}}
	w.attack("forged notice", forge, 2, 0, 0, 0, martini.SpecialPacket, 1)
	if n, _ := w.nics[1].Refused(martini.Gone); n != 0 {
		t.Error("a forged notice was counted")
	}
	w.attack("unknown packet", path{"BOTF", botf(77)}, 0, 0, 0, 0, martini.SpecialPacket, 1)
}

// 6.2: the driver checks the headers of AOTF, since PGIDTBL is not consulted.
func TestAOTFHeadersAreInspected(t *testing.T) {
	w := hostile(t, Options{})
	good := martini.Header{PGID: 0xbad, Node: 1, Segment: w.seg[1], Override: true}
	for name, c := range map[string]struct {
		change func(h *martini.Header)
		want   martini.Reason
	}{
		"forged PGID":  {func(h *martini.Header) { h.PGID = w.pgid(1) }, martini.WrongJob},
		"no such node": {func(h *martini.Header) { h.Node = 3 }, martini.NoNode},
	} {
		h := good
		c.change(&h)
		if err := w.nics[2].RegisterHeader(0, h); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	write := func(by int, address uint32, want martini.Reason) {
		t.Helper()
		before := bytes.Clone(w.areas[1])
		if err := w.m.WriteAOTF(by, address, 42); err != nil {
			t.Fatal(err)
		}
		w.run()
		if got := w.last(); got != want {
			t.Errorf("AOTF write at %#x: %v, want %v", address, got, want)
		}
		if moved := !bytes.Equal(before, w.areas[1]); moved != (want == 0) {
			t.Errorf("AOTF write at %#x: moved %v", address, moved)
		}
	}
	// With its own PGID it gets as far as RVATLB.
	if err := w.nics[2].RegisterHeader(7, good); err != nil {
		t.Fatal(err)
	}
	write(2, 7*pageBytes, martini.WrongJob)
	write(2, 8*pageBytes, martini.NoHeader)
	// The same job may send, except with withdrawn headers and segments.
	if err := w.nics[0].RegisterHeader(7, martini.Header{Node: 1, Segment: w.seg[1], Override: true}); err != nil {
		t.Fatal(err)
	}
	write(0, 7*pageBytes+13, 0)
	write(0, 263*pageBytes, martini.NoHeader) // the same place in the Header TLB
	if err := w.nics[1].Conceal(w.seg[1]); err != nil {
		t.Fatal(err)
	}
	write(0, 7*pageBytes+13, martini.Stale)
	if err := w.nics[0].WithdrawHeader(7); err != nil {
		t.Fatal(err)
	}
	write(0, 7*pageBytes+13, martini.NoHeader)
}

// 5.3: an address range that wraps around is refused.
func TestPlainAddressesDoNotWrapAround(t *testing.T) {
	w := hostile(t, Options{})
	for _, p := range plain() {
		w.attack("address wraps around", p, 0, 0, 0, ^uint64(0)-8, martini.WrongLength, 1)
	}
}

// 8.2: the memory of a process on a pinned page is bounded by the byte (our choice; a Go slice need
// not fill its pages), so that other memory on the same page is not accessed.
func TestNeighboursOnAPinnedPageAreNotReached(t *testing.T) {
	w := hostile(t, Options{})
	b := pages(1)
	fill(b, 77)
	w.areas = append(w.areas, b)
	if _, err := w.nics[1].Pin(b[100:300]); err != nil {
		t.Fatal(err)
	}
	wild, err := w.nics[1].Register(addr(b), uint64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, off := range []uint64{0, 99, 300 - attackBytes + 1, 300, pageBytes - attackBytes} {
		for _, p := range named() {
			w.attack("neighbour", p, 0, 0, wild, off, martini.NotPinned, 1)
		}
		for _, p := range plain() {
			w.attack("neighbour", p, 0, 0, 0, addr(b)+off, martini.NotPinned, 1)
		}
	}
	w.must(w.m.Push(0, 0, victims(wild, 100), w.areas[0][:200]))
	if w.last() != 0 || !bytes.Equal(b[100:300], w.areas[0][:200]) {
		t.Error("what is pinned is not reached")
	}
}
