package stepped

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// The stepped model and the fast path behave as the same NIC: the same operations, drawn from a
// seed or by a fuzzer, leave the same memory, contflags, completion flags and counters, and are
// refused for the same reasons.

const (
	pairNodes = 4 // the last belongs to another job
	areaSize  = 6 * pageBytes
	lostNode  = 9
	invalidBy = 14 // Windows with a meaning
	forgedBy  = 13
	perNode   = 3 // areas: pinned, with a hole, not pinned
	reasons   = 32
	pairLocks = 4 // in use; the last is initialised only by the operations
)

// A side is one of the two NICs, with the same history.
type side struct {
	f     *fabric.Fabric
	boss  *martini.Manager
	in    []*martini.Hardware
	nics  []*martini.NIC
	areas [pairNodes][perNode][]byte
}

// A pair is both implementations, which get the same operations.
type pair struct {
	t       testing.TB
	fast    side
	slow    side
	m       *Machine
	back    *Machine // of the fast side, if it falls back
	refused []Refused
	who     []int                         // whose requests these were
	rings   [2][pairNodes]*Ring           // VPUSH rings of machines: of the stepped side, and of the fast one that falls back
	mail    [pairNodes][]letter           // that have arrived there and have not been taken out
	wires   *wires                        // nil where the fast side falls back
	drawn   map[string]int                // operations, by name
	segs    [pairNodes][5]martini.Segment // good, hole, unpinned, stale, none
	skew    [pairNodes][reasons][2]int64  // counters: stepped less fast
	pick    func(n int) int
	ops     int
}

func (s *side) build(t testing.TB) [pairNodes][5]martini.Segment {
	s.f, s.boss, s.nics = openNICs(t, pairNodes, martini.Options{}, martini.Options{}, martini.Options{}, martini.Options{Job: 0xbad})
	var segs [pairNodes][5]martini.Segment
	for i, n := range s.nics {
		in, err := s.boss.Hardware(n)
		must(t, err)
		s.in = append(s.in, in)
		for k := range s.areas[i] {
			s.areas[i][k] = pages(areaSize / pageBytes)
			fill(s.areas[i][k], byte(3*i+k))
		}
		if segs[i][0], err = n.Expose(s.areas[i][0]); err != nil {
			t.Fatal(err)
		}
		for _, part := range [][2]int{{0, 2}, {4, 6}} {
			if _, err = n.Pin(s.areas[i][1][part[0]*pageBytes : part[1]*pageBytes]); err != nil {
				t.Fatal(err)
			}
		}
		for k := 1; k < 4; k++ {
			if segs[i][k], err = n.Register(fabric.Address(s.areas[i][min(k, 2)]), areaSize); err != nil {
				t.Fatal(err)
			}
		}
		if err = n.Release(segs[i][3]); err != nil {
			t.Fatal(err)
		}
		must(t, s.boss.Invalidate(i, invalidBy))
		must(t, s.boss.Assign(i, forgedBy, 0xbad, (i+1)%pairNodes))
	}
	return segs
}

func newPair(t testing.TB, o Options, pick func(int) int) *pair {
	w := &pair{t: t, pick: pick, drawn: map[string]int{}}
	w.segs = w.fast.build(t)
	if w.slow.build(t) != w.segs {
		t.Fatal("the two sides have different segments")
	}
	for i := range w.fast.nics { // the same job on both sides, whatever the fabric's number
		pgid := w.job(i)
		for win := range martini.Windows {
			if win != invalidBy && win != forgedBy {
				must(t, w.fast.boss.Assign(i, win, w.fast.pgid(i), i))
				must(t, w.slow.boss.Assign(i, win, pgid, i))
			}
		}
	}
	o.Refused = func(node int, r Refused) { w.refused, w.who = append(w.refused, r), append(w.who, node) }
	m, err := New(w.slow.boss, w.slow.nics, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	w.m = m
	for i := range pairNodes {
		w.header(i, i)
	}
	w.newRings(0, m, &w.slow, RingOptions{Hardware: o.Direct})
	w.wires = newWires(w)
	for i := range pairNodes - 1 {
		for id := range pairLocks - 1 {
			for _, s := range []*side{&w.fast, &w.slow} {
				if err := s.nics[i].Window(0).InitLock(id, id, w.segs[i][0], uint64(8*id)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return w
}

// fallBack gives the fast side a machine of its own.
func (w *pair) fallBack() {
	m, err := New(w.fast.boss, w.fast.nics, Options{TLB: Geometry{4, 2}})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(m.Close)
	w.newRings(1, m, &w.fast, RingOptions{})
	m.Attach()
	w.back, w.wires = m, nil
}

func (s *side) pgid(i int) uint32 {
	key, _ := s.in[i].Owner(0)
	return uint32(key)
}

func (w *pair) job(i int) uint32 { return w.slow.pgid(i) }

// header registers a header on both sides. The page is the target's number.
func (w *pair) header(from, to int) {
	h := martini.Header{Node: to, Segment: w.segs[to][w.pick(2)], Offset: uint64(w.pick(areaSize)), Override: w.pick(2) == 0}
	for _, s := range []*side{&w.fast, &w.slow} {
		if err := s.nics[from].RegisterHeader(uint16(to), h); err != nil {
			w.t.Fatal(err)
		}
	}
}

// play carries out one operation on both sides and compares.
func (w *pair) play(o *op) {
	w.ops++
	w.drawn[o.name]++
	fail := func(text string, args ...any) {
		w.t.Helper()
		w.t.Fatalf("operation %d, %v: %s", w.ops, o, fmt.Sprintf(text, args...))
	}
	if o.overlaps() { // the result depends on the order of the bytes
		o.size, o.localBad = min(o.size, 1), o.localBad && o.size > 0
	}
	dw, value := o.prepare(&w.fast)
	err := w.fast.nics[o.node].Window(o.win).Write(dw, value)
	dw, value = o.prepare(&w.slow)
	w.forget()
	if _, err := w.m.Kick(o.node, o.win, dw, value); err != nil {
		fail("%v", err)
	}
	if err := w.m.Run(stepLimit); err != nil {
		fail("%v", err)
	}
	var want, got martini.Reason
	errors.As(err, &want)
	if len(w.refused) > 1 {
		fail("refused more than once: %v", w.refused)
	}
	for _, r := range w.refused {
		got = r.Reason
	}
	if o.localBad && got != want { // the first notice has been corrected
		got = w.learned(o)
		w.measure()
	}
	if o.localBad && o.segKind != 0 {
		w.measure()
	}
	if got != want {
		fail("stepped %v, fast %v", got, want)
	}
	w.moved(o, err, fail)
	if o.vpush && want == 0 {
		w.mailed(o)
		w.takeOut(o.to, 4, fail)
	}
	for _, i := range []int{o.node, o.to % pairNodes} {
		w.compare(i, fail)
	}
	if o.lock {
		for i := range pairNodes { // acquisition flags
			w.compare(i, fail)
		}
	}
	a, b := w.fast.nics[o.node].Window(o.win), w.slow.nics[o.node].Window(o.win)
	if a.Contflag() != b.Contflag() {
		fail("contflag %d, fast %d", b.Contflag(), a.Contflag())
	}
	if o.lock {
		w.locks(fail)
	}
	if f := o.flag; f > 0 && f <= martini.CompletionFlags && a.Flag(f) != b.Flag(f) {
		fail("completion flag %d, fast %d", b.Flag(f), a.Flag(f))
	}
	if w.ops%64 == 0 {
		w.counters(fail)
		for to := range pairNodes {
			w.takeOut(to, 0, fail)
		}
	}
}

// learned returns the issuer's last information on why the request was refused.
func (w *pair) learned(o *op) martini.Reason {
	n := w.m.nodes[o.node]
	for _, k := range n.known {
		if k.Window == o.win && k.Serial == n.serial[o.win] {
			return k.Reason
		}
	}
	return 0
}

// moved compares how much of a refused request has arrived.
func (w *pair) moved(o *op, err error, fail func(string, ...any)) {
	var r *martini.Refusal
	if !errors.As(err, &r) || o.lock || o.name == "special request" {
		return
	}
	n := w.m.nodes[o.node]
	for _, k := range n.known {
		if k.Window == o.win && k.Serial == n.serial[o.win] && uint64(r.Bytes)-k.Left != uint64(r.Moved) {
			fail("%d of %d bytes did not arrive, on the fast path %d did", k.Left, r.Bytes, r.Moved)
		}
	}
}

// measure records the counters: a request with a fault at either end counts under the reason that
// its issuer learned first, and may also count where the other one was found.
func (w *pair) measure() {
	w.each(func(i, r, k int, slow, fast uint64) { w.skew[i][r][k] = int64(slow) - int64(fast) })
}

func (w *pair) counters(fail func(string, ...any)) {
	w.each(func(i, r, k int, slow, fast uint64) {
		if int64(slow)-int64(fast) != w.skew[i][r][k] {
			fail("node %d, %v, counter %d: %d, fast %d, allowed difference %d", i, martini.Reason(r), k, slow, fast, w.skew[i][r][k])
		}
	})
	w.locks(fail)
	for i := range pairNodes {
		w.compare(i, fail)
		a := w.fast.f.Words(i, fabric.Control)
		b := w.slow.f.Words(i, fabric.Control)
		for k := range a {
			if a[k] != b[k] {
				fail("control word %d of node %d: %d, fast %d", k, i, b[k], a[k])
			}
		}
	}
}

// locks compares the lock tables.
func (w *pair) locks(fail func(string, ...any)) {
	type line struct {
		last     martini.Tenure
		number   uint32
		over     bool
		reserved int
	}
	for i := range pairNodes {
		for id := range martini.Locks {
			var a, b line
			a.last, a.number, a.over, a.reserved = w.fast.in[i].LockTable().State(id)
			b.last, b.number, b.over, b.reserved = w.slow.in[i].LockTable().State(id)
			if a != b {
				fail("lock %d of node %d: %+v, fast %+v", id, i, b, a)
			}
		}
	}
}

func (w *pair) each(f func(i, r, k int, slow, fast uint64)) {
	for i := range pairNodes {
		for r := range reasons {
			i1, a1 := w.slow.nics[i].Refused(martini.Reason(r))
			i2, a2 := w.fast.nics[i].Refused(martini.Reason(r))
			f(i, r, 0, i1, i2)
			f(i, r, 1, a1, a2)
		}
	}
}

func (w *pair) compare(i int, fail func(string, ...any)) {
	for k := range perNode {
		if a, b := w.fast.areas[i][k], w.slow.areas[i][k]; !bytes.Equal(a, b) {
			at := 0
			for a[at] == b[at] {
				at++
			}
			fail("area %d of node %d differs from byte %d on", k, i, at)
		}
	}
}

// churn withdraws an area and exposes it again.
func (w *pair) churn() {
	i := w.pick(pairNodes)
	var segs [2]martini.Segment
	for k, s := range []*side{&w.fast, &w.slow} {
		if err := s.nics[i].Conceal(w.segs[i][0]); err != nil {
			w.t.Fatal(err)
		}
		var err error
		if segs[k], err = s.nics[i].Expose(s.areas[i][0]); err != nil {
			w.t.Fatal(err)
		}
	}
	if segs[0] != segs[1] {
		w.t.Fatalf("segment %v, fast %v", segs[1], segs[0])
	}
	w.segs[i][0] = segs[0]
}

// write is one write to the AOTF area, often with a header.
func (w *pair) write() {
	from, to := w.pick(pairNodes), w.pick(pairNodes)
	if w.pick(4) == 0 {
		w.header(from, to)
	}
	address := uint32(to*pageBytes + w.pick(pageBytes))
	value := uint64(w.pick(1<<30)) << 13
	err := w.fast.nics[from].WriteAOTF(address, value)
	w.forget()
	if err := w.m.WriteAOTF(from, address, value); err != nil {
		w.t.Fatal(err)
	}
	if err := w.m.Run(stepLimit); err != nil {
		w.t.Fatal(err)
	}
	var want, got martini.Reason
	errors.As(err, &want)
	for _, r := range w.refused {
		got = r.Reason
	}
	if got != want {
		w.t.Fatalf("AOTF from %d at %#x: %v, fast %v", from, address, got, want)
	}
	w.compare(to, w.t.Fatalf)
}

func (w *pair) drive(ops int) {
	for w.ops < ops {
		switch w.pick(512) {
		case 0:
			w.churn()
		case 1:
			w.m.Flush(w.pick(pairNodes))
		case 2, 3, 4, 5, 6, 7, 8, 9, 10, 11:
			w.write()
		case 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23:
			w.batch()
		default:
			w.wires.drive()
		}
		o := w.draw()
		w.play(&o)
	}
	w.counters(func(s string, a ...any) { w.t.Fatalf(s, a...) })
	for _, name := range []string{"PUSH", "PULL", "VPUSH", "BOTF VPUSH", "several at once"} {
		if w.drawn[name] == 0 {
			w.t.Errorf("no %s among %d operations", name, w.ops)
		}
	}
	w.t.Logf("drawn: %v", w.drawn)
}

func TestSteppedAndFastAreOneNIC(t *testing.T) {
	ops := 200000
	if testing.Short() || raceDetector {
		ops = 10000
	}
	for i, o := range []Options{
		{}, {TLB: Geometry{2, 2}}, {TLB: Geometry{1, 1}, Timeout: 50}, {TLB: Host64, Direct: true},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(i), 1))
			newPair(t, o, rng.IntN).drive(ops / 4)
		})
	}
	t.Run("fall back", func(t *testing.T) {
		rng := rand.New(rand.NewPCG(9, 1))
		w := newPair(t, Options{}, rng.IntN)
		w.fallBack()
		w.drive(ops / 16)
		if steps, all := w.back.Clock(), w.m.Clock(); steps == 0 || steps > all/2 {
			t.Errorf("%d steps on the machine of the fast path, %d on the other", steps, all)
		}
	})
}

// FuzzSteppedAndFastAreOneNIC draws the operations from the fuzzer's bytes.
func FuzzSteppedAndFastAreOneNIC(f *testing.F) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 2))
		b := make([]byte, 2000)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		over := false
		w := newPair(t, Options{TLB: Geometry{2, 2}}, func(n int) int {
			v := 0
			for k := n - 1; k > 0; k >>= 8 {
				if len(b) == 0 {
					over = true
					return 0
				}
				v, b = v<<8|int(b[0]), b[1:]
			}
			return v % n
		})
		for !over && w.ops < 300 {
			if w.pick(8) == 0 {
				w.batch()
			}
			w.wires.drive()
			o := w.draw()
			w.play(&o)
		}
		w.counters(func(s string, a ...any) { t.Fatalf(s, a...) })
	})
}
