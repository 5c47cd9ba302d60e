package port

import (
	"sync"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/nictest"
)

// spareOf returns n spares.
func spareOf(n int) *Spares {
	s := new(Spares)
	for range n {
		r := new(llc.Request)
		s.Put(r, r)
	}
	return s
}

// count empties s as Get does, and reports how many there were.
func count(s *Spares) (n int) {
	for s.Get() != nil {
		n++
	}
	return n
}

// TestSpares: what is given back, in lists too, is taken once.
func TestSpares(t *testing.T) {
	s := spareOf(3)
	a, b := new(llc.Request), new(llc.Request)
	a.Link = b
	s.Put(a, b)
	if r := s.take(); r != a || s.take() != b {
		t.Fatal("what was given back last is not taken first")
	}
	s.Put(a, a)
	s.Put(b, b)
	if n := count(s); n != 2 {
		t.Errorf("%d have been given back and not been taken, want 2", n)
	}
	for range 3 {
		if s.take() == nil {
			t.Error("one is missing")
		}
	}
	if s.take() != nil || s.Get() != nil {
		t.Error("there is one too many")
	}
}

// TestSparesOfMany: nothing is lost or taken twice if goroutines take and give back at the same time.
func TestSparesOfMany(t *testing.T) {
	const n, rounds = 8, 2000
	s := spareOf(n)
	for range n { // one that the port has taken, to be taken by others
		r := new(llc.Request)
		r.Link, s.free = s.free, r
	}
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for range rounds {
				get := s.Get
				if i == 0 { // the port
					get = s.take
				}
				if r := get(); r != nil {
					if r.Tag++; r.Tag != 1 {
						t.Error("a request was taken twice")
					}
					r.Tag--
					s.Put(r, r)
				}
			}
		})
	}
	wg.Wait()
	left := count(s)
	for r := s.take(); r != nil; r = s.take() {
		left++
	}
	if left != 2*n {
		t.Errorf("%d are left of %d", left, 2*n)
	}
}

// TestIsendAndIrecv: messages of all sizes find their receives in order; sends of one line that find room are
// complete; without spares, and on a closed port, nothing happens.
func TestIsendAndIrecv(t *testing.T) {
	ps := open(t, 2)
	caps := nictest.DefaultCaps()
	spares := [2]*Spares{spareOf(2), spareOf(2)}
	acquaint(t, ps)
	if r, gone := ps[0].Isend(spares[0], 0, 1, 1, payload(1, 8)); r == nil || !gone || !r.Done() {
		t.Errorf("a line that finds room is not complete: %+v, %v", r, gone)
	}
	recv(t, ps[1], 0, 0, 1, payload(1, 8))
	for _, n := range []int{0, 8, ir.Short, ir.Short + 1, caps.Fragment, 2*caps.Fragment + 1, caps.Eager, caps.Eager + 1} {
		both(t, ps, func(p *Port, self int) {
			for i := range 40 { // more than a ring has room for
				if self == 0 {
					if r, gone := p.Isend(spares[0], 0, 1, i, payload(i, n)); !gone {
						p.Wait(r)
						spares[0].Put(r, r)
					} else {
						spares[0].Put(r, r)
					}
					continue
				}
				buf := make([]byte, n)
				r := p.Irecv(spares[1], 0, 0, i, buf)
				if p.Wait(r); r.Status != (llc.Status{Tag: i, Bytes: int64(n)}) || string(buf) != string(payload(i, n)) {
					t.Errorf("message %d of %d bytes: %+v", i, n, r.Status)
				}
				spares[1].Put(r, r)
			}
		})
	}
	if r, _ := ps[0].Isend(new(Spares), 0, 1, 1, nil); r != nil || ps[0].Irecv(new(Spares), 0, 1, 1, nil) != nil {
		t.Error("a request comes from nowhere")
	}
	ps[0].Close()
	if r, _ := ps[0].Isend(spareOf(1), 0, 1, 1, nil); r != nil || ps[0].Irecv(spareOf(1), 0, 1, 1, nil) != nil {
		t.Error("a closed port begins a transfer")
	}
}
