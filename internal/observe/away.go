package observe

import (
	"fmt"
	"os"
)

// The ranks of a job on several hosts write to memory of their own hosts. There a Reader splits it into
// parts, and where the job was started [Gather] assembles them:
//
//	ranks ---> memory of their host ---> Parts --network--> Place ---> Reader

// A Clock says how to interpret the times that a rank has written.
type Clock struct {
	Tick   float64 // nanoseconds per tick
	Origin int64   // the time that the rank would have written at Wall
	Wall   int64   // nanoseconds since 1970 by the clock of its host, or, for Place, since the job began
}

// Clock returns the clock of a rank.
func (r *Reader) Clock(rank int) (Clock, error) {
	b, err := r.read(rank)
	if err != nil {
		return Clock{}, fmt.Errorf("observe: rank %d: %w", rank, err)
	}
	t := r.timesOf(rank, b)
	return Clock{t.tick, t.origin, r.begin.At.UnixNano()}, nil
}

// partBytes is how much of a region Parts passes to give at a time.
const partBytes = 256 << 10

// Parts calls give with all that a rank has written, part by part, each with its offset, until give returns
// an error.
func (r *Reader) Parts(rank int, give func(at int64, part []byte) error) error {
	head, err := r.read(rank)
	if err != nil {
		return fmt.Errorf("observe: rank %d: %w", rank, err)
	}
	if err := r.parts(rank, 0, r.plan.cellsAt()+r.plan.used(head), give); err != nil {
		return err
	}
	return r.parts(rank, r.plan.eventsAt(), int(min(get(head, headEvents), uint64(r.plan.events)))*eventBytes, give)
}

// parts is Parts of size bytes from offset from on.
func (r *Reader) parts(rank, from, size int, give func(at int64, part []byte) error) error {
	for at := from; at < from+size; at += partBytes {
		part := make([]byte, min(partBytes, from+size-at))
		if _, err := r.file.ReadAt(part, r.plan.regionAt(rank)+int64(at)); err != nil {
			return fmt.Errorf("observe: rank %d: %w", rank, err)
		}
		if err := give(int64(at), part); err != nil {
			return err
		}
	}
	return nil
}

// Gather returns a reader of what Place stores, and the memory that it is stored in.
func Gather(ranks int, traced bool) (*Reader, *os.File, error) {
	file, err := Create(ranks, traced)
	if err != nil {
		return nil, nil, err
	}
	r, err := NewReader(file)
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	r.away = make([]*Clock, ranks)
	return r, file, nil
}

// Place stores a part of what a rank has written, together with the clock of its times.
func (r *Reader) Place(rank int, at int64, part []byte, c Clock) error {
	if rank < 0 || rank >= len(r.away) || at < 0 || at > int64(r.plan.region()-len(part)) {
		return fmt.Errorf("observe: %d bytes at %d of rank %d, of whom there is no such memory", len(part), at, rank)
	}
	r.away[rank] = &c
	_, err := r.file.WriteAt(part, r.plan.regionAt(rank)+at)
	return err
}
