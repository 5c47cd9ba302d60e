package observe

// nearCells is how many cells of a call are found without a search.
const nearCells = 64 // a power of two

// cellWords counts the calls of one name on one communicator with one peer.
type cellWords [cellBytes]byte

// nowhere is not the key of any cell: no message has a negative peer.
const nowhere = 1<<64 - 1

// near is a cell that was used recently, by peer and context.
type near struct {
	key  uint64
	cell *cellWords
}

// cells are the cells of a rank.
type cells struct {
	near  [WaitOne][nearCells]near
	empty bool                  // near is empty
	used  int                   // number of cells in memory that are in use
	of    map[uint64]*cellWords // by their first word
}

// Near counts a call that has moved a message in a context from or to a peer, if it finds the cell at once,
// and reports whether it has; if not, the caller must call Count. call is one before WaitOne; messages for
// Irecv that another call has received count as calls of Irecv.
func (r *Rank) Near(call Row, context uint16, peer, bytes int) bool {
	n := &r.cells.near[call][(uint16(peer)+context)%nearCells]
	if n.key != uint64(peer)<<16|uint64(context) {
		return false
	}
	n.cell.add(bytes)
	return true
}

// add counts a call that has moved the given number of bytes.
func (c *cellWords) add(bytes int) {
	add(c[cellCount:cellCount+wordBytes], 1)
	add(c[cellMoved:cellMoved+wordBytes], uint64(bytes))
}

// Count counts a call as Near does, wherever its cell is.
func (r *Rank) Count(call Row, context uint16, peer, bytes int) {
	if r.Near(call, context, peer, bytes) {
		return
	}
	if c := r.search(call, context, peer); c != nil {
		c.add(bytes)
		return
	}
	if call != Irecv {
		r.Called(call, bytes)
	}
	id, flags := r.direction(call, context, peer)
	r.count(&Transfer{Flags: flags, Comm: id, Peer: peer, Bytes: bytes})
}

// direction returns the direction of a call's message and its communicator.
func (r *Rank) direction(call Row, context uint16, peer int) (CommID, Flags) {
	if call == Recv || call == Irecv {
		return r.CommOf(context), Receives
	}
	return r.CommTo(peer, context), Sends
}

// search finds the cell of a call, or takes a new one. It returns nil if there is none left.
func (r *Rank) search(call Row, context uint16, peer int) *cellWords {
	id, _ := r.direction(call, context, peer)
	word := uint64(call) | uint64(id)<<8 | uint64(uint32(peer))<<32
	c := r.cells.of[word]
	if c == nil {
		if r.cells.used == r.plan.cells() {
			return nil
		}
		c = (*cellWords)(r.mem[r.plan.cellsAt()+r.cells.used*cellBytes:])
		r.cells.of[word] = c
		set(c[:], cellOf, word)
		r.cells.used++
		set(r.head[:], headCells, uint64(r.cells.used))
	}
	r.cells.empty = false
	r.cells.near[call][(uint16(peer)+context)%nearCells] = near{uint64(peer)<<16 | uint64(context), c}
	return c
}

// strange empties near: contexts now belong to other communicators.
func (r *Rank) strange() {
	if r.cells.empty {
		return
	}
	r.cells.empty = true
	for call := range r.cells.near {
		for i := range r.cells.near[call] {
			r.cells.near[call][i].key = nowhere
		}
	}
}

// A tally is the contents of a cell.
type tally struct {
	call         Row
	id           CommID
	peer         int
	count, bytes uint64
}

// readCell reads a cell, and reports whether it is valid and not empty. A rank may have written anything.
func readCell(b []byte) (t tally, any bool) {
	word := get(b, cellOf)
	t = tally{Row(word), CommID(word >> 8), int(word >> 32), get(b, cellCount), get(b, cellMoved)}
	return t, t.count > 0 && t.call < WaitOne && t.id <= mostComms
}

// receives reports whether the cell counts received messages.
func (t *tally) receives() bool { return t.call == Recv || t.call == Irecv }

// toComm adds t to the words of its communicator.
func (t *tally) toComm(words []byte) {
	at := commSent
	if t.receives() {
		at = commReceived
	}
	add(words[at:], t.count)
	add(words[at+wordBytes:], t.bytes)
}

// used returns how many bytes of cells the rank with the given head uses.
func (p plan) used(head []byte) int {
	return int(min(get(head, headCells), uint64(p.cells()))) * cellBytes
}

// fold adds the cells of a rank to its rows, peers and communicators.
func (p plan) fold(region, cells []byte) {
	for ; len(cells) > 0; cells = cells[cellBytes:] {
		t, any := readCell(cells)
		if !any {
			continue
		}
		if t.call != Irecv {
			row := region[pageBytes+int(t.call)*rowBytes:]
			add(row[rowCount:], t.count)
			add(row[rowBytesMoved:], t.bytes)
		}
		if t.id > 0 {
			t.toComm(region[p.commsAt()+int(t.id-1)*commBytes:])
		}
		if !t.receives() && t.peer < p.ranks {
			words := region[p.peersAt()+t.peer*peerBytes:]
			add(words[peerMessages:], t.count)
			add(words[peerBytesSent:], t.bytes)
		}
	}
}
