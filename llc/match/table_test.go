package match

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The reference: two plain lists that are scanned from the start.

type recv struct {
	entry    Receive[recv]
	ctx      uint16
	src, tag int32
	name     int
}

type mess struct {
	entry    Message[mess]
	ctx      uint16
	src, tag int32
	name     int
}

type reference struct {
	posted   []*recv
	messages []*mess
}

func accepts(r *recv, m *mess) bool {
	return r.ctx == m.ctx && (r.src == Any || r.src == m.src) && (r.tag == Any || r.tag == m.tag)
}

func (w *reference) arrive(m *mess) *recv {
	for i, r := range w.posted {
		if accepts(r, m) {
			w.posted = append(w.posted[:i:i], w.posted[i+1:]...)
			return r
		}
	}
	w.messages = append(w.messages, m)
	return nil
}

func (w *reference) find(r *recv) (*mess, int) {
	for i, m := range w.messages {
		if accepts(r, m) {
			return m, i
		}
	}
	return nil, -1
}

func (w *reference) post(r *recv) *mess {
	if m, i := w.find(r); m != nil {
		w.messages = append(w.messages[:i:i], w.messages[i+1:]...)
		return m
	}
	w.posted = append(w.posted, r)
	return nil
}

func (w *reference) drop(m *mess) {
	for i := range w.messages {
		if w.messages[i] == m {
			w.messages = append(w.messages[:i:i], w.messages[i+1:]...)
			return
		}
	}
}

func (w *reference) withdraw(r *recv) bool {
	for i := range w.posted {
		if w.posted[i] == r {
			w.posted = append(w.posted[:i:i], w.posted[i+1:]...)
			return true
		}
	}
	return false
}

// TestAgainstLinearScan compares the table with its reference on random operations:
// shallow and deep queues, few and many tags, wildcards in all places.
func TestAgainstLinearScan(t *testing.T) {
	appended := 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 7))
		peers, contexts := 1+rng.IntN(4), 1+rng.IntN(3)
		tags, factor := 1+rng.IntN(300), int32(1)<<rng.IntN(20)
		wild := rng.IntN(4)
		table, w := New[recv, mess](peers), &reference{}
		bias := rng.IntN(3) // 0: balanced, 1: more receives, 2: more messages
		if bias > 0 && rng.IntN(2) == 0 {
			tags = 1000 // long queues of different tags
		} else if seed%4 == 0 {
			tags, wild = 2, 0 // long rows
		}
		key := func(wildcards bool) (uint16, int32, int32) {
			src, tag := int32(rng.IntN(peers)), int32(rng.IntN(tags))*factor
			if wildcards && rng.IntN(4) < wild && rng.IntN(2) == 0 {
				src = Any
			}
			if wildcards && rng.IntN(4) < wild && rng.IntN(2) == 0 {
				tag = Any
			}
			return uint16(rng.IntN(contexts)), src, tag
		}
		rows := map[int32]*Row[recv, mess]{} // of tags of source 0 in context 0
		for i := range 2000 {
			turn := rng.IntN(12)
			if i/500%2 == 1 && bias > 0 { // drain
				turn = 11 - turn
			}
			switch {
			case turn < 4 && bias != 1 || turn < 2:
				m := &mess{name: i}
				m.ctx, m.src, m.tag = key(false)
				m.entry.Owner = m
				want := w.arrive(m)
				var got *recv
				if row := rows[m.tag]; row != nil && m.ctx == 0 && m.src == 0 && table.Head(row) != nil {
					got = table.Head(row).Owner
					table.Pop(row, &got.entry)
				} else {
					got, _ = table.Arrive(m.ctx, m.src, m.tag, 0)
				}
				if got == nil {
					table.Keep(&m.entry, m.ctx, m.src, m.tag)
				}
				compare(t, seed, i, "arrive", name(got), name(want))
				if got != nil && table.Withdraw(&got.entry) {
					t.Fatalf("seed %d: a receive that was taken waits", seed)
				}
			case turn < 8:
				r := &recv{name: i}
				r.ctx, r.src, r.tag = key(true)
				r.entry.Owner = r
				want := w.post(r)
				if r.ctx == 0 && r.src == 0 && i%2 == 0 {
					row := table.Row(0, 0, r.tag, 0)
					rows[r.tag] = &row
				}
				if row := rows[r.tag]; row != nil && r.ctx == 0 && r.src == 0 && table.Append(row, &r.entry) {
					compare(t, seed, i, "append", -1, mname(want))
					appended++
					continue
				}
				compare(t, seed, i, "post", mname(table.Post(&r.entry, r.ctx, r.src, r.tag)), mname(want))
			case turn < 10:
				r := &recv{}
				r.ctx, r.src, r.tag = key(true)
				want, _ := w.find(r)
				compare(t, seed, i, "find", mname(table.Find(r.ctx, r.src, r.tag)), mname(want))
				all, head := 0, (*mess)(nil)
				for _, m := range w.messages {
					if m.ctx == r.ctx && (r.src == Any || m.src == r.src) {
						if all++; head == nil {
							head = m
						}
					}
				}
				n, first := table.Waiting(r.ctx, r.src)
				compare(t, seed, i, "number", n, all)
				compare(t, seed, i, "first", mname(first), mname(head))
			case turn == 10 && len(w.posted) > 0:
				r := w.posted[rng.IntN(len(w.posted))]
				w.withdraw(r)
				if !table.Withdraw(&r.entry) || table.Withdraw(&r.entry) {
					t.Fatalf("seed %d: withdraw of a waiting receive", seed)
				}
			case turn == 11 && len(w.messages) > 0:
				m := w.messages[rng.IntN(len(w.messages))]
				w.drop(m)
				table.Drop(&m.entry)
			}
			if table.Posted() != len(w.posted) || table.Messages() != len(w.messages) {
				t.Fatalf("seed %d: %d posted, %d messages; want %d, %d", seed, table.Posted(), table.Messages(), len(w.posted), len(w.messages))
			}
		}
		visited := 0
		for src := int32(Any); src < int32(peers); src++ {
			table.Receives(src, func(r *recv) {
				visited++
				if r.src != src {
					t.Fatalf("receive from %d visited as from %d", r.src, src)
				}
				if !w.withdraw(r) || !table.Withdraw(&r.entry) {
					t.Fatal("a receive was visited that does not wait")
				}
			})
		}
		table.EachMessage(func(m *mess) {
			visited++
			w.drop(m)
			table.Drop(&m.entry)
		})
		if len(w.posted)+len(w.messages)+table.Posted()+table.Messages() != 0 {
			t.Fatalf("seed %d: not all visited (%d were)", seed, visited)
		}
	}
	if appended < 500 {
		t.Errorf("%d receives were posted in a row", appended)
	}
}

// TestRowEnds: a row is invalid once something else may decide which receive gets a message, and is not found
// where that is so.
func TestRowEnds(t *testing.T) {
	const ctx, src, tag = 2, 1, 5
	for name, end := range map[string]func(table *Table[recv, mess]){
		"a receive from anyone":  func(table *Table[recv, mess]) { table.Post(waits(), ctx, Any, tag) },
		"a receive for any tag":  func(table *Table[recv, mess]) { table.Post(waits(), ctx, src, Any) },
		"another use":            func(table *Table[recv, mess]) { table.Open(ctx, 1, 1) },
		"the end of the context": func(table *Table[recv, mess]) { table.Shut(ctx) },
	} {
		table := New[recv, mess](2)
		row := table.Row(ctx, src, tag, 0)
		first := waits()
		if !table.Append(&row, first) || table.Head(&row) != first {
			t.Fatalf("%s: nothing was appended to a new row", name)
		}
		table.Pop(&row, first)
		end(table)
		other := table.Row(ctx, src, tag, 0)
		for _, w := range []*Row[recv, mess]{&row, &other} {
			if table.Append(w, waits()) || table.Head(w) != nil {
				t.Errorf("%s: the row holds", name)
			}
		}
	}
}

// TestRowInTurn: a row posts nothing beside a message that waits, and no more than its queue has room for,
// and shows no receive for another tag.
func TestRowInTurn(t *testing.T) {
	table := New[recv, mess](1)
	row, other := table.Row(0, 0, 5, 0), table.Row(0, 0, 6, 0)
	m := &mess{}
	m.entry.Owner = m
	table.Keep(&m.entry, 0, 0, 6)
	if table.Append(&row, waits()) {
		t.Error("a receive was posted beside a message")
	}
	table.Drop(&m.entry)
	for i := range shallow {
		if !table.Append(&row, waits()) {
			t.Fatalf("receive %d of %d was not posted", i, shallow)
		}
	}
	if table.Append(&row, waits()) || table.Posted() != shallow {
		t.Errorf("%d receives wait in one line", table.Posted())
	}
	if table.Head(&other) != nil {
		t.Error("a receive for another tag is first")
	}
	table.Post(waits(), 0, 0, 5) // has it spread
	if table.Head(&row) != nil || table.Append(&row, waits()) {
		t.Error("the row holds after the queue was spread")
	}
}

// waits returns a new receive.
func waits() *Receive[recv] {
	r := &recv{}
	r.entry.Owner = r
	return &r.entry
}

func name(r *recv) int {
	if r == nil {
		return -1
	}
	return r.name
}

func mname(m *mess) int {
	if m == nil {
		return -1
	}
	return m.name
}

func compare(t *testing.T, seed uint64, i int, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Fatalf("seed %d, operation %d: %s gave %d, want %d", seed, i, what, got, want)
	}
}

// TestDeepQueues posts receives and sends their messages in reverse order, and
// the other way round: the number of entries looked at must not grow with the
// square of the depth.
func TestDeepQueues(t *testing.T) {
	const depth = 100000
	table := New[recv, mess](2)
	rs, ms := make([]recv, depth), make([]mess, depth)
	for i := range rs {
		rs[i].entry.Owner, ms[i].entry.Owner = &rs[i], &ms[i]
		table.Post(&rs[i].entry, 0, 1, int32(i)*64)
	}
	for i := depth - 1; i >= 0; i-- {
		if r, _ := table.Arrive(0, 1, int32(i)*64, 0); r != &rs[i] {
			t.Fatal("wrong receive")
		}
	}
	for i := range ms {
		table.Keep(&ms[i].entry, 0, 1, int32(i)*64)
	}
	for i := depth - 1; i >= 0; i-- {
		if table.Post(&rs[i].entry, 0, Any, int32(i)*64) != &ms[i] {
			t.Fatal("wrong message")
		}
	}
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	table := New[recv, mess](4)
	var r recv
	r.entry.Owner = &r
	var m mess
	m.entry.Owner = &m
	if n := testing.AllocsPerRun(100, func() {
		table.Post(&r.entry, 3, 1, 9)
		if got, _ := table.Arrive(3, 1, 9, 0); got != &r {
			t.Fatal("no match")
		}
		table.Keep(&m.entry, 3, 1, 9)
		if table.Post(&r.entry, 3, Any, Any) != &m {
			t.Fatal("no match")
		}
	}); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func BenchmarkExpected(b *testing.B) {
	for _, depth := range []int{0, 16, 10000} {
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			table := New[recv, mess](4)
			rs := make([]recv, depth+1)
			for i := range rs {
				rs[i].entry.Owner = &rs[i]
				if i > 0 {
					table.Post(&rs[i].entry, 3, 1, int32(i))
				}
			}
			for b.Loop() {
				table.Post(&rs[0].entry, 3, 1, 0)
				table.Arrive(3, 1, 0, 0)
			}
		})
	}
}
