package colltest_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"rhinet/collectives"
	"rhinet/collectives/colltest"
)

func open(m colltest.Memory) colltest.Open {
	return func(_ testing.TB, n int) []collectives.Transport {
		return colltest.NewWorld(n, m).Transports()
	}
}

func TestSynchronous(t *testing.T) { colltest.Run(t, open(colltest.Memory{})) }

func TestEager(t *testing.T) { colltest.Run(t, open(colltest.Memory{Eager: true})) }

func TestSwitch(t *testing.T) {
	colltest.Run(t, open(colltest.Memory{SwitchBytes: 200}), 1, 2, 3, 5)
	colltest.Run(t, open(colltest.Memory{SwitchBytes: 8, ExchangeBytes: 16}), 4)
}

// TestSwitchServes: rows of the network's switches serve calls that fit, in several
// parts if necessary, and the table serves the others.
func TestSwitchServes(t *testing.T) {
	force := map[string]string{"barrier": "synchronization", "bcast": "multicast", "allgather": "multicast"}
	g, err := collectives.New(colltest.NewWorld(2, colltest.Memory{SwitchBytes: 64}).Transports()[0], collectives.Options{Force: force})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind  collectives.Kind
		bytes int
		want  bool
	}{
		{collectives.Barrier, 0, true}, {collectives.Bcast, 0, false}, {collectives.Bcast, 1000, true}, {collectives.Bcast, 1 << 20, true},
		{collectives.Bcast, 1<<20 + 1, false}, {collectives.Allgather, 64, true}, {collectives.Allgather, 65, false},
	} {
		if name := g.Choice(c.kind, c.bytes); (name == force[c.kind.String()]) != c.want {
			t.Errorf("%v of %d bytes is by %s", c.kind, c.bytes, name)
		}
	}
}

func TestExchange(t *testing.T) { colltest.Run(t, open(colltest.Memory{ExchangeBytes: 200})) }

func TestFewSlots(t *testing.T) {
	colltest.Run(t, open(colltest.Memory{Slots: collectives.MinSlots}))
}

// Different lengths are an error where the message arrives, and no rank hangs.
func TestLengthsDiffer(t *testing.T) {
	for _, m := range []colltest.Memory{{}, {Eager: true}} {
		errs := eachRank(colltest.NewWorld(4, m).Transports(), func(g *collectives.Group) error {
			n := 8
			if g.Rank() == 0 {
				n = 16
			}
			return g.Bcast(make([]byte, n), 0)
		})
		if errs[0] != nil || errs[1] == nil || errs[2] == nil || errs[3] != nil {
			t.Errorf("%+v: errors %v", m, errs) // rank 3 receives from rank 2
		}
	}
}

// A message that was not received, because a transfer failed, is not received by a
// later call.
func TestStrayMessage(t *testing.T) {
	ts := colltest.NewWorld(2, colltest.Memory{Eager: true}).Transports()
	ts[0] = &deaf{Transport: ts[0]}
	// Rank 0 has broadcast, and may be ahead; rank 1 is in another exchange.
	y := colltest.NewWorld(2, colltest.Memory{ExchangeBytes: 8}).Transports()
	for range 3 {
		if err := y[0].(collectives.Exchange).Exchange(collectives.FromRoot, 0, []byte{1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := []byte{0}
	if err := y[1].(collectives.Exchange).Exchange(collectives.FromRoot, 0, nil, got); err != nil || got[0] != 1 {
		t.Errorf("from a root that is ahead: %v, %v", got, err)
	}
	if err := y[1].(collectives.Exchange).Exchange(collectives.ToRoot, 0, got, nil); err == nil {
		t.Error("another flow: no error")
	}
	if err := y[1].(collectives.Exchange).Exchange(collectives.FromRoot, 0, nil, []byte{}); err == nil {
		t.Error("another length: no error")
	}
	errs := eachRank(ts, func(g *collectives.Group) error {
		err := g.Bcast([]byte{1}, 1)
		if (err != nil) != (g.Rank() == 0) {
			return fmt.Errorf("first call: %v", err)
		}
		got := []byte{byte(2 * g.Rank())}
		if err := g.Bcast(got, 1); err != nil || got[0] != 2 {
			return fmt.Errorf("second call: %v, %v", got, err)
		}
		return nil
	})
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// A deaf is a transport that cannot start its first receive.
type deaf struct {
	collectives.Transport
	heard bool
}

func (d *deaf) Irecv(slot int, buf []byte, src, tag int) error {
	if !d.heard {
		d.heard = true
		return errors.New("deaf")
	}
	return d.Transport.Irecv(slot, buf, src, tag)
}

// The world refuses calls that break the contract.
func TestMisuse(t *testing.T) {
	ts := colltest.NewWorld(2, colltest.Memory{ExchangeBytes: 8}).Transports()
	if err := ts[0].Irecv(0, nil, 1, 5); err != nil {
		t.Fatal(err)
	}
	for name, err := range map[string]error{
		"slot in use":  ts[0].Irecv(0, nil, 1, 5),
		"self":         ts[0].Isend(1, nil, 0, 5),
		"tag":          ts[0].Isend(1, nil, 1, collectives.MaxTag+1),
		"long":         ts[0].(collectives.Exchange).Exchange(collectives.AllToAll, 0, make([]byte, 9), make([]byte, 18)),
		"short result": ts[0].(collectives.Exchange).Exchange(collectives.AllToAll, 0, make([]byte, 8), make([]byte, 8)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	x := colltest.NewWorld(2, colltest.Memory{ExchangeBytes: 8}).Transports()[0].(collectives.Exchange)
	if err := x.ExchangeStart(collectives.AllToAll, 0, nil, nil); err != nil {
		t.Fatal(err)
	}
	if done, err := x.ExchangeTest(); done || err != nil {
		t.Errorf("an exchange of one rank alone: %t, %v", done, err)
	}
	if err := x.ExchangeStart(collectives.AllToAll, 0, nil, nil); err == nil {
		t.Error("an exchange within another: no error")
	}
	// Rank 0 has broadcast, and may be ahead; rank 1 is in another exchange.
	y := colltest.NewWorld(2, colltest.Memory{ExchangeBytes: 8}).Transports()
	for range 3 {
		if err := y[0].(collectives.Exchange).Exchange(collectives.FromRoot, 0, []byte{1}, nil); err != nil {
			t.Fatal(err)
		}
	}
	got := []byte{0}
	if err := y[1].(collectives.Exchange).Exchange(collectives.FromRoot, 0, nil, got); err != nil || got[0] != 1 {
		t.Errorf("from a root that is ahead: %v, %v", got, err)
	}
	if err := y[1].(collectives.Exchange).Exchange(collectives.ToRoot, 0, got, nil); err == nil {
		t.Error("another flow: no error")
	}
	if err := y[1].(collectives.Exchange).Exchange(collectives.FromRoot, 0, nil, []byte{}); err == nil {
		t.Error("another length: no error")
	}
	errs := eachRank(ts, func(g *collectives.Group) error {
		return g.Allgather(make([]byte, 1+g.Rank()), make([]byte, 2+2*g.Rank()))
	})
	if errs[0] == nil || errs[1] == nil {
		t.Errorf("contributions of different lengths: %v", errs)
	}
}

func eachRank(ts []collectives.Transport, body func(*collectives.Group) error) []error {
	errs := make([]error, len(ts))
	var wg sync.WaitGroup
	for i, tr := range ts {
		wg.Go(func() {
			g, err := collectives.New(tr, collectives.Options{})
			if err == nil {
				err = body(g)
			}
			errs[i] = err
		})
	}
	wg.Wait()
	return errs
}
