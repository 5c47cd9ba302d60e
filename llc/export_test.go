package llc

// Ways to break an engine, each a mistake that its code guards against. Only tests see them.

// BreakLines lets the engine believe that rings have twice their lines.
func BreakLines(e *Engine) { e.nics[0].slots *= 2 }

// BreakData lets it place data where the reader does not look.
func BreakData(e *Engine) { e.nics[0].bytes *= 2 }

// BreakFragments makes packets that do not fit an empty ring.
func BreakFragments(e *Engine) { e.nics[0].fragment = 4 * int(e.nics[0].bytes) }

// BreakWords hands one claim word to several transfers.
func BreakWords(e *Engine) {
	for i := range e.nics[0].words.free {
		e.nics[0].words.free[i] = 0
	}
}

// BreakCopier takes the copy engine away.
func BreakCopier(e *Engine) { e.nics[0].copies.limit = 0 }

// BreakTransfers leaves room for one transfer at a time.
func BreakTransfers(e *Engine) { e.transfers.limit = 1 }

// BreakRings grants rings that do not exist.
func BreakRings(e *Engine) {
	e.nics[0].caps.Rings, e.nics[0].grants = e.nics[0].caps.Rings+8, e.nics[0].grants+8
}

// Counted returns how many packets of messages have come from a peer in its ring.
func Counted(e *Engine, peer int) uint32 { return e.peers[peer].seen }

// Arrows lists the arrows of all machines, as "machine: from -> to".
func Arrows() (list []string) {
	arrow := func(machine, from, to string) { list = append(list, machine+": "+from+" -> "+to) }
	for from, set := range follows {
		for to := range numStates {
			if set&(1<<to) != 0 {
				arrow((*transfer)(nil).machine(to), state(from).String(), to.String())
			}
		}
	}
	for _, a := range [][2]outState{{outFresh, outAsking}, {outAsking, outRing}, {outAsking, outShared}} {
		arrow("connect/writer", outNames[a[0]], outNames[a[1]])
	}
	for _, a := range [][2]inState{{inNone, inGranted}, {inNone, inRefused}, {inGranted, inWatching}} {
		arrow("connect/reader", inNames[a[0]], inNames[a[1]])
	}
	return list
}

// Unexpected makes a machine go where no arrow leads: number i of three.
func Unexpected(e *Engine, i int) {
	switch p := &e.peers[0]; i {
	case 0:
		e.become(&transfer{p: p, state: sendStreaming}, sendOffered)
	case 1:
		e.moveOut(p, outRing)
	case 2:
		e.moveIn(p, inWatching)
	}
}

// Patience is how many events may go before a copy.
const Patience = patience

// LimitTransfers sets how many transfers may be under way.
func LimitTransfers(e *Engine, n int) { e.transfers.limit = n }

// AgeTransfers makes the next ids of all indexes in use wrap around.
func AgeTransfers(e *Engine) {
	for _, t := range e.transfers.table {
		if t.state == idle {
			t.id |= (1<<(32-indexBits) - 1) << indexBits
		}
	}
}

// States returns the names of the states of both connection machines.
func States(e *Engine, peer int) (writer, reader string) {
	p := &e.peers[peer]
	return outNames[p.out], inNames[p.grant]
}

// SlowReader is how often a stream finds no room before messages are copied, CopiesForSlow is how many are
// copied then, MostListed is the largest number of pieces in a list.
const (
	SlowReader    = slowReader
	CopiesForSlow = copiesForSlow
	MostListed    = mostListed
)

// WrittenPacks reports whether a message of n bytes to dst goes in packets after one that was slow to read.
func WrittenPacks(e *Engine, dst, n int) bool {
	p := &e.peers[dst]
	p.written.left = 1
	return p.packs(uint64(n))
}
