package endpoint

import "rhinet/llc/ir"

// NoRemote is that part of a [Hardware] whose NIC cannot reach memory of processes, and has no control words.
// Why is its answer, and wraps [io/fs.ErrPermission].
type NoRemote struct{ Why error }

// Remote reports that memory of processes cannot be reached.
func (NoRemote) Remote() bool { return false }

// ExposeMemory is refused.
func (n NoRemote) ExposeMemory([]byte) (ir.Segment, error) { return 0, n.Why }

// ConcealMemory is refused.
func (n NoRemote) ConcealMemory(ir.Segment) error { return n.Why }

// ReadMemory is refused.
func (n NoRemote) ReadMemory(int, ir.Segment, uint64, []byte) error { return n.Why }

// WriteMemory is refused.
func (n NoRemote) WriteMemory(int, ir.Segment, uint64, []byte) error { return n.Why }

// Swap is refused.
func (n NoRemote) Swap(int, uint64, uint64, uint64) (uint64, error) { return 0, n.Why }
