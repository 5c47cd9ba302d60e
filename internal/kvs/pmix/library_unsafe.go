//go:build pmix && linux && (amd64 || arm64)

package pmix

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Definitions of the headers of PMIx (pmix_common.h).
const (
	maxNamespace, maxKey = 256, 512 // with the 0 at the end
	rankWildcard         = ^uint32(0) - 1
	scopeGlobal          = 3

	typeBool, typeString, typeUint32, typeBytes = 1, 3, 14, 27

	collectData = "pmix.collect"
	jobSize     = "pmix.job.size"
	appNum      = "pmix.appnum"
	localPeers  = "pmix.lpeers"

	errUnreach, errCommFailure, errLostConnection = -25, -49, -61
	actionComplete                                = -334
)

// Structures of PMIx.
type (
	// proc names a process, or all processes of a namespace.
	proc struct {
		namespace [maxNamespace]byte
		rank      uint32
	}
	// value has one of several types.
	value struct {
		kind  uint16
		first uintptr // a number, or the address of the data
		size  uintptr // in bytes, of typeBytes
		_     uintptr
	}
	// info is a directive to a call.
	info struct {
		key   [maxKey]byte
		_     uint32 // flags
		value value
	}
)

// A library is libpmix in this process.
type library struct {
	initialize  func(self *proc, infos *info, n uintptr) int32
	finalize    func(infos *info, n uintptr) int32
	abort       func(status int32, text string, procs *proc, n uintptr) int32
	put         func(scope uint8, key string, v *value) int32
	commit      func() int32
	fence       func(procs *proc, n uintptr, infos *info, infosN uintptr) int32
	get         func(p *proc, key string, infos *info, n uintptr, out **value) int32
	handler     func(codes *int32, n uintptr, infos *info, infosN uintptr, handler, registered, data uintptr) int32
	errorString func(status int32) string
}

// load loads libpmix, once. It stays loaded.
var load = sync.OnceValues(func() (*library, error) {
	h, err := purego.Dlopen("libpmix.so.2", purego.RTLD_NOW|purego.RTLD_GLOBAL) // its components look it up
	if err != nil {
		return nil, fmt.Errorf("%w: %w; install it (Debian: apt-get install libpmix2)", ErrUnavailable, err)
	}
	l := new(library)
	for name, fn := range map[string]any{
		"PMIx_Init": &l.initialize, "PMIx_Finalize": &l.finalize, "PMIx_Abort": &l.abort, "PMIx_Put": &l.put, "PMIx_Commit": &l.commit,
		"PMIx_Fence": &l.fence, "PMIx_Get": &l.get, "PMIx_Register_event_handler": &l.handler, "PMIx_Error_string": &l.errorString,
	} {
		symbol, err := purego.Dlsym(h, name)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		purego.RegisterFunc(fn, symbol)
	}
	return l, nil
})

// onLoss calls f when the connection to the server is lost.
func (l *library) onLoss(f func()) int32 {
	codes := []int32{errLostConnection, errUnreach, errCommFailure}
	event := purego.NewCallback(func(_ uintptr, _ int32, _, _, _, _, _, done, data uintptr) {
		f()
		if done != 0 {
			completed := int32(actionComplete)
			purego.SyscallN(done, uintptr(completed), 0, 0, 0, 0, data)
		}
	})
	return l.handler(&codes[0], uintptr(len(codes)), nil, 0, event, 0, 0)
}

// all names all processes of the namespace of p.
func (p *proc) all() *proc { return p.peer(rankWildcard) }

// peer names a process of the namespace of p.
func (p *proc) peer(rank uint32) *proc { return &proc{namespace: p.namespace, rank: rank} }

// collect returns the directive that makes a fence exchange the values that were put.
func collect() *info {
	i := &info{value: value{kind: typeBool, first: 1}}
	copy(i.key[:], collectData)
	return i
}

// ofBytes returns a value for at least one byte. It refers to b.
func ofBytes(b []byte) *value {
	return &value{kind: typeBytes, first: uintptr(unsafe.Pointer(&b[0])), size: uintptr(len(b))}
}

// number returns the contents of a value of typeUint32.
func (v *value) number() (int, bool) { return int(uint32(v.first)), v.kind == typeUint32 }

// bytes returns a copy of the contents of a value of typeBytes or typeString.
func (v *value) bytes() ([]byte, bool) {
	at := *(*unsafe.Pointer)(unsafe.Pointer(&v.first)) // the library's memory, unknown to the garbage collector
	n := v.size
	if v.kind == typeString {
		for n = 0; *(*byte)(unsafe.Add(at, n)) != 0; n++ {
		}
	}
	return append([]byte(nil), unsafe.Slice((*byte)(at), n)...), v.kind == typeBytes || v.kind == typeString
}
