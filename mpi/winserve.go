package mpi

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"rhinet/llc"
)

// A served is a reach by messages: on every rank a goroutine receives requests, also of
// its own rank, and answers them one after the other; in virtual time, goroutines that
// are in calls do that (see windowService). So updates are atomic, and accesses of one
// rank stay in order (MPI 4.1, section 12.7.1).
type served struct {
	c    *Comm // without a context
	user *Comm // whose context limits waits for locks
	tag  atomic.Uint32
	gone chan struct{} // closed when the server has ended

	asks     askings
	attended *virtual   // serves instead of a goroutine; or nil
	next     [1]request // if attended: the next request,
	pending  *Request   // and its receive

	// The rest belongs to the server.
	mu      sync.Mutex // guards mine and regions
	mine    []byte     // this rank's part
	regions map[uint64][]byte
	dynamic bool
	writer  int // rank that has the lock, or -1
	readers []int
	queue   []request // that wait for the lock
	curious []request // that are told who has the lock (Bytes: 1 + whom they know of): see tell
	answers [1]answer // the last one
	heard   [1]request
	revoked bool // no lock is given any more
	elems   map[typeCode]*elem
}

// Tags of the messages of a window. The data of requests and answers have other tags,
// from firstData on, so that two ranks that send requests to each other do not take
// data for an answer.
const (
	tagPost = iota
	tagComplete
	tagRequest
	tagAccesses
	firstData
)

// What a request asks for.
const (
	askPut uint32 = iota
	askGet
	askUpdate
	askSwap
	askLock
	askUnlock
	askWithdraw // the request for a lock with this tag
	askHolder   // who has the lock that the request with this tag (At) waits for, until that is answered
	askFailed
	askRevoked
	askStop
)

// A request asks a rank's server to do something.
type request struct {
	What      uint32
	Op        uint32
	Type      uint32 // code of the elements
	Tag       uint32 // of data; the answer has the next one
	At, Bytes uint64
	From      uint32
	Flag      uint32 // exclusive lock; the old contents are fetched
}

// An answer ends a request; data may follow.
type answer struct{ Code uint32 }

// Codes of answers.
const (
	answerDone uint32 = iota
	answerNotAttached
	answerUnknownType
	answerRevoked
	answerWithdrawn
	answerHeld // by the rank (Code - answerHeld), and another answer follows; it must be the last one
)

// errWithdrawn reports that a target has dropped a request for a lock, as it was asked to.
var errWithdrawn = errors.New("the request has been withdrawn")

// errUnknownType reports elements that a target does not know.
var errUnknownType = errors.New("the target has no window of such elements; make the same view of the window there")

func (a answer) err() error {
	switch a.Code {
	case answerNotAttached:
		return errNotAttached
	case answerUnknownType:
		return errUnknownType
	case answerRevoked:
		return errWindowRevoked
	case answerWithdrawn:
		return errWithdrawn
	}
	return nil
}

// serve starts to serve mine.
func serve(c *Comm, mine []byte, dynamic bool) *served {
	v := newServed(c, mine, dynamic)
	v.start()
	return v
}

func newServed(c *Comm, mine []byte, dynamic bool) *served {
	return &served{
		c: newComm(c.core), user: c, gone: make(chan struct{}), mine: mine, dynamic: dynamic,
		regions: map[uint64][]byte{}, writer: -1, elems: map[typeCode]*elem{},
	}
}

// start starts the server.
func (v *served) start() {
	if t, ok := v.c.t.(*virtual); ok {
		v.attended = t
		t.attend(v)
	} else {
		go v.run()
	}
}

func (v *served) put(target int, at uint64, data []byte) error {
	return v.ask("Put", target, request{What: askPut, At: at, Bytes: uint64(len(data))}, nil, data)
}

func (v *served) get(target int, at uint64, buf []byte) error {
	if buf == nil {
		buf = []byte{}
	}
	return v.ask("Get", target, request{What: askGet, At: at, Bytes: uint64(len(buf))}, buf)
}

func (v *served) update(target int, at uint64, u *update) error {
	r := request{What: askUpdate, Op: uint32(u.op), Type: uint32(u.e.code), At: at, Bytes: uint64(u.bytes())}
	if u.old != nil {
		r.Flag = 1
	}
	if u.compare != nil {
		r.What = askSwap
		return v.ask("CompareAndSwap", target, r, u.old, u.data, u.compare)
	}
	call := "Accumulate"
	if u.old != nil {
		call = "GetAccumulate"
	}
	if u.op == NoOp {
		return v.ask(call, target, r, u.old)
	}
	return v.ask(call, target, r, u.old, u.data)
}

func (v *served) unlock(target int, exclusive bool) error {
	return v.ask("Unlock", target, request{What: askUnlock, Flag: flag(exclusive)}, nil)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func (v *served) expose(id uint64, mem []byte) error {
	v.mu.Lock()
	v.regions[id] = mem
	v.mu.Unlock()
	return nil
}

func (v *served) hide(id uint64) error {
	v.mu.Lock()
	delete(v.regions, id)
	v.mu.Unlock()
	return nil
}

func (v *served) close() error {
	if v.attended != nil {
		v.attended.dismiss(v)
		return nil
	}
	err := Send(v.c, []request{{What: askStop}}, v.c.rank, tagRequest)
	if err == nil {
		<-v.gone
	}
	return err
}

// run is the server. It ends with the window, or with the network.
func (v *served) run() {
	defer close(v.gone)
	for {
		r := &v.heard[0]
		st, err := v.hear(v.heard[:])
		if err == nil && r.What != askStop {
			r.From = uint32(st.Source)
			err = v.answer(r)
		}
		if err != nil && !v.survives(err) || err == nil && r.What == askStop {
			return
		}
	}
}

// hear receives the next request. Reports do not count it as a call of the program.
func (v *served) hear(r []request) (Status, error) {
	e, b := elemFor[request](v.c), view(r)
	st, err := v.c.t.RecvFor(llc.Serving, v.c.key|e.key, llc.AnyPeer, tagRequest, b)
	return v.c.received(site{"Recv", fromPeer, AnySource, tagRequest}, e, st, err, len(b))
}

// listen posts the receive for the next request.
func (v *served) listen() { v.pending = Irecv(v.c, v.next[:], AnySource, tagRequest) }

// answerNext answers the request that has arrived, and reports whether more may arrive.
func (v *served) answerNext() bool {
	st, err := v.pending.Wait()
	if err != nil {
		return false
	}
	r := v.next[0]
	r.From = uint32(st.Source)
	return v.answer(&r) == nil
}

// answer carries out r, and tells those who wait what it has changed. An error ends the service.
func (v *served) answer(r *request) error {
	err := v.carryOut(r)
	if e := v.tell(); err == nil {
		err = e
	}
	return err
}

func (v *served) carryOut(r *request) error {
	switch r.What {
	case askPut:
		return v.answerPut(r)
	case askGet:
		mem, code := v.find(r)
		return v.reply(r, code, mem)
	case askUpdate, askSwap:
		return v.answerUpdate(r)
	case askLock:
		v.queue = append(v.queue, *r)
		if v.revoked {
			return v.revoke()
		}
		return v.grant()
	case askHolder:
		r.Bytes = 0
		v.curious = append(v.curious, *r)
		return nil
	case askUnlock:
		if r.Flag != 0 {
			v.writer = -1
		} else if i := slices.Index(v.readers, int(r.From)); i >= 0 {
			v.readers = slices.Delete(v.readers, i, i+1)
		}
		if err := v.reply(r, answerDone, nil); err != nil {
			return err
		}
		return v.grant()
	case askWithdraw:
		return v.withdraw(r)
	case askFailed:
		if int(r.From) == v.c.rank {
			return v.rankFailed(int(r.At))
		}
	case askRevoked:
		if int(r.From) == v.c.rank {
			return v.revoke()
		}
	}
	return fmt.Errorf("request %d is unknown", r.What)
}

// find returns the memory that r is about. The caller need not hold a lock: the memory
// of a region that is detached meanwhile stays valid.
func (v *served) find(r *request) ([]byte, uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	mem, offset := v.mine, r.At
	if v.dynamic {
		var id uint64
		id, offset = splitPlace(r.At)
		mem = v.regions[id]
	}
	if offset > uint64(len(mem)) || r.Bytes > uint64(len(mem))-offset {
		return nil, answerNotAttached
	}
	return mem[offset:][:r.Bytes:r.Bytes], answerDone
}

// reply answers r, with data if that is not nil.
func (v *served) reply(r *request, code uint32, data []byte) error {
	err := v.respond(r, code)
	if err == nil && code == answerDone && data != nil {
		err = Send(v.c, data, int(r.From), int(r.Tag)+1)
	}
	return err
}

// respond sends an answer to r without data.
func (v *served) respond(r *request, code uint32) error {
	if v.attended != nil { // a call that sends may answer another request meanwhile
		return Send(v.c, []answer{{code}}, int(r.From), int(r.Tag)+1)
	}
	v.answers[0].Code = code
	return Send(v.c, v.answers[:], int(r.From), int(r.Tag)+1)
}

func (v *served) answerPut(r *request) error {
	mem, code := v.find(r)
	if code != answerDone {
		mem = make([]byte, r.Bytes)
	}
	if _, err := Recv(v.c, mem, int(r.From), int(r.Tag)); err != nil {
		return err
	}
	return v.reply(r, code, nil)
}

// operand receives the data that follows r.
func (v *served) operand(r *request) ([]byte, error) {
	b := alignedBytes(int(r.Bytes))
	_, err := Recv(v.c, b, int(r.From), int(r.Tag))
	return b, err
}

func (v *served) answerUpdate(r *request) (err error) {
	u := update{op: Predefined(r.Op)}
	if u.op != NoOp || r.What == askSwap {
		if u.data, err = v.operand(r); err != nil {
			return err
		}
	}
	if r.What == askSwap {
		if u.compare, err = v.operand(r); err != nil {
			return err
		}
	}
	if r.Flag != 0 {
		u.old = alignedBytes(int(r.Bytes))
	}
	mem, code := v.find(r)
	if u.e = v.elemOf(typeCode(r.Type), u.op); u.e == nil && code == answerDone {
		code = answerUnknownType
	}
	if code == answerDone {
		u.apply(mem)
	}
	return v.reply(r, code, u.old)
}

// elemOf returns a type of elements with the given code for which op is defined.
func (v *served) elemOf(code typeCode, op Predefined) *elem {
	if op >= numPredefined {
		return new(elem)
	}
	if e := v.elems[code]; e != nil && e.ops[op] != nil {
		return e
	}
	v.c.w.elems.all.Range(func(_, known any) bool {
		if e := known.(*elem); e.code == code && e.bad == "" && e.ops[op] != nil {
			v.elems[code] = e
			return false
		}
		return true
	})
	e := v.elems[code]
	if e == nil { // this rank may have used no such elements yet
		e = predeclared(&v.c.w.elems, code)
		v.elems[code] = e
	}
	if e != nil && e.ops[op] == nil {
		return nil
	}
	return e
}
