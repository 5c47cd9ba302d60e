package timed

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/llc/ir"
	"rhinet/nicemu/cenju4/media"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/timed"
	"rhinet/nicemu/vtime"
)

// switches opens the translators of a network that multicasts, and returns their Switches with them.
func switches(t *testing.T, peers int) (ts []*Translator, all []ir.Switch) {
	t.Helper()
	f := job(t, peers, true, func(k *vtime.Kernel) (medium.Model, error) {
		return media.New(k, peers, media.Parameters())
	})
	for i := range peers {
		tr, err := Open(f, i, martini.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, tr)
		all = append(all, ir.AbilitiesOf(tr.limited()).Switch)
	}
	return ts, all
}

// TestSets: all members have what a member multicasts when they have met, and no other peer has it.
func TestSets(t *testing.T) {
	ts, all := switches(t, 3)
	n, err := all[2].ReserveSet([]int{2, 0})
	if err == nil {
		err = all[0].JoinSet(n, []int{2, 0})
	}
	if err != nil {
		t.Fatal(err)
	}
	long := bytes.Repeat([]byte("long"), timed.MaxPacket/4+2) // more than a packet
	if err := errors.Join(all[0].Multicast(n, 64, long), all[2].Meet(n), all[0].Meet(n)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []int{0, 2} {
		for all[p].Met(n) == 0 {
			var ev ir.Event
			if ts[p].Poll(&ev) {
				t.Fatalf("peer %d: %+v", p, ev)
			}
		}
		if got := all[p].SetArea(n)[64:][:len(long)]; !bytes.Equal(got, long) {
			t.Errorf("peer %d has %q", p, got[:8])
		}
	}
	for name, err := range map[string]error{
		"joined twice":    all[0].JoinSet(n, []int{0, 2}),
		"no such number":  all[1].JoinSet(1<<10, []int{1}),
		"number -1":       all[1].JoinSet(-1, []int{1}),
		"no such peer":    all[1].JoinSet(n+1, []int{1, 3}),
		"not a member":    all[1].JoinSet(n+1, []int{0, 2}),
		"never joined":    all[1].LeaveSet(n, true),
		"beyond the area": all[0].Multicast(n, setBytes-8, make([]byte, 9)),
		"before it":       all[0].Multicast(n, -8, make([]byte, 8)),
		"not at 8 bytes":  all[0].Multicast(n, 4, make([]byte, 8)),
		"in no set":       all[1].Multicast(n, 0, make([]byte, 8)),
		"met in no set":   all[1].Meet(n),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if err := errors.Join(all[0].LeaveSet(n, false), all[2].LeaveSet(n, true)); err != nil {
		t.Error(err)
	}
	if again, err := all[1].ReserveSet([]int{1, 0}); again != n || err != nil {
		t.Errorf("set %d, %v", again, err)
	}
	if number, err := all[1].ReserveSet([]int{5}); err == nil {
		t.Errorf("set %d of a peer that is none", number)
	}
}

// TestForgedSpread: a packet to a set of which this peer is no member, from a peer that is none, or to an
// impossible place, is dropped.
func TestForgedSpread(t *testing.T) {
	ts, all := switches(t, 3)
	n, err := all[0].ReserveSet([]int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	tr := ts[0]
	for _, m := range []timed.Message{
		{Peer: 2, Head: [3]uint64{uint64(n), 0}}, {Peer: 1, Head: [3]uint64{uint64(n) + 1, 0}}, {Peer: 1, Head: [3]uint64{1 << 63, 0}}, {Peer: 1, Head: [3]uint64{uint64(n), setBytes + 1}},
	} {
		m.Kind, m.Data = timed.Spread, []byte("forged")
		tr.spread(&m)
		tr.meet(&timed.Message{Kind: timed.Met, Head: [3]uint64{m.Head[0] + 1}})
	}
	if area := all[0].SetArea(n); !bytes.Equal(area, make([]byte, setBytes)) || all[0].Met(n) != 0 {
		t.Error("what is forged has come")
	}
	m := timed.Message{Peer: 1, Head: [3]uint64{uint64(n), setBytes - 2}, Data: []byte("cut")}
	if tr.spread(&m); string(all[0].SetArea(n)[setBytes-2:]) != "cu" {
		t.Error("what reaches beyond the area is not cut")
	}
}
