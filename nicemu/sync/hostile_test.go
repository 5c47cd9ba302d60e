package sync

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/syncctl"
)

// memory returns everything of a node that another node can change by packets, except the counts of
// refusals.
func (n *NIC) memory() []byte {
	var all []byte
	for _, a := range []fabric.Area{fabric.Device, fabric.Shared, fabric.Rings} {
		all = append(all, n.f.Bytes(n.rank, a)...)
	}
	return append(all, n.f.Bytes(n.rank, fabric.Public)[publicSize:]...)
}

// TestHostileRequests: each request that a process may not make is refused for the right reason,
// counted where it is refused, and changes nothing.
func TestHostileRequests(t *testing.T) {
	end := uint64(mailboxBytes)
	at := func(at uint64) func(*NIC, *Way) error {
		return func(_ *NIC, w *Way) error { return w.Put(at, make([]byte, 8)) }
	}
	line := func(at uint64) func(*NIC, *Way) error {
		return func(_ *NIC, w *Way) error { return w.Line(at, new(ring.Line)) }
	}
	get := func(at uint64) func(*NIC, *Way) error {
		return func(_ *NIC, w *Way) error { _, err := w.Get(at); return err }
	}
	way := func(to int, b Buffer) func(*NIC, *Way) error {
		return func(n *NIC, _ *Way) error { _, err := n.Way(to, b); return err }
	}
	codes := func(sequence int, members []int, base uint64) func(*NIC, *Way) error {
		return func(n *NIC, _ *Way) error { _, err := n.Codes(sequence, members, base); return err }
	}
	for name, c := range map[string]struct {
		do   func(*NIC, *Way) error
		want Reason
	}{
		"put across the end":   {at(end - 7), Outside},
		"put beyond":           {at(end + 1), Outside},
		"put that wraps":       {at(1<<64 - 8), Outside},
		"line beyond":          {line(end / 64), Outside},
		"line that wraps":      {line(1 << 58), Outside},
		"credit across":        {get(end - 4), Outside},
		"credit beyond":        {get(1<<64 - 8), Outside},
		"half a word":          {get(4), Misaligned},
		"no node":              {way(4, Mailbox), NoNode},
		"node -1":              {way(-1, Mailbox), NoNode},
		"no buffer":            {way(3, numBuffers), NoBuffer},
		"buffer -1":            {way(3, -1), NoBuffer},
		"event to no node":     {func(n *NIC, _ *Way) error { _, err := n.SendEvent(&syncctl.Packet{Destination: 4}); return err }, NoNode},
		"no sequence":          {codes(Sequences, []int{0, 3}, 1), NoSequence},
		"sequence -1":          {codes(-1, []int{0, 3}, 1), NoSequence},
		"a node that is none":  {codes(0, []int{0, 4}, 1), NoNode},
		"members out of order": {codes(0, []int{3, 0}, 1), NoMember},
		"a member twice":       {codes(0, []int{0, 3, 3}, 1), NoMember},
		"without the own node": {codes(0, []int{1, 3}, 1), NoMember},
		"no members":           {codes(0, nil, 1), NoMember},
		"place 0":              {codes(0, []int{0, 3}, 0), PastPlace},
		"a place beyond all":   {codes(0, []int{0, 3}, 1<<63), PastPlace},
	} {
		_, goroutines := open(t, 4)
		for kind, n := range map[string][]*NIC{"goroutines": goroutines, "processes": mapped(t, 4)} {
			hostile, victim := n[0], n[3]
			w := hostile.testWay(t, 3, Mailbox)
			w.mem, w.lines = w.mem[:mailboxBytes:mailboxBytes], w.lines[:mailboxBytes/64]
			before := victim.memory()
			err := c.do(hostile, w)
			own, _ := hostile.Refused(c.want)
			_, arrived := victim.Refused(c.want)
			wantArrived := uint64(0)
			if c.want.Arrived() {
				wantArrived = 1
			}
			if !errors.Is(err, c.want) || own != 1 || arrived != wantArrived {
				t.Errorf("%s, %s: %v, counted %d and %d; want %v", kind, name, err, own, arrived, c.want)
			}
			if !bytes.Equal(before, victim.memory()) {
				t.Errorf("%s, %s: the victim's memory has changed", kind, name)
			}
		}
	}
}

// TestOtherJob: nothing reaches a node that the manager has moved to another job, whatever was
// looked up before.
func TestOtherJob(t *testing.T) {
	boss, n := open(t, 3)
	w := n[0].testWay(t, 2, ReceiveBuffers)
	boss.Join(2, boss.f.Job()+1)
	before := n[2].memory()
	for name, do := range map[string]func() error{
		"line":  func() error { return w.Line(0, &ring.Line{1}) },
		"put":   func() error { return w.Put(0, []byte{1}) },
		"get":   func() error { _, err := w.Get(0); return err },
		"way":   func() error { _, err := n[0].Way(2, Mailbox); return err },
		"event": func() error { _, err := n[0].SendEvent(&syncctl.Packet{Destination: 2}); return err },
		"codes": func() error { _, err := n[0].Codes(0, []int{0, 2}, 1); return err },
	} {
		if err := do(); !errors.Is(err, WrongJob) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, arrived := n[2].Refused(WrongJob); arrived != 6 {
		t.Errorf("%d refused", arrived)
	}
	if !bytes.Equal(before, n[2].memory()) {
		t.Error("the memory of another job has changed")
	}
	if err := n[0].testWay(t, 1, Mailbox).Put(0, []byte{1}); err != nil {
		t.Error("the own job:", err)
	}
}

// TestOverwrittenTable: an overwritten table of buffers gives no access.
func TestOverwrittenTable(t *testing.T) {
	for i, v := range map[int]uint64{entStart: 64, entSize: 1 << 40, entSeal: 5} {
		_, n := open(t, 2)
		n[1].own.entry(Mailbox)[i] = v
		if _, err := n[0].Way(1, Mailbox); !errors.Is(err, Overwritten) {
			t.Errorf("word %d: %v", i, err)
		}
		if _, err := n[0].Way(1, ReceiveBuffers); err != nil {
			t.Errorf("word %d, another buffer: %v", i, err)
		}
	}
	_, n := open(t, 2)
	clear(n[1].own.entry(Mailbox)[:])
	if _, err := n[0].Way(1, Mailbox); !errors.Is(err, NoBuffer) {
		t.Error(err)
	}
}

// TestTableOfAnotherNode: an entry that points to the tables of a third node, which others may not
// write, gives no access.
func TestTableOfAnotherNode(t *testing.T) {
	n := mapped(t, 3)
	at, size := n[1].f.Span(2, fabric.Device)
	e := n[1].own.entry(ReceiveBuffers)
	e[entStart], e[entSize], e[entSeal] = at, size, fabric.Seal(at, size, 1, uint64(ReceiveBuffers))
	if _, err := n[0].Way(1, ReceiveBuffers); !errors.Is(err, Overwritten) {
		t.Error(err)
	}
}

// TestNoiseInQueue: whatever others write over the event queue of a node, its reads end, and
// writers are refused or succeed.
func TestNoiseInQueue(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	met := map[Reason]int{}
	for range 1000 {
		_, n := open(t, 2)
		in := n[1].Events()
		send := func() {
			for range rng.IntN(4) {
				_, err := n[0].SendEvent(&syncctl.Packet{Destination: 1, Status: rng.Uint32()})
				var why Reason
				if err != nil && !errors.As(err, &why) {
					t.Fatal(err)
				}
				met[why]++
			}
		}
		send()
		words := n[1].f.Words(1, fabric.Shared)
		front := n[1].f.Geometry().Shared.Lines * 8
		for range rng.IntN(4) {
			words[[]int{rng.IntN(32), front + rng.IntN(len(words)-front), rng.IntN(len(words))}[rng.IntN(3)]] = rng.Uint64() >> rng.IntN(64)
		}
		send()
		var p ring.Packet
		for range 2 * n[1].f.Geometry().Shared.Lines {
			ok, err := in.Poll(&p)
			if err != nil || !ok {
				break
			}
			_ = ReadEvent(&p.Head)
			in.Consume()
		}
	}
	for _, why := range []Reason{0, QueueBroken} {
		if met[why] == 0 {
			t.Errorf("%v: %v", why, met)
		}
	}
}
