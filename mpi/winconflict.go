package mpi

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"rhinet/internal/epoch"
)

// In a checked job (see Job.Check) a window records the accesses to it in the current
// epochs, and finds those that conflict (MPI 4.1, section 12.7): a Put to, or an
// Accumulate on, a location that is accessed otherwise in the same epoch, unless the
// two are updates that may be concurrent.
//
//   - Among the accesses of one rank, the call that makes the second one fails. Flush, and
//     the end of the epoch, forget them.
//   - Among the accesses of several ranks in one epoch of Fence or of Post, the call that
//     ends the epoch at the target fails: ranks have reported their accesses by then. It
//     also finds that the target has stored to a location that another rank has put or
//     read, since the data there differs, and that an assertion of the target or of some
//     ranks was wrong.
//   - Accesses of different ranks in epochs of Lock and LockAll are not compared: messages
//     that this package does not see may order them.

// A beginning is what is known of that of the epoch in which this rank's part is exposed, by Fence or Post.
type beginning struct {
	before []byte // the part then; nil: not known
	noPut  string // the call that has promised that no rank changes the part; or empty
}

// mostBefore is the size of the largest part of which the content is kept.
const mostBefore = 1 << 20

// expose begins an epoch of Fence or Post with assertions. No other rank can access this rank's part yet.
func (w *window) expose(call string, a Assert) {
	if w.log == nil {
		return
	}
	x := &w.begun
	if x.noPut = ""; a&NoPut != 0 {
		x.noPut = call
	}
	if a&NoSucceed == 0 && w.flavor != Dynamic && len(w.local) <= mostBefore {
		x.before = append(x.before[:0], w.local...)
	} else {
		x.before = nil
	}
}

// access describes u.
func (u *update) access() epoch.Access {
	return epoch.Access{Kind: epoch.Updates, Op: uint8(u.op), Fetches: u.op == NoOp, Swap: u.compare != nil, Code: uint32(u.e.code)}
}

// An accessor is the memory of this rank in an access.
type accessor struct {
	reads, fills []byte
	from, into   *body // of which these are copies; nil: they are the memory itself
}

// logged makes an access of a checked job to places of a part, by do, which uses own. An
// access that its request ends is not recorded.
func (w *window) logged(s site, places iter.Seq2[uint64, int], a epoch.Access, own accessor, do func() error) error {
	if clash := w.c.w.requests.touch(regionOf(own.reads, own.from, false), regionOf(own.fills, own.into, true)); clash != nil {
		w.c.w.requests.told(clash)
		return w.c.errorAt(s, ErrBuffer, "%s", clash)
	}
	a.Call, a.Line = s.call, w.c.w.requests.lines.Caller().String()
	for at, n := range places {
		a.From, a.To = at, at+uint64(n)
		if o, found := w.log.Conflict(s.peer, &a); found {
			return w.c.errorAt(s, ErrRMAConflict, "this call%s and %v of this rank access %s of rank %d in one epoch; keep them apart, or Flush between them in an epoch of Lock or LockAll",
				inBrackets(a.Line), &o, w.bytesName(max(a.From, o.From), min(a.To, o.To)), s.peer)
		}
	}
	if err := do(); err != nil {
		return w.explain(s, err)
	}
	if s.call == "Rget" {
		return nil
	}
	data := own.reads
	switch a.Kind {
	case epoch.Gets:
		data = own.fills
	case epoch.Updates:
		data = nil
	}
	w.log.Add(s.peer, a, places, data)
	return nil
}

// piece is the location of an access to n bytes from at on.
func piece(at uint64, n int) iter.Seq2[uint64, int] {
	return func(yield func(uint64, int) bool) { yield(at, n) }
}

func inBrackets(line string) string {
	if line == "" {
		return ""
	}
	return " (" + line + ")"
}

// bytesName names bytes of a part.
func (w *window) bytesName(from, to uint64) string {
	whole := "the part"
	if w.flavor == Dynamic {
		_, from = splitPlace(from)
		_, to = splitPlace(to)
		whole = "a region"
	}
	if to-from == 1 {
		return fmt.Sprintf("byte %d of %s", from, whole)
	}
	return fmt.Sprintf("bytes %d to %d of %s", from, to-1, whole)
}

// ofAllRanks are the assertions that all ranks must give to a Fence if one of them does (MPI 4.1,
// section 12.5.5).
const ofAllRanks = NoPrecede | NoSucceed

// compareAll ends an epoch of Fence with assertions: all ranks exchange their accesses. It returns the
// error for the part of this rank.
func (w *window) compareAll(s site, a Assert) error {
	var out, in []byte
	give, take := make([]int, w.c.size), make([]int, w.c.size)
	for r := range give {
		b := w.log.Take(r)
		give[r] = len(b)<<8 | int(a&ofAllRanks)
		out = append(out, b...)
	}
	if err := Alltoall(w.c, give, take); err != nil {
		return named(s.call, err)
	}
	wrong := w.compareAsserts(s, take)
	for r := range give {
		give[r], take[r] = give[r]>>8, take[r]>>8
	}
	if err := w.checkLengths(s, take); err != nil {
		return err
	}
	in = make([]byte, offset(take, nil, len(take)))
	if err := Alltoallv(w.c, out, give, nil, in, take, nil); err != nil {
		return named(s.call, err)
	}
	told := make([][]epoch.Access, w.c.size)
	for r, n := range take {
		var err error
		if told[r], err = w.decode(s, r, in[:n]); err != nil {
			return err
		}
		in = in[n:]
	}
	return cmp.Or(wrong, w.compare(s, told))
}

// checkLengths returns the error of a rank that would tell of its accesses in less than no bytes, or nil.
func (w *window) checkLengths(s site, take []int) error {
	if r := slices.IndexFunc(take, func(n int) bool { return n < 0 }); r >= 0 {
		return w.c.errorAt(s, ErrOther, "rank %d tells of its accesses in %d bytes: the rank, or what carries its messages, is broken", r, take[r])
	}
	return nil
}

// decode returns the accesses to this rank's part that rank r has told.
func (w *window) decode(s site, r int, b []byte) ([]epoch.Access, error) {
	part := uint64(math.MaxUint64) // of a dynamic window, where addresses name regions
	if w.flavor != Dynamic {
		part = w.bytes[w.c.rank]
	}
	all, err := epoch.Decode(b, part)
	if err != nil {
		return nil, w.c.because(s, ErrOther, err, fmt.Sprintf("what rank %d tells of its accesses", r))
	}
	return all, nil
}

// compareAsserts returns the error of ranks that have given different assertions, which are in the low bits of
// words, or nil.
func (w *window) compareAsserts(s site, words []int) error {
	for r, n := range words {
		if d := Assert(n^words[0]) & ofAllRanks; d != 0 {
			with, without, name := 0, r, "NoPrecede"
			if d&NoPrecede == 0 {
				d, name = NoSucceed, "NoSucceed"
			} else {
				d = NoPrecede
			}
			if Assert(n)&d != 0 {
				with, without = r, 0
			}
			return w.c.errorAt(s, ErrAssert, "rank %d gives %s and rank %d does not; all ranks must give it, or none", with, name, without)
		}
	}
	return nil
}

// compare returns the first conflict among the accesses of the ranks to this rank's
// part in one epoch, or nil.
func (w *window) compare(s site, told [][]epoch.Access) error {
	all := epoch.Merge(told)
	if o, a, found := all.Conflict(); found {
		return w.c.errorAt(s, ErrRMAConflict, "%v of rank %d and %v of rank %d access %s of this rank in one epoch; keep them apart, or in epochs of their own",
			o.Access, o.Rank, a.Access, a.Rank, w.bytesName(a.From, min(a.To, o.To)))
	}
	if a, found := all.Change(); found && w.begun.noPut != "" {
		return w.c.errorAt(s, ErrAssert, "%v of rank %d changes %s of this rank, whose %s has promised with NoPut that no rank does; leave NoPut out",
			a.Access, a.Rank, w.bytesName(a.From, a.To), w.begun.noPut)
	}
	if w.local == nil || w.flavor == Dynamic {
		return nil // no processor stores to a board, and the bytes of regions have other numbers
	}
	if a, found := all.Stored(w.local, w.begun.before); found {
		return w.c.errorAt(s, ErrRMAConflict, "%v of rank %d has accessed %s of this rank, and the program has stored there in the same epoch; store before it begins, or after it has ended",
			a.Access, a.Rank, w.bytesName(a.From, a.To))
	}
	return nil
}

// tellAccesses sends this rank's accesses to the ranks of an epoch of Start. They
// receive them at the end of their epoch; it does not wait.
func (w *window) tellAccesses(ranks []int) (failed error) {
	for _, r := range ranks {
		failed = errors.Join(failed, Isend(w.c, w.log.Take(r), r, tagAccesses).Free())
	}
	return failed
}

// hearAccesses receives them, at the end of an epoch of Post for ranks. A rank has sent
// its accesses before it completes. If the epoch has failed, nothing is compared.
func (w *window) hearAccesses(s site, ranks []int, failed error) error {
	told := make([][]epoch.Access, w.c.size)
	for _, r := range ranks {
		st, found, err := Iprobe(w.c, r, tagAccesses)
		if !found || err != nil {
			continue // the rank has died
		}
		b := make([]byte, st.Bytes)
		if _, err := Recv(w.c, b, r, tagAccesses); err != nil {
			continue
		}
		all, err := w.decode(s, r, b)
		if err != nil {
			return err
		}
		told[r] = append(told[r], all...)
	}
	if failed != nil {
		return failed
	}
	return w.compare(s, told)
}
