package mpi

import (
	"errors"
	"testing"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// fakeCodes are codes that are passed when the test says so.
type fakeCodes struct {
	next   uint64
	passed uint64 // codes below are passed
	marks  []uint32
	theirs uint32 // the mark of others
	early  bool   // the others are at the next code
}

func (f *fakeCodes) Code(mark uint32)        { f.next++; f.marks = append(f.marks, mark) }
func (f *fakeCodes) Go() bool                { return f.next <= f.passed }
func (f *fakeCodes) Next() uint64            { return f.next }
func (f *fakeCodes) Mark(int) (uint32, bool) { return f.theirs, true }

func (f *fakeCodes) Ahead(int) (uint32, bool) { return f.theirs, f.early }

// A controlled transport has barrier controllers, and nothing else.
type controlled struct {
	Transport
	codes  *fakeCodes
	closed bool
	failed error
}

func (c *controlled) Codes(int, []int, uint64) (ir.Codes, error) { return c.codes, nil }
func (c *controlled) Failure() error                             { return c.failed }

func (c *controlled) Probe(uint16, int, int) (llc.Status, bool) { return llc.Status{}, false }

func (c *controlled) Perform(f func()) {
	if !c.closed {
		f()
	}
}

func (c *controlled) AwaitCollective(_ string, _ *ir.Collective, _ func(), cond func() bool) {
	if !c.closed {
		cond()
	}
}

// crossingOf returns a transport of a communicator of three ranks that has controllers.
func crossingOf(t testing.TB) (*controlled, *fakeCodes, *collTransport) {
	t.Helper()
	codes := &fakeCodes{theirs: 5}
	tr := &controlled{codes: codes}
	c := &core{t: tr, w: &world{Job: Job{Transport: tr}}, size: 3, rank: 1}
	b, err := openBarriers(c, 0)
	if err != nil {
		t.Fatal(err)
	}
	ct := newCollTransport(c)
	ct.cross(b)
	ct.note.Sign = 5
	return tr, codes, ct
}

// TestBarriersFollowEachOther: a code is executed when the one before has been passed;
// barriers end in order, whichever of them is tested.
func TestBarriersFollowEachOther(t *testing.T) {
	_, codes, ct := crossingOf(t)
	var entered [3]int
	for i := range entered {
		var err error
		if entered[i], err = ct.Enter(); err != nil {
			t.Fatal(err)
		}
	}
	for passed := range uint64(7) {
		codes.passed = passed
		for i := len(entered) - 1; i >= 0; i-- {
			if entered[i] < 0 {
				continue
			}
			done, err := ct.Left(entered[i], false)
			if want := passed >= 2*uint64(i)+2; done != want || err != nil {
				t.Fatalf("barrier %d, %d codes passed: over %v, %v", i, passed, done, err)
			}
			if done {
				entered[i] = -1
			}
		}
		if want := min(passed+1, 6); codes.next != want {
			t.Fatalf("%d codes passed: %d executed, want %d", passed, codes.next, want)
		}
	}
	if len(codes.marks) != 6 || codes.marks[0] != 5 || codes.marks[1] != 0 || codes.marks[2] != 5 {
		t.Errorf("marks %v", codes.marks)
	}
}

// TestBarriersInAnotherCall: a rank in another call is noticed.
func TestBarriersInAnotherCall(t *testing.T) {
	_, codes, ct := crossingOf(t)
	ct.note.Sign = uint32(makeSign(callBarrier, 0, 0))
	codes.theirs, codes.passed = uint32(makeSign(callAllreduce, 0, 0)), 2
	n, err := ct.Enter()
	if err != nil {
		t.Fatal(err)
	}
	if done, err := ct.Left(n, true); !done || !errors.Is(err, ErrMismatch) {
		t.Error(done, err)
	}
	if _, err := ct.Enter(); !errors.Is(err, ErrMismatch) {
		t.Error("a broken transport enters a barrier:", err)
	}
}

// TestBarriersOfALostTransport: if the network is lost or closed, a barrier ends with
// the reason, and that call enters nothing more.
func TestBarriersOfALostTransport(t *testing.T) {
	for _, wait := range []bool{true, false} {
		for _, failed := range []error{errors.New("lost"), nil} {
			tr, _, ct := crossingOf(t)
			n, err := ct.Enter()
			if err != nil {
				t.Fatal(err)
			}
			tr.failed, tr.closed = failed, failed == nil
			done, err := ct.Left(n, wait)
			switch want := failed; {
			case !wait && want == nil: // a closed transport tells only calls that wait
				if done || err != nil {
					t.Error(done, err)
				}
				continue
			case want == nil:
				want = errClosed
				fallthrough
			default:
				if !done || !errors.Is(err, want) {
					t.Errorf("wait %v: %v, %v; want %v", wait, done, err, want)
				}
			}
			if _, err := ct.Enter(); err == nil {
				t.Error("a lost transport enters a barrier")
			}
		}
	}
	tr, _, ct := crossingOf(t)
	tr.closed = true
	if _, err := ct.Enter(); !errors.Is(err, errClosed) {
		t.Error(err)
	}
}

// TestBarriersAllocateNothing, after as many have been in progress at once.
func TestBarriersAllocateNothing(t *testing.T) {
	_, codes, ct := crossingOf(t)
	codes.marks = make([]uint32, 0, 10_000)
	if used := testing.AllocsPerRun(100, func() {
		first, _ := ct.Enter()
		second, _ := ct.Enter()
		codes.passed += 4
		for _, n := range []int{second, first} {
			if done, err := ct.Left(n, true); !done || err != nil {
				t.Fatal(done, err)
			}
		}
	}); used != 0 {
		t.Errorf("%v allocations", used)
	}
}

// TestBarriersAhead: a rank is ahead in a barrier to which this one has not come, but
// not in one that this one has entered without having executed its code.
func TestBarriersAhead(t *testing.T) {
	_, codes, ct := crossingOf(t)
	codes.early = true
	for i := range 2 {
		if _, err := ct.Enter(); err != nil {
			t.Fatal(err)
		}
		if _, ahead := ct.crossing.ahead(0); ahead {
			t.Errorf("ahead, with %d barriers entered here and none passed", i+1)
		}
	}
	codes.passed = 4
	if theirs, ahead := ct.crossing.ahead(0); !ahead || theirs != 5 {
		t.Errorf("ahead of all that was entered here: %v, %#x", ahead, uint32(theirs))
	}
	codes.early = false
	if _, ahead := ct.crossing.ahead(0); ahead {
		t.Error("ahead at a place that nobody has come to")
	}
}
