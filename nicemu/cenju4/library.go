package cenju4

// What the hardware expects of software: parcels of at most 512 KByte, separate single words where
// the destination is an odd word, and repairs of the words that come from the wrong page (cenju4,
// sections 4 and 7.3).

// LentFor returns the address at which lent memory has the same place in its line and page as the
// memory at a, so that whole lines go to whole lines.
func LentFor(a Address) Address { return MakeAddress(Lent, a.Offset()%PageBytes) }

// Write copies b to memory of a node. It sends the last part first: if a is in a mapping, a write
// beyond its end is refused before a byte moves.
func (n *NIC) Write(dest int, a Address, b []byte) error { return n.parts(RemoteDMA, dest, a, b) }

// Read copies memory of a node to b.
func (n *NIC) Read(dest int, a Address, b []byte) error { return n.parts(RemoteRead, dest, a, b) }

// parts sends the memory at a from the end: parts that begin on a DW boundary, then the bytes
// before the first one.
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

// part sends one parcel.
func (n *NIC) part(protocol Protocol, dest int, a Address, b []byte) error {
	p := Parcel{Protocol: protocol, Dest: uint16(dest), Length: uint32(len(b)), Words: [3]uint64{uint64(LentFor(a)), uint64(a)}}
	if protocol == RemoteRead {
		p.Words[wordSrc], p.Words[wordDst] = p.Words[wordDst], p.Words[wordSrc]
	}
	return n.Post(&p, b)
}

// Copy copies size bytes of mapped memory of this node to a node: whole words at any place. flags
// are those of its parcels.
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
