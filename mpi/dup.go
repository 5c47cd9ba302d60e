package mpi

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"

	"rhinet/collectives"
)

// Dup returns a communicator of the same ranks whose messages meet only each
// other. All ranks of c call it.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_dup).
func (c *Comm) Dup() (*Comm, error) { return c.dup(at("Dup"), c.worldOptions()) }

// DupWithInfo is Dup with hints, equal on all ranks. The one that has a meaning
// here is [HintAlgorithms]; others are ignored, as the standard has it. A wrong
// value of it is ErrArg. Communicators made of the result do not inherit them.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_dup_with_info).
func (c *Comm) DupWithInfo(info map[string]string) (*Comm, error) {
	s := at("DupWithInfo")
	o := c.worldOptions()
	if list, ok := info[HintAlgorithms]; ok {
		var err error
		if o.Force, err = collectives.ParseForce(list); err != nil {
			return nil, c.because(s, ErrArg, err, HintAlgorithms)
		}
	}
	return c.dup(s, o)
}

// HintAlgorithms is the hint of [Comm.DupWithInfo] that names algorithms of
// collective calls to use: "bcast=chain,allreduce=ring", in the place of what
// the variable RHINET_COLL says for the whole job.
const HintAlgorithms = "rhinet_coll"

// worldOptions are those of communicators without hints.
func (c *Comm) worldOptions() (o collectives.Options) {
	if c != nil {
		o = c.w.Collectives
	}
	return o
}

func (c *Comm) dup(s site, o collectives.Options) (*Comm, error) {
	if err := c.enter(s, nil); err != nil {
		return nil, err
	}
	id, board, seq, err := c.agree(s, c.size, true)
	if err = c.leave(s, err); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s.dup%d", c.name, c.born.Add(1))
	made := &core{name: name, rank: c.rank, members: c.members, size: c.size, id: id, board: board}
	return c.derive(s, made, seq, o)
}

// Split cuts c into communicators, one for each color, in which ranks are
// ordered by key and then by their rank in c. Colors are 0 or more; a rank
// with color Undefined gets nil. All ranks of c call it.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_split).
func (c *Comm) Split(color, key int) (*Comm, error) {
	s := at("Split")
	if err := c.enter(s, nil); err != nil {
		return nil, err
	}
	if color < 0 && color != Undefined {
		return nil, c.fail(s, ErrArg, "the color is %d; colors are 0 or more, or Undefined", color)
	}
	group, err := c.sameColor(color, key)
	if err != nil {
		return nil, c.leave(s, err)
	}
	id, board, seq, err := c.agree(s, len(group), color != Undefined)
	if err = c.leave(s, err); err != nil {
		return nil, err
	}
	n := c.born.Add(1)
	if color == Undefined {
		return nil, nil
	}
	members := make([]int32, len(group))
	rank := 0
	for i, m := range group {
		members[i] = int32(c.global(m.rank))
		if m.rank == c.rank {
			rank = i
		}
	}
	name := fmt.Sprintf("%s.split%d(color %d)", c.name, n, color)
	made := &core{name: name, rank: rank, members: members, size: len(members), id: id, board: board}
	return c.derive(s, made, seq, c.worldOptions())
}

// Free ends the use of c. All its ranks call it; nothing may be pending on c.
// Where collective calls on c use the NIC's flag board, as they may on 2 to 64
// ranks, Free waits until all of them have called it: without bound, and a
// context of [Comm.WithContext] does not end the wait. Elsewhere it returns at
// once. If a call on c ended half-way because its context did, messages of that
// call may be about for ever, so what told them from others, one of 4096
// numbers, is then not used again.
//
// MPI 4.1, section 7.4.3.
func (c *Comm) Free() error {
	s := at("Free")
	if err := c.check(s); err != nil {
		return err
	}
	if c.id == worldID {
		return c.errorAt(s, ErrComm, "the world cannot be freed; Finalize ends it")
	}
	c.coll.mu.Lock()
	defer c.coll.mu.Unlock()
	old := c.state.Swap(commFreed)
	if old == commFreed {
		return c.errorAt(s, ErrComm, "the communicator has been freed")
	}
	broken := old == commBroken
	var err error
	if c.board != noBoard {
		c.coll.begin(s.call, nil)
		err = c.coll.part()
		broken = broken || err != nil
	}
	c.w.forget(c.core)
	if !broken {
		c.w.ids.give(c.id, c.board, c.coll.lastSeq())
	}
	if err != nil && old != commBroken {
		return c.explain(s, err)
	}
	return nil
}

// derive opens the communicator that its ranks have agreed on. It gets the
// limits of c.
func (c *Comm) derive(s site, made *core, seq uint64, o collectives.Options) (*Comm, error) {
	if err := c.w.open(made, seq, o); err != nil {
		return nil, c.because(s, ErrOther, err, "")
	}
	return &Comm{core: made, ctx: c.ctx}, nil
}

// A chooser is what one rank says in Split.
type chooser struct{ color, key, rank int }

// sameColor lists the ranks of c that choose color, in their new order.
func (c *Comm) sameColor(color, key int) ([]chooser, error) {
	all := make([]chooser, c.size)
	mine := []chooser{{color, key, c.rank}}
	if err := c.coll.group.Allgather(view(mine), view(all)); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o chooser) bool { return o.color != color })
	slices.SortFunc(all, func(a, b chooser) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.rank, b.rank))
	})
	return all, nil
}

// agree finds a context that is free on all ranks of c and, if one is free on
// all and the communicator to be, of size ranks, can have one, a board with the
// highest sequence number that a rank of c has used on it. Members take both;
// other ranks get the context's number only, and it stays free there.
func (c *Comm) agree(s site, size int, member bool) (contextID, boardSlot, uint64, error) {
	ids := &c.w.ids
	ids.join(c.id)
	defer ids.quit(c.id)
	var mine, common proposal
	and := elemOf[uint64](&c.w.elems).ops[BAnd]
	// A context that has just been given back may still have messages on their
	// way that nobody will receive. So each search on c begins one further on
	// than the one before: contexts made of c come round late, unless those in
	// between are in use, or another communicator's search begins there.
	c.coll.agreed++
	from := contextID((uint32(c.id)*apart + c.coll.agreed) % maxContexts)
	for {
		proposed := ids.propose(c.id, &mine)
		err := c.coll.group.Allreduce(view(mine[:]), view(common[:]), and)
		id, found := common.first(from)
		if err == nil && common[honest] == 1 && found && member {
			ids.take(id)
		}
		board := noBoard
		var seq uint64
		if err == nil && common[honest] == 1 && found {
			board, seq, err = c.agreeBoard(common.board(), size, member)
		}
		if proposed {
			ids.retract()
		}
		switch {
		case err != nil:
			return 0, noBoard, 0, err
		case common[honest] == 0: // another agreement goes first on some rank
			runtime.Gosched()
			continue
		case !found:
			return 0, noBoard, 0, c.errorAt(s, ErrComm, "all %d communicators are in use; Free those that are not needed", maxContexts)
		}
		return id, board, seq, nil
	}
}

// agreeBoard takes the board that all ranks have free and finds the sequence
// number from which on none of its lines can be mistaken.
func (c *Comm) agreeBoard(board boardSlot, size int, member bool) (boardSlot, uint64, error) {
	if board == noBoard {
		return noBoard, 0, nil
	}
	last, highest := []uint64{c.w.ids.lastSeq(board)}, []uint64{0}
	most := elemOf[uint64](&c.w.elems).ops[Max]
	if err := c.coll.group.Allreduce(view(last), view(highest), most); err != nil {
		return noBoard, 0, err
	}
	if !member || size < 2 || size > maxBoardRanks {
		return noBoard, 0, nil
	}
	c.w.ids.takeBoard(board)
	return board, highest[0], nil
}
