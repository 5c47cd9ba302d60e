//go:build ofi && linux && (amd64 || arm64)

package libfabric

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Definitions of libfabric's headers, in the version that is requested (rdma/fabric.h, rdma/fi_domain.h,
// rdma/fi_endpoint.h, rdma/fi_eq.h; version 1.17). Later versions only add fields at the ends.
const (
	apiVersion = 1<<16 | 17
	abiVersion = "FABRIC_1.3" // symbol version of fi_getinfo and similar functions, which newer libraries have too

	capMsg, capRMA                   = 1 << 1, 1 << 2
	capRead, capWrite                = 1 << 8, 1 << 9
	capRecv, capSend                 = 1 << 10, 1 << 11
	capRemoteRead, capRemoteWrite    = 1 << 12, 1 << 13
	capSource                        = 1 << 57
	modeContext, modeContext2        = 1 << 59, 1 << 52
	flagDelivered                    = 1 << 28 // FI_DELIVERY_COMPLETE
	orderSAS                         = 1 << 8  // sends after sends stay in order
	endpointRDM                      = 3
	vectorTable                      = 2
	waitFD                           = 3
	formatMsg                        = 2
	threadDomain                     = 3
	resourcesManaged                 = 2
	commandEnable, commandGetWait    = 6, 5
	errAgain, errAvailable, errNoSys = 11, 259, 38
	contextBytes                     = 64
)

// Offsets of fields, in bytes.
const (
	infoCaps, infoMode            = 8, 16
	infoTx, infoRx                = 72, 80
	infoEndpoint, infoDomain      = 88, 96
	infoFabric                    = 104
	fabricProvider                = 16
	domainThreading               = 16
	domainResources, domainVector = 28, 32
	domainMRMode                  = 36
	epType, epMaxMessage          = 0, 16
	txOrder, rxOrder              = 24, 24

	fidOps               = 16
	opsClose, opsBind    = 8, 16
	opsControl           = 24
	objectOps            = 24 // of the object's own kind
	fabricDomain         = 8
	fabricTryWait        = 40
	domainMR             = 32
	domainAV, domainCQ   = 8, 16
	domainEndpoint       = 24
	mrReg                = 8
	endpointCM           = 32
	endpointMsg          = 40
	endpointRMA          = 48
	cmGetName            = 16
	msgRecv, msgSend     = 8, 32
	rmaRead, rmaWriteMsg = 8, 48
	avInsert             = 8
	cqReadFrom           = 16
	cqReadErr            = 24
	cqStrError           = 56
	mrKey                = 32

	errContext, errErr, errProvider = 0, 56, 60
)

// Structures that are passed to libfabric.
type (
	avAttr struct {
		kind, ctxBits int32
		count, each   uintptr
		name, mapAt   uintptr
		flags         uint64
	}
	cqAttr struct {
		size         uintptr
		flags        uint64
		format, wait int32
		signal, cond int32
		waitSet      uintptr
	}
	cqEntry struct {
		context uintptr
		flags   uint64
		len     uintptr
	}
	iovec struct {
		base, len uintptr
	}
	rmaIOV struct {
		addr uint64
		len  uintptr
		key  uint64
	}
	msgRMA struct {
		iov, desc uintptr
		iovs      uintptr
		addr      uint64
		rma       uintptr
		rmas      uintptr
		context   uintptr
		data      uint64
	}
)

// A library is libfabric as loaded in this process.
type library struct {
	getinfo, freeinfo, dupinfo, fabric, strerror, strdup uintptr

	handle   uintptr
	starting sync.Once
}

// load loads libfabric, once, since its providers take time to start. It stays loaded.
var load = sync.OnceValues(func() (*library, error) {
	a, err := newArena()
	if err != nil {
		return nil, err
	}
	l, err := find(a)
	return l, errors.Join(err, syscall.Munmap(a.mem))
})

// find finds libfabric's functions.
func find(a *arena) (*library, error) {
	h, err := purego.Dlopen("libfabric.so.1", purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, fmt.Errorf("%w: %w; install it (Debian: apt-get install libfabric1)", ErrUnavailable, err)
	}
	l := &library{handle: h}
	versioned, err := purego.Dlsym(purego.RTLD_DEFAULT, "dlvsym")
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	for name, fn := range map[string]*uintptr{"fi_getinfo": &l.getinfo, "fi_freeinfo": &l.freeinfo, "fi_dupinfo": &l.dupinfo} {
		if *fn, _, _ = purego.SyscallN(versioned, h, a.text(name), a.text(abiVersion)); *fn == 0 {
			return nil, fmt.Errorf("%w: it has no %s of version %s; 1.8 and later do", ErrUnavailable, name, abiVersion)
		}
	}
	for name, fn := range map[string]*uintptr{"fi_fabric": &l.fabric, "fi_strerror": &l.strerror} {
		if *fn, err = purego.Dlsym(h, name); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
	}
	if l.strdup, err = purego.Dlsym(purego.RTLD_DEFAULT, "strdup"); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return l, nil
}

// An arena is memory for data passed to libfabric, which must not move or be collected.
type arena struct {
	mem  []byte
	used uintptr
}

const arenaBytes = 4096

func newArena() (*arena, error) {
	mem, err := syscall.Mmap(-1, 0, arenaBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	return &arena{mem: mem}, err
}

// take returns the address of n zero bytes.
func (a *arena) take(n uintptr) uintptr {
	at := uintptr(unsafe.Pointer(&a.mem[a.used : a.used+n][0]))
	a.used += (n + 15) &^ 15
	return at
}

// text returns the address of s as a C string.
func (a *arena) text(s string) uintptr {
	at := a.take(uintptr(len(s)) + 1)
	copy(unsafe.Slice((*byte)(pointer(at)), len(s)), s)
	return at
}

// errno returns the error for a negative result, else nil.
func (l *library) errno(call string, result uintptr) error {
	code := int(int32(result))
	if code >= 0 {
		return nil
	}
	at, _, _ := purego.SyscallN(l.strerror, uintptr(-code))
	return &Errno{Call: call, Code: -code, Text: textAt(at)}
}

// textAt copies a C string.
func textAt(at uintptr) string {
	if at == 0 {
		return ""
	}
	n := 0
	for *(*byte)(pointer(at + uintptr(n))) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(at)), n))
}

// pointer returns an address of C memory as a pointer. That memory is unknown to the garbage collector.
func pointer(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

// word returns the word at an offset of a structure.
func word(at, offset uintptr) *uintptr { return (*uintptr)(pointer(at + offset)) }

// half returns the 32-bit word at an offset of a structure.
func half(at, offset uintptr) *int32 { return (*int32)(pointer(at + offset)) }
