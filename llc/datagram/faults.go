package datagram

import (
	"fmt"
	"math/rand/v2"
)

// Faults are the percentages of a rank's datagrams that have each fault. They are chosen by a generator with
// the rank's number as its seed.
type Faults struct {
	Lost    int
	Doubled int
	Damaged int // one bit is wrong
	Late    int // delivered after the next datagram to the same peer
}

// Key is the setting by which users choose faults, and Levels are its values.
const Key = "faults"

// Levels returns the values that users can choose.
func Levels() []string { return []string{"none", "some", "many"} }

// Level returns the faults of a level; "" is the first.
func Level(name string) (Faults, error) {
	switch name {
	case "", "none":
		return Faults{}, nil
	case "some":
		return Faults{1, 1, 1, 1}, nil
	case "many":
		return Faults{10, 5, 5, 10}, nil
	}
	return Faults{}, fmt.Errorf("datagram: no faults %q; there is %v", name, Levels())
}

// A faulty is a Service with faults.
type faulty struct {
	Service
	faults Faults
	rng    *rand.Rand
	late   [][]byte // by peer: the datagram that the next one overtakes; empty: none
	bad    []byte
}

func newFaulty(s Service, f Faults, rank, peers int) *faulty {
	w := &faulty{Service: s, faults: f, rng: rand.New(rand.NewPCG(uint64(rank), 0xfa017)), late: make([][]byte, peers), bad: make([]byte, 0, MaxDatagram)}
	for i := range w.late {
		w.late[i] = make([]byte, 0, MaxDatagram)
	}
	return w
}

func (w *faulty) chance(percent int) bool { return percent > 0 && w.rng.IntN(100) < percent }

// Send sends a datagram, with faults.
func (w *faulty) Send(peer int, b []byte) {
	held := w.late[peer]
	switch {
	case w.chance(w.faults.Lost):
		return
	case len(held) == 0 && w.chance(w.faults.Late):
		w.late[peer] = append(held, b...)
		return
	case w.chance(w.faults.Damaged):
		w.bad = append(w.bad[:0], b...)
		w.bad[w.rng.IntN(len(b))] ^= 1 << w.rng.IntN(8)
		b = w.bad
	}
	w.Service.Send(peer, b)
	if w.chance(w.faults.Doubled) {
		w.Service.Send(peer, b)
	}
	if len(held) > 0 {
		w.Service.Send(peer, held)
		w.late[peer] = held[:0]
	}
}
