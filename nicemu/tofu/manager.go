package tofu

import (
	"errors"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// A Manager is the privileged side of the NICs of a job: it starts them and registers the static
// tags. The process that makes the memory of a job becomes its manager, before any process of the
// job runs; a Manager cannot be had from a [NIC].
type Manager struct{ f *fabric.Fabric }

// ErrManaged reports a job that has a manager.
var ErrManaged = errors.New("tofu: the job has a manager already; only the process that makes its memory can become the manager, and only once")

var (
	errUnfinished = errors.New("tofu: the job's manager has not finished its set-up")
	errAbsent     = errors.New("tofu: the job has no manager; the process that makes the memory of a job of processes must start the NICs (Manage)")
)

// Manage starts the NICs of all ranks of a job, whose memory is f.
func Manage(f *fabric.Fabric) (*Manager, error) {
	if err := enough(f); err != nil {
		return nil, err
	}
	if err := f.Manage(management(f), func(rank int) { start(f, rank) }); err != nil {
		return nil, err
	}
	return &Manager{f}, nil
}

// managed returns the word that says whether a job has a manager.
func managed(f *fabric.Fabric) *uint64 { return &f.Words(0, fabric.Device)[regManaged] }

func management(f *fabric.Fabric) fabric.Management {
	return fabric.Management{State: managed(f), Taken: ErrManaged, Unfinished: errUnfinished, Absent: errAbsent}
}

// enough checks that the tables fit the NIC memory.
func enough(f *fabric.Fabric) error { return f.Enough("tofu", MemoryBytes, publicSize) }

// admit checks that a process may open its NIC.
func admit(f *fabric.Fabric) error {
	return f.Admit(management(f), func() error { _, err := Manage(f); return err })
}

// start brings up the NIC of a rank, whose process need not run yet.
func start(f *fabric.Fabric, rank int) {
	t := nodeOf(f, rank)
	enter := func(number int, at, size uint64, rights Right) {
		r := region{makeKey(f.Job(), rank), at, size, uint64(rights) | inJob}
		t.entry(number).write(&r, Tag(staticGen<<32|uint64(number)))
	}
	area := func(number int, a fabric.Area, skip uint64, rights Right) {
		at, size := f.Span(rank, a)
		enter(number, at+skip, size-skip, rights)
	}
	area(numRings, fabric.Rings, 0, MayPut|MayGet)
	area(numBootstrap, fabric.Public, publicSize, MayPut|MayGet|MaySwap)
	area(numControl, fabric.Control, 0, MayGet|MaySwap)
	at, size := f.FlagSpan()
	enter(numFlagArrays, at, size, MayGet)
	atomic.StoreUint64(&t.tables[regPower], stateOn)
}
