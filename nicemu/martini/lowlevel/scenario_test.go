package lowlevel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/internal/wait"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

var sizes = []int{0, 1, smallest, smallest + 1, blockBytes, blockBytes + 1, 5000, medium, medium + 1, 100_000}

func content(from, i, n int) []byte {
	b := make([]byte, n)
	for j := range b {
		b[j] = byte(from*31 + i*7 + j + j>>8)
	}
	return b
}

// scratch is communication memory that the library does not use.
const scratch = 3072

// scenario is run by every process of a job: messages of all sizes around a ring, barriers of two
// shapes, a counter under a lock, published memory.
func scenario(l *Library) error {
	me, n := l.nic.Rank(), l.nic.Ranks()
	var all []int
	for i := range n {
		all = append(all, i)
	}
	wide, err := l.NewBarrier(0, all, 3)
	if err != nil {
		return err
	}
	chain, err := l.NewBarrier(7, all, 1)
	if err != nil {
		return err
	}
	for i := range 4 * len(sizes) {
		if err := around(l, (me+1)%n, (me+n-1)%n, i); err != nil {
			return err
		}
		if err := wide.Wait(); err != nil {
			return err
		}
	}
	const rounds = 50
	for id := range 3 {
		if err := l.InitLock(id, id%n); err != nil {
			return err
		}
	}
	if err := chain.Wait(); err != nil {
		return err
	}
	for i := range rounds {
		if err := count(l, i%3); err != nil {
			return err
		}
	}
	if err := chain.Wait(); err != nil {
		return err
	}
	for id := range 3 {
		v, err := counter(l, id, 0)
		if want := n * ((rounds + 2 - id) / 3); err != nil || v != want {
			return fmt.Errorf("counter %d is %d, want %d: %v", id, v, want, err)
		}
	}
	if l.nic.Remote() {
		err = exchange(l, wide)
	}
	return errors.Join(err, chain.Wait())
}

// around sends message i to the right and receives one from the left. Even
// processes send first: a long message waits for its receiver.
func around(l *Library, right, left, i int) error {
	me := l.nic.Rank()
	send := func() error { return l.Send(right, content(me, i, sizes[i%len(sizes)])) }
	recv := func() error {
		b := make([]byte, 1<<17)
		n, err := l.Recv(left, b)
		if want := content(left, i, sizes[i%len(sizes)]); err == nil && string(b[:n]) != string(want) {
			err = fmt.Errorf("message %d from %d: %d bytes, want %d, or other contents", i, left, n, len(want))
		}
		return err
	}
	if me == 0 {
		return errors.Join(send(), recv())
	}
	return errors.Join(recv(), send())
}

// counter reads a counter at process 0 and adds to it, in two steps.
func counter(l *Library, id, add int) (int, error) {
	b := l.box[descriptorBytes:][:flagBytes]
	if err := l.window.Pull(request(0, scratch+id*8), b); err != nil {
		return 0, err
	}
	v := int(binary.NativeEndian.Uint64(b)) + add
	if add != 0 {
		return v, l.flag(0, scratch+id*8, uint64(v))
	}
	return v, nil
}

func count(l *Library, id int) error {
	if err := l.Lock(id); err != nil {
		return err
	}
	_, err := counter(l, id, 1)
	return errors.Join(err, l.Unlock(id))
}

// exchange has every process read and write its neighbour's published memory.
func exchange(l *Library, b *Barrier) error {
	me, n := l.nic.Rank(), l.nic.Ranks()
	mem := content(me, 1, 10_000)
	if err := l.Publish(3, mem); err != nil {
		return err
	}
	if err := b.Wait(); err != nil {
		return err
	}
	right := (me + 1) % n
	got := make([]byte, 5000)
	if err := l.Get(right, 3, 5000, got); err != nil {
		return err
	}
	if string(got) != string(content(right, 1, 10_000)[5000:]) {
		return errors.New("other bytes than published")
	}
	if err := l.Put(right, 3, 1, []byte("from the left")); err != nil {
		return err
	}
	if err := b.Wait(); err != nil {
		return err
	}
	if string(mem[1:14]) != "from the left" {
		return fmt.Errorf("after a Put: %q", mem[:20])
	}
	return l.Publish(3, nil)
}

// job returns the libraries of n processes that are goroutines.
func job(t testing.TB, n int, o martini.Options) []*Library {
	t.Helper()
	_, all := managed(t, n, o)
	return all
}

// managed is job, and also returns the job's manager.
func managed(t testing.TB, n int, o martini.Options) (*martini.Manager, []*Library) {
	t.Helper()
	f, err := fabric.Heap(n, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	boss, err := martini.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Library
	for i := range n {
		nic, err := martini.Open(f, i, o)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Open(nic, Options{Policy: wait.For(n, 2, true), Alive: patience()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := errors.Join(l.Close(), nic.Close()); err != nil {
				t.Error(err)
			}
		})
		all = append(all, l)
	}
	return boss, all
}

// patience returns a function that ends endless waits.
func patience() func() error {
	end := time.Now().Add(20 * time.Second)
	return func() error {
		if time.Now().After(end) {
			return errors.New("nothing comes any more")
		}
		return nil
	}
}

func TestScenario(t *testing.T) {
	for name, attach := range map[string]martini.Attach{"remote": martini.On, "not remote": martini.Off} {
		t.Run(name, func(t *testing.T) {
			all := job(t, 4, martini.Options{Attach: attach})
			done := make(chan error)
			for _, l := range all {
				go func() { done <- scenario(l) }()
			}
			for range all {
				if err := <-done; err != nil {
					t.Error(err)
				}
			}
		})
	}
}
