package dimmnet2

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
)

// Hardware is the inside of a process's half of a board, which the stepped model (package
// stepped) sees: the same windows, memory, registers and counters that the fast path works
// on. A process has no way to it; [Manager.Hardware] gives it out.
type Hardware struct{ *NIC }

// Hardware returns the inside of a NIC of the job.
func (m *Manager) Hardware(n *NIC) (*Hardware, error) {
	if n == nil || n.f != m.f {
		return nil, errors.New("dimmnet2: a NIC of another job, or none; a manager knows those in the memory that it manages")
	}
	return &Hardware{n}, nil
}

// Ranks returns how many processes the job has.
func (h *Hardware) Ranks() int { return h.f.Ranks() }

// Closed reports whether the process has closed its NIC.
func (h *Hardware) Closed() bool { return h.closed }

// PGID returns the register of that name.
func (h *Hardware) PGID() uint16 { return h.own.pgid() }

// Written returns the memory of the own Write Windows.
func (h *Hardware) Written() []byte { return h.own.written }

// Windows returns the memory of the own Prefetch Windows.
func (h *Hardware) Windows() []byte { return h.own.window }

// LLCM returns the own half of it.
func (h *Hardware) LLCM() []byte { return h.own.llcm }

// Module returns the SO-DIMM that the process has.
func (h *Hardware) Module() []byte { return h.own.module }

// Mode returns the mode registers.
func (h *Hardware) Mode() (stride uint32, element int, list uint64) {
	t := h.own.tables
	return uint32(t[regStride]), int(t[regElement]), t[regList]
}

// CountSent counts a command that the controller is done with.
func (h *Hardware) CountSent() { h.own.tables[regSent]++ }

// CountRefused counts a command of this process that was refused, or a packet that arrived.
func (h *Hardware) CountRefused(r Reason, arrived bool) {
	if arrived {
		h.own.countRefused(r)
		return
	}
	atomic.AddUint64(&h.own.tables[regRefused+int(r)], 1)
}

// Ring returns the writer of the own receive ring, as the Receive Controller has it.
func (h *Hardware) Ring() *ring.SharedWriter { return h.own.records }

// The shape of the status ring in the LLCM, for the stepped model.
const (
	StatusHead     = statusHead
	StatusReleased = statusReleased
	StatusAt       = statusAt
	StatusEntries  = statusEntries
	StatusBytes    = statusBytes
)
