package collectives

import "errors"

var (
	errPost = errors.New("fake refuses to post")
	errWait = errors.New("fake refuses to wait")
)

// A fake is a transport without other ranks: every transfer is complete at once, and
// receives leave their buffer unchanged.
type fake struct {
	rank, size, slots int
	failPost          int // the post, counted from 1, that fails
	failWait          int
	posts, waits      int
}

func newFake(rank, size int) *fake { return &fake{rank: rank, size: size, slots: 64} }

func (f *fake) Rank() int  { return f.rank }
func (f *fake) Size() int  { return f.size }
func (f *fake) Slots() int { return f.slots }

func (f *fake) post() error {
	if f.posts++; f.posts == f.failPost {
		return errPost
	}
	return nil
}

func (f *fake) Isend(int, []byte, int, int) error { return f.post() }
func (f *fake) Irecv(int, []byte, int, int) error { return f.post() }

func (f *fake) Wait(int, int) error {
	if f.waits++; f.waits == f.failWait {
		return errWait
	}
	return nil
}

func (f *fake) Test(first, last int) (bool, error) { return true, f.Wait(first, last) }

// A fakeFlagArray adds an exchange of up to 64 bytes.
type fakeFlagArray struct {
	*fake
	exchanges int
	tests     int   // until an exchange that was started is complete
	failed    error // what an exchange ends with
	refused   error // what ExchangeStart returns
}

func (f *fakeFlagArray) ExchangeBytes() int { return 64 }
func (f *fakeFlagArray) Exchange(flow Flow, root int, in, out []byte) error {
	f.exchanges++
	if flow == FromRoot || flow == ToRoot && f.rank != root {
		for i := range out {
			out[i] = 255 // parts are announced as messages
		}
		return nil
	}
	for i := range f.size {
		copy(out[i*len(out)/f.size:], in)
	}
	return nil
}

func (f *fakeFlagArray) ExchangeStart(flow Flow, root int, in, out []byte) error {
	f.tests = 3
	return errors.Join(f.refused, f.Exchange(flow, root, in, out))
}

func (f *fakeFlagArray) ExchangeTest() (bool, error) {
	if f.tests--; f.tests > 0 {
		return false, nil
	}
	return true, f.failed
}

// sum adds bytes.
type sum struct{}

func (sum) ElemSize() int     { return 1 }
func (sum) Commutative() bool { return true }
func (sum) Reduce(in, inout []byte) {
	for i := range inout {
		inout[i] += in[i]
	}
}

// left is a op b = a on elements of 4 bytes.
type left struct{}

func (left) ElemSize() int           { return 4 }
func (left) Commutative() bool       { return false }
func (left) Reduce(in, inout []byte) { copy(inout, in) }
