package hostile

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"rhinet/mpi"
)

// wrongStatus is the status of a rank that received wrong data.
const wrongStatus = 77

// sizes are message lengths in bytes: in the line, beside it, on a page, in several
// packets, at the limits of the protocols and above.
var sizes = []int{0, 1, 8, 40, 41, 64, 500, 1000, 2040, 4096, 5000, 20_000, 65_536, 65_537, 150_000, 300_000, 1 << 20}

// A work is the program of one rank.
type work struct {
	world *mpi.Comm
	rank  int
	size  int
	round int
	rng   *rand.Rand // the same on all ranks
	one   []byte
	two   []byte
	back  []byte
	most  int // bytes of the longest message
}

// wrong ends the rank: its data is not what was sent.
func (w *work) wrong(format string, args ...any) {
	fmt.Printf("rank %d: WRONG DATA in round %d: %s\n", w.rank, w.round, fmt.Sprintf(format, args...))
	os.Exit(wrongStatus)
}

// runWork is the program: rounds of all kinds of traffic, for some time.
func runWork(world *mpi.Comm) error {
	w := &work{
		world: world, rank: world.Rank(), size: world.Size(), rng: rand.New(rand.NewPCG(7, 7)),
		one: make([]byte, 1<<20), two: make([]byte, 1<<20), back: make([]byte, 1<<20), most: 1 << 20,
	}
	if n, err := strconv.Atoi(os.Getenv(mostVariable)); err == nil {
		w.most = n
	}
	end := time.Now().Add(workTime)
	steps := []func() error{w.pingPong, w.exchange, w.collect, w.fromAnyone, w.synchronous, w.quickly, w.pause, w.duplicate}
	for ; ; w.round++ {
		for _, step := range steps {
			if err := step(); err != nil {
				return err
			}
		}
		more := []int{0}
		if time.Now().Before(end) {
			more[0] = 1
		}
		if err := mpi.Bcast(world, more, 0); err != nil {
			return err
		}
		switch more[0] {
		case 0:
			return nil
		case 1:
		default:
			w.wrong("%d from the root", more[0])
		}
	}
}

// fill writes the bytes that rank from sends in this round.
func (w *work) fill(b []byte, from, kind int) {
	x := uint64(from+1)*0x9e3779b97f4a7c15 + uint64(w.round)*0xd1342543de82ef95 + uint64(kind)<<40 + uint64(len(b))
	for i := range b {
		if i%8 == 0 {
			x = x*6364136223846793005 + 1442695040888963407
		}
		b[i] = byte(x >> (8*(i%8) + 0))
	}
}

// check compares received bytes with what rank from sends in this round.
func (w *work) check(b []byte, from, kind int) {
	want := w.back[:len(b)]
	w.fill(want, from, kind)
	for i := range b {
		if b[i] != want[i] {
			w.wrong("byte %d of %d from %d is %#x, not %#x", i, len(b), from, b[i], want[i])
		}
	}
}

// arrived checks a status.
func (w *work) arrived(st mpi.Status, err error, from, tag, n int) error {
	if err != nil {
		if errors.Is(err, mpi.ErrTruncate) {
			w.wrong("%v", err)
		}
		return err
	}
	if st.Source != from || st.Tag != tag || st.Count != n {
		w.wrong("source %d, tag %d, %d elements; not %d, %d, %d", st.Source, st.Tag, st.Count, from, tag, n)
	}
	return nil
}

// pick chooses a size, the same on all ranks.
func (w *work) pick() int { return min(sizes[w.rng.IntN(len(sizes))], w.most) }

// pingPong: every rank exchanges messages with the next one, in pairs, there and back.
func (w *work) pingPong() error {
	for range 12 {
		n, shift := w.pick(), 1+w.rng.IntN(w.size-1)
		tag := w.rng.IntN(5)
		for first := range w.size {
			second := (first + shift) % w.size
			switch w.rank {
			case first:
				w.fill(w.one[:n], first, 1)
				if err := mpi.Send(w.world, w.one[:n], second, tag); err != nil {
					return err
				}
				st, err := mpi.Recv(w.world, w.two[:n], second, tag+1)
				if err := w.arrived(st, err, second, tag+1, n); err != nil {
					return err
				}
				w.check(w.two[:n], second, 2)
			case second:
				st, err := mpi.Recv(w.world, w.two[:n], first, tag)
				if err := w.arrived(st, err, first, tag, n); err != nil {
					return err
				}
				w.check(w.two[:n], first, 1)
				w.fill(w.one[:n], second, 2)
				if err := mpi.Send(w.world, w.one[:n], first, tag+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// exchange: every rank with every rank at once, several messages each.
func (w *work) exchange() error {
	n, each := w.pick()/4, 3
	var rs []*mpi.Request
	var into [][]byte
	var from []int
	for peer := range w.size {
		for i := range each {
			b := make([]byte, n)
			into, from = append(into, b), append(from, peer)
			rs = append(rs, mpi.Irecv(w.world, b, peer, 100+i))
		}
	}
	for peer := range w.size {
		for i := range each {
			b := make([]byte, n)
			w.fill(b, w.rank, 10+i)
			rs = append(rs, mpi.Isend(w.world, b, peer, 100+i))
		}
	}
	for i, r := range rs {
		st, err := r.Wait()
		if i >= len(into) {
			if err != nil {
				return err
			}
			continue
		}
		if err := w.arrived(st, err, from[i], 100+i%each, n); err != nil {
			return err
		}
		w.check(into[i], from[i], 10+i%each)
	}
	return nil
}

// collect: collective calls with short and long data.
func (w *work) collect() error {
	for range 4 {
		if err := mpi.Barrier(w.world); err != nil {
			return err
		}
	}
	for _, n := range []int{1, 3, 2000} {
		in, out := make([]int, n), make([]int, n)
		for i := range in {
			in[i] = w.rank*1000 + i + w.round
		}
		if err := mpi.Allreduce(w.world, in, out, mpi.Sum); err != nil {
			return err
		}
		for i := range out {
			if want := w.size*(w.size-1)/2*1000 + w.size*(i+w.round); out[i] != want {
				w.wrong("Allreduce of %d: element %d is %d, not %d", n, i, out[i], want)
			}
		}
	}
	for _, n := range []int{5, min(30_000, w.most), min(200_000, w.most)} {
		root := w.round % w.size
		if w.fill(w.one[:n], root, 3); w.rank != root {
			clear(w.one[:n])
		}
		if err := mpi.Bcast(w.world, w.one[:n], root); err != nil {
			return err
		}
		w.check(w.one[:n], root, 3)
	}
	for _, n := range []int{4, 10_000} {
		all := make([]byte, n*w.size)
		w.fill(w.one[:n], w.rank, 4)
		if err := mpi.Allgather(w.world, w.one[:n], all); err != nil {
			return err
		}
		for r := range w.size {
			w.check(all[r*n:(r+1)*n], r, 4)
		}
	}
	return nil
}

// fromAnyone: every rank sends to one, which receives from any rank.
func (w *work) fromAnyone() error {
	root, n := (w.round+1)%w.size, 300
	if w.rank != root {
		w.fill(w.one[:n], w.rank, 5)
		return mpi.Send(w.world, w.one[:n], root, 9)
	}
	for range w.size - 1 {
		st, err := mpi.Recv(w.world, w.two[:n], mpi.AnySource, 9)
		if err := w.arrived(st, err, st.Source, 9, n); err != nil {
			return err
		}
		if st.Source < 0 || st.Source >= w.size {
			w.wrong("source %d", st.Source)
		}
		w.check(w.two[:n], st.Source, 5)
	}
	return nil
}

// synchronous: sends that wait for their receive.
func (w *work) synchronous() error {
	n := w.pick() / 8
	next, before := (w.rank+1)%w.size, (w.rank+w.size-1)%w.size
	r := mpi.Irecv(w.world, w.two[:n], before, 11)
	w.fill(w.one[:n], w.rank, 6)
	if err := mpi.Ssend(w.world, w.one[:n], next, 11); err != nil {
		return err
	}
	st, err := r.Wait()
	if err := w.arrived(st, err, before, 11, n); err != nil {
		return err
	}
	w.check(w.two[:n], before, 6)
	return nil
}

// quickly: many small messages in a row, and an answer.
func (w *work) quickly() error {
	next, before := (w.rank+1)%w.size, (w.rank+w.size-1)%w.size
	for i := range 400 {
		if err := mpi.Send(w.world, []int{i + w.round}, next, 12); err != nil {
			return err
		}
	}
	for i := range 400 {
		got := []int{0}
		st, err := mpi.Recv(w.world, got, before, 12)
		if err := w.arrived(st, err, before, 12, 1); err != nil {
			return err
		}
		if got[0] != i+w.round {
			w.wrong("number %d, not %d", got[0], i+w.round)
		}
	}
	return nil
}

// pause: one rank is late, the others wait until they sleep.
func (w *work) pause() error {
	if w.rank == w.round%w.size {
		time.Sleep(5 * time.Millisecond)
	}
	return mpi.Barrier(w.world)
}

// duplicate: a new communicator in some rounds.
func (w *work) duplicate() error {
	if w.round%8 != 3 {
		return nil
	}
	c, err := w.world.Dup()
	if err != nil {
		return err
	}
	sum := []int{0}
	if err := mpi.Allreduce(c, []int{1}, sum, mpi.Sum); err != nil {
		return err
	}
	if sum[0] != w.size {
		w.wrong("%d ranks in the duplicate", sum[0])
	}
	return c.Free()
}
