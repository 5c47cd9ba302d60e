package mpi

import (
	"fmt"

	"rhinet/internal/observe"
)

// A wholeCall is the call of the program of which the collective calls on a communicator are parts: that of a window
// serves the calls of the window. Ranks compare, and reports and statistics name, that call and not its parts.
type wholeCall struct {
	call  string // "": the program makes the collective calls itself
	sign  callSign
	parts bool // it counts itself, since none of its parts is all of it
}

// partOf has collective calls on c from now on be parts of a call. If parts is false, the part that has its
// name is counted in its place.
func (c *Comm) partOf(call string, parts bool) {
	c.coll.mu.Lock()
	c.coll.within = wholeCall{call, makerSign(at(call)), parts}
	c.coll.swap(0, 0)
	c.coll.mu.Unlock()
}

// counts reports whether a call is one of the program, not a part of another.
func (k *collState) counts(call string) bool {
	return k.within.call == "" || k.within.call == call && !k.within.parts
}

// private returns a communicator of the same ranks that the program does not see, and
// when the call at s began, which goes on with collective calls on it.
func (c *Comm) private(s site) (own *Comm, begun observe.Mark, err error) {
	if err := c.intra(s); err != nil {
		return nil, begun, err
	}
	if err := c.enter(s, nil); err != nil {
		return nil, begun, err
	}
	begun = c.coll.begun
	made, seq, err := c.assemble(s, cut{key: c.rank})
	if err = c.yield(s, err); err == nil {
		made.members, made.private, made.maker = c.members, true, c.failures
		made.name = fmt.Sprintf("%s.win%d", c.name, c.born.Add(1))
		own, err = c.derive(s, made, seq, c.worldOptions())
	}
	if err != nil {
		c.end(begun, s.call)
		return nil, begun, err
	}
	own.partOf(s.call, true)
	return own, begun, nil
}
