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
	revoked bool      // no lock is given any more
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

// ask sends a request with data, and returns when the answer has arrived, with the data
// that follows it in buf. It begins all transfers at once: a rank that answers others
// meanwhile does not delay them.
func (v *served) ask(call string, target int, r request, buf []byte, data ...[]byte) error {
	if v.attended != nil && target == v.c.rank { // messages to itself take no time, in which others could change its part
		if err := v.attended.pass(v.c); err != nil {
			return err
		}
	}
	r.Tag, r.From = firstData+v.tag.Add(1)%(1<<29)*2, uint32(v.c.rank)
	var a [1]answer
	label := noted(call, "window "+v.user.name)
	answered := Irecv(v.c, a[:], target, int(r.Tag)+1)
	answered.label(label)
	defer answered.withdraw()
	var followed *Request
	if buf != nil {
		followed = Irecv(v.c, buf, target, int(r.Tag)+1)
		followed.label(label)
		defer followed.withdraw()
	}
	sent := []*Request{Isend(v.c, []request{r}, target, tagRequest)}
	for _, d := range data {
		sent = append(sent, Isend(v.c, d, target, int(r.Tag)))
	}
	if err := WaitAll(sent...); err != nil {
		return err
	}
	if r.What == askLock {
		if err := v.relent(call, answered, target, r); err != nil {
			return err
		}
	}
	if _, err := answered.Wait(); err != nil {
		return err
	}
	if err := a[0].err(); err != nil {
		return err
	}
	_, err := followed.Wait()
	return err
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

func (v *served) lock(call string, target int, exclusive bool) error {
	err := v.ask(call, target, request{What: askLock, Flag: flag(exclusive)}, nil)
	if err == errWithdrawn {
		return v.user.check(atPeer(call, target))
	}
	return err
}

// relent waits for the answer to r, which asks for a lock, and withdraws r if the context of the window ends first.
// That is answered, too, unless the lock has been given or refused meanwhile: either way one answer comes.
func (v *served) relent(call string, answered *Request, target int, r request) error {
	p := answered.active()
	if !p.started() || v.granted(call, target, &p.Request) {
		return nil
	}
	r.What = askWithdraw
	return Send(v.c, []request{r}, target, tagRequest)
}

// granted waits for the answer to a request for a lock, and reports whether it need not be withdrawn: the context of
// the window has not ended first. In reports the wait is for no rank, since the target does not give the lock away: one
// that has it does.
func (v *served) granted(call string, target int, answer *llc.Request) bool {
	t, ctx := v.c.t, v.user.ctx
	if !v.c.reports() { // there a condition does not see the end of a request
		return ctx == nil || t.WaitContext(ctx, answer) == nil || ctx.Err() == nil
	}
	if ctx != nil {
		defer v.c.wakeAtEnd(ctx)()
	}
	over := false
	t.AwaitCollective(v.user.locking(call, target), nil, nil, func() bool {
		over = !answer.Done() && ctx != nil && ctx.Err() != nil
		return over || answer.Done()
	})
	return !over
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
		var r [1]request
		st, err := v.hear(r[:])
		if err == nil && r[0].What != askStop {
			r[0].From = uint32(st.Source)
			err = v.answer(&r[0])
		}
		if err != nil && !v.survives(err) || err == nil && r[0].What == askStop {
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

// answer carries out r. An error ends the service.
func (v *served) answer(r *request) error {
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
	err := Send(v.c, []answer{{code}}, int(r.From), int(r.Tag)+1)
	if err == nil && code == answerDone && data != nil {
		err = Send(v.c, data, int(r.From), int(r.Tag)+1)
	}
	return err
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
	if e != nil && e.ops[op] == nil {
		return nil
	}
	return e
}

// grant gives the lock to requests that may have it, in order of arrival.
func (v *served) grant() error {
	for len(v.queue) > 0 {
		r := v.queue[0]
		if v.writer >= 0 || r.Flag != 0 && len(v.readers) > 0 {
			return nil
		}
		v.queue = v.queue[1:]
		if r.Flag != 0 {
			v.writer = int(r.From)
		} else {
			v.readers = append(v.readers, int(r.From))
		}
		if err := v.reply(&r, answerDone, nil); err != nil && !v.survives(err) { // rankFailed handles a dead rank
			return err
		}
	}
	return nil
}

// withdraw drops the request for a lock that r withdraws, and answers it, unless it has been answered already.
func (v *served) withdraw(r *request) error {
	n := len(v.queue)
	v.queue = slices.DeleteFunc(v.queue, func(q request) bool { return q.From == r.From && q.Tag == r.Tag })
	if len(v.queue) == n {
		return nil
	}
	if err := v.reply(r, answerWithdrawn, nil); err != nil {
		return err
	}
	return v.grant() // others may have waited only behind it
}
