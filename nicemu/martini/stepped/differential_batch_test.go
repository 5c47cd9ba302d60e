package stepped

import (
	"errors"

	"rhinet/nicemu/martini"
)

// A stretch is memory that an operation reads or writes.
type stretch struct {
	node, area int
	from, to   uint64
	write      bool
}

// stretches returns the memory that an operation accesses unless it is refused.
func (o *op) stretches() (all []stretch) {
	add := func(node, area int, at uint64, write bool) {
		if end := at + uint64(o.size); o.size > 0 && end > at {
			all = append(all, stretch{node, area, at, end, write})
		}
	}
	pull := o.kind == martini.CommandPull && !o.botf || o.kind == martini.PacketPullRequest && o.botf
	if !o.botf || pull {
		add(o.node, o.local, uint64(o.loff), pull)
	}
	switch {
	case o.vpush:
	case o.name == "BOTF response":
		add(o.to, o.plainArea, o.plainAt, true)
	case o.segKind < 4:
		add(o.to, min(o.segKind, 2), o.off, !pull)
	}
	return all
}

// apart reports whether the result of two operations is independent of their order.
func apart(a, b *op) bool {
	if a.node == b.node && a.win == b.win || a.vpush && b.vpush && a.to == b.to && a.node != b.node {
		return false
	}
	for _, x := range a.stretches() {
		for _, y := range b.stretches() {
			if x.node == y.node && x.area == y.area && (x.write || y.write) && x.from < y.to && y.from < x.to {
				return false
			}
		}
	}
	return true
}

// batch kicks several operations, of several nodes and Windows, before the first of them has ended,
// and compares the state after all. On the fast path, where a request ends with its kick, they run
// one after the other; so they are drawn such that their order does not matter.
func (w *pair) batch() {
	var all []*op
	for range 2 + w.pick(7) {
		o := w.draw()
		ok := !o.lock && !o.localBad && !o.overlaps() && o.name != "lock packet" && o.name != "SWAP" && o.name != "special request"
		for _, other := range all {
			ok = ok && apart(&o, other)
		}
		if ok {
			all = append(all, &o)
		}
	}
	if len(all) < 2 {
		return
	}
	w.ops += len(all)
	w.drawn["several at once"]++
	fail := func(s string, a ...any) {
		w.t.Helper()
		w.t.Fatalf("operation %d, %v at once: "+s, append([]any{w.ops, all}, a...)...)
	}
	w.forget()
	errs := make([]error, len(all))
	for i, o := range all {
		w.drawn[o.name]++
		dw, value := o.prepare(&w.fast)
		errs[i] = w.fast.nics[o.node].Window(o.win).Write(dw, value)
		if o.vpush && errs[i] == nil {
			w.mailed(o)
		}
		dw, value = o.prepare(&w.slow)
		if _, err := w.m.Kick(o.node, o.win, dw, value); err != nil {
			fail("%v", err)
		}
		for range w.pick(40) {
			w.m.Step()
		}
	}
	if err := w.m.Run(stepLimit); err != nil {
		fail("%v", err)
	}
	for i, o := range all {
		w.ended(o, errs[i], fail)
	}
	for i := range pairNodes {
		w.compare(i, fail)
		w.takeOut(i, 0, fail)
	}
}

// ended compares the results of one operation of a batch.
func (w *pair) ended(o *op, err error, fail func(string, ...any)) {
	var want, got martini.Reason
	errors.As(err, &want)
	for i, r := range w.refused {
		if w.who[i] != o.node || r.Window != o.win {
			continue
		}
		if got != 0 {
			fail("%v is refused more than once", o)
		}
		got = r.Reason
	}
	if got != want {
		fail("%v: stepped %v, fast %v", o, got, want)
	}
	w.moved(o, err, fail)
	a, b := w.fast.nics[o.node].Window(o.win), w.slow.nics[o.node].Window(o.win)
	if a.Contflag() != b.Contflag() {
		fail("%v: contflag %d, fast %d", o, b.Contflag(), a.Contflag())
	}
	if f := o.flag; f > 0 && f <= martini.CompletionFlags && a.Flag(f) != b.Flag(f) {
		fail("%v: completion flag %d, fast %d", o, b.Flag(f), a.Flag(f))
	}
}
