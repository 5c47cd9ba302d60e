package lowlevel

import (
	"encoding/binary"
	"errors"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

func TestArguments(t *testing.T) {
	l := job(t, 2, martini.Options{})[0]
	barrier := func(id int, members []int, fanout int) error {
		_, err := l.NewBarrier(id, members, fanout)
		return err
	}
	_, recv := l.Recv(-1, nil)
	for name, err := range map[string]error{
		"send to nobody": l.Send(2, nil), "receive from nobody": recv,
		"barrier id": barrier(Barriers, []int{0}, 2), "fanout": barrier(0, []int{0}, MaxFanout+1), "no child": barrier(0, []int{0}, 0),
		"not a member": barrier(0, []int{1}, 2), "no such member": barrier(0, []int{0, 2}, 2),
		"lock id": l.InitLock(Locks, 0), "negative lock": l.InitLock(-1, 0), "representative": l.InitLock(0, 2),
		"lock without representative": l.Lock(1), "unlock of nothing": l.Unlock(-1),
		"segment": l.Publish(Segments, nil), "segment of a peer": l.Get(1, -1, 0, nil), "of nobody": l.Put(2, 0, 0, nil),
	} {
		if !errors.Is(err, ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := l.Put(1, 5, 0, make([]byte, 8)); !errors.Is(err, martini.NoSegment) {
		t.Errorf("a segment that nobody published: %v", err)
	}
	f, err := fabric.Heap(40, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	nic, err := martini.Open(f, 0, martini.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(nic, Options{}); err == nil {
		t.Error("opened without memory")
	}
	_ = nic.Close()
	if _, err := Open(l.nic, Options{}); err != nil {
		t.Error(err)
	}
}

func TestMessageThatDoesNotFit(t *testing.T) {
	all := job(t, 2, martini.Options{})
	for _, size := range []int{10, 5000, 50_000} {
		sent := make(chan error)
		go func() { sent <- all[0].Send(1, content(0, 0, size)) }()
		b := make([]byte, 7)
		n, err := all[1].Recv(0, b)
		if err := <-sent; err != nil {
			t.Error(err)
		}
		if !errors.Is(err, ErrTruncated) || n != size || string(b) != string(content(0, 0, 7)) {
			t.Errorf("%d bytes: %d, %v", size, n, err)
		}
	}
	b := make([]byte, 7)
	if err := all[0].Send(1, []byte("next")); err != nil {
		t.Error(err)
	}
	if n, err := all[1].Recv(0, b); err != nil || string(b[:n]) != "next" {
		t.Errorf("%q, %v", b[:n], err)
	}
}

// TestFullMessageBuffer: SEND waits for room; if the wait ends early, that is an error. Later there
// is room again.
func TestFullMessageBuffer(t *testing.T) {
	all := job(t, 2, martini.Options{})
	stop := errors.New("stop")
	all[0].o.Alive = func() error { return stop }
	sent := 0
	for ; ; sent++ {
		if err := all[0].Send(1, content(0, sent, 3000)); err != nil {
			if !errors.Is(err, stop) || sent != blocks/3 {
				t.Fatalf("%d messages, then %v", sent, err)
			}
			break
		}
	}
	b := make([]byte, 4000)
	for i := range sent {
		if n, err := all[1].Recv(0, b); err != nil || string(b[:n]) != string(content(0, i, 3000)) {
			t.Fatal(err)
		}
	}
	if err := all[0].Send(1, nil); err != nil {
		t.Error(err)
	}
	all[1].o.Alive = all[0].o.Alive
	if _, err := all[1].Recv(1, b); !errors.Is(err, stop) {
		t.Error(err)
	}
	for name, wait := range map[string]func() error{
		"long message": func() error { return all[0].Send(1, make([]byte, medium+1)) },
		"barrier": func() error {
			b, err := all[0].NewBarrier(0, []int{0, 1}, 2)
			return errors.Join(err, b.Wait())
		},
	} {
		if err := wait(); !errors.Is(err, stop) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestForgedDescriptors: lengths and numbers are checked where they are read.
func TestForgedDescriptors(t *testing.T) {
	for name, c := range map[string]struct {
		table          int
		length, number uint32
	}{
		"too long":     {descriptorTable, medium + 1, 1},
		"out of order": {descriptorTable, 1, 9},
		"empty offer":  {offerTable, 0, 1},
	} {
		all := job(t, 2, martini.Options{})
		d := all[0].box[:descriptorBytes]
		clear(d)
		binary.NativeEndian.PutUint32(d, c.length)
		binary.NativeEndian.PutUint32(d[descValid:], c.number)
		if err := all[0].window.Push(request(1, at(0, c.table)), d); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := all[1].Recv(0, make([]byte, 10)); !errors.Is(err, ErrCorrupt) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	// The NIC refuses an offer of memory that does not exist.
	all := job(t, 2, martini.Options{})
	d := all[0].box[:descriptorBytes]
	binary.NativeEndian.PutUint32(d, 1000)
	binary.NativeEndian.PutUint64(d[descSegment:], 1<<32|99)
	binary.NativeEndian.PutUint32(d[descValid:], 1)
	if err := all[0].window.Push(request(1, at(0, offerTable)), d); err != nil {
		t.Fatal(err)
	}
	if _, err := all[1].Recv(0, make([]byte, 1000)); !errors.Is(err, martini.NoSegment) {
		t.Error(err)
	}
}

func TestPinCacheKeepsWhatIsUsed(t *testing.T) {
	l := job(t, 1, martini.Options{})[0]
	c := NewPinCache(l.nic, 100_000)
	use := func(b []byte) *Pinned {
		t.Helper()
		p, err := c.Acquire(b)
		if err != nil {
			t.Fatal(err)
		}
		c.Release(p)
		return p
	}
	a, b := make([]byte, 50_000), make([]byte, 50_000)
	first := use(a)
	if p := use(a[100:200]); p != first || p.offset(a[100:200]) != 100 {
		t.Error("a part of pinned memory is pinned anew")
	}
	use(b)
	use(a)
	use(make([]byte, 1000)) // evicts b
	if use(a) != first || c.Hits != 3 || c.Misses != 3 || c.Evictions != 1 {
		t.Errorf("%+v", c)
	}
	held, err := c.Acquire(a)
	if err != nil {
		t.Fatal(err)
	}
	use(make([]byte, 200_000)) // more than the limit, in addition to memory in use
	for range 2 * pinsKept {
		use(make([]byte, 1))
	}
	if c.entries[0] != held || len(c.entries) > pinsKept {
		t.Errorf("%d buffers kept", len(c.entries))
	}
	c.Release(held)
	if err := c.Flush(); err != nil || c.bytes != 0 {
		t.Errorf("%d bytes after Flush: %v", c.bytes, err)
	}
	mem := make([]byte, 10)
	use(mem)
	if err := l.nic.Conceal(c.entries[0].Segment); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); !errors.Is(err, martini.Misuse) {
		t.Errorf("withdrawn behind the cache: %v", err)
	}
}

// TestPinnedWithoutSegment: memory that is only pinned has no segment until it is acquired, and a
// different segment for each use.
func TestPinnedWithoutSegment(t *testing.T) {
	l := job(t, 1, martini.Options{})[0]
	c := NewPinCache(l.nic, 0)
	mem := make([]byte, 1000)
	p, err := c.Pin(mem)
	if err != nil || p.Segment != 0 {
		t.Fatalf("segment %v, %v", p.Segment, err)
	}
	part, err := l.nic.RegisterPinned(p.Pin, mem[100:200])
	if err != nil {
		t.Fatal(err)
	}
	if err := l.window.Push(martini.Request{Segment: part}, mem[:100]); err != nil {
		t.Error(err)
	}
	if err := l.window.Push(martini.Request{Segment: part}, mem[:101]); !errors.Is(err, martini.BeyondSegment) {
		t.Error(err)
	}
	if err := l.nic.Release(part); err != nil {
		t.Error(err)
	}
	if err := l.window.Push(martini.Request{Segment: part}, mem[:100]); !errors.Is(err, martini.Stale) {
		t.Errorf("a name that was withdrawn: %v", err)
	}
	for _, b := range [][]byte{make([]byte, 8), mem[:0:0], nil} {
		if _, err := l.nic.RegisterPinned(p.Pin+1<<32, b); !errors.Is(err, martini.NotPinned) {
			t.Errorf("%d bytes under a pin that is none: %v", len(b), err)
		}
	}
	if _, err := l.nic.RegisterPinned(p.Pin, make([]byte, 8)); !errors.Is(err, martini.NotPinned) {
		t.Error(err)
	}
	if q, err := c.Acquire(mem[10:20]); err != nil || q != p || p.Segment == 0 {
		t.Errorf("%+v, %v", q, err)
	}
	c.Release(p)
	c.Release(p)
	if err := c.Flush(); err != nil || len(c.entries) != 0 {
		t.Error(err)
	}
	for err == nil { // no segment is left, and no unused buffer to evict
		_, err = l.nic.Register(0, 1)
	}
	if _, err := c.Acquire(mem); !errors.Is(err, martini.TableFull) {
		t.Error(err)
	}
	if len(c.entries) != 0 && c.entries[0].users != 0 {
		t.Error("held after a failure")
	}
}

// TestFullPageTable: unused buffers are evicted to make room in the NIC's tables; if there are
// none, the refusal is returned.
func TestFullPageTable(t *testing.T) {
	l := job(t, 1, martini.Options{})[0]
	c := NewPinCache(l.nic, 0)
	idle, err := c.Acquire(make([]byte, 8))
	if err != nil {
		t.Fatal(err)
	}
	c.Release(idle)
	for err == nil {
		_, err = l.nic.Hold(make([]byte, 1))
	}
	if _, err = c.Acquire(make([]byte, 8)); err != nil || c.Evictions != 1 {
		t.Errorf("%v, %d evictions", err, c.Evictions)
	}
	if _, err := c.Acquire(make([]byte, 8)); !errors.Is(err, martini.TableFull) {
		t.Error(err)
	}
	if err := l.Publish(0, make([]byte, 8)); !errors.Is(err, martini.TableFull) {
		t.Error(err)
	}
}

func TestMessagesAllocateNothing(t *testing.T) {
	l := job(t, 1, martini.Options{})[0]
	b := make([]byte, 2000)
	for _, n := range []int{8, 2000} {
		if used := testing.AllocsPerRun(100, func() {
			if l.Send(0, b[:n]) != nil {
				t.Fail()
			}
			if _, err := l.Recv(0, b); err != nil {
				t.Fail()
			}
		}); used != 0 {
			t.Errorf("%v allocations for %d bytes", used, n)
		}
	}
}
