package hugepage

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// recorded returns pages whose kernel notes what it is asked for, and answers with err.
func recorded(err error) (p *Pages, asked *[]uintptr) { return crowded(err, 1) }

// crowded is recorded for a rank that shares a processor with others.
func crowded(err error, crowd int) (p *Pages, asked *[]uintptr) {
	asked = new([]uintptr)
	p = New("", crowd)
	p.usable = func() error { return nil }
	p.ask = func(at uintptr) error {
		*asked = append(*asked, at)
		return err
	}
	return p, asked
}

// transfer counts n bytes of a place, in as many transfers as a huge page needs.
func transfer(p *Pages, number uintptr, n uint64) {
	for i := range uint64(often) {
		p.count(number, n*(i+1)/often-n*i/often)
	}
}

// within returns n bytes that begin so many bytes behind the beginning of a huge page, and its address.
func within(n, behind int) (b []byte, at uintptr) {
	all := make([]byte, n+behind+size)
	at = (address(all) + size - 1) / size * size
	from := int(at-address(all)) + behind
	return all[from : from+n], at
}

func TestMemoryThatIsTransferredOftenIsAskedForOnce(t *testing.T) {
	const n = 3 * size / 2
	b, at := within(n, size/4) // three quarters of one page, and of the next one
	p, asked := recorded(nil)
	for range often - 1 {
		p.Moved(b)
	}
	if len(*asked) != 0 {
		t.Fatalf("before %d transfers the kernel is asked for %x", often, *asked)
	}
	for range often {
		p.Moved(b)
	}
	if want := []uintptr{at, at + size}; !slices.Equal(*asked, want) {
		t.Errorf("asked for %x, want %x", *asked, want)
	}
}

// Transfers of a small part of a page gain less each, so there are more of them.
func TestShortTransfersMoveAsMuch(t *testing.T) {
	b, at := within(least, 0)
	p, asked := recorded(nil)
	for i := range enough / least {
		if len(*asked) != 0 {
			t.Fatalf("after %d transfers the kernel is asked for %x", i, *asked)
		}
		p.Moved(b)
	}
	if want := []uintptr{at}; !slices.Equal(*asked, want) {
		t.Errorf("asked for %x, want %x", *asked, want)
	}
}

// Ranks that share processors, so that others wait for them, make a huge page only after more transfers.
func TestACrowdWaitsForMoreTransfers(t *testing.T) {
	for _, c := range []struct{ crowd, pieces int }{{0, 1}, {1, 1}, {2, 2}, {4, 4}, {8, 4}, {1000, 4}} {
		p, asked := crowded(nil, c.crowd)
		for page := uintptr(1); page <= 2; page++ { // the first one shows that none is dear
			for range c.pieces {
				if len(*asked) == int(page) {
					t.Errorf("crowd %d: asked for page %d before %d pieces", c.crowd, page, c.pieces)
				}
				transfer(p, page, enough)
			}
			if len(*asked) != int(page) {
				t.Errorf("crowd %d: asked for %x after %d pieces of page %d", c.crowd, *asked, c.pieces, page)
			}
		}
	}
}

func TestShortTransfersAreNotCounted(t *testing.T) {
	b, _ := within(least-1, 0)
	p, asked := recorded(nil)
	for range 2 * enough / len(b) {
		p.Moved(b)
	}
	if len(*asked) != 0 || p.watched != ([places]place{}) {
		t.Errorf("asked for %x", *asked)
	}
}

func TestTheKernelIsAskedAgainAfterAsManyTransfers(t *testing.T) {
	p, asked := recorded(errors.New("busy"))
	for range 3 {
		transfer(p, 7, enough-1)
		transfer(p, 7, 1)
	}
	p.ask = func(at uintptr) error { *asked = append(*asked, at); return nil }
	for range 3 {
		transfer(p, 7, enough)
	}
	if want := slices.Repeat([]uintptr{7 * size}, 4); !slices.Equal(*asked, want) {
		t.Errorf("asked for %x, want %x", *asked, want)
	}
}

// Where a program has memory of other kinds as well, the kernel refuses now and then.
func TestRefusalsInARowCount(t *testing.T) {
	p, asked := recorded(nil)
	for i := range uintptr(3 * mostRefused) {
		answer := error(nil)
		if i%mostRefused != 0 {
			answer = errors.New("no")
		}
		p.ask = func(at uintptr) error { *asked = append(*asked, at); return answer }
		p.make(i)
	}
	if len(*asked) != 3*mostRefused {
		t.Errorf("asked %d times", len(*asked))
	}
}

// While the kernel takes long, each page needs twice the transfers of the one before; once it does not, fewer.
func TestDearPagesNeedMoreTransfers(t *testing.T) {
	p, asked := recorded(nil)
	var now, took time.Duration
	p.clock = func() time.Duration { return now }
	answer := p.ask
	p.ask = func(at uintptr) error { now += took; return answer(at) }
	number := uintptr(0)
	for _, c := range []struct {
		took   time.Duration
		pieces int // of enough bytes, before the page is made
	}{
		{dear + 1, 1}, {dear + 1, 2}, {dear + 1, 4}, {dear + 1, 8}, {dear + 1, 16}, {dear + 1, 16}, {dear, 16}, {dear, 8}, {0, 4},
		{dear + 1, 2}, {0, 4}, {0, 2}, {0, 1}, {0, 1},
	} {
		number, took, *asked = number+1, c.took, nil
		for i := range c.pieces {
			if len(*asked) != 0 {
				t.Fatalf("page %d is made after %d pieces of %d", number, i, c.pieces)
			}
			transfer(p, number, enough)
		}
		if !slices.Equal(*asked, []uintptr{number * size}) {
			t.Fatalf("page %d: asked for %x after %d pieces", number, *asked, c.pieces)
		}
	}
}

// Two places of the same number in the table: the one that is used counts anew.
func TestPlacesTakeTurns(t *testing.T) {
	p, asked := recorded(nil)
	for range 100 {
		transfer(p, 1, enough/2)
		transfer(p, 1+places, enough/2)
	}
	transfer(p, 1, enough)
	if !slices.Equal(*asked, []uintptr{size}) {
		t.Errorf("asked for %x", *asked)
	}
}

func TestAKernelThatRefusesIsNotAskedForEver(t *testing.T) {
	p, asked := recorded(errors.New("no"))
	for i := range uintptr(2 * mostRefused) {
		p.make(i)
	}
	if len(*asked) != mostRefused {
		t.Errorf("asked %d times", len(*asked))
	}
	p, asked = recorded(nil)
	p.usable = func() error { return errNone }
	if p.make(1); len(*asked) != 0 || !p.off {
		t.Error("asked a system that has no huge pages")
	}
}

func TestSettings(t *testing.T) {
	for value, on := range map[string]bool{"": true, auto: true, off: false} {
		if err := Check(value); err != nil || (New(value, 1) != nil) != on {
			t.Errorf("%q: %v", value, err)
		}
	}
	if err := Check("on"); err == nil || err.Error() != `huge pages "on"; it is auto or off` {
		t.Error(err)
	}
	b, _ := within(least, 0)
	New(off, 1).Moved(b)
}

func TestMovedAllocatesNothing(t *testing.T) {
	b, _ := within(3*size, 100)
	p, _ := recorded(nil)
	p.ask = func(uintptr) error { return nil }
	if n := testing.AllocsPerRun(1000, func() { p.Moved(b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
