package mpi

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"sync"
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

// An access is what one call has done to some bytes of a rank's part.
type access struct {
	from, to uint64
	kind     accessKind
	op       Predefined // of an update other than compare and swap
	swap     bool
	code     typeCode // of the elements of an update
	sum      uint32   // of the data of a Put or a Get
	summed   bool     // sum is set
	call     string
	line     string
}

// An accessKind is what an access does.
type accessKind uint8

const (
	gets accessKind = iota
	puts
	updates
)

// access describes u.
func (u *update) access() access {
	return access{kind: updates, op: u.op, swap: u.compare != nil, code: u.e.code}
}

// conflicts reports whether a location must not have both accesses in one epoch.
// Updates of one rank take effect in order (section 12.7.2); updates of several ranks
// must have the same operation, or only read, or be compare and swap (section 12.2.1,
// accumulate_ops).
func (a *access) conflicts(b *access, oneRank bool) bool {
	switch {
	case a.reads() && b.reads():
		return false
	case a.kind != updates || b.kind != updates || a.code != b.code:
		return true
	}
	return !oneRank && a.op != b.op && a.op != NoOp && b.op != NoOp && !a.swap && !b.swap
}

// reads reports whether a does not change the location.
func (a *access) reads() bool { return a.kind == gets || a.kind == updates && a.op == NoOp && !a.swap }

// like reports whether two accesses differ only in their locations.
func (a *access) like(b *access) bool {
	return a.kind == b.kind && a.op == b.op && a.swap == b.swap && a.code == b.code && a.line == b.line
}

// String returns the call with its line.
func (a *access) String() string {
	if a.line == "" {
		return a.call
	}
	return fmt.Sprintf("%s (%s)", a.call, a.line)
}

// mostSums is how many accesses to one part are kept apart with sums of their data.
const mostSums = 1 << 10

// A winLog is what this rank has done to the parts of all ranks in the current epochs.
type winLog struct {
	mu    sync.Mutex
	of    []accesses
	fresh []access // of the call that ends
}

// begin returns the error of an access that conflicts with one of the epoch.
func (l *winLog) begin(w *window, s site, a *access) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if o := l.of[s.peer].conflicting(a); o != nil {
		from, to := max(a.from, o.from), min(a.to, o.to)
		return w.c.errorAt(s, ErrRMAConflict, "this call%s and %v of this rank access %s of rank %d in one epoch; keep them apart, or Flush between them in an epoch of Lock or LockAll",
			inBrackets(a.line), o, w.bytesName(from, to), s.peer)
	}
	return nil
}

// end adds accesses like a to those of the epoch. data is what they have put or got, nil if
// it may change.
func (l *winLog) end(target int, a access, places iter.Seq2[uint64, int], data []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	of := &l.of[target]
	l.fresh = l.fresh[:0]
	for at, n := range places {
		a.from, a.to, a.summed = at, at+uint64(n), false
		var here []byte
		if data != nil {
			here, data = data[:n], data[n:]
		}
		if of.covers(&a) {
			continue
		}
		if here != nil && of.count+len(l.fresh) < mostSums {
			a.sum, a.summed = sumOf(here), true
		}
		l.fresh = append(l.fresh, a)
	}
	of.addAll(l.fresh)
}

// logged makes an access of a checked job to places of a part, by do. An access that
// its request ends is not recorded.
func (w *window) logged(s site, places iter.Seq2[uint64, int], a access, data []byte, do func() error) error {
	a.call, a.line = s.call, w.c.w.requests.lines.Caller().String()
	for at, n := range places {
		a.from, a.to = at, at+uint64(n)
		if err := w.log.begin(w, s, &a); err != nil {
			return err
		}
	}
	if err := do(); err != nil {
		return w.explain(s, err)
	}
	if s.call == "Rget" {
		return nil
	}
	if a.kind == updates {
		data = nil
	}
	w.log.end(s.peer, a, places, data)
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

// forget drops what is recorded about the part of one rank; without rewrites only the
// reads.
func (w *window) forget(target int, rewrites bool) {
	if w.log == nil {
		return
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.log.of[target].forget(rewrites)
}

// forgetAll is forget for all ranks.
func (w *window) forgetAll(rewrites bool) {
	if w.log == nil {
		return
	}
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	for r := range w.log.of {
		w.log.of[r].forget(rewrites)
	}
}

// took returns what this rank has done to the part of one rank in the epoch that ends,
// encoded for other ranks.
func (w *window) took(target int) (b []byte) {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	l := &w.log.of[target]
	for a := range l.each() {
		b = a.append(b)
	}
	l.forget(true)
	return b
}

// accessBytes is the length of an encoded access without its texts.
const accessBytes = 28

func (a *access) append(b []byte) []byte {
	flags := byte(0)
	if a.swap {
		flags |= 1
	}
	if a.summed {
		flags |= 2
	}
	b = binary.LittleEndian.AppendUint64(b, a.from)
	b = binary.LittleEndian.AppendUint64(b, a.to)
	b = binary.LittleEndian.AppendUint32(b, uint32(a.code))
	b = binary.LittleEndian.AppendUint32(b, a.sum)
	b = append(b, byte(a.kind), byte(a.op), flags, byte(len(a.call)))
	b = append(b, a.call...)
	line := a.line[:min(len(a.line), 255)]
	b = append(b, byte(len(line)))
	return append(b, line...)
}

// accessesIn decodes what took has encoded.
func accessesIn(b []byte) (list []access) {
	text := func() string {
		n := int(b[0])
		s := string(b[1 : 1+n])
		b = b[1+n:]
		return s
	}
	for len(b) > accessBytes {
		a := access{
			from: binary.LittleEndian.Uint64(b), to: binary.LittleEndian.Uint64(b[8:]),
			code: typeCode(binary.LittleEndian.Uint32(b[16:])), sum: binary.LittleEndian.Uint32(b[20:]),
			kind: accessKind(b[24]), op: Predefined(b[25]), swap: b[26]&1 != 0, summed: b[26]&2 != 0,
		}
		b = b[accessBytes-1:]
		a.call = text()
		a.line = text()
		list = append(list, a)
	}
	return list
}

// compareAll ends an epoch of Fence: all ranks exchange their accesses. It returns the
// error for the part of this rank.
func (w *window) compareAll(s site) error {
	var out, in []byte
	give, take := make([]int, w.c.size), make([]int, w.c.size)
	for r := range give {
		b := w.took(r)
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
	told := make([][]access, w.c.size)
	for r, n := range take {
		told[r] = accessesIn(in[:n])
		in = in[n:]
	}
	return w.compare(s, told)
}

// An accessOf is an access with its rank.
type accessOf struct {
	*access
	rank int
}

// compare returns the first conflict among the accesses of the ranks to this rank's
// part in one epoch, or nil.
func (w *window) compare(s site, told [][]access) error {
	var all []accessOf
	for r := range told {
		for i := range told[r] {
			all = append(all, accessOf{&told[r][i], r})
		}
	}
	slices.SortStableFunc(all, func(a, b accessOf) int { return cmp.Compare(a.from, b.from) })
	var open []accessOf // those that end behind the beginning of the next one
	for _, a := range all {
		open = slices.DeleteFunc(open, func(o accessOf) bool { return o.to <= a.from })
		for _, o := range open {
			if o.rank != a.rank && o.conflicts(a.access, false) {
				return w.c.errorAt(s, ErrRMAConflict, "%v of rank %d and %v of rank %d access %s of this rank in one epoch; keep them apart, or in epochs of their own",
					o.access, o.rank, a.access, a.rank, w.bytesName(a.from, min(a.to, o.to)))
			}
		}
		if len(open) < mostOpen {
			open = append(open, a)
		}
	}
	if w.local == nil {
		return nil // no processor stores to a board
	}
	for _, a := range all {
		if a.summed && w.flavor != Dynamic && sumOf(w.local[a.from:a.to]) != a.sum {
			return w.c.errorAt(s, ErrRMAConflict, "%v of rank %d has accessed %s of this rank, and the program has stored there in the same epoch; store before it begins, or after it has ended",
				a.access, a.rank, w.bytesName(a.from, a.to))
		}
	}
	return nil
}

// mostOpen is how many accesses to one location are compared with each other.
const mostOpen = 64

// sumOf returns a checksum by which changed bytes are noticed.
func sumOf(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// tellAccesses sends this rank's accesses to the ranks of an epoch of Start. They
// receive them at the end of their epoch; it does not wait.
func (w *window) tellAccesses(ranks []int) (failed error) {
	for _, r := range ranks {
		failed = errors.Join(failed, Isend(w.c, w.took(r), r, tagAccesses).Free())
	}
	return failed
}

// hearAccesses receives them, at the end of an epoch of Post for ranks. A rank has sent
// its accesses before it completes. If the epoch has failed, nothing is compared.
func (w *window) hearAccesses(s site, ranks []int, failed error) error {
	told := make([][]access, w.c.size)
	for _, r := range ranks {
		st, found, err := Iprobe(w.c, r, tagAccesses)
		if !found || err != nil {
			continue // the rank has died
		}
		b := make([]byte, st.Bytes)
		if _, err := Recv(w.c, b, r, tagAccesses); err != nil {
			continue
		}
		told[r] = append(told[r], accessesIn(b)...)
	}
	if failed != nil {
		return failed
	}
	return w.compare(s, told)
}
