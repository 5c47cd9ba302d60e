package fabric

import (
	"errors"
	"os"
	"sync"
	"time"

	"rhinet/internal/pmi"
)

// A View is the memory of a job as its launcher sees it: mapped when something in it is first
// asked for, which in a job without mishap is never. Its methods may be called by any number
// of goroutines.
type View struct {
	file  *os.File
	begin time.Time

	mu     sync.Mutex
	mapped *Fabric // from its first use to Close
	closed bool
}

// NewView returns a view of the memory in file, which Close closes.
func NewView(file *os.File) *View { return &View{file: file, begin: time.Now()} }

// File returns the memory, which ranks inherit.
func (v *View) File() *os.File { return v.file }

// Begin is the time at which the view was made.
func (v *View) Begin() time.Time { return v.begin }

// Fabric returns the memory, mapped until Close. Nobody may close the view while it is in use.
func (v *View) Fabric() (*Fabric, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.fabric()
}

// fabric maps the memory, unless it is. The caller holds mu.
func (v *View) fabric() (*Fabric, error) {
	if v.closed {
		return nil, os.ErrClosed
	}
	if v.mapped != nil {
		return v.mapped, nil
	}
	var err error
	v.mapped, err = Map(v.file)
	return v.mapped, err
}

// Close gives back the descriptor and what is mapped: a fabric takes so much of the addresses of a
// process that there is room for a few hundred.
func (v *View) Close() error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.closed = true
	err := v.file.Close()
	if v.mapped != nil {
		err = errors.Join(err, v.mapped.Close())
		v.mapped = nil
	}
	return err
}

// Bury tells all ranks that the process of one has ended.
func (v *View) Bury(rank int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f, err := v.fabric(); err == nil {
		f.Bury(rank)
	}
}

// Status reads a rank's status line. A line that a dying rank left torn says
// only that the rank was in MPI. Of a memory that cannot be read, or is closed, it says nothing.
func (v *View) Status(rank int) pmi.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.fabric()
	if err != nil {
		return pmi.Status{}
	}
	s, whole := f.Status(rank)
	if !whole {
		s = pmi.Status{State: pmi.Computing, Lost: s.Lost}
	}
	return s.Plausible(f.Ranks())
}
