package mpi

import "testing"

// drainage is a Transport in which receives wait in some contexts.
type drainage struct {
	Transport
	waiting map[uint16]int
}

func (r drainage) Drain(context uint16) int { return r.waiting[context] }

// MPI 4.1, section 7.4.3: a receive that waits when its communicator is freed still gets its message, so the
// number of the context is not handed out again before, whether the receive waits between two ranks or in a
// collective call.
func TestNumbersOfContextsRestWhileReceivesWait(t *testing.T) {
	for name, context := range map[string]func(contextID) uint16{
		"point to point": contextID.pointToPoint, "collective": contextID.collective,
	} {
		t.Run(name, func(t *testing.T) {
			waiting := map[uint16]int{}
			w := &world{}
			w.Transport = drainage{waiting: waiting}
			w.ids.init(0)
			w.ids.first(1, true)
			held, empty := w.ids.take(), w.ids.take()
			waiting[context(held)] = 2
			w.drain(held)
			w.drain(empty)
			if free(&w.ids, held) {
				t.Errorf("context %d is free while two receives wait in it", held.number())
			}
			if !free(&w.ids, empty) {
				t.Errorf("context %d, in which no receive waits, is not free", empty.number())
			}
			waiting[context(held)] = 1
			w.drainAll()
			if free(&w.ids, held) {
				t.Errorf("context %d is free while one receive waits in it", held.number())
			}
			delete(waiting, context(held))
			w.drainAll()
			if !free(&w.ids, held) || len(w.draining) != 0 {
				t.Errorf("after its last receive context %d is not free; %d drain", held.number(), len(w.draining))
			}
		})
	}
}

// free reports whether s can hand out the number of id.
func free(s *idSpace, id contextID) bool {
	n := id.number()
	return s.used[n/64]>>(n%64)&1 == 0
}

// MPI 4.1, section 7.4.3: a nonblocking collective call completes after its communicator is freed, so the flags
// of the communicator rest with it while one call is in progress or waits for a flag of its own.
func TestFlagsRestWhileCallsAreInProgress(t *testing.T) {
	var k exchanges
	if !k.rest() {
		t.Error("calls are in progress before the first")
	}
	for i := range k.open {
		k.open[i] = new(exchange)
		if k.rest() {
			t.Errorf("no call is in progress, but call %d is", i)
		}
		k.open[i] = nil
	}
	k.waiting = append(k.waiting, new(exchange))
	if k.rest() {
		t.Error("no call is in progress, but one waits")
	}
	k.waiting = k.waiting[:0]
	if !k.rest() {
		t.Error("calls are in progress after all have ended")
	}
}
