// Package epoch finds accesses to the memory of windows that conflict (MPI 4.1, section 12.7): a Put to, or an
// Accumulate on, a location that is accessed otherwise in the same epoch, unless the two are updates that may be
// concurrent.
//
// A [Log] is what one rank has done to the parts of all ranks in its current epochs: it finds the conflicts among the
// accesses of this rank, when the second one begins. At the end of an epoch of several ranks each target gets what
// they have taken from their logs, and a [Merged] of all of it finds the conflicts among ranks, and with stores of the
// target itself.
package epoch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// An Access is what one call has done to some bytes of a rank's part.
type Access struct {
	From, To uint64
	Kind     Kind
	Op       uint8  // of an update other than compare and swap
	Swap     bool   // an update is compare and swap
	Fetches  bool   // an update changes nothing (MPI_NO_OP)
	Code     uint32 // of the elements of an update: those of one kind have one code
	Call     string // that made it
	Line     string // of the program

	sum    uint32 // of the data of a Put or a Get
	summed bool   // sum is set
}

// A Kind is what an access does.
type Kind uint8

// The kinds of accesses.
const (
	Gets Kind = iota
	Puts
	Updates // Accumulate, with or without a fetch, and CompareAndSwap
)

// Conflicts reports whether a location must not have both accesses in one epoch. Updates of one rank take effect in
// order (MPI 4.1, section 12.7.2); updates of several ranks must have the same operation, or only read, or be compare
// and swap (MPI 4.1, section 12.2.1, accumulate_ops).
func (a *Access) Conflicts(b *Access, oneRank bool) bool {
	switch {
	case a.reads() && b.reads():
		return false
	case a.Kind != Updates || b.Kind != Updates || a.Code != b.Code:
		return true
	}
	return !oneRank && a.Op != b.Op && !a.Fetches && !b.Fetches && !a.Swap && !b.Swap
}

// reads reports whether a does not change the location.
func (a *Access) reads() bool { return a.Kind == Gets || a.Kind == Updates && a.Fetches && !a.Swap }

// like reports whether two accesses differ only in their locations.
func (a *Access) like(b *Access) bool {
	return a.Kind == b.Kind && a.Op == b.Op && a.Fetches == b.Fetches && a.Swap == b.Swap && a.Code == b.Code && a.Line == b.Line
}

// String returns the call with its line.
func (a *Access) String() string {
	if a.Line == "" {
		return a.Call
	}
	return fmt.Sprintf("%s (%s)", a.Call, a.Line)
}

// sumOf returns a checksum by which changed bytes are noticed.
func sumOf(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encodedBytes is the length of an encoded access without its texts.
const encodedBytes = 28

// The flags of an encoded access.
const (
	swapFlag = 1 << iota
	summedFlag
	fetchesFlag
)

// append encodes a for other ranks.
func (a *Access) append(b []byte) []byte {
	flags := byte(0)
	if a.Swap {
		flags |= swapFlag
	}
	if a.summed {
		flags |= summedFlag
	}
	if a.Fetches {
		flags |= fetchesFlag
	}
	b = binary.LittleEndian.AppendUint64(b, a.From)
	b = binary.LittleEndian.AppendUint64(b, a.To)
	b = binary.LittleEndian.AppendUint32(b, a.Code)
	b = binary.LittleEndian.AppendUint32(b, a.sum)
	b = append(b, byte(a.Kind), a.Op, flags, byte(len(a.Call)))
	b = append(b, a.Call...)
	line := a.Line[:min(len(a.Line), 255)]
	b = append(b, byte(len(line)))
	return append(b, line...)
}

// errMalformed is the error of what no log has given.
var errMalformed = errors.New("these are no accesses to the part: the rank, or what carries its messages, is broken")

// Decode returns the accesses that another rank has taken from its log: what [Log.Take] has returned there. It fails
// for anything else, and for accesses beyond the first part bytes of the part.
func Decode(b []byte, part uint64) (list []Access, err error) {
	text := func() (s string) {
		if len(b) == 0 || len(b) <= int(b[0]) {
			err = errMalformed
			return ""
		}
		n := 1 + int(b[0])
		s, b = string(b[1:n]), b[n:]
		return s
	}
	for len(b) > 0 {
		if len(b) < encodedBytes {
			return nil, errMalformed
		}
		flags := b[26]
		a := Access{
			From: binary.LittleEndian.Uint64(b), To: binary.LittleEndian.Uint64(b[8:]),
			Code: binary.LittleEndian.Uint32(b[16:]), sum: binary.LittleEndian.Uint32(b[20:]),
			Kind: Kind(b[24]), Op: b[25], Swap: flags&swapFlag != 0, summed: flags&summedFlag != 0, Fetches: flags&fetchesFlag != 0,
		}
		b = b[encodedBytes-1:]
		a.Call = text()
		a.Line = text()
		if err != nil || a.From > a.To || a.To > part {
			return nil, errMalformed
		}
		list = append(list, a)
	}
	return list, nil
}
