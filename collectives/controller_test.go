package collectives

import (
	"errors"
	"testing"
)

// A fakeController keeps barriers that end after some tests.
type fakeController struct {
	*fake
	none    bool
	refused error // of Enter
	failed  error // of Left
	entered int
	looks   int // tests until the next end
	waits   int // tests that wait
	busy    int // tests until transfers are done
}

func (f *fakeController) Controls() bool { return !f.none }

func (f *fakeController) Test(first, last int) (bool, error) {
	if f.busy > 0 {
		f.busy--
		return false, nil
	}
	return f.fake.Test(first, last)
}

func (f *fakeController) Enter() (int, error) {
	if f.refused != nil {
		return 0, f.refused
	}
	f.entered++
	return f.entered, nil
}

func (f *fakeController) Left(barrier int, wait bool) (bool, error) {
	if barrier != f.entered {
		return true, errors.New("another barrier")
	}
	if wait {
		f.waits++
		return true, f.failed
	}
	f.looks--
	return f.looks <= 0, f.failed
}

// Controllers serve blocking barriers where no better algorithm exists, and prepared
// ones that are started once, in order.
func TestControllersServeBarriersInOrder(t *testing.T) {
	for _, c := range []struct {
		o    Options
		once bool
		none bool
		want int // barriers by the controller: of a blocking call, and of a prepared one
	}{
		{once: true, want: 2}, {want: 1}, {once: true, none: true}, {o: force("barrier=dissemination"), once: true},
		{o: force("barrier=controller"), once: true, want: 2}, {o: Options{Oversubscribed: true}, once: true, want: 2},
	} {
		f := &fakeController{fake: newFake(0, 4), none: c.none}
		g := mustGroup(t, f, c.o)
		if err := g.Barrier(); err != nil {
			t.Error(err)
		}
		op, err := g.Prepare(Call{Kind: Barrier, Once: c.once})
		if err == nil {
			err = errors.Join(op.Start(), op.Wait())
		}
		if err != nil || f.entered != c.want {
			t.Errorf("%+v: %d barriers, %v", c, f.entered, err)
		}
	}
}

// A blocking barrier of the controllers makes progress on operations in progress, and a
// detached operation uses the controllers of its own transport.
func TestBarriersOfControllersMakeProgress(t *testing.T) {
	f := &fakeController{fake: newFake(0, 4)}
	g := mustGroup(t, f, Options{})
	slow, err := g.Prepare(Call{Kind: Bcast, Recv: make([]byte, 8)})
	if err != nil {
		t.Fatal(err)
	}
	f.looks, f.busy = 5, 3
	if err := errors.Join(slow.Start(), g.Barrier(), slow.Wait()); err != nil || f.entered != 1 || f.waits != 0 {
		t.Error(f.entered, f.waits, err)
	}
	op, err := g.Prepare(Call{Kind: Barrier, Once: true})
	if err != nil {
		t.Fatal(err)
	}
	own := &fakeController{fake: newFake(0, 4), looks: 2}
	if op.Begin(own) {
		t.Error("over at once")
	}
	if err := op.Finish(); err != nil || own.entered != 1 || own.waits != 1 || f.entered != 1 {
		t.Error(err, own.entered, own.waits, f.entered)
	}
}

// The first error is the result, and a barrier that was not entered is not left.
func TestErrorsOfControllers(t *testing.T) {
	for _, f := range []*fakeController{{fake: newFake(0, 4), refused: errPost}, {fake: newFake(0, 4), failed: errPost}} {
		g := mustGroup(t, f, Options{})
		if err := g.Barrier(); !errors.Is(err, errPost) {
			t.Error(err)
		}
		if f.refused != nil && f.waits != 0 {
			t.Error("left, and not entered")
		}
		op, err := g.Prepare(Call{Kind: Barrier, Once: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(op.Start(), op.Wait()); !errors.Is(err, errPost) {
			t.Error(err)
		}
	}
}
