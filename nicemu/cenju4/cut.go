package cenju4

// A Cutter cuts a parcel into packets, and counts the reads of SPM for each (cenju4, sections 5.3
// and 7.2).
type Cutter struct {
	src, dst  uint64
	left      uint64
	reorders  bool
	optimises bool
	inline    bool
	known     bool // the first line was read for the previous packet
}

// A Cut is one packet of a parcel: its bytes, and the requests that read them, one for each line.
type Cut struct {
	Bytes                 int
	Coherent, NonCoherent int
}

// Cutter returns the cutter of p, whose src is the address that the local SPM reads.
func (p *Parcel) Cutter() Cutter {
	c := Cutter{
		src: uint64(p.data().Offset()), dst: uint64(p.target().Offset()), left: uint64(p.Length), reorders: p.reorders(),
		optimises: p.Flags&NotOptimised == 0, inline: p.Flags&Inline != 0,
	}
	if c.reorders && (c.src-c.dst)%lineBytes == oddWord {
		c.optimises = false // the last request before a page start reads the wrong page (cenju4, section 7.3)
	}
	return c
}

// Next returns the next packet, and false after the last. A parcel without data is one packet.
func (c *Cutter) Next(first bool) (cut Cut, ok bool) {
	if c.left == 0 {
		return cut, first
	}
	n := min(c.left, MaxPacket-c.dst%lineBytes, PageBytes-c.dst%PageBytes)
	crosses := false
	if end := c.pageEnd(); n >= end && !c.inline {
		n, crosses = end, true
	}
	cut.Bytes = int(n)
	if !c.inline {
		c.read(&cut, n)
	}
	// The line that the previous packet has read is available, unless it came from the wrong page.
	c.known = !crosses && (c.src+n)%lineBytes != 0
	c.src, c.dst, c.left = c.src+n, c.dst+n, c.left-n
	return cut, true
}

// pageEnd returns the number of bytes to the end of the source page. If words are shifted, it
// includes the first word of the next page, since a DW is sent as a whole.
func (c *Cutter) pageEnd() uint64 {
	end := PageBytes - c.src%PageBytes
	if c.reorders {
		end += oddWord
	}
	return end
}

// read counts the requests for n bytes. Shifted data is read in DWs, the last of which may begin in
// the physically following page: that is not a separate request, since it goes to the same memory.
func (c *Cutter) read(cut *Cut, n uint64) {
	lines := (c.src+n-1)/lineBytes - c.src/lineBytes + 1
	if c.known && c.optimises {
		lines--
		cut.NonCoherent = 1
	}
	cut.Coherent = int(lines)
}

// plain returns the totals of cutting a parcel of n bytes whose source has the same place in its
// line and page as its destination, which is at offset at: each line is read once, for one packet.
func plain(at, n uint64) (packets, lines uint64) {
	if n == 0 {
		return 1, 0
	}
	lines = (at+n-1)/lineBytes - at/lineBytes + 1
	for n > 0 {
		part := min(n, PageBytes-at%PageBytes)
		if part < PageBytes {
			first := min(part, MaxPacket-at%lineBytes)
			packets += 1 + (part-first+MaxPacket-1)/MaxPacket
			at, n = at+part, n-part
			continue
		}
		pages := n / PageBytes
		packets += pages * (PageBytes / MaxPacket)
		at, n = at+pages*PageBytes, n-pages*PageBytes
	}
	return packets, lines
}
