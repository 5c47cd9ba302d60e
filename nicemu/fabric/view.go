package fabric

import (
	"errors"
	"os"
	"sync"
	"time"

	"rhinet/internal/pmi"
)

// A View is the memory of a job as its launcher sees it. It is mapped at the first access, which in
// a short job comes when a rank has ended. Any number of goroutines may call its methods.
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

// fabric maps the memory unless it is mapped. The caller holds mu.
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

// Close closes the descriptor and unmaps the memory: a fabric uses so many addresses that a process
// has room for only a few hundred.
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

// MarkFailed tells all ranks that the process of one of them has ended.
func (v *View) MarkFailed(rank int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f, err := v.fabric(); err == nil {
		f.MarkFailed(rank)
	}
}

// Status reads a rank's status line. For a line that a dying rank left torn it says only that the
// rank was in MPI. If the memory cannot be read, or the view is closed, it returns the zero Status.
func (v *View) Status(rank int) pmi.Status {
	v.mu.Lock()
	defer v.mu.Unlock()
	f, err := v.fabric()
	if err != nil {
		return pmi.Status{}
	}
	s, whole := f.Status(rank)
	if !whole {
		s = pmi.Status{State: pmi.Computing, Lost: s.Lost, World: s.World}
	}
	return s.Plausible(f.Ranks())
}
