package martini

import (
	"errors"
	"testing"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// TestAttest: what has been sent to packet rings and VPUSH rings is written to the accounts, and
// again where that was overwritten.
func TestAttest(t *testing.T) {
	n := open(t, 2)
	w := n[0].Window(0)
	c, err := n[0].Channel(w, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := w.Contflag()
	if err := c.Put(0, 0, &[3]uint64{1 << 32, 0, 7}, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if got := w.Contflag(); got != before+1 {
		t.Errorf("the contflag goes from %d to %d", before, got)
	}
	r, a := n[1].RingReader(0), n[1].Packets(1, 0)
	var p ring.Packet
	if ok, err := r.Poll(&p); !ok || err != nil || p.Head[2] != 7 || string(p.Data) != "x" {
		t.Fatalf("%v, %v, %+v", ok, err, p)
	}
	r.Consume()
	attested := func(again bool) bool {
		c.Attest(again)
		sent, _, ok := a.Get()
		return ok && sent == r.Tally() && sent.Lines == 1
	}
	if !attested(false) {
		t.Error("what a line carried is not put down")
	}
	n[1].f.Lines(1, fabric.Accounts)[0][1] = 99
	if attested(false) {
		t.Error("an account that was overwritten is told")
	}
	if !attested(true) {
		t.Error("what was overwritten is not put down again")
	}
}

// TestFlagsAreAudited: a node detects that one of its flags was overwritten.
func TestFlagsAreAudited(t *testing.T) {
	n := open(t, 2)
	p, err := n[0].FlagWriter(n[0].Next())
	if err == nil {
		err = errors.Join(p.Audit(), p.Raise(1, 3, 5, []byte("flag")), p.Audit())
	}
	if err != nil {
		t.Fatal(err)
	}
	for i := range ring.LineBytes / 8 {
		l := &n[1].Flags()[fabric.FlagFront*n[0].f.Ranks()*(fabric.FlagLines+fabric.FlagPlace(3))]
		l[i] ^= 1 << 40
		if err := p.Audit(); !errors.Is(err, fabric.ErrFlag) {
			t.Errorf("word %d: %v", i, err)
		}
		l[i] ^= 1 << 40
	}
}
