package mpi

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// The calls that make communicators and windows, and those of windows. The first exchange of each shows which it is,
// so that ranks in different ones do not agree on a communicator that none of them asked for.
const (
	callDup callCode = iota + 1<<5
	callDupWithInfo
	callSplit
	callSplitType
	callSplitHardware
	callSplitResource
	callCreate
	callCreateGroup
	callCommFromGroup
	callIntercommCreate
	callIntercommFromGroups
	callMerge
	callCartCreate
	callCartSub
	callGraphCreate
	callDistGraphCreate
	callDistGraphCreateAdjacent
	callWinCreate
	callWinAllocate
	callWinAllocateShared
	callWinDynamic
	callFence
	callWinFree
)

// makerNames are the names of these calls, from callDup on.
var makerNames = [...]string{
	"Dup", "DupWithInfo", "Split", "SplitType", "SplitHardware", "SplitResource", "Create", "CreateGroup",
	"CommFromGroup", "IntercommCreate", "IntercommFromGroups", "Merge", "CartCreate", "CartSub", "GraphCreate",
	"DistGraphCreate", "DistGraphCreateAdjacent", "WinCreate", "WinAllocate", "WinAllocateShared", "WinDynamic",
	"Fence", "WinFree",
}

// makerSign returns the sign of the call at s, which makes a communicator. Idup has that of Dup, as other calls that
// do not block have.
func makerSign(s site) callSign {
	name := s.call
	if strings.HasPrefix(name, "Idup") {
		name = "D" + name[2:]
	}
	return makeSign(callDup+callCode(slices.Index(makerNames[:], name)), 0, 0)
}

// alike says what ranks must do that make the call with different arguments.
func (k callCode) alike() string {
	switch k {
	case callDupWithInfo:
		return "pass the same hints"
	case callSplitHardware:
		return "pass the same kind"
	case callSplitResource:
		return "pass the same info"
	case callCartCreate:
		return "pass the same dims and periods"
	case callCartSub:
		return "keep the same dimensions"
	case callGraphCreate:
		return "pass the same graph"
	}
	return "make the same collective calls in the same order"
}

// A cut says what a rank wants a new communicator to be.
type cut struct {
	color, key int
	how        string // part of the names of communicators
	same       uint32 // hash of the arguments that all ranks must pass alike

	// ask, if not nil, exchanges first what the ranks need to know of each other to choose their colors.
	ask func(b *Comm, p *cut) error
	// check, if not nil, finds what speaks against what the ranks contribute.
	check func(s site, all []member) error
}

// argsHash returns the hash of arguments that all ranks must pass alike.
func argsHash(args ...any) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, args...)
	return h.Sum32()
}

// alike returns the error for ranks that have passed different arguments, or nil. Flags show these with the call, but
// messages do not.
func (c *Comm) alike(s site, all []member) error {
	mine := all[c.rank]
	for _, b := range all {
		if b.same != mine.same {
			return c.errorAt(s, ErrMismatch, "%s passes other arguments than %s; all ranks must %s",
				c.who(int(b.rank)), c.who(c.rank), makerSign(s).call().alike())
		}
	}
	return nil
}
