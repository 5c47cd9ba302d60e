package martini

import (
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Window is one request page (martini, section 3.1). It belongs to one goroutine at a time.
// Writing its kick word carries out the request on the page. Our choice, since the operation runs
// to completion: the same write returns what the hardware would report as an exception.
type Window struct {
	nic   *NIC
	id    int
	entry *entry   // PGIDTBL and CONTTBL
	page  []uint64 // the request
	flags []uint64 // contflag page: word 0 the contflag, the others completion flags
}

func (w *Window) open(n *NIC, id int) {
	w.nic, w.id, w.entry = n, id, n.own.window(id)
	w.page = n.own.tables[regWindows+id*pageWords:][:pageWords]
	w.flags = n.own.tables[regFlags+id*pageWords:][:pageWords]
	at, _ := n.f.Span(n.rank, fabric.Device)
	w.entry.store(winCont, at+uint64(regFlags+id*pageWords)*8)
}

// key returns the Window's line of PGIDTBL. After the NIC has been closed it is invalid, even if
// the Window has a new owner.
func (w *Window) key() uint64 {
	if w.nic.closed.Load() {
		return 0
	}
	return w.entry.load(winKey)
}

// CompletionFlags is how many completion flags a Window has, numbered from 1.
const CompletionFlags = pageWords - 1

// Contflag returns the number of requests of this Window that have been processed: it rises by one
// for each request, carried out or refused, when the Window may be written again and the source of
// a PUSH is free (martini, section 3.3).
func (w *Window) Contflag() uint64 { return atomic.LoadUint64(&w.flags[0]) }

// Flag returns completion flag i: the contflag's value for the last request that named the flag and
// that has completed remotely (martini, sections 4.1, 4.2; value our choice).
func (w *Window) Flag(i int) uint64 { return atomic.LoadUint64(&w.flags[i]) }

// Write writes one double word of the Window. Writing DWKick or DWBotf carries
// out the request and returns its refusal.
func (w *Window) Write(dw int, v uint64) error {
	w.page[dw] = v
	switch dw {
	case DWKick:
		return w.kick()
	case DWBotf:
		return w.kickBotf(v)
	}
	return nil
}

// A Request names the remote part of a PUSH or PULL.
type Request struct {
	Node    int // its number is also its process's PID
	Segment Segment
	Offset  uint64
	Flag    int // completion flag to set, or 0
}

// Push writes b, which is pinned, to remote memory (martini, section 4.1).
func (w *Window) Push(r Request, b []byte) error { return w.request(CommandPush, r, b) }

// Pull reads remote memory into b, which is pinned (martini, section 4.2).
func (w *Window) Pull(r Request, b []byte) error { return w.request(CommandPull, r, b) }

func (w *Window) request(command int, r Request, b []byte) error {
	if uint(r.Flag) > CompletionFlags || len(b) >= 1<<40 {
		return w.nic.refuse(Refusal{Op: opName(command), Node: r.Node, Segment: r.Segment, Offset: r.Offset, Bytes: len(b), Reason: WrongLength, local: true})
	}
	if uint(r.Node) >= uint(w.nic.f.Ranks()) {
		return w.nic.refuse(Refusal{Op: opName(command), Node: r.Node, Segment: r.Segment, Offset: r.Offset, Bytes: len(b), Reason: NoNode})
	}
	w.compose(command, r, b)
	return w.Write(DWKick, 1)
}

// compose writes all of a request except the kick.
func (w *Window) compose(command int, r Request, b []byte) {
	w.page[DWCommand] = uint64(MakeCommand(command, r.Flag, uint64(len(b))))
	w.page[DWTarget] = uint64(MakeTarget(r.Node, r.Node))
	w.page[DWLocal] = fabric.Address(b)
	w.page[DWSegment] = uint64(r.Segment)
	w.page[DWOffset] = r.Offset
}

func opName(command int) string {
	switch command {
	case CommandPush:
		return opPush
	case CommandPull:
		return opPull
	case CommandLockInit:
		return opLockInit
	case CommandLock:
		return opLock
	case CommandUnlock:
		return opUnlock
	}
	return "request"
}

// kick is the Initiator (martini, sections 7.1, 10.7): IDLE and PGID, then IPA to CHK2 for the
// local side, then the transfer, then CONT. A request that is stopped before the first byte has
// moved goes to unusual.
func (w *Window) kick() error {
	command, target := Command(w.page[DWCommand]), Target(w.page[DWTarget])
	op, flag, size := command.Op(), command.Flag(), command.Bytes()
	r := Refusal{
		Op: opName(op), Node: target.Node(), Segment: Segment(w.page[DWSegment]), Offset: w.page[DWOffset], Bytes: int(size),
	}
	if w.admit(op, flag) != 0 {
		return w.unusual(r, DWKick, 1)
	}
	key := w.key()
	var local []byte
	if size > 0 {
		var ok bool
		if local, ok = w.nic.local(key, w.page[DWLocal], size); !ok {
			return w.unusual(r, DWKick, 1)
		}
	}
	key = makeKey(uint32(key), target.PID())
	var to way
	if r.Reason = to.find(w.nic, r.Node, key, r.Segment, r.Offset, size); r.Reason != 0 {
		return w.unusual(r, DWKick, 1)
	}
	r.Moved, r.Reason, r.Cause = w.nic.carry(&to, op == CommandPush, local)
	done := w.cont()
	if r.Reason != 0 {
		return w.nic.refuse(r)
	}
	if flag != 0 {
		w.complete(flag, done)
	}
	return nil
}

// complete sets a completion flag.
func (w *Window) complete(flag int, done uint64) { atomic.StoreUint64(&w.flags[flag], done) }

// admit makes the checks of IDLE and PGID.
func (w *Window) admit(op, flag int) Reason {
	switch {
	case op != CommandPush && op != CommandPull:
		return SpecialRequest
	case w.key()&winValid == 0:
		return InvalidWindow
	case flag > CompletionFlags:
		return WrongLength
	}
	return 0
}

// cont is the state CONT: the request has been processed, even if it was cancelled.
func (w *Window) cont() uint64 {
	done := w.flags[0] + 1
	atomic.StoreUint64(&w.flags[0], done)
	return done
}
