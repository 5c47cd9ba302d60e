package dimmnet2

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"rhinet/llc/ir"
	"rhinet/nicemu/dimmnet2"
)

var _ ir.Vectors = (*Translator)(nil)

// A vectors has the allocation of this process's SO-DIMM, and the way through windows to the SO-DIMMs of all.
type vectors struct {
	nic    *dimmnet2.NIC
	peers  int
	taken  []part // by place
	size   uint64
	list   int // offset of lists in the LLCM: behind the packet rings
	packet dimmnet2.Packet
	data   [dimmnet2.BOTFDataBytes]byte
	image  [dimmnet2.WindowBytes]byte
}

// vectorsOf returns the vectors of a process with so many bytes of packet rings. Nothing of its SO-DIMM is
// taken.
func vectorsOf(nic *dimmnet2.NIC, peers, rings int) vectors {
	_, size := nic.Base()
	return vectors{nic: nic, peers: peers, size: uint64(size), list: dimmnet2.BuffersAt + rings}
}

// A part is n bytes from a place on.
type part struct{ at, n uint64 }

var (
	errNoModule  = errors.New("llc/dimmnet2: the SO-DIMM has no part as long as that left")
	errNotTaken  = errors.New("llc/dimmnet2: no part of the SO-DIMM that was taken begins there")
	errNoVector  = errors.New("llc/dimmnet2: the bytes are not whole blocks of the vector")
	errWrongPeer = errors.New("llc/dimmnet2: there is no such peer")
)

// partUnit divides the lengths of parts: a packet of an InfiniBand link, or a row's share of it (our choice).
const partUnit = 64

// ReserveBoard takes the first part that is long enough, and has the board fill it with zeros.
func (v *vectors) ReserveBoard(n int) (at uint64, err error) {
	want := (uint64(max(n, 1)) + partUnit - 1) &^ (partUnit - 1)
	i := 0
	for ; i < len(v.taken) && v.taken[i].at-at < want; i++ {
		at = v.taken[i].at + v.taken[i].n
	}
	if i == len(v.taken) && v.size-at < want {
		return 0, errNoModule
	}
	v.taken = slices.Insert(v.taken, i, part{at, want})
	return at, v.zero(at, want)
}

// ReleaseBoard gives back a part.
func (v *vectors) ReleaseBoard(at uint64) error {
	i := slices.IndexFunc(v.taken, func(p part) bool { return p.at == at })
	if i < 0 {
		return errNotTaken
	}
	v.taken = slices.Delete(v.taken, i, i+1)
	return nil
}

// zero writes zeros into the SO-DIMM of this process, a window at a time.
func (v *vectors) zero(at, n uint64) error {
	if err := v.nic.Store(v.nic.WriteWindow(0), make([]byte, dimmnet2.WindowBytes)); err != nil {
		return err
	}
	own, _ := v.nic.Base()
	for end := at + n; at < end; at += dimmnet2.WindowBytes {
		c := dimmnet2.Command{Op: dimmnet2.OpWrite, Window: v.writeWindow(), Length: int(min(end-at, dimmnet2.WindowBytes)), Local: own + uint32(at)}
		if err := v.nic.Issue(&c); err != nil {
			return err
		}
	}
	return nil
}

// The windows of the board that this process uses.
func (v *vectors) writeWindow() int {
	return v.nic.Process() * dimmnet2.WriteWindows / dimmnet2.Processes
}

func (v *vectors) prefetchWindow() int {
	return v.nic.Process() * dimmnet2.PrefetchWindows / dimmnet2.Processes
}

// An access is how the elements of a vector are moved: the pattern, the element length, and how many bytes
// one packet takes.
type access struct {
	pattern       dimmnet2.Pattern
	element, most int
}

// choose finds the access for so many blocks. Elements of 4 or 8 bytes use a stride or a list; longer blocks
// use a list if two of them fit a packet, and go one by one otherwise.
func choose(v *ir.Vector, blocks int, write bool) access {
	element := 8
	if v.Block%8 != 0 {
		element = 4
	}
	most := func(p dimmnet2.Pattern) int {
		switch {
		case write:
			return dimmnet2.Carried(p, element)
		case p == dimmnet2.List:
			return min(dimmnet2.WindowBytes, dimmnet2.ListElements*element)
		}
		return dimmnet2.WindowBytes
	}
	p := dimmnet2.Contiguous
	switch {
	case blocks < 2 || v.Block%4 != 0:
	case v.Block == element && v.List == nil && v.Stride <= math.MaxUint32:
		p = dimmnet2.Strided
	case 2*v.Block <= most(dimmnet2.List):
		p = dimmnet2.List
	}
	return access{p, element, most(p)}
}

// each calls move for every packet that the bytes take: with the address at the peer, the addresses of the
// elements if they use a list, and the bytes.
func (v *vectors) each(peer int, w *ir.Vector, b []byte, write bool, move func(a access, at uint32, list []byte, b []byte) error) error {
	blocks, ok := w.Blocks(len(b))
	switch {
	case uint(peer) >= uint(v.peers):
		return errWrongPeer
	case !ok:
		return errNoVector
	}
	a := choose(w, blocks, write)
	for from := 0; from < len(b); {
		block, in := from/w.Block, from%w.Block
		n := min(len(b)-from, a.most)
		if a.pattern == dimmnet2.Contiguous {
			n = min(n, w.Block-in)
		}
		at, err := place(peer, w.Place(block)+uint64(in))
		if err != nil {
			return err
		}
		var list []byte
		if a.pattern == dimmnet2.List {
			if list, err = v.addresses(peer, w, a.element, from, n); err != nil {
				return err
			}
		}
		if err := move(a, at, list, b[from:from+n]); err != nil {
			return err
		}
		from += n
	}
	return nil
}

// addresses lists where the elements of n bytes from byte from on lie. The list is in the memory of data.
func (v *vectors) addresses(peer int, w *ir.Vector, element, from, n int) ([]byte, error) {
	list := v.data[:0]
	for end := from + n; from < end; from += element {
		at, err := place(peer, w.Place(from/w.Block)+uint64(from%w.Block))
		if err != nil {
			return nil, err
		}
		list = binary.LittleEndian.AppendUint32(list, at)
	}
	return list, nil
}

// place returns the address of a place in the SO-DIMM of a peer: process p of a board has SO-DIMM p.
func place(peer int, at uint64) (uint32, error) {
	if at >= dimmnet2.ModuleBytes {
		return 0, fmt.Errorf("llc/dimmnet2: place %d of rank %d: %w", at, peer, dimmnet2.Outside)
	}
	return uint32(peer%dimmnet2.Processes)*dimmnet2.ModuleBytes + uint32(at), nil
}

// WriteVector is BOTFs: of whole blocks, or of elements that the receiver's board scatters.
func (v *vectors) WriteVector(peer int, w *ir.Vector, data []byte) error {
	return v.each(peer, w, data, true, func(a access, at uint32, list, b []byte) error {
		p := &v.packet
		*p = dimmnet2.Packet{
			Op: dimmnet2.PacketWrite, Memory: dimmnet2.InDIMM, Quiet: true,
			Node: peer / dimmnet2.Processes, Process: peer % dimmnet2.Processes, Address: at, Data: b,
		}
		if a.pattern != dimmnet2.Contiguous {
			p.Op, p.Request = dimmnet2.PacketScatter, dimmnet2.Request{Length: len(b), Pattern: a.pattern, Element: a.element}
			argument := list
			if a.pattern == dimmnet2.Strided {
				argument = binary.LittleEndian.AppendUint64(v.data[:0], w.Stride)
			}
			p.Data = append(argument, b...)
		}
		return v.botf(p.AppendImage(v.image[:0]))
	})
}

// botf sends an image.
func (v *vectors) botf(image []byte) error {
	if err := v.nic.Store(v.nic.WriteWindow(0), image); err != nil {
		return err
	}
	return v.nic.Issue(&dimmnet2.Command{Op: dimmnet2.OpBOTF, Window: v.writeWindow(), Lines: (len(image) + dimmnet2.LineBytes - 1) / dimmnet2.LineBytes})
}

// ReadVector is remote reads into a Prefetch Window, of whole blocks, or of elements that the other board
// gathers.
func (v *vectors) ReadVector(peer int, w *ir.Vector, buf []byte) error {
	return v.each(peer, w, buf, false, func(a access, at uint32, list, b []byte) error {
		if err := v.mode(a, w.Stride, list); err != nil {
			return err
		}
		window := v.nic.PrefetchWindow(0)
		if err := v.nic.Flush(window, len(b)); err != nil {
			return err
		}
		c := dimmnet2.Command{
			Op: dimmnet2.OpRemoteRead, Pattern: a.pattern, Window: v.prefetchWindow(), Length: len(b), Remote: at,
			Node: peer / dimmnet2.Processes, Process: peer % dimmnet2.Processes,
		}
		if err := v.nic.Issue(&c); err != nil {
			return err
		}
		return v.nic.Load(window, b)
	})
}

// mode tells the board how elements lie. The list is behind the packet rings in the LLCM.
func (v *vectors) mode(a access, stride uint64, list []byte) error {
	if a.pattern == dimmnet2.Contiguous {
		return nil
	}
	if err := v.register(dimmnet2.RegElement, uint64(a.element)); err != nil {
		return err
	}
	if a.pattern == dimmnet2.Strided {
		return v.register(dimmnet2.RegStride, stride)
	}
	if err := v.nic.Store(dimmnet2.LLCM(v.nic.Process(), uint32(v.list)), list); err != nil {
		return err
	}
	return v.register(dimmnet2.RegList, dimmnet2.ListInLLCM|uint64(v.list))
}

// register sets a mode register.
func (v *vectors) register(r dimmnet2.Register, value uint64) error {
	return v.nic.Store(r.At(v.nic.Process()), binary.LittleEndian.AppendUint64(v.image[:0], value))
}
