package dimmnet2

import (
	"errors"
	"sync/atomic"

	"rhinet/internal/ring"
)

// Hardware is the inside of a process's half of a board, for the stepped model (package stepped):
// the windows, memory, registers and counters of the fast path. A process cannot get it from its
// NIC, only from [Manager.Hardware].
type Hardware struct{ *NIC }

// Hardware returns the inside of a NIC of the job.
func (m *Manager) Hardware(n *NIC) (*Hardware, error) {
	if n == nil || n.f != m.f {
		return nil, errors.New("dimmnet2: a NIC of another job, or none; a manager knows those in the memory that it manages")
	}
	return &Hardware{n}, nil
}

// Ranks returns the number of processes of the job.
func (h *Hardware) Ranks() int { return h.f.Ranks() }

// Closed reports whether the process has closed its NIC.
func (h *Hardware) Closed() bool { return h.closed }

// PGID returns the process's PGID register.
func (h *Hardware) PGID() uint16 { return h.own.pgid() }

// Written returns the memory of the process's Write Windows.
func (h *Hardware) Written() []byte { return h.own.written }

// Windows returns the memory of the process's Prefetch Windows.
func (h *Hardware) Windows() []byte { return h.own.window }

// LLCM returns the process's half of the LLCM.
func (h *Hardware) LLCM() []byte { return h.own.llcm }

// Module returns the process's SO-DIMM.
func (h *Hardware) Module() []byte { return h.own.module }

// Mode returns the mode registers.
func (h *Hardware) Mode() (stride uint32, element int, list uint64) {
	t := h.own.tables
	return uint32(t[regStride]), int(t[regElement]), t[regList]
}

// CountSent counts a command that the controller has finished.
func (h *Hardware) CountSent() { h.own.tables[regSent]++ }

// CountRefused counts a refusal: of a command of this process, or of a packet that arrived.
func (h *Hardware) CountRefused(r Reason, arrived bool) {
	if arrived {
		h.own.countRefused(r)
		return
	}
	atomic.AddUint64(&h.own.tables[regRefused+int(r)], 1)
}

// Ring returns the writer of the process's receive ring, as the Receive Controller has it.
func (h *Hardware) Ring() *ring.SharedWriter { return h.own.records }

// The shape of the status ring in the LLCM, for the stepped model.
const (
	StatusHead     = statusHead
	StatusReleased = statusReleased
	StatusAt       = statusAt
	StatusEntries  = statusEntries
	StatusBytes    = statusBytes
)
