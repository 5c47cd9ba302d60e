package sim

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// ParseFault parses a description of what happens to packets and returns a function for Net.Fault. A fault is
// one of
//
//	(Drop p)     packets for which p holds are lost
//	(Repeat p)   packets arrive twice
//	(Delay p)    packets arrive after the next packet in the same ring
//
// and p is the name of a kind of packet (eager, fragment, offer, ...), or
//
//	(From n) (To n)      the peers
//	(OnIndex n)          true the n-th time that it is asked, counted from 0
//	(And p ...) (Or p ...) (Not p)   asked from left to right, no more than needed
func ParseFault(text string) (func(from int, cmd *ir.Command) Fate, error) {
	in := &tokens{strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text))}
	if !in.take("(") {
		return nil, fmt.Errorf("sim: fault %q does not start with (", text)
	}
	fates := map[string]Fate{"Drop": Drop, "Repeat": Repeat, "Delay": Delay}
	name := in.next()
	fate, ok := fates[name]
	if !ok {
		return nil, fmt.Errorf("sim: no fault %q; there are Drop, Repeat and Delay", name)
	}
	holds, err := in.predicate()
	if err != nil {
		return nil, fmt.Errorf("sim: fault %q: %w", text, err)
	}
	if !in.take(")") || len(in.rest) > 0 {
		return nil, fmt.Errorf("sim: fault %q has one predicate and ends with )", text)
	}
	return func(from int, cmd *ir.Command) Fate {
		if holds(from, cmd) {
			return fate
		}
		return Deliver
	}, nil
}

// randomFault returns a fault of one packet of a random kind, or now and then of all packets of a kind
// between two peers.
func randomFault(rng *rand.Rand) string {
	fate := []string{"Drop", "Repeat", "Delay"}[rng.IntN(3)]
	kind := wire.KindName(wire.Eager + uint8(rng.IntN(int(wire.NumKinds-wire.Eager))))
	if rng.IntN(4) == 0 {
		return fmt.Sprintf("(%s (And (From %d) %s (Not (OnIndex 0))))", fate, rng.IntN(2), kind)
	}
	return fmt.Sprintf("(%s (And %s (OnIndex %d)))", fate, kind, rng.IntN(4))
}

type predicate func(from int, cmd *ir.Command) bool

type tokens struct{ rest []string }

func (in *tokens) next() string {
	if len(in.rest) == 0 {
		return ""
	}
	t := in.rest[0]
	in.rest = in.rest[1:]
	return t
}

func (in *tokens) take(t string) bool {
	if len(in.rest) == 0 || in.rest[0] != t {
		return false
	}
	in.rest = in.rest[1:]
	return true
}

func (in *tokens) predicate() (predicate, error) {
	if !in.take("(") {
		name := in.next()
		for k := wire.Eager; k < wire.NumKinds; k++ {
			if wire.KindName(k) == name {
				return func(_ int, cmd *ir.Command) bool { return cmd.Header.Kind == k }, nil
			}
		}
		return nil, fmt.Errorf("no kind of packet %q", name)
	}
	name := in.next()
	switch name {
	case "And", "Or", "Not":
		return in.combine(name)
	}
	n, err := strconv.Atoi(in.next())
	if err != nil || !in.take(")") {
		return nil, fmt.Errorf("(%s wants one number", name)
	}
	switch name {
	case "From":
		return func(from int, _ *ir.Command) bool { return from == n }, nil
	case "To":
		return func(_ int, cmd *ir.Command) bool { return int(cmd.Peer) == n }, nil
	case "OnIndex":
		asked := -1
		return func(int, *ir.Command) bool { asked++; return asked == n }, nil
	}
	return nil, fmt.Errorf("no predicate %q", name)
}

func (in *tokens) combine(name string) (predicate, error) {
	var list []predicate
	for !in.take(")") {
		if len(in.rest) == 0 {
			return nil, fmt.Errorf("(%s is not closed", name)
		}
		p, err := in.predicate()
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	if len(list) == 0 || name == "Not" && len(list) > 1 {
		return nil, fmt.Errorf("(%s with %d predicates", name, len(list))
	}
	if name == "Not" {
		return func(from int, cmd *ir.Command) bool { return !list[0](from, cmd) }, nil
	}
	return func(from int, cmd *ir.Command) bool {
		for _, p := range list {
			if p(from, cmd) != (name == "And") {
				return name == "Or"
			}
		}
		return name == "And"
	}, nil
}
