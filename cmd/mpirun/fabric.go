package main

import (
	"errors"
	"os"
	"sync"
	"time"

	"rhinet/internal/launch"
	"rhinet/internal/pmi"
	"rhinet/llc/nics"
	"rhinet/nicemu/fabric"
)

// A memory shows the fabric of a job to the launcher.
type memory struct {
	file  *os.File
	begin time.Time

	mu     sync.Mutex
	mapped *fabric.Fabric // from its first use to Close; a job without mishap never needs it
	closed bool
}

var _ launch.Fabric = (*memory)(nil)

// openFabric makes the memory of a job that uses the given NIC: the launcher is
// the NICs' management process.
func openFabric(nic string, ranks int) (*memory, error) {
	file, err := nics.Create(nic, ranks)
	if err != nil {
		return nil, err
	}
	return &memory{file: file, begin: time.Now()}, nil
}

func (m *memory) File() *os.File   { return m.file }
func (m *memory) Begin() time.Time { return m.begin }

// view maps the memory, unless it is. The caller holds mu until it is done with it, or sees to it
// that nobody closes the memory before.
func (m *memory) view() (*fabric.Fabric, error) {
	if m.closed {
		return nil, os.ErrClosed
	}
	if m.mapped != nil {
		return m.mapped, nil
	}
	var err error
	m.mapped, err = fabric.Map(m.file)
	return m.mapped, err
}

// Close gives back the descriptor and what is mapped: a fabric takes so much of the addresses of a
// process that there is room for a few hundred.
func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	err := m.file.Close()
	if m.mapped != nil {
		err = errors.Join(err, m.mapped.Close())
		m.mapped = nil
	}
	return err
}

// Bury tells all ranks that the process of one has ended.
func (m *memory) Bury(rank int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if f, err := m.view(); err == nil {
		f.Bury(rank)
	}
}

// Status reads a rank's status line. A line that a dying rank left torn says
// only that the rank was in MPI. Of a memory that cannot be read, or is closed, it says nothing.
func (m *memory) Status(rank int) pmi.Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	f, err := m.view()
	if err != nil {
		return pmi.Status{}
	}
	s, whole := f.Status(rank)
	if !whole {
		s = pmi.Status{State: pmi.Computing, Lost: s.Lost}
	}
	return s.Plausible(f.Ranks())
}
