package mpi

import (
	"errors"
	"fmt"
	"iter"

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
//     got, since the data there differs.
//   - Accesses of different ranks in epochs of Lock and LockAll are not compared: messages
//     that this package does not see may order them.

// access describes u.
func (u *update) access() epoch.Access {
	return epoch.Access{Kind: epoch.Updates, Op: uint8(u.op), Fetches: u.op == NoOp, Swap: u.compare != nil, Code: uint32(u.e.code)}
}

// logged makes an access of a checked job to places of a part, by do. An access that
// its request ends is not recorded.
func (w *window) logged(s site, places iter.Seq2[uint64, int], a epoch.Access, data []byte, do func() error) error {
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
	if a.Kind == epoch.Updates {
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

// compareAll ends an epoch of Fence: all ranks exchange their accesses. It returns the
// error for the part of this rank.
func (w *window) compareAll(s site) error {
	var out, in []byte
	give, take := make([]int, w.c.size), make([]int, w.c.size)
	for r := range give {
		b := w.log.Take(r)
		give[r] = len(b)
		out = append(out, b...)
	}
	if err := Alltoall(w.c, give, take); err != nil {
		return named(s.call, err)
	}
	in = make([]byte, offset(take, nil, len(take)))
	if err := Alltoallv(w.c, out, give, nil, in, take, nil); err != nil {
		return named(s.call, err)
	}
	told := make([][]epoch.Access, w.c.size)
	for r, n := range take {
		told[r] = epoch.Decode(in[:n])
		in = in[n:]
	}
	return w.compare(s, told)
}

// compare returns the first conflict among the accesses of the ranks to this rank's
// part in one epoch, or nil.
func (w *window) compare(s site, told [][]epoch.Access) error {
	all := epoch.Merge(told)
	if o, a, found := all.Conflict(); found {
		return w.c.errorAt(s, ErrRMAConflict, "%v of rank %d and %v of rank %d access %s of this rank in one epoch; keep them apart, or in epochs of their own",
			o.Access, o.Rank, a.Access, a.Rank, w.bytesName(a.From, min(a.To, o.To)))
	}
	if w.local == nil || w.flavor == Dynamic {
		return nil // no processor stores to a board, and the bytes of regions have other numbers
	}
	if a, found := all.Stored(w.local); found {
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
		told[r] = append(told[r], epoch.Decode(b)...)
	}
	if failed != nil {
		return failed
	}
	return w.compare(s, told)
}
