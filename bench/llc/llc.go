// Package llc measures the low-level communication library alone: messages from engine to engine through a
// port and its NIC, without package mpi. In comparison with the same tests of the NIC and of MPI, this
// shows the cost of each layer.
package llc

import (
	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/internal/wait"
	engine "rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/martini"
	"rhinet/llc/port"
	nic "rhinet/nicemu/martini"
)

// largest is the longest message, in bytes.
const largest = 4 << 20

// Workloads returns all workloads.
func Workloads() []pair.Workload {
	sizes := append([]int{0}, bench.Powers(1, largest)...)
	one := func(name, about string, burst bool, t bench.Test) pair.Workload {
		t.Name, t.Sizes, t.Max, t.Unit, t.Moves, t.Half = "llc-"+name, sizes, largest, 1, 1, burst
		return pair.Workload{Name: name, About: about, Processes: 2, Tests: []bench.Test{t}, Open: open(burst)}
	}
	return []pair.Workload{
		one("pingpong", "one-way time of a message between two engines", false, bench.Test{Scale: 0.5}),
		one("burst", "messages of one engine to another, one after the other", true, bench.Test{Scale: 1}),
	}
}

// Find returns the workload of a name, or an error that lists the names.
func Find(name string) (pair.Workload, error) {
	return pair.Find(Workloads(), "measurement of llc", name)
}

// tag is the tag of all messages.
const tag = 1

// endpoint is the NIC without the control words that the two processes use to measure together.
type endpoint struct{ *martini.Translator }

func (e endpoint) Caps() ir.Caps {
	c := e.Translator.Caps()
	c.Words -= pair.Reserved
	return c
}

// A side is one of the two engines.
type side struct {
	*port.Port
	rank  int
	burst bool
	out   []byte // send buffer; as in the suite, different from
	in    []byte // the receive buffer
}

// open opens a side that either sends and receives in turn, or does only one of them.
func open(burst bool) func(e *pair.End) (pair.Side, error) {
	return func(e *pair.End) (pair.Side, error) {
		t, err := martini.Open(e.F, e.Rank, nic.Options{})
		if err != nil {
			return nil, err
		}
		p := port.New(port.Config{NIC: endpoint{t}, Policy: wait.For(2, wait.UsableCPUs(), !e.F.Shared())})
		return &side{p, e.Rank, burst, make([]byte, largest), make([]byte, largest)}, nil
	}
}

// Run sends and receives in turn, or does only one of them.
func (s *side) Run(_, bytes, reps int) error {
	send := func() error { return s.Send(0, 1-s.rank, tag, engine.Standard, s.out[:bytes]) }
	receive := func() error {
		_, err := s.Recv(0, 1-s.rank, tag, s.in[:bytes])
		return err
	}
	first, second := send, receive
	if s.rank != 0 {
		first, second = receive, send
	}
	for range reps {
		if err := first(); err != nil {
			return err
		}
		if s.burst {
			continue
		}
		if err := second(); err != nil {
			return err
		}
	}
	return nil
}
