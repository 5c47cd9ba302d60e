package collectives

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// choose finds the row for a shape: the forced one if it can be used, else
// the first whose range holds.
func (g *Group) choose(s shape) *row {
	if g.size == 1 {
		return &alone
	}
	if r := g.forced[s.kind]; r != nil && g.usable(r, s) {
		return r
	}
	for i := range table {
		r := &table[i]
		use := r.normal
		if g.crowded {
			use = r.crowded
		}
		if r.kind == s.kind && use.holds(s.bytes, g.size) && g.usable(r, s) {
			return r
		}
	}
	panic("collectives: the table has no row without limits for " + s.kind.String())
}

// usable reports whether what the row needs is there. It looks only at what
// all ranks know alike.
func (g *Group) usable(r *row, s shape) bool {
	if r.exchange != nil {
		n := r.exchange(s, g.size)
		if g.exchange == nil || s.prepared || n > g.exchangeMax || n == 0 && s.kind != Barrier {
			return false
		}
	}
	return (r.needs&powerOfTwo == 0 || g.size&(g.size-1) == 0) &&
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

// Choice names the algorithm that would serve calls of an operation with
// messages of a size as the table counts it: the bytes of the buffer, or of one
// block, or of the largest part. Reductions are taken to commute.
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
		fmt.Fprintf(w, "%v\t%s\t%s\t%v\t%v\n", r.kind, r.name, r.need(), r.normal, r.crowded)
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
	if r.exchange != nil {
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
