package collectives

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// choose returns the row for a shape: the forced one if it can be used, else that of
// the first rule that applies, else the first one of the table whose range includes the
// shape.
func (g *Group) choose(s shape) *row {
	if g.size == 1 {
		return &alone
	}
	if r := g.forced[s.kind]; r != nil && g.usable(r, s) {
		return r
	}
	for _, p := range g.preferred {
		if p.row.kind == s.kind && p.where.holds(s.known(), g.size) && g.usable(p.row, s) {
			return p.row
		}
	}
	for i := range table {
		r := &table[i]
		if r.kind == s.kind && r.prefers(g.oversubscribed).holds(s.known(), g.size) && r.pays(s, g.size, g.oversubscribed) && g.usable(r, s) {
			return r
		}
	}
	panic("collectives: the table has no row without limits for " + s.kind.String())
}

// plain returns the row for a stage of an algorithm that knows hosts: the first row of
// the table that uses messages and does not regard hosts.
func (g *Group) plain(s shape, size int) *row {
	i := slices.IndexFunc(table, func(r row) bool {
		return r.kind == s.kind && r.exchange == nil && r.needs&(severalHosts|controllers) == 0 && r.prefers(g.oversubscribed).holds(s.bytes, size) && r.suits(s, size)
	})
	return &table[i]
}

// known is the size by which all ranks choose the same row: 0 if each rank knows only
// its own part.
func (s shape) known() int {
	switch s.kind {
	case Gatherv, Scatterv, Alltoallv:
		return 0
	}
	return s.bytes
}

// usable reports whether the row's requirements are met. It depends only on what is the
// same on all ranks.
func (g *Group) usable(r *row, s shape) bool {
	if r.exchange != nil {
		e, most := g.exchange, g.exchangeMax
		if r.needs&switched != 0 {
			e, most = g.switched, g.switchMax
		}
		n := r.exchange(s, g.size)
		if e == nil || s.prepared || n > most || n == 0 && s.kind != Barrier {
			return false
		}
	}
	if r.needs&controllers != 0 && (g.controller == nil || s.prepared && !s.once) {
		return false
	}
	if r.needs&severalHosts != 0 {
		m := g.hosts
		if m == nil || r.needs&consecutive != 0 && !m.consecutive || r.needs&ordered != 0 && !m.consecutive && !s.commutative {
			return false
		}
	}
	return r.suits(s, g.size)
}

// pays reports whether each rank's data in the row is short enough for an exchange of
// so many ranks. Messages go only to the ranks that have a part, while in an exchange
// each rank waits until all others have run.
func (r *row) pays(s shape, size int, oversubscribed bool) bool {
	return r.exchange == nil || r.exchange(s, size) <= exchanged(size, oversubscribed) && !(s.sparse && oversubscribed)
}

// exchanged returns up to how many bytes per rank an exchange is faster than messages.
func exchanged(size int, oversubscribed bool) int {
	if size > fewRanks && !oversubscribed {
		return exchangeLine
	}
	return math.MaxInt
}

// prefers returns the span in which the row is preferred.
func (r *row) prefers(oversubscribed bool) span {
	if oversubscribed {
		return r.oversubscribed
	}
	return r.normal
}

// suits reports whether a shape and a number of ranks meet the row's requirements.
func (r *row) suits(s shape, size int) bool {
	return (r.needs&powerOfTwo == 0 || size&(size-1) == 0) &&
		(r.needs&commutative == 0 || s.commutative)
}

// Algorithm names the algorithm that would serve the call.
func (g *Group) Algorithm(c Call) (string, error) {
	s, _, _, err := g.check(&c)
	if err != nil {
		return "", err
	}
	return g.choose(s).name, nil
}

// Choice names the algorithm that would serve calls of an operation with messages of a
// size as the table counts it: the bytes of the buffer, of one block, or of the largest
// part. Reductions are taken to commute.
func (g *Group) Choice(k Kind, bytes int) string {
	return g.choose(shape{kind: k, bytes: bytes, elem: 1, commutative: true}).name
}

// Algorithms lists the names of an operation's algorithms, preferred ones first.
func Algorithms(k Kind) []string { return names(k) }

func names(k Kind) []string {
	var ns []string
	for i := range table {
		if table[i].kind == k {
			ns = append(ns, table[i].name)
		}
	}
	return ns
}

// Table prints the table of choices.
func Table() string {
	var sb strings.Builder
	w := tabwriter.NewWriter(&sb, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "operation\talgorithm\tneeds\tpreferred for\tmore ranks than processors")
	for i := range table {
		r := &table[i]
		fmt.Fprintf(w, "%v\t%s\t%s\t%v\t%v\n", r.kind, r.name, r.need(), r.normal, r.oversubscribed)
	}
	w.Flush()
	return sb.String()
}

func (r *row) need() string {
	var ns []string
	if r.needs&powerOfTwo != 0 {
		ns = append(ns, "2^k ranks")
	}
	if r.needs&commutative != 0 {
		ns = append(ns, "commutative")
	}
	for _, n := range []struct {
		of   needs
		name string
	}{{controllers, "controllers"}, {severalHosts, "several hosts"}, {consecutive, "consecutive ranks"}, {ordered, "commutative or consecutive ranks"}} {
		if r.needs&n.of != 0 {
			ns = append(ns, n.name)
		}
	}
	switch {
	case r.needs&switched != 0:
		ns = append(ns, "switch")
	case r.exchange != nil:
		ns = append(ns, "exchange")
	}
	if ns == nil {
		return "-"
	}
	return strings.Join(ns, ", ")
}

// String is the span in words, like "64K.. bytes, 3.. ranks".
func (s span) String() string {
	if s.never {
		return "by name only"
	}
	var parts []string
	if s.minBytes > 0 || s.maxBytes > 0 {
		parts = append(parts, limits(s.minBytes, s.maxBytes)+" bytes")
	}
	if s.pair > 0 {
		parts = append(parts, limits(s.minBytes, s.pair)+" of 2 ranks")
	}
	if s.minRanks > 0 || s.maxRanks > 0 {
		parts = append(parts, limits(s.minRanks, s.maxRanks)+" ranks")
	}
	if parts == nil {
		return "any"
	}
	return strings.Join(parts, ", ")
}

func limits(lo, hi int) string {
	text := ".."
	if lo > 0 {
		text = size(lo) + text
	}
	if hi > 0 {
		text += size(hi)
	}
	return text
}

func size(n int) string {
	switch {
	case n >= mib && n%mib == 0:
		return fmt.Sprintf("%dM", n/mib)
	case n >= kib && n%kib == 0:
		return fmt.Sprintf("%dK", n/kib)
	}
	return fmt.Sprint(n)
}
