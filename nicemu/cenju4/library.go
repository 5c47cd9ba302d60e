package cenju4

// What the hardware expects of software: parcels of at most 512 KByte, single words where the
// destination is an odd word, and again the words that come from the wrong page (cenju4,
// sections 4 and 7.3).

// LentFor returns the address under which lent memory stands in its line and page as the memory at a
// does, so that whole lines go to whole lines.
func LentFor(a Address) Address { return MakeAddress(Lent, a.Offset()%PageBytes) }

// Write copies b to memory of a node. The last part goes first: what reaches beyond a mapping is
// refused before a byte moves, if a is in the mapping.
func (n *NIC) Write(dest int, a Address, b []byte) error { return n.parts(RemoteDMA, dest, a, b) }

// Read copies memory of a node to b.
func (n *NIC) Read(dest int, a Address, b []byte) error { return n.parts(RemoteRead, dest, a, b) }

// parts goes through what is at a from the end: parts that begin on a DW boundary, then the
// bytes before the first one.
func (n *NIC) parts(p Protocol, dest int, a Address, b []byte) error {
	if dest < 0 || dest > destMask {
		return n.refuse(Refusal{Protocol: p, Node: n.rank, Address: a, Bytes: len(b), Reason: BeyondTable})
	}
	if uint64(len(b)) > offsetMask-a.Offset() {
		return n.refuse(Refusal{Protocol: p, Node: n.rank, Address: a, Bytes: len(b), Reason: NoSegment})
	}
	head := int(-a % wordBytes)
	if int(a%wordBytes)+len(b) <= wordBytes {
		head = 0 // within one DW
	}
	for end := len(b); end > head || end == 0; {
		at := head + max(0, end-head-1)/MaxParcel*MaxParcel
		if err := n.part(p, dest, a+Address(at), b[at:end]); err != nil || end == 0 {
			return err
		}
		end = at
	}
	if head == 0 {
		return nil
	}
	return n.part(p, dest, a, b[:head])
}

// part is one parcel.
func (n *NIC) part(protocol Protocol, dest int, a Address, b []byte) error {
	p := Parcel{Protocol: protocol, Dest: uint16(dest), Length: uint32(len(b)), Words: [3]uint64{uint64(LentFor(a)), uint64(a)}}
	if protocol == RemoteRead {
		p.Words[wordSrc], p.Words[wordDst] = p.Words[wordDst], p.Words[wordSrc]
	}
	return n.Post(&p, b)
}

// Copy copies size bytes of mapped memory of this node to a node: words, wherever they lie.
// flags are those of its parcels.
func (n *NIC) Copy(dest uint16, to, from Address, size uint64, flags Flags) error {
	move := func(at, size uint64) error {
		return n.Post(&Parcel{
			Protocol: RemoteDMA, Flags: flags, Dest: dest, Length: uint32(size), Words: [3]uint64{uint64(from) + at, uint64(to) + at},
		}, nil)
	}
	at := uint64(0)
	if to%wordBytes == oddWord && size > oddWord { // cases B and D
		if err := move(0, oddWord); err != nil {
			return err
		}
		at = oddWord
	}
	for ; at < size; at += min(size-at, MaxParcel) {
		if err := move(at, min(size-at, MaxParcel)); err != nil {
			return err
		}
	}
	if (uint64(from)-uint64(to))%wordBytes != oddWord {
		return nil
	}
	for at = PageBytes - uint64(from)%PageBytes; at < size; at += PageBytes { // case C
		if err := move(at, min(oddWord, size-at)); err != nil {
			return err
		}
	}
	return nil
}
