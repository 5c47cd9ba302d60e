package mpi

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
)

// Dup returns a communicator of the same ranks whose messages meet only each
// other. All ranks of c call it.
//
// MPI 4.1, section 7.4.2 (MPI_Comm_dup).
func (c *Comm) Dup() (*Comm, error) {
	s := at("Dup")
	if err := c.enter(s, nil); err != nil {
		return nil, err
	}
	id, board, seq, err := c.agree(s, c.size, true)
	if err = c.leave(s, err); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s.dup%d", c.name, c.born.Add(1))
	return c.derive(s, name, c.rank, c.members, c.size, id, board, seq)
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
	return c.derive(s, name, rank, members, len(members), id, board, seq)
}

// Free ends the use of c. All its ranks call it; nothing may be pending on c.
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
	if old := c.state.Swap(commFreed); old == commFreed {
		return c.errorAt(s, ErrComm, "the communicator has been freed")
	}
	c.w.forget(c.core)
	c.w.ids.give(c.id, c.board, c.coll.lastSeq())
	return nil
}

// derive makes the communicator that its ranks have agreed on. It gets the
// limits of c.
func (c *Comm) derive(s site, name string, rank int, members []int32, size int, id contextID, board boardSlot, seq uint64) (*Comm, error) {
	made, err := c.w.comm(name, rank, members, size, id, board, seq)
	if err != nil {
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

// agree finds a context, and if possible a board with its last sequence
// number, that is free on all ranks of c. size is that of the communicator to
// be; only members take what was found.
func (c *Comm) agree(s site, size int, member bool) (contextID, boardSlot, uint64, error) {
	ids := &c.w.ids
	ids.join(c.id)
	defer ids.quit(c.id)
	var mine, common proposal
	and := elemOf[uint64](&c.w.elems).ops[BAnd]
	for {
		proposed := ids.propose(c.id, &mine)
		err := c.coll.group.Allreduce(view(mine[:]), view(common[:]), and)
		id, found := common.lowest()
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
