package dma

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"rhinet/internal/strided"
	"rhinet/nicemu/fabric"
)

// A Why says why an Engine could not reach the memory of another process.
type Why uint8

// The reasons; 0 is none.
const (
	NoAccess Why = iota + 1 // the kernel does not let processes read each other's memory, or attach is off
	Gone                    // the process has ended
	Fault                   // the memory is not mapped
)

// An Engine reaches the memory of the processes of a job, for the NIC of one rank.
type Engine struct {
	f      *fabric.Fabric
	attach bool
	met    []atomic.Int32               // processes of other ranks, by rank, that have been verified
	spare  atomic.Pointer[fabric.Stage] // nil while it is in use, or before the first use
}

// The job's decision whether its ranks use cross-memory attach.
const (
	attachYes = 1
	attachNo  = 2
)

// Open returns the engine of a rank's NIC, and decides whether cross-memory attach is used. All
// ranks of a job must agree, so the first rank to open decides for those that leave it open.
func Open(f *fabric.Fabric, rank int, a fabric.Attach) (*Engine, error) {
	refusal := reach(f, rank, a)
	if a == fabric.AttachOn && refusal != nil {
		return nil, fmt.Errorf("dma: cross-memory attach is on but refused: %w", refusal)
	}
	mine := uint64(attachYes)
	if a == fabric.AttachOff || refusal != nil {
		mine = attachNo
	}
	all := f.Decide(mine)
	if all != mine && a != fabric.AttachAuto {
		return nil, fmt.Errorf("dma: cross-memory attach must be auto, on or off for all ranks alike; rank %d differs", rank)
	}
	return &Engine{f: f, attach: all == attachYes, met: make([]atomic.Int32, f.Ranks())}, nil
}

// reach tries the memory of ranks that have probably started, this one included, and returns the
// kernel's refusal, if any.
func reach(f *fabric.Fabric, rank int, a fabric.Attach) error {
	if a == fabric.AttachOff || !f.Shared() {
		return nil
	}
	if err := fabric.AttachPolicy(); err != nil {
		return err
	}
	for _, peer := range [...]int{rank, rank - 1, rank + 1, 0} {
		if peer < 0 || peer >= f.Ranks() {
			continue
		}
		if err := f.Probe(peer); err != nil && !errors.Is(err, fabric.ErrAbsent) {
			return err
		}
	}
	return nil
}

// Attached reports whether the engine reaches the memory of other processes.
func (e *Engine) Attached() bool { return e.attach }

// Process copies between b and memory at address at of the process of a rank, and returns how many
// bytes it has moved. If it has not moved all, it also returns why, with the kernel's error.
func (e *Engine) Process(rank int, at uint64, b []byte, write bool) (moved int, why Why, cause error) {
	pid, why, cause := e.meet(rank)
	switch {
	case why != 0:
		return 0, why, cause
	case write:
		moved, cause = fabric.WriteProcess(pid, at, b)
	default:
		moved, cause = fabric.ReadProcess(pid, at, b)
	}
	if cause != nil {
		return moved, blame(cause), cause
	}
	return moved, 0, nil
}

// ProcessBlocks is [Engine.Process] for blocks: see [fabric.WriteBlocks].
func (e *Engine) ProcessBlocks(rank int, at uint64, b []byte, m strided.Move, write bool) (moved int, why Why, cause error) {
	pid, why, cause := e.meet(rank)
	if why != 0 {
		return 0, why, cause
	}
	if write {
		moved, cause = fabric.WriteBlocks(pid, at, b, m)
	} else {
		s := e.spare.Swap(nil)
		if s == nil {
			s = new(fabric.Stage)
		}
		moved, cause = s.ReadBlocks(pid, at, b, m)
		e.spare.Store(s)
	}
	if cause != nil {
		return moved, blame(cause), cause
	}
	return moved, 0, nil
}

// meet returns the process that is a rank, or why its memory cannot be reached.
func (e *Engine) meet(rank int) (pid int, why Why, cause error) {
	if !e.attach {
		return 0, NoAccess, nil
	}
	if pid = e.f.Process(rank); pid <= 0 {
		return 0, Gone, nil
	}
	if e.met[rank].Load() != int32(pid) {
		// Another process may have written that number: a process without the job's memory is no
		// rank.
		if err := e.f.Probe(rank); err != nil {
			if errors.Is(err, fabric.ErrAbsent) || errors.Is(err, fabric.ErrForeign) {
				return 0, Gone, err
			}
			return 0, blame(err), err
		}
		e.met[rank].Store(int32(pid))
	}
	return pid, 0, nil
}

// blame turns the kernel's error into a reason.
func blame(err error) Why {
	switch {
	case errors.Is(err, syscall.EPERM), errors.Is(err, syscall.ENOSYS), errors.Is(err, syscall.EACCES):
		return NoAccess
	case errors.Is(err, syscall.ESRCH):
		return Gone
	}
	return Fault
}

// Within returns n bytes at address at of this process if they lie in b, else nil.
func Within(b []byte, at, n uint64) []byte {
	from, size := fabric.Address(b), uint64(len(b))
	if at < from || at-from > size || n > size-(at-from) {
		return nil
	}
	return b[at-from : at-from+n : at-from+n]
}
