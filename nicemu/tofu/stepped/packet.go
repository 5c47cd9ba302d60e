package stepped

import "rhinet/nicemu/tofu"

// A packet carries an order, or a part of it, to its target, or an answer back.
type packet struct {
	order    *posted
	from, to int
	at       int    // offset of data in the order's bytes
	data     []byte // payload
	last     bool   // of the order, or of its answer
	answer   bool
	why      tofu.Reason
	seen     uint64
}

// posted is an order at its port. Its packets point to it in place of a header.
type posted struct {
	tofu.Order
	port *port
	done bool
	why  tofu.Reason
	seen uint64
}

// bytes returns the number of bytes that the order accesses at its target.
func (o *posted) bytes() uint64 {
	if o.Command == tofu.Swap {
		return 8
	}
	return uint64(len(o.Local))
}

// writes reports whether the order writes bytes at its target.
func (o *posted) writes() bool { return o.Command == tofu.Put || o.Command == tofu.Direct }

// A rule is a condition under which an order is refused, and the reason.
type rule struct {
	broken func(n *tofu.Hardware, o *posted) bool
	why    tofu.Reason
}

// portRules are the rules of an injection port, in the order of the checks.
var portRules = []rule{
	{func(n *tofu.Hardware, _ *posted) bool { return n.Closed() }, tofu.Closed},
	{func(_ *tofu.Hardware, o *posted) bool { return o.Command < tofu.Put || o.Command > tofu.Swap }, tofu.NoCommand},
	{func(_ *tofu.Hardware, o *posted) bool { return o.Notify && !o.writes() }, tofu.NoCommand},
	{func(_ *tofu.Hardware, o *posted) bool {
		return o.Command == tofu.Direct && len(o.Local) > tofu.DirectBytes
	}, tofu.WrongLength},
	{func(_ *tofu.Hardware, o *posted) bool { return o.Command == tofu.Swap && o.Offset%8 != 0 }, tofu.Misplaced},
	{func(n *tofu.Hardware, o *posted) bool { return o.Node < 0 || o.Node >= n.Ranks() }, tofu.NoNode},
}

// rights lists the right that each command needs.
var rights = map[tofu.Command]tofu.Right{tofu.Put: tofu.MayPut, tofu.Direct: tofu.MayPut, tofu.Get: tofu.MayGet, tofu.Swap: tofu.MaySwap}

// A tagRule is a condition on an entry of the table of tags under which an order is refused.
type tagRule struct {
	broken func(e *tofu.Entry, n *tofu.Hardware, o *posted) bool
	why    tofu.Reason
}

// tagRules are the rules of a target, in the order of the checks, once the order's tag is a number
// of the table.
var tagRules = []tagRule{
	{func(e *tofu.Entry, _ *tofu.Hardware, _ *posted) bool { return e.Generation == 0 }, tofu.NoTag},
	{func(e *tofu.Entry, _ *tofu.Hardware, o *posted) bool {
		return !e.Valid || e.Generation != o.Tag.Generation()
	}, tofu.Stale},
	{func(e *tofu.Entry, n *tofu.Hardware, _ *posted) bool { return e.Job != n.Job() }, tofu.WrongJob},
	{func(e *tofu.Entry, n *tofu.Hardware, _ *posted) bool { return !e.Whole || e.Node != n.Rank() }, tofu.Overwritten},
	{func(e *tofu.Entry, _ *tofu.Hardware, o *posted) bool { return e.Rights&rights[o.Command] == 0 }, tofu.NoRight},
	{func(e *tofu.Entry, _ *tofu.Hardware, o *posted) bool {
		return o.Offset+o.bytes() < o.Offset || o.Offset+o.bytes() > e.Size
	}, tofu.Beyond},
}

// look looks the tag of an order up at its target.
func look(n *tofu.Hardware, o *posted) tofu.Reason {
	if o.Tag.Number() >= tofu.Tags || o.Tag.Generation() == 0 {
		return tofu.NoTag
	}
	e := n.Entry(o.Tag.Number())
	for _, r := range tagRules {
		if r.broken(&e, n, o) {
			return r.why
		}
	}
	return 0
}
