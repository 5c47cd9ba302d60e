package ring

import (
	"errors"
	"sync/atomic"
)

// A line that has been overwritten before the reader saw it has lost its sequence and looks like one that
// has not come, so the reader would wait for ever. Therefore writers that have nothing else to do publish
// how much they have sent, and readers compare it with what has come. This costs a packet no more than a
// few additions.

// A Tally is how much has gone through a ring in one direction, as one of the two sides counts it: lines
// (in a shared ring including those skipped), data positions, and the sum of all header words as they lay
// in the ring.
type Tally struct{ Lines, Pos, Sum uint64 }

// add counts a packet whose header words are h.
func (t *Tally) add(lines uint64, h *[3]uint64) {
	t.Lines += lines
	t.Sum += h[0] + h[1] + h[2]
}

// An Account is two lines of memory in which one writer publishes a tally, and where one reader sees either
// a whole tally or none.
//
//	word 0  version: even, or odd while the tally changes or may change
//	word 1  lines, 2 data positions, 3 sum, 4 check of all these
type Account struct{ line *Line }

// NewAccount views a line, which starts as zero, as an account.
func NewAccount(line *Line) Account { return Account{line} }

// Put writes a tally.
func (a Account) Put(t Tally) {
	a.Open()
	l := a.line
	v := (atomic.LoadUint64(&l[0]) | 1) + 1
	atomic.StoreUint64(&l[1], t.Lines)
	atomic.StoreUint64(&l[2], t.Pos)
	atomic.StoreUint64(&l[3], t.Sum)
	atomic.StoreUint64(&l[4], t.check(v))
	atomic.StoreUint64(&l[0], v)
}

// Open marks the tally as about to change: Get fails until the next Put.
func (a Account) Open() { atomic.StoreUint64(&a.line[0], atomic.LoadUint64(&a.line[0])|1) }

// A Ledger keeps the account of one sender up to date. The first packet that is sent after a Put of the
// tally opens the account.
type Ledger struct {
	account Account
	open    bool
}

// NewLedger returns the ledger of a sender that has not sent anything yet.
func NewLedger(a Account) Ledger { return Ledger{account: a} }

// Change must be called before something is sent.
func (l *Ledger) Change() {
	if !l.open {
		l.open = true
		l.account.Open()
	}
}

// Attest publishes what has been sent, if that has changed, or if again is set, in case the account was
// overwritten.
func (l *Ledger) Attest(sent Tally, again bool) {
	if l.open || again {
		l.open = false
		l.account.Put(sent)
	}
}

// Get returns the tally and its version. It returns false if the account is open or has been overwritten;
// the next Put repairs that.
func (a Account) Get() (t Tally, version uint64, ok bool) {
	l := a.line
	version = atomic.LoadUint64(&l[0])
	t = Tally{atomic.LoadUint64(&l[1]), atomic.LoadUint64(&l[2]), atomic.LoadUint64(&l[3])}
	sum := atomic.LoadUint64(&l[4])
	if version&1 != 0 || atomic.LoadUint64(&l[0]) != version {
		return t, version, false
	}
	fresh := version == 0 && t == Tally{} && sum == 0
	return t, version, fresh || sum == t.check(version)
}

// check is a checksum of the version and the words of t.
func (t *Tally) check(version uint64) uint64 {
	x := version + 0x9e3779b97f4a7c15
	for _, w := range [...]uint64{t.Lines, t.Pos, t.Sum} {
		x = (x ^ w) * 0xff51afd7ed558ccd
		x ^= x >> 32
	}
	return x
}

// Results of the audit of a ring. The caller knows whose ring it is.
var (
	// ErrLost: a packet that was sent is not visible.
	ErrLost = errors.New("ring: a packet that was sent has been overwritten before it came")
	// ErrHeads: as many packets have come as were sent, but with other headers.
	ErrHeads = errors.New("ring: headers have been overwritten before they came")
	// ErrCounters: the counters that the reader exports are not those that it wrote.
	ErrCounters = errors.New("ring: the counters that the reader exports have been overwritten")
	// ErrPointers: the receive pointer of a shared ring is impossible.
	ErrPointers = errors.New("ring: the receive pointer of the shared ring has been overwritten")
)

// Audit compares a packet ring with the account of its writer, while no packet is held. It reports only
// states that a correct writer and reader can't bring about.
func (r *Reader) Audit(a Account) error {
	c := r.ring.counters
	if atomic.LoadUint64(&c[0]) != r.slot || atomic.LoadUint64(&c[1]) != r.pos {
		return ErrCounters
	}
	sent, _, ok := a.Get()
	if !ok || r.Ready() {
		return nil
	}
	switch ahead := sent.Lines - r.slot; {
	case int64(ahead) < 0: // the writer has sent more since it published the tally
		return nil
	case ahead > 0:
		return ErrLost // it was visible before the tally was published
	case sent.Sum != r.sum || sent.Pos != r.pos:
		return ErrHeads
	}
	return nil
}

// Tally returns how much has come in this ring.
func (r *Reader) Tally() Tally { return Tally{r.slot, r.pos, r.sum} }

// Audit compares a shared ring with the accounts of all sources, while no packet is held. If the error has
// a known source, from is that source, else -1.
func (r *SharedReader) Audit(accounts func(source int) Account) (from int, err error) {
	if atomic.LoadUint64(r.released) != r.slot {
		return -1, ErrCounters
	}
	// Read the holder first: while there is none, all that has come is below the pointer.
	holder := atomic.LoadUint64(&r.front[frontHolder])
	received := atomic.LoadUint64(&r.front[frontReceive])
	switch {
	case r.Ready():
		return -1, nil
	case holder > uint64(r.peers):
		return -1, ErrPointers
	case holder != 0:
		return -1, r.auditHolder(accounts, holder)
	case received-r.slot > r.mask+1:
		return -1, ErrPointers
	case received == r.slot:
		return r.auditSources(accounts)
	}
	return -1, r.auditGap(accounts, received)
}

// auditHolder judges a ring that is held. Its holder may be slow; but a holder whose account is not open is
// not sending anything.
func (r *SharedReader) auditHolder(accounts func(int) Account, holder uint64) error {
	_, version, ok := accounts(int(holder) - 1).Get()
	if !ok || atomic.LoadUint64(&r.front[frontHolder]) != holder {
		return nil
	}
	if _, again, ok := accounts(int(holder) - 1).Get(); !ok || again != version {
		return nil
	}
	return ErrPointers
}

// auditSources compares the tallies when everything that was sent has come.
func (r *SharedReader) auditSources(accounts func(int) Account) (int, error) {
	for i := range r.came {
		if r.came[i].Lines == 0 {
			continue
		}
		if sent, _, ok := accounts(i).Get(); ok && sent != r.came[i] && r.idle() {
			return i, ErrHeads
		}
	}
	return -1, nil
}

// idle reports whether no record is being written and all have been consumed.
func (r *SharedReader) idle() bool {
	return atomic.LoadUint64(&r.front[frontHolder]) == 0 && atomic.LoadUint64(&r.front[frontReceive]) == r.slot
}

// auditGap judges a ring whose pointer has passed a line that has not come: once no source is sending,
// either the line or the pointer has been overwritten.
func (r *SharedReader) auditGap(accounts func(int) Account, received uint64) error {
	total := uint64(0)
	versions := make([]uint64, r.peers)
	for i := range r.peers {
		sent, version, ok := accounts(i).Get()
		if !ok {
			return nil
		}
		versions[i], total = version, total+sent.Lines
	}
	if r.Ready() || atomic.LoadUint64(&r.front[frontReceive]) != received {
		return nil
	}
	for i, v := range versions {
		if _, version, ok := accounts(i).Get(); !ok || version != v {
			return nil
		}
	}
	if total != received {
		return ErrPointers
	}
	return ErrLost
}
