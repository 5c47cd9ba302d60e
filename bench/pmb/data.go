package pmb

import (
	"bytes"

	"rhinet/bench"
	"rhinet/mpi"
)

// pattern is byte i of the data of a rank, and value its float32 values, whose sums are exact. Both repeat after
// period values.
func pattern(rank, i int) byte        { return byte(rank*31 + i*7 + 1) }
func value(rank, i int) float32       { return float32(rank + 1 + i%5) }
func total(ranks, i int) float32      { return float32(ranks*(ranks+1)/2 + ranks*(i%5)) }
func slotsFor(offCache, each int) int { return max(1, (offCache+max(each, 1)-1)/max(each, 1)) }

// period is a multiple of the periods of pattern, 256, and of value, 5.
const period = 256 * 5

// line is the alignment of buffers in an off-cache run.
const line = 64

// newEnv makes the buffers of one size.
func (b Benchmark) newEnv(c *mpi.Comm, n int, o Options) *env {
	e := &env{c: c, rank: c.Rank(), size: c.Size(), n: n, window: o.Window, now: mpi.Wtime}
	e.lenS, e.lenR = n*b.sends(e.size), n*b.recvs(e.size)
	e.strideS, e.strideR = up(e.lenS), up(e.lenR)
	e.slots = slotsFor(o.OffCache, max(e.strideS, e.strideR))
	if b.kept {
		e.slots = min(e.slots, keptBuffers)
		e.repeats = make([]*mpi.Request, e.slots*e.size)
	}
	if b.floats {
		e.lenS, e.lenR, e.strideS, e.strideR = e.lenS/4, e.lenR/4, e.strideS/4, e.strideR/4
		e.sendF, e.recvF = make([]float32, e.slots*e.strideS), make([]float32, e.slots*e.strideR)
	} else {
		e.send, e.recv = make([]byte, e.slots*e.strideS), make([]byte, e.slots*e.strideR)
	}
	for s := range e.slots {
		if b.floats {
			fill(e.sendF[s*e.strideS:][:e.lenS], func(i int) float32 { return value(e.rank, i) })
		} else {
			fill(e.send[s*e.strideS:][:e.lenS], func(i int) byte { return pattern(e.rank, i) })
		}
	}
	e.clear()
	if b.Kind == Overlap {
		e.cpu = bench.NewComputer(mpi.Wtime)
	}
	// As with an array of handles in C, repetitions store their requests in the same place.
	handles := make([]mpi.Request, 2*o.Window)
	for i := range handles {
		e.requests = append(e.requests, &handles[i])
	}
	parts := e.size
	if b.grid {
		parts = sides
	}
	for i := range parts {
		e.counts, e.displs = append(e.counts, n), append(e.displs, n*i)
	}
	values, place := n/4, 0
	for r := range e.size {
		share := values / e.size
		if r < values%e.size {
			share++
		}
		e.shares, e.places = append(e.shares, share), append(e.places, place)
		place += share
	}
	return e
}

// fill writes values that repeat after period ones.
func fill[T any](to []T, value func(i int) T) {
	for i := range to[:min(period, len(to))] {
		to[i] = value(i)
	}
	for n := period; n < len(to); n *= 2 {
		copy(to[n:], to[:n])
	}
}

func up(n int) int { return (n + line - 1) / line * line }

// refresh does what programs do between two calls: it reads what call i has received, and writes what the next one
// sends. So that lies in the cache of the rank that sends it.
func (e *env) refresh(i int) {
	if e.sendF == nil {
		e.seen += bytes.Count(e.in(i), []byte{0})
		fill(e.out(i+1), func(k int) byte { return pattern(e.rank, k) })
		return
	}
	for _, v := range e.inF(i) {
		e.seen += int(v)
	}
	fill(e.outF(i+1), func(k int) float32 { return value(e.rank, k) })
}

// clear fills the receive buffers with values that are never sent; it also makes their pages exist before
// the clock runs.
func (e *env) clear() {
	fill(e.recv, func(int) byte { return 0xA5 })
	fill(e.recvF, func(int) float32 { return -1 })
}

// defects runs b once more and counts wrong data on all ranks.
func (b Benchmark) defects(e *env, everyone *mpi.Comm) (int, error) {
	e.clear()
	var err error
	if b.loop != nil {
		err = b.loop(e, 1)
	} else {
		err = b.call(e, 0)
	}
	if err != nil {
		return 0, err
	}
	wrong, sum := []int64{int64(b.wrong(e))}, []int64{0}
	err = mpi.Allreduce(everyone, wrong, sum, mpi.Sum)
	return int(sum[0]), err
}

// wrong counts the wrong data in this rank's receive buffer.
func (b Benchmark) wrong(e *env) (count int) {
	if b.expectSum != nil {
		from, values := b.expectSum(e)
		for i := range values {
			if e.recvF[i] != total(e.size, from+i) {
				count++
			}
		}
		return count
	}
	for k, p := range b.expect(e) {
		for i, got := range e.recv[k*e.n : (k+1)*e.n] {
			if got != pattern(p.rank, p.from+i) {
				count++
			}
		}
	}
	return count
}
