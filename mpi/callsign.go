package mpi

import (
	"fmt"

	"rhinet/llc"
)

// A callCode identifies a collective call, so that ranks notice that they are in
// different ones.
type callCode uint32

const (
	callBarrier callCode = iota + 1
	callBcast
	callGather
	callGatherv
	callScatter
	callScatterv
	callAllgather
	callAllgatherv
	callAlltoall
	callAlltoallv
	callReduce
	callAllreduce
	callReduceScatterBlock
	callReduceScatter
	callScan
	callExscan
	callMake // one of those from callDup on
	callFree
	callFinalize
	callNeighborAllgather // from here on only a checked job compares them
	callNeighborAllgatherv
	callNeighborAlltoall
	callNeighborAlltoallv
	callNeighborAlltoallw
)

// neighborCalls is how many calls to neighbors there are.
const neighborCalls = int(callNeighborAlltoallw-callNeighborAllgather) + 1

var callNames = [...]string{
	"nothing", "Barrier", "Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall", "Alltoallv",
	"Reduce", "Allreduce", "ReduceScatterBlock", "ReduceScatter", "Scan", "Exscan", "nothing that is made", "Free", "Finalize",
	"NeighborAllgather", "NeighborAllgatherv", "NeighborAlltoall", "NeighborAlltoallv", "NeighborAlltoallw",
}

// A callSign is what all ranks must agree on in a collective call: the call, the
// operation, the type of the elements, the root, and the rest: a hash of the earlier
// calls on the communicator, and of the length in bytes unless the length may differ
// from rank to rank.
//
//	rooted  31   25 24  15 14   9 8        5 4    0
//	        | rest | root | type | operation | call |
//	others  31          15 14   9 8        5 4    0
//	        | rest        | type | operation | call |
//
// A call from callDup on has no elements: its number takes the place of their type.
//
// It travels as the mark of a flag and, without the length, which the messages
// themselves show, as the type of messages. Because of the hash of earlier calls, a
// rank that completed another call without being noticed is noticed in the next one.
type callSign uint32

func (s callSign) call() callCode {
	k := callCode(s & (1<<5 - 1))
	if k == callMake {
		k = callDup + callCode(s.typ())
	}
	return k
}
func (s callSign) op() uint32  { return uint32(s>>5) & (1<<4 - 1) }
func (s callSign) typ() uint32 { return uint32(s>>9) & (1<<6 - 1) }
func (s callSign) root() int   { return int(s>>15) & (1<<10 - 1) }

// rooted reports whether the call has a root that all ranks name.
func (k callCode) rooted() bool {
	switch k {
	case callBcast, callGather, callGatherv, callScatter, callScatterv, callReduce:
		return true
	}
	return false
}

// makeSign returns the sign of a call, without its rest.
func makeSign(k callCode, typ typeCode, op uint32) callSign {
	if k >= callDup {
		return callSign(callMake | (k-callDup)<<9)
	}
	return callSign(uint32(k) | op<<5 | typ.short()<<9)
}

// makeRootedSign is makeSign for calls with a root.
func makeRootedSign(k callCode, typ typeCode, op uint32, root int) callSign {
	return makeSign(k, typ, op) | callSign(root)<<15
}

// spread hashes a length: the upper bits of the result depend on all of n.
func spread(n int) uint32 { return uint32(uint64(n) * 0x9e3779b97f4a7c15 >> 32) }

// short is a type code in 6 bits.
func (k typeCode) short() uint32 {
	if k >= firstHash {
		return uint32(firstHash + k%firstHash)
	}
	return uint32(k)
}

// shortName names the type of a sign.
func shortName(short uint32) string {
	if short >= firstHash {
		return "a struct"
	}
	return typeCode(short).String()
}

// countsLength is the length, for the sign, of a call whose counts all ranks know.
func countsLength(counts []int, size int) (n int) {
	for _, k := range counts {
		n = n*31 + k
	}
	return n * size
}

// The operations in a sign; predefined ones come first, from 1 on.
const (
	opUser     = numPredefined + 1
	opCommutes = opUser + 1
	opItems    = opUser + 2 // of the user, on items of several elements, whether it commutes or not
)

func opName(op uint32) string {
	switch {
	case op == 0:
		return "none"
	case op == uint32(opItems):
		return "an operation of the user on items"
	case op >= uint32(opUser):
		return "an operation of the user"
	}
	return Predefined(op - 1).String()
}

// differ says how the sign of another rank differs from s, and returns the class of
// that mistake. flag says that the signs come from flags.
func (s callSign) differ(rank string, theirs callSign, flag bool) (Class, string) {
	const all = "; all ranks must "
	switch {
	case s.call() != theirs.call():
		return ErrMismatch, fmt.Sprintf("%s is in %s%smake the same collective calls in the same order", rank, theirs.call(), all)
	case s.call().rooted() && s.root() != theirs.root():
		return ErrRoot, fmt.Sprintf("%s has the root %d%sname the same root", rank, theirs.root(), all)
	case s.typ() != theirs.typ():
		return ErrType, fmt.Sprintf("%s has elements of %s, this rank of %s%suse the same type", rank, shortName(theirs.typ()), shortName(s.typ()), all)
	case s.op() != theirs.op():
		return ErrOp, fmt.Sprintf("%s combines with %s, this rank with %s%suse the same operation", rank, opName(theirs.op()), opName(s.op()), all)
	case s.call() >= callDup && flag:
		return ErrMismatch, fmt.Sprintf("%s passes other arguments, or has made other collective calls before%s%s", rank, all, s.call().alike())
	case s.op() == uint32(opItems):
		return ErrCount, fmt.Sprintf("%s has items or buffers of another length, or has made other collective calls before%scall it with the same lengths", rank, all)
	case !flag:
		return ErrMismatch, fmt.Sprintf("%s has made other collective calls before%smake the same ones in the same order", rank, all)
	}
	return ErrCount, fmt.Sprintf("%s has buffers of another length, or has made other collective calls before%scall it with the same lengths", rank, all)
}

func (k callCode) String() string {
	switch {
	case int(k) < len(callNames):
		return callNames[k]
	case k >= callDup && int(k-callDup) < len(makerNames):
		return makerNames[k-callDup]
	}
	return fmt.Sprintf("call %d", uint32(k))
}

// sign records the call in progress, with bytes of data at this rank, for the other
// ranks to compare: see makeSign. It comes after the check of the arguments.
func (k *collState) sign(s callSign, bytes int) { k.put(s, 1<<15-1, bytes) }

// signRooted is sign of a call with a root.
func (k *collState) signRooted(s callSign, bytes int) { k.put(s, 1<<25-1, bytes) }

// put is sign for a call whose sign has its rest in the bits that are 0 in fixed.
func (k *collState) put(s, fixed callSign, bytes int) {
	if k.apart {
		s = k.remark(s, bytes)
	}
	rest := callSign(k.before) &^ fixed
	k.t.note.Sign = uint32(s ^ callSign(spread(bytes))&^fixed ^ rest)
	k.t.note.Turn++
	k.t.mark = uint32(s ^ rest)
	k.before = (k.before ^ uint32(s)) * 0x9e3779b1
}

// disagree ends the call in progress, and the use of the communicator for further
// collective calls: the flag of rank, or a message from it, shows another call.
func (t *collTransport) disagree(rank int, mine, theirs callSign, flag bool) error {
	if t.broken == nil {
		class, text := mine.differ(t.c.who(rank), theirs, flag)
		if w := t.c.w; !w.Check && !w.KeepGoing && w.Clock == nil { // else nobody compares all ranks
			text += "; mpirun --check names the first calls that differ, with their lines"
		}
		t.broken = &Error{Class: class, text: text}
	}
	return t.broken
}

// otherWay turns the sign of a call by flags into a sign that tells ranks in a barrier
// of the controllers that it is the same call.
const otherWay callSign = 1 << 31

// another is disagree for a rank that makes the same call by other means.
func (t *collTransport) another(rank int) error {
	if t.broken == nil {
		t.broken = &Error{Class: ErrMismatch, text: t.c.who(rank) + " makes the call in another way; a call that does not block matches only its like, and all ranks must use the same algorithms"}
	}
	return t.broken
}

// mismatch is the error of a transfer with a rank that is in another call.
func (t *collTransport) mismatch(s *collSlot, e *llc.TypeError) error {
	if s.recv {
		return t.disagree(t.c.local(s.r.Status.Source), callSign(e.Want), callSign(e.Sent), false)
	}
	return t.disagree(t.c.local(s.r.Peer), callSign(e.Sent), callSign(e.Want), false)
}
