package dimmnet2

import "encoding/binary"

// A vector is the SO-DIMM that a pattern names: elements in their order, which are dense
// on the other side (section 4).
type vector struct {
	pattern Pattern
	length  int // bytes, without gaps
	element int
	at      uint32
	stride  uint32
	list    [ListElements]uint32
}

// possible reports whether length, pattern and element fit each other.
func (v *vector) possible() bool {
	switch {
	case v.pattern >= numPatterns:
		return false
	case v.pattern == Contiguous:
		return true
	case v.element != 4 && v.element != 8 || v.length%v.element != 0:
		return false
	}
	return v.pattern != List || v.length/v.element <= ListElements
}

// pieces returns how many elements there are; contiguous memory is one.
func (v *vector) pieces() int {
	if v.pattern == Contiguous {
		return 1
	}
	return v.length / v.element
}

// piece returns where element i lies and how long it is.
func (v *vector) piece(i int) (at uint64, n int) {
	switch v.pattern {
	case Strided:
		return uint64(v.at) + uint64(i)*uint64(v.stride), v.element
	case List:
		return uint64(v.list[i]), v.element
	}
	return uint64(v.at), v.length
}

// within reports whether all of it lies in the SO-DIMM of a rank.
func (v *vector) within(s *share, rank int) bool {
	step, n := 1, v.pieces()
	if v.pattern == Strided {
		step = max(n-1, 1) // the first and the last; the others lie between
	}
	for i := 0; i < n; i += step {
		at, size := v.piece(i)
		if _, ok := s.dimm(rank, at, size); !ok {
			return false
		}
	}
	return true
}

// gather fills b with what lies from dense position from on, which begins an element.
func (v *vector) gather(s *share, rank, from int, b []byte) { v.move(s, rank, from, b, false) }

// scatter is the opposite.
func (v *vector) scatter(s *share, rank, from int, b []byte) { v.move(s, rank, from, b, true) }

func (v *vector) move(s *share, rank, from int, b []byte, scatter bool) {
	for len(b) > 0 {
		at, n := uint64(v.at)+uint64(from), len(b)
		if v.pattern != Contiguous {
			at, n = v.piece(from / v.element)
		}
		if mem, _ := s.dimm(rank, at, n); scatter {
			copy(mem, b)
		} else {
			copy(b, mem)
		}
		b, from = b[n:], from+n
	}
}

// from returns where in SO-DIMM dense position from lies.
func (v *vector) from(from int) uint32 {
	switch v.pattern {
	case Strided:
		return v.at + uint32(from/v.element)*v.stride
	case List:
		return 0 // the list says
	}
	return v.at + uint32(from)
}

// argument writes what a request to read by this pattern carries as data from dense
// position from on, for n bytes: nothing, the stride, or the addresses.
func (v *vector) argument(from, n int, b []byte) []byte {
	switch v.pattern {
	case Strided:
		binary.LittleEndian.PutUint64(b, uint64(v.stride))
		return b[:8]
	case List:
		addresses := v.list[from/v.element:][:n/v.element]
		for i, a := range addresses {
			binary.LittleEndian.PutUint32(b[4*i:], a)
		}
		return b[:4*len(addresses)]
	}
	return b[:0]
}

// parse makes v what the third line of a packet names, and returns the data behind what the pattern needs. It
// reports false if that cannot be.
func (v *vector) parse(p *Packet) (data []byte, ok bool) {
	r := &p.Request
	v.pattern, v.length, v.element, v.at = r.Pattern, r.Length, r.Element, p.Address
	if v.length > PacketBytes || !v.possible() {
		return nil, false
	}
	switch data = p.Data; v.pattern {
	case Strided:
		if len(data) < 8 {
			return nil, false
		}
		v.stride = uint32(binary.LittleEndian.Uint64(data))
		return data[8:], true
	case List:
		if len(data) < 4*v.pieces() {
			return nil, false
		}
		for i := range v.pieces() {
			v.list[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		return data[4*v.pieces():], true
	}
	return data, true
}

// request makes v what a packet asks to be sent back, and reports whether that can be.
func (v *vector) request(p *Packet) bool {
	data, ok := v.parse(p)
	return ok && (v.pattern == Contiguous || len(data) == 0)
}

// command makes v the pattern of a command, from an address on, with what the mode registers say.
func (n *NIC) command(v *vector, c *Command, at uint32) Reason {
	t := n.own.tables
	v.pattern, v.length, v.at = c.Pattern, c.Length, at
	v.stride, v.element = uint32(t[regStride]), int(t[regElement])
	switch {
	case !v.possible():
		return WrongLength
	case v.pattern == List:
		return n.readList(v, t[regList])
	}
	return 0
}

// readList takes the addresses from the list at a place of the own LLCM or SO-DIMM.
func (n *NIC) readList(v *vector, at uint64) Reason {
	size := 4 * v.pieces()
	mem, ok := n.own.dimm(n.rank, at, size)
	if at&ListInLLCM != 0 {
		from := at &^ ListInLLCM
		if ok = from <= ownLLCM && uint64(size) <= ownLLCM-from; ok {
			mem = n.own.llcm[from:][:size]
		}
	}
	if !ok {
		return OutOfReach
	}
	for i := range v.pieces() {
		v.list[i] = binary.LittleEndian.Uint32(mem[4*i:])
	}
	return 0
}
