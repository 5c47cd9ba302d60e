package dimmnet2

import "encoding/binary"

// A vector is the part of SO-DIMM that a pattern selects: elements in an order, which are dense on
// the other side (section 4).
type vector struct {
	pattern Pattern
	length  int // bytes, without gaps
	element int
	at      uint32
	stride  uint32
	list    [ListElements]uint32
}

// possible reports whether length, pattern and element size are consistent.
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

// pieces returns the number of elements; contiguous memory is one piece.
func (v *vector) pieces() int {
	if v.pattern == Contiguous {
		return 1
	}
	return v.length / v.element
}

// piece returns the address and the length of element i.
func (v *vector) piece(i int) (at uint64, n int) {
	switch v.pattern {
	case Strided:
		return uint64(v.at) + uint64(i)*uint64(v.stride), v.element
	case List:
		return uint64(v.list[i]), v.element
	}
	return uint64(v.at), v.length
}

// within reports whether all elements are in the SO-DIMM of a rank.
func (v *vector) within(s *share, rank int) bool {
	step, n := 1, v.pieces()
	if v.pattern == Strided {
		step = max(n-1, 1) // only the first and the last element; the others are between them
	}
	for i := 0; i < n; i += step {
		at, size := v.piece(i)
		if _, ok := s.dimm(rank, at, size); !ok {
			return false
		}
	}
	return true
}

// gather fills b with the elements from dense position from on, which is the start of an element.
func (v *vector) gather(s *share, rank, from int, b []byte) { v.move(s, rank, from, b, false) }

// scatter writes b to the elements from dense position from on.
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

// from returns the SO-DIMM address of dense position from.
func (v *vector) from(from int) uint32 {
	switch v.pattern {
	case Strided:
		return v.at + uint32(from/v.element)*v.stride
	case List:
		return 0 // the list has the addresses
	}
	return v.at + uint32(from)
}

// argument writes to b the argument of this pattern in a request to read n bytes from dense
// position from on: nothing, the stride, or the addresses.
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

// parse sets v from the third line of a packet, and returns the data after the pattern's argument.
// It returns false if the line is invalid.
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

// request sets v from a packet's request to read, and reports whether the request is valid.
func (v *vector) request(p *Packet) bool {
	data, ok := v.parse(p)
	return ok && (v.pattern == Contiguous || len(data) == 0)
}

// command sets v from the pattern of a command, from an address on, with the values of the mode
// registers.
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

// readList reads the addresses from the list in this process's LLCM or SO-DIMM.
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
