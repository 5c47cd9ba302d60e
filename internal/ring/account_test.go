package ring

import (
	"errors"
	"testing"
)

func newAccount() Account { return NewAccount(&linesOf(Memory(LineBytes))[0]) }

// An account returns what was recorded completely, or nothing.
func TestAccount(t *testing.T) {
	a := newAccount()
	if got, _, ok := a.Get(); !ok || got != (Tally{}) {
		t.Errorf("new: %+v, %v", got, ok)
	}
	want := Tally{3, 128, 77}
	a.Put(want)
	_, before, _ := a.Get()
	a.Put(want)
	if got, v, ok := a.Get(); !ok || got != want || v == before {
		t.Errorf("%+v, %v, version %d after %d", got, ok, v, before)
	}
	for i := range 5 {
		a.Put(want)
		a.line[i] ^= 2
		if _, _, ok := a.Get(); ok {
			t.Errorf("word %d overwritten: told all the same", i)
		}
	}
	a.Put(want)
	a.Open()
	if _, _, ok := a.Get(); ok {
		t.Error("opened: told all the same")
	}
}

// A ledger records changes, and records again what is requested again.
func TestLedger(t *testing.T) {
	a := newAccount()
	l := NewLedger(a)
	told := func(want Tally, now bool) {
		t.Helper()
		if got, _, ok := a.Get(); ok != now || ok && got != want {
			t.Errorf("%+v, %v; want %+v, %v", got, ok, want, now)
		}
	}
	l.Attest(Tally{1, 1, 1}, false)
	told(Tally{}, true)
	l.Change()
	told(Tally{}, false)
	l.Change()
	l.Attest(Tally{2, 2, 2}, false)
	told(Tally{2, 2, 2}, true)
	l.Attest(Tally{3, 3, 3}, false)
	told(Tally{2, 2, 2}, true)
	a.line[1] = 9 // overwritten
	l.Attest(Tally{2, 2, 2}, true)
	told(Tally{2, 2, 2}, true)
}

// Every kind of damage of a packet ring that its reader cannot detect is found, and no other state is taken
// for damage.
func TestAudit(t *testing.T) {
	l := Layout{Slots: 8, Bytes: 1024}
	for name, c := range map[string]struct {
		do   func(mem []Line, slots int)
		sent uint64 // recorded
		read int    // packets read before the damage
		want error
	}{
		"nothing":           {func([]Line, int) {}, 3, 3, nil},
		"not yet read":      {func([]Line, int) {}, 3, 1, nil},
		"not yet put down":  {func([]Line, int) {}, 2, 3, nil},
		"a lost line":       {func(mem []Line, _ int) { mem[2*slotLines][0] = 0 }, 3, 2, ErrLost},
		"another tag":       {func(mem []Line, _ int) { mem[2*slotLines][1] += 1 << 32 }, 3, -1, ErrHeads},
		"exported lines":    {func(mem []Line, slots int) { mem[slots*slotLines][0] = 1 }, 3, 3, ErrCounters},
		"exported position": {func(mem []Line, slots int) { mem[slots*slotLines][1] = 64 }, 3, 3, ErrCounters},
	} {
		mem := Memory(l.Size())
		w, r, a := NewWriter(mem, l, 0, 0), NewReader(mem, l, 0, 0), newAccount()
		for range 3 {
			w.Put([3]uint64{5 << 32, 6 << 32, 7}, make([]byte, 120))
		}
		sums := []uint64{0, 0, 0, w.ring.Sum()}
		a.Put(Tally{c.sent, 128 * c.sent, sums[c.sent]})
		read := func(n int) {
			var p Packet
			for range n {
				if ok, err := r.Poll(&p); !ok || err != nil {
					t.Fatal(ok, err)
				}
				r.Consume()
			}
		}
		if c.read < 0 {
			c.do(linesOf(mem), l.Slots)
			read(3)
		} else {
			read(c.read)
			c.do(linesOf(mem), l.Slots)
		}
		if err := r.Audit(a); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// The same for a shared ring, also while a writer is active.
func TestSharedAudit(t *testing.T) {
	l := SharedLayout{Lines: 64}
	const first = 2 * guardBytes / LineBytes
	for name, c := range map[string]struct {
		do   func(mem []Line, accounts []Account)
		read bool // before the damage
		want error
	}{
		"nothing":               {func([]Line, []Account) {}, true, nil},
		"a lost line":           {func(mem []Line, _ []Account) { mem[first][0] = 0 }, false, ErrLost},
		"lost, but one sends":   {func(mem []Line, a []Account) { mem[first][0] = 0; a[0].Open() }, false, nil},
		"another source's":      {func(_ []Line, a []Account) { a[1].Put(Tally{1, 0, 9}) }, true, ErrHeads},
		"release pointer":       {func(mem []Line, _ []Account) { mem[guardBytes/LineBytes][0]++ }, true, ErrCounters},
		"receive pointer":       {func(mem []Line, _ []Account) { mem[0][0] += 3 }, true, ErrPointers},
		"far receive pointer":   {func(mem []Line, _ []Account) { mem[0][0] += 1 << 40 }, true, ErrPointers},
		"receive pointer back":  {func(mem []Line, _ []Account) { mem[0][0]-- }, true, ErrPointers},
		"an impossible holder":  {func(mem []Line, _ []Account) { mem[0][1] = 99 }, true, ErrPointers},
		"a holder that is idle": {func(mem []Line, _ []Account) { mem[0][1] = 2 }, true, ErrPointers},
		"a holder that sends":   {func(mem []Line, a []Account) { mem[0][1] = 2; a[1].Open() }, true, nil},
	} {
		mem := Memory(l.Size())
		w, r := NewSharedWriter(mem, l), NewSharedReader(mem, l, 2)
		accounts := []Account{newAccount(), newAccount()}
		for source := range accounts {
			var sent Tally
			if ok, err := w.Put(source, &[3]uint64{5 << 32, 6 << 32, 7}, make([]byte, 50), &sent); !ok || err != nil {
				t.Fatal(ok, err)
			}
			accounts[source].Put(sent)
		}
		var p Packet
		for c.read && r.Ready() {
			if ok, err := r.Poll(&p); !ok || err != nil {
				t.Fatal(ok, err)
			}
			r.Consume()
		}
		c.do(linesOf(mem), accounts)
		if _, err := r.Audit(func(i int) Account { return accounts[i] }); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// Apparent damage is not reported if a writer is active between two checks.
func TestSharedAuditOfAWriterAtWork(t *testing.T) {
	l := SharedLayout{Lines: 64}
	const first = 2 * guardBytes / LineBytes
	for name, c := range map[string]struct {
		read    bool
		damage  func(mem []Line)
		at      int // the check of an account during which do is called
		do      func(mem []Line, a Account)
		without error
	}{
		"sums": {
			true, func(mem []Line) {}, 1, func(mem []Line, a Account) { mem[0][frontHolder] = 1 }, ErrHeads,
		},
		"a gap": {
			false, func(mem []Line) { mem[first][0] = 0 }, 2, func(_ []Line, a Account) { a.Put(Tally{Lines: 9}) }, ErrLost,
		},
		"a holder": {
			true, func(mem []Line) { mem[0][frontHolder] = 1 }, 2, func(_ []Line, a Account) { a.Put(Tally{Lines: 9}) }, ErrPointers,
		},
	} {
		for _, want := range []error{nil, c.without} {
			mem := Memory(l.Size())
			w, r, a := NewSharedWriter(mem, l), NewSharedReader(mem, l, 1), newAccount()
			var sent Tally
			if ok, err := w.Put(0, &[3]uint64{5 << 32, 6 << 32, 7}, nil, &sent); !ok || err != nil {
				t.Fatal(ok, err)
			}
			if c.without == ErrHeads {
				sent.Sum++
			}
			a.Put(sent)
			var p Packet
			if c.read {
				if ok, err := r.Poll(&p); !ok || err != nil {
					t.Fatal(ok, err)
				}
				r.Consume()
			}
			c.damage(linesOf(mem))
			looks := 0
			_, err := r.Audit(func(int) Account {
				if looks++; looks == c.at && want == nil {
					c.do(linesOf(mem), a)
				}
				return a
			})
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}
	}
}

// Both sides count the lines that are skipped at the end of a shared ring.
func TestSharedAuditAfterTheEnd(t *testing.T) {
	l := SharedLayout{Lines: 64}
	mem := Memory(l.Size())
	w, r, a := NewSharedWriter(mem, l), NewSharedReader(mem, l, 1), newAccount()
	var sent Tally
	var p Packet
	for sent.Lines <= uint64(l.Lines) {
		if ok, err := w.Put(0, &[3]uint64{5 << 32, 6 << 32, 7}, make([]byte, 2*LineBytes), &sent); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if ok, err := r.Poll(&p); !ok || err != nil {
			t.Fatal(ok, err)
		}
		r.Consume()
		a.Put(sent)
		if _, err := r.Audit(func(int) Account { return a }); err != nil {
			t.Fatalf("after %d lines: %v", sent.Lines, err)
		}
	}
	if sent.Lines%3 == 0 {
		t.Fatal("no line was skipped")
	}
}

// A writer does not wait for room because of pointers that cannot be right.
func TestImpossiblePointers(t *testing.T) {
	l := SharedLayout{Lines: 64}
	for word := range 2 {
		mem := Memory(l.Size())
		w := NewSharedWriter(mem, l)
		linesOf(mem)[word*guardBytes/LineBytes][0] = 1 << 50
		if ok, err := w.Put(0, new([3]uint64), nil, new(Tally)); ok || !errors.Is(err, ErrPointers) {
			t.Errorf("pointer %d: %v, %v", word, ok, err)
		}
	}
}
