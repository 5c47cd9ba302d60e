//go:build ofi && linux && (amd64 || arm64)

package libfabric

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// An Endpoint is one endpoint for reliable datagrams, with an address vector and a
// completion queue of its own. It belongs to one goroutine at a time.
//
// Memory that is passed to an operation stays in place until the operation completes: Go's heap does not
// move.
type Endpoint struct {
	lib                                       *library
	info, fabric, domain, vector, queue, self uintptr
	arena                                     *arena
	args                                      [9]uintptr // arguments of a call; kept here so that a call allocates nothing

	// Functions and their objects, read once from libfabric's tables.
	recv, send, read, writeMsg, readFrom, readErr, tryWait uintptr

	contexts []byte
	base     uintptr  // of contexts
	entries  uintptr  // buffer for completions read from the queue
	sources  uintptr  // their senders
	failure  uintptr  // buffer for the entry of a failed operation
	message  *msgRMA  // of a Write
	local    *iovec   // local side
	remote   *rmaIOV  // remote side
	waited   *uintptr // the queue, as tryWait needs it
	fd       int
	pipe     [2]int // writing to it ends Await
	maximum  int
	mapped   [][]byte
	open     []uintptr // objects to close, in reverse order
}

// A Region is registered memory.
type Region struct{ mr uintptr }

// batch is how many completions one read of the queue returns at most.
const batch = 16

// Open creates an endpoint.
func Open(c Config) (*Endpoint, error) {
	a, err := newArena()
	if err != nil {
		return nil, err
	}
	lib, err := load()
	if err != nil {
		return nil, errors.Join(err, syscall.Munmap(a.mem))
	}
	lib.start(c)
	e := &Endpoint{lib: lib, arena: a, mapped: [][]byte{a.mem}, fd: -1}
	for _, step := range []func(Config) error{e.choose, e.build, e.enable, e.prepare} {
		if err := step(c); err != nil {
			return nil, errors.Join(fmt.Errorf("provider %s: %w", strings.Join(c.Providers, ", "), err), e.Close())
		}
	}
	return e, nil
}

// call calls a function of libfabric.
func (e *Endpoint) call(fn uintptr, args ...uintptr) uintptr {
	n := copy(e.args[:], args)
	r, _, _ := purego.SyscallN(fn, e.args[:n]...)
	return r
}

// choose finds the first of the providers that fits.
func (e *Endpoint) choose(c Config) error {
	var err error = ErrUnavailable
	for _, name := range c.Providers {
		if err = e.look(name, c.Source); err == nil {
			e.maximum = int(*word(*word(e.info, infoEndpoint), epMaxMessage))
			return nil
		}
	}
	return err
}

// look asks libfabric for a provider.
func (e *Endpoint) look(name, source string) error {
	hints := e.call(e.lib.dupinfo, 0)
	if hints == 0 {
		return syscall.ENOMEM
	}
	defer func() { e.call(e.lib.freeinfo, hints) }()
	*word(hints, infoCaps) = capMsg | capRMA | capSend | capRecv | capRead | capWrite | capRemoteRead | capRemoteWrite | capSource
	*word(hints, infoMode) = modeContext | modeContext2
	*half(*word(hints, infoEndpoint), epType) = endpointRDM
	*word(*word(hints, infoTx), txOrder) = orderSAS
	*word(*word(hints, infoRx), rxOrder) = orderSAS
	domain := *word(hints, infoDomain)
	*half(domain, domainThreading) = threadDomain
	*half(domain, domainResources) = resourcesManaged
	*half(domain, domainVector) = vectorTable
	*half(domain, domainMRMode) = 0
	*word(*word(hints, infoFabric), fabricProvider) = e.call(e.lib.strdup, e.arena.text(name))
	node, flags := uintptr(0), uintptr(0)
	if source != "" {
		node, flags = e.arena.text(source), capSource // with FI_SOURCE, node is the local address
	}
	found := (*uintptr)(pointer(e.arena.take(8)))
	r := e.call(e.lib.getinfo, apiVersion, node, 0, flags, hints, uintptr(unsafe.Pointer(found)))
	e.info = *found
	return e.lib.errno("fi_getinfo", r)
}

// object calls a function that creates an object and writes its address to the argument that is marked with
// result.
func (e *Endpoint) object(call string, fn uintptr, at *uintptr, args ...uintptr) error {
	out := (*uintptr)(pointer(e.arena.take(8)))
	for i, a := range args {
		if a == result {
			args[i] = uintptr(unsafe.Pointer(out))
		}
	}
	if err := e.lib.errno(call, e.call(fn, args...)); err != nil {
		return err
	}
	*at = *out
	e.open = append(e.open, *at)
	return nil
}

// result marks the argument that receives the address of a new object.
const result = ^uintptr(0)

// method returns a function of an object, from the function table at the given offset.
func method(object, table, fn uintptr) uintptr { return *word(*word(object, table), fn) }

// build creates the objects.
func (e *Endpoint) build(c Config) error {
	if err := e.object("fi_fabric", e.lib.fabric, &e.fabric, *word(e.info, infoFabric), result, 0); err != nil {
		return err
	}
	if err := e.object("fi_domain", method(e.fabric, objectOps, fabricDomain), &e.domain, e.fabric, e.info, result, 0); err != nil {
		return err
	}
	av := (*avAttr)(pointer(e.arena.take(unsafe.Sizeof(avAttr{}))))
	av.kind, av.count = vectorTable, uintptr(c.Peers)
	if err := e.object("fi_av_open", method(e.domain, objectOps, domainAV), &e.vector, e.domain, uintptr(unsafe.Pointer(av)), result, 0); err != nil {
		return err
	}
	cq := (*cqAttr)(pointer(e.arena.take(unsafe.Sizeof(cqAttr{}))))
	cq.size, cq.format, cq.wait = uintptr(c.Contexts), formatMsg, waitFD
	if err := e.object("fi_cq_open", method(e.domain, objectOps, domainCQ), &e.queue, e.domain, uintptr(unsafe.Pointer(cq)), result, 0); err != nil {
		return err
	}
	return e.object("fi_endpoint", method(e.domain, objectOps, domainEndpoint), &e.self, e.domain, e.info, result, 0)
}

// enable connects the objects and enables the endpoint.
func (e *Endpoint) enable(Config) error {
	bind := method(e.self, fidOps, opsBind)
	if err := e.lib.errno("fi_ep_bind", e.call(bind, e.self, e.vector, 0)); err != nil {
		return err
	}
	if err := e.lib.errno("fi_ep_bind", e.call(bind, e.self, e.queue, capSend|capRecv)); err != nil {
		return err
	}
	if err := e.lib.errno("fi_enable", e.call(method(e.self, fidOps, opsControl), e.self, commandEnable, 0)); err != nil {
		return err
	}
	fd := (*int32)(pointer(e.arena.take(8)))
	r := e.call(method(e.queue, fidOps, opsControl), e.queue, commandGetWait, uintptr(unsafe.Pointer(fd)))
	e.fd = int(*fd)
	return e.lib.errno("FI_GETWAIT", r)
}

// prepare sets up what every operation uses.
func (e *Endpoint) prepare(c Config) (err error) {
	e.recv, e.send = method(e.self, endpointMsg, msgRecv), method(e.self, endpointMsg, msgSend)
	e.read, e.writeMsg = method(e.self, endpointRMA, rmaRead), method(e.self, endpointRMA, rmaWriteMsg)
	e.readFrom, e.readErr = method(e.queue, objectOps, cqReadFrom), method(e.queue, objectOps, cqReadErr)
	e.tryWait = method(e.fabric, objectOps, fabricTryWait)
	e.entries, e.sources = e.arena.take(batch*unsafe.Sizeof(cqEntry{})), e.arena.take(batch*8)
	e.failure = e.arena.take(128) // fi_cq_err_entry, with room for fields of later versions
	e.message = (*msgRMA)(pointer(e.arena.take(unsafe.Sizeof(msgRMA{}))))
	e.local = (*iovec)(pointer(e.arena.take(unsafe.Sizeof(iovec{}))))
	e.remote = (*rmaIOV)(pointer(e.arena.take(unsafe.Sizeof(rmaIOV{}))))
	*e.message = msgRMA{iov: uintptr(unsafe.Pointer(e.local)), iovs: 1, rma: uintptr(unsafe.Pointer(e.remote)), rmas: 1}
	if err := syscall.Pipe2(e.pipe[:], syscall.O_CLOEXEC); err != nil {
		return err
	}
	e.waited = (*uintptr)(pointer(e.arena.take(8)))
	*e.waited = e.queue
	if e.contexts, err = e.Memory(c.Contexts * contextBytes); err == nil {
		e.base = address(e.contexts)
	}
	return err
}

// Name returns the address of the endpoint.
func (e *Endpoint) Name() []byte {
	const most = 256
	used := e.arena.used
	defer func() { e.arena.used = used }()
	at, n := e.arena.take(most), (*uintptr)(pointer(e.arena.take(8)))
	*n = most
	if e.call(method(e.self, endpointCM, cmGetName), e.self, at, uintptr(unsafe.Pointer(n))) != 0 {
		return nil
	}
	name := make([]byte, min(*n, most))
	copy(name, unsafe.Slice((*byte)(pointer(at)), len(name)))
	return name
}

// MaxMessage returns how many bytes one operation can transfer.
func (e *Endpoint) MaxMessage() int { return e.maximum }

// Insert adds the address of a peer.
func (e *Endpoint) Insert(name []byte) (Addr, error) {
	used := e.arena.used
	defer func() { e.arena.used = used }()
	at := e.arena.text(string(name))
	out := (*Addr)(pointer(e.arena.take(8)))
	if n := int32(e.call(method(e.vector, objectOps, avInsert), e.vector, at, 1, uintptr(unsafe.Pointer(out)), 0, 0)); n != 1 {
		return NoAddr, e.lib.errno("fi_av_insert", uintptr(min(n, -1)))
	}
	return *out, nil
}

// Memory returns n bytes outside of Go's heap, which last until Close. Pages are allocated when they are
// first touched.
func (e *Endpoint) Memory(n int) ([]byte, error) {
	mem, err := syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err == nil {
		e.mapped = append(e.mapped, mem)
	}
	return mem, err
}

// Recv posts b for a message.
func (e *Endpoint) Recv(b []byte, context int) error {
	return e.started("fi_recv", e.call(e.recv, e.self, address(b), uintptr(len(b)), 0, uintptr(NoAddr), e.context(context)))
}

// Send sends b as one message.
func (e *Endpoint) Send(to Addr, b []byte, context int) error {
	return e.started("fi_send", e.call(e.send, e.self, address(b), uintptr(len(b)), 0, uintptr(to), e.context(context)))
}

// Read copies memory of a peer to b.
func (e *Endpoint) Read(from Addr, key, offset uint64, b []byte, context int) error {
	return e.started("fi_read", e.call(e.read, e.self, address(b), uintptr(len(b)), 0, uintptr(from), uintptr(offset), uintptr(key), e.context(context)))
}

// Write copies b to memory of a peer. It completes when the bytes are there.
func (e *Endpoint) Write(to Addr, key, offset uint64, b []byte, context int) error {
	*e.local = iovec{address(b), uintptr(len(b))}
	*e.remote = rmaIOV{addr: offset, len: uintptr(len(b)), key: key}
	e.message.addr, e.message.context = uint64(to), e.context(context)
	return e.started("fi_writemsg", e.call(e.writeMsg, e.self, uintptr(unsafe.Pointer(e.message)), flagDelivered))
}

// Register lets peers read and write b until Unregister, with a key that the caller chooses.
func (e *Endpoint) Register(b []byte, key uint64) (r Region, err error) {
	used := e.arena.used
	defer func() { e.arena.used = used }()
	out := (*uintptr)(pointer(e.arena.take(8)))
	err = e.lib.errno("fi_mr_reg", e.call(method(e.domain, domainMR, mrReg), e.domain, address(b), uintptr(len(b)),
		capRemoteRead|capRemoteWrite, 0, uintptr(key), 0, uintptr(unsafe.Pointer(out)), 0))
	return Region{*out}, err
}

// Unregister undoes Register.
func (e *Endpoint) Unregister(r Region) error {
	return e.lib.errno("fi_close", e.call(method(r.mr, fidOps, opsClose), r.mr))
}

// Poll makes progress and fills out, which must not be empty, with completed operations. Failed operations
// are returned one at a time.
func (e *Endpoint) Poll(out []Completion) (int, error) {
	n := int(e.call(e.readFrom, e.queue, e.entries, uintptr(min(len(out), batch)), e.sources))
	switch {
	case n == -errAgain || n == 0:
		return 0, nil
	case n == -errAvailable:
		return e.failed(out)
	case n < 0:
		return 0, e.lib.errno("fi_cq_readfrom", uintptr(n))
	}
	entries := unsafe.Slice((*cqEntry)(pointer(e.entries)), n)
	sources := unsafe.Slice((*Addr)(pointer(e.sources)), n)
	for i := range entries {
		out[i] = Completion{Context: int(entries[i].context-e.base) / contextBytes, Len: int(entries[i].len), From: sources[i]}
	}
	return n, nil
}

// failed returns the next failed operation.
func (e *Endpoint) failed(out []Completion) (int, error) {
	n := int(e.call(e.readErr, e.queue, e.failure, 0))
	if n == -errAgain || n == 0 {
		return 0, nil
	}
	if n < 0 {
		return 0, e.lib.errno("fi_cq_readerr", uintptr(n))
	}
	code := int(*half(e.failure, errErr))
	at, _, _ := purego.SyscallN(e.lib.strerror, uintptr(code))
	out[0] = Completion{Context: -1, From: NoAddr, Err: &Errno{Call: "operation", Code: code, Text: textAt(at)}}
	if c := *word(e.failure, errContext); c >= e.base && c < e.base+uintptr(len(e.contexts)) {
		out[0].Context = int(c-e.base) / contextBytes
	}
	return 1, nil
}

// A pollFD is an argument of poll(2).
type pollFD struct {
	fd              int32
	events, revents int16
}

const pollIn = 1

// Await blocks until there may be something to Poll, and returns true; or until Release, and returns false.
// It may be called only after TryWait has returned true. One goroutine may run it concurrently with all
// other calls.
func (e *Endpoint) Await() bool {
	fds := [2]pollFD{{fd: int32(e.fd), events: pollIn}, {fd: int32(e.pipe[0]), events: pollIn}}
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&fds)), 2, 0, 0, 0, 0)
		if err != syscall.EINTR && err != syscall.EAGAIN {
			return fds[1].revents == 0
		}
	}
}

// Release ends Await for good.
func (e *Endpoint) Release() { _, _ = syscall.Write(e.pipe[1], []byte{0}) }

// TryWait reports whether Await may be called. It makes progress: the next Poll may find something.
func (e *Endpoint) TryWait() bool {
	return int32(e.call(e.tryWait, e.fabric, uintptr(unsafe.Pointer(e.waited)), 1)) == 0
}

// Close closes the endpoint. Operations in flight are abandoned.
func (e *Endpoint) Close() (err error) {
	for i := len(e.open); i > 0; i-- {
		o := e.open[i-1]
		if r := e.call(method(o, fidOps, opsClose), o); err == nil {
			err = e.lib.errno("fi_close", r)
		}
	}
	if e.info != 0 {
		e.call(e.lib.freeinfo, e.info)
	}
	for _, m := range e.mapped {
		if m != nil {
			err = errors.Join(err, syscall.Munmap(m))
		}
	}
	if e.pipe[1] != 0 {
		err = errors.Join(err, syscall.Close(e.pipe[0]), syscall.Close(e.pipe[1]))
	}
	e.open, e.mapped, e.info, e.pipe = nil, nil, 0, [2]int{}
	return err
}

func (e *Endpoint) context(i int) uintptr { return e.base + uintptr(i)*contextBytes }

// started returns nil, ErrAgain, or the error of an operation.
func (e *Endpoint) started(call string, r uintptr) error {
	if r == 0 {
		return nil
	}
	if int64(r) == -errAgain {
		return ErrAgain
	}
	return e.lib.errno(call, r)
}

func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }
