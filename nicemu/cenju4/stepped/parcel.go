package stepped

import (
	"slices"

	"rhinet/nicemu/cenju4"
)

// A posted parcel, from its header queue until its work is complete.
type posted struct {
	parcel  cenju4.Parcel
	lent    []byte
	home    *node
	waits   int // outstanding destinations, or the outstanding answer
	done    bool
	refused map[int]cenju4.Reason // by node
}

func (p *posted) refuse(at int, r cenju4.Reason) {
	if p.refused == nil {
		p.refused = map[int]cenju4.Reason{}
	}
	p.refused[at] = r
}

// settle records the end of the parcel at one destination.
func (p *posted) settle() {
	if p.waits--; p.waits <= 0 {
		p.done = true
	}
}

// A job is a parcel in a header register, or a reply there.
type job struct {
	*posted
	header  cenju4.Parcel // of the parcel or of the reply
	reply   bool
	to      []int // physical nodes
	sync    cenju4.Set
	sid     int
	cuts    cenju4.Cutter
	begun   bool
	at      int // bytes that have left
	age     int
	refusal map[*node]bool // Receivers that have refused it
}

// meets reports whether two jobs have a node in common, and so must keep their order.
func (j *job) meets(other *job) bool {
	return slices.ContainsFunc(j.to, func(n int) bool { return slices.Contains(other.to, n) })
}

// A packet in flight.
type packet struct {
	*job
	place       int // offset of data in the parcel
	data        []byte
	first, last bool
}

func writes(p cenju4.Protocol) bool { return p >= cenju4.RemoteDMA && p <= cenju4.Message1 }
func isMessage(p cenju4.Protocol) bool {
	return p == cenju4.Message0 || p == cenju4.Message1
}
func answered(p cenju4.Protocol) bool { return p >= cenju4.RemoteRead && p <= cenju4.CompSwap }
func addressRegister(p cenju4.Protocol) (int, bool) {
	return int(p) - int(cenju4.DMARegister0), p >= cenju4.DMARegister0 && p <= cenju4.DMARegister2
}

// A rule is a condition under which a header is refused, and the reason.
type rule struct {
	broken func(p *cenju4.Parcel) bool
	why    cenju4.Reason
}

const wordBytes = 8

func has(p *cenju4.Parcel, f cenju4.Flags) bool { return p.Flags&f != 0 }

func inOneWord(at uint64, n uint32) bool { return at%wordBytes+uint64(n) <= wordBytes }

// rules are the rules of RHM for a header of a task, in the order of the checks.
var rules = []rule{
	{func(p *cenju4.Parcel) bool { return p.Type > cenju4.Synchronization }, cenju4.NoProtocol},
	{func(p *cenju4.Parcel) bool {
		return p.Type != cenju4.Synchronization && (p.Protocol < cenju4.RemoteDMA || p.Protocol > cenju4.CompSwap)
	}, cenju4.NoProtocol},
	{func(p *cenju4.Parcel) bool { return p.Flags > 31 }, cenju4.NoProtocol},
	{func(p *cenju4.Parcel) bool { return has(p, cenju4.Supervisor) }, cenju4.Privileged},
	{func(p *cenju4.Parcel) bool { return p.Type == cenju4.Multicast && answered(p.Protocol) }, cenju4.NoProtocol},
	{func(p *cenju4.Parcel) bool {
		return p.Type != cenju4.Synchronization && has(p, cenju4.Inline) && !writes(p.Protocol)
	}, cenju4.NoProtocol},
	{func(p *cenju4.Parcel) bool { return p.Type != cenju4.Synchronization && p.Length > longest(p) }, cenju4.WrongLength},
	{func(p *cenju4.Parcel) bool {
		return p.Type != cenju4.Synchronization && isWord(p.Protocol) && p.Length != wordBytes
	}, cenju4.WrongLength},
	{func(p *cenju4.Parcel) bool { return p.Type != cenju4.Synchronization && askew(p) }, cenju4.Misplaced},
}

func isWord(p cenju4.Protocol) bool {
	return p == cenju4.AtomicAdd || p == cenju4.Swap || p == cenju4.CompSwap
}

// longest returns the maximum length of a parcel in bytes.
func longest(p *cenju4.Parcel) uint32 {
	switch {
	case has(p, cenju4.Inline):
		return 8
	case isMessage(p.Protocol):
		return 256
	}
	return 512 << 10
}

// askew reports whether the hardware cannot move the parcel's data (cenju4, section 7.3): it checks
// the alignment of words for atomic operations and notices, and the cases A to D.
func askew(p *cenju4.Parcel) bool {
	w := p.Words
	switch p.Protocol {
	case cenju4.AtomicAdd:
		return w[1]%wordBytes != 0
	case cenju4.Swap:
		return w[0]%wordBytes != 0 || w[2]%wordBytes != 0
	case cenju4.CompSwap:
		return w[0]%wordBytes != 0
	}
	if w[2]%wordBytes != 0 {
		return true
	}
	src, dst := w[0], w[1]
	if isMessage(p.Protocol) && !has(p, cenju4.Inline) && (src%cenju4.PageBytes+uint64(p.Length)) > cenju4.PageBytes {
		return true
	}
	if p.Protocol != cenju4.RemoteDMA && p.Protocol != cenju4.RemoteRead {
		dst = 0
	}
	if has(p, cenju4.Inline) {
		return !inOneWord(dst, p.Length) && dst%wordBytes != 0
	}
	if inOneWord(src, p.Length) && inOneWord(dst, p.Length) {
		return false
	}
	return dst%wordBytes != 0 || src%4 != 0
}

// noticed returns the address where SPM reports the parcel as sent, or 0 if there is none.
func noticed(p *cenju4.Parcel) cenju4.Address {
	if writes(p.Protocol) || p.Protocol == cenju4.RemoteRead {
		return cenju4.Address(p.Words[2])
	}
	return 0
}
