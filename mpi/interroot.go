package mpi

import (
	"errors"

	"rhinet/collectives"
)

// A cast is the set of ranks that take part in a call with a root.
type cast struct {
	root  int // of the communicator of both groups, or Undefined
	ranks []int
	mine  bool // this rank is the root
	takes bool // this rank is of the other group
}

// castOf returns which ranks take part in a call: the root and the group that it is not
// in, in this order. A rank that passes ProcNull takes no part.
func (x *inter) castOf(root int) cast {
	switch root {
	case ProcNull:
		return cast{root: Undefined}
	case Root:
		return cast{root: x.all.rank, ranks: append([]int{x.all.rank}, x.far.ranks()...), mine: true}
	}
	r := x.far.from + root
	return cast{root: r, ranks: append([]int{r}, x.own.ranks()...), takes: true}
}

// rootArgs are what a rank contributes to a call with a root.
type rootArgs struct {
	Root  int32
	Wrong int32 // its other arguments are wrong: 1 + the class of the error; else 0
}

// rooted begins the script of a call with a root, as newScript does, and returns which
// ranks take part. First all ranks exchange what they pass as root: if that does not
// match, some would wait for ranks that take no part.
func (c *Comm) rooted(k callCode, typ typeCode, op uint32, root int) (*script, cast) {
	x := c.newScript(k, typ, op)
	x.mine = []rootArgs{{Root: int32(root)}}
	all := make([]rootArgs, c.inter.all.size)
	x.among(span{0, len(all)}.ranks(), collectives.Call{Kind: collectives.Allgather, Send: view(x.mine), Recv: view(all)})
	if x.err == nil {
		x.steps[0].mark = x.mark // a rank that passes ProcNull may have no elements
	}
	x.steps = append(x.steps, scriptStep{then: func() error {
		if x.wrong != nil {
			return x.wrong
		}
		return c.inter.agreeOnRoot(all)
	}})
	if uint(root) >= uint(c.size) && root != Root && root != ProcNull {
		x.wrong = wrong(ErrRoot, "the other group has no rank %d; name one of 0 to %d, Root at the root itself, and ProcNull beside it", root, c.size-1)
		root = ProcNull
	}
	return x, c.inter.castOf(root)
}

// agreeOnRoot returns what is wrong with the rootBids of both groups, or nil.
func (x *inter) agreeOnRoot(all []rootArgs) error {
	at, who := -1, x.all.who
	for r, b := range all {
		switch {
		case b.Wrong != 0:
			return wrong(Class(b.Wrong-1), "%s has made the call with wrong arguments; its error says which", who(r))
		case b.Root == Root && at >= 0:
			return wrong(ErrRoot, "%s and %s both give Root; only the root gives it", who(at), who(r))
		case b.Root == Root:
			at = r
		}
	}
	if at < 0 {
		return wrong(ErrRoot, "no rank gives Root; the root gives it, the others of its group ProcNull, and the other group its rank")
	}
	first := span{0, x.all.first}
	root := at
	if !first.has(at) {
		root -= x.all.first
	}
	for r, b := range all {
		switch beside := first.has(r) == first.has(at); {
		case r == at:
		case beside && b.Root != ProcNull:
			return wrong(ErrRoot, "%s gives %d; beside the root, which is %s, it gives ProcNull", who(r), b.Root, who(at))
		case !beside && b.Root == ProcNull:
			return wrong(ErrRoot, "%s gives ProcNull; the root is %s, and the other group gives its rank", who(r), who(at))
		case !beside && int(b.Root) != root:
			return wrong(ErrRoot, "%s gives %d; the root is %s", who(r), b.Root, who(at))
		}
	}
	return nil
}

// classOf returns the class of an error of wrong.
func classOf(err error) Class {
	class := ErrOther
	errors.As(err, &class)
	return class
}
