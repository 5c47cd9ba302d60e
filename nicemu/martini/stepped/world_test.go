package stepped

import (
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

const stepLimit = 200000

// A world is a job of nodes with one exposed area each.
type world struct {
	t       testing.TB
	f       *fabric.Fabric
	boss    *martini.Manager
	nics    []*martini.NIC
	m       *Machine
	areas   [][]byte // begin on pages
	seg     []martini.Segment
	refused []Refused
}

// pages returns n whole pages.
func pages(n int) []byte {
	b := make([]byte, (n+1)*pageBytes)
	off := int(-fabric.Address(b) % pageBytes)
	return b[off : off+n*pageBytes : off+n*pageBytes]
}

func openNICs(t testing.TB, ranks int, o ...martini.Options) (*fabric.Fabric, *martini.Manager, []*martini.NIC) {
	t.Helper()
	f, err := fabric.Heap(ranks, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	boss, err := martini.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	var nics []*martini.NIC
	for i := range ranks {
		var opt martini.Options
		if i < len(o) {
			opt = o[i]
		}
		if opt.Job != 0 {
			must(t, boss.Admit(i, opt.Job))
		}
		n, err := martini.Open(f, i, opt)
		if err != nil {
			t.Fatal(err)
		}
		nics = append(nics, n)
		t.Cleanup(func() { _ = n.Close() })
	}
	return f, boss, nics
}

// must fails the test on an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// inside returns the hardware of a NIC.
func (w *world) inside(i int) *martini.Hardware { return w.m.nodes[i].nic }

func newWorld(t testing.TB, ranks, areaPages int, o Options, nicOptions ...martini.Options) *world {
	t.Helper()
	w := &world{t: t}
	w.f, w.boss, w.nics = openNICs(t, ranks, nicOptions...)
	told := o.Refused
	o.Refused = func(node int, r Refused) {
		w.refused = append(w.refused, r)
		if told != nil {
			told(node, r)
		}
	}
	m, err := New(w.boss, w.nics, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	w.m = m
	for i, n := range w.nics {
		b := pages(areaPages)
		s, err := n.Expose(b)
		if err != nil {
			t.Fatal(err)
		}
		fill(b, byte(i*31))
		w.areas, w.seg = append(w.areas, b), append(w.seg, s)
	}
	return w
}

func fill(b []byte, seed byte) {
	for i := range b {
		b[i] = byte(i)*7 + byte(i>>8) + seed
	}
}

func (w *world) run() {
	w.t.Helper()
	if err := w.m.Run(stepLimit); err != nil {
		w.t.Fatal(err)
	}
}

// must runs the machine after a kick without an error.
func (w *world) must(serial uint64, err error) uint64 {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.run()
	return serial
}

// last returns the one refusal since the last call, or 0.
func (w *world) last() martini.Reason {
	w.t.Helper()
	if len(w.refused) > 1 {
		w.t.Fatalf("refused %d times: %v", len(w.refused), w.refused)
	}
	if len(w.refused) == 0 {
		return 0
	}
	r := w.refused[0]
	w.refused = w.refused[:0]
	return r.Reason
}

func addr(b []byte) uint64 { return fabric.Address(b) }
