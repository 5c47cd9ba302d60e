package pmb

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// note is a Report that records everything.
type note struct {
	rows    []Row
	begins  []string
	skipped []int
}

func (n *note) Begin(b Benchmark, groups [][]int, world int) {
	n.begins = append(n.begins, fmt.Sprintf("%s %v of %d", b.Name, groups, world))
}
func (n *note) Row(r Row)                { n.rows = append(n.rows, r) }
func (n *note) Skip(bytes int, _ string) { n.skipped = append(n.skipped, bytes) }
func (n *note) End()                     {}

func run(t *testing.T, ranks int, benchmarks []Benchmark, o Options) *note {
	t.Helper()
	n := new(note)
	mpitest.Run(t, ranks, func(world *mpi.Comm) error { return Run(world, benchmarks, o, n) }, mpitest.Unguarded())
	return n
}

// The data arrives unchanged on every number of ranks, with one buffer and with several in turn, with equal
// and with uneven shares.
func TestEveryBenchmarkMovesTheRightBytes(t *testing.T) {
	for _, ranks := range []int{2, 3, 4, 5} {
		o := Options{Sizes: []int{0, 4, 8, 1000}, Repetitions: 3, Time: time.Second, Check: true, NPMin: ranks, OffCache: 5000, Window: 3}
		n := run(t, ranks, All(), o)
		seen := map[string]int{}
		for _, r := range n.rows {
			seen[r.Test]++
			if r.Defects != 0 || r.Repetitions < 1 || r.Min < 0 || r.Min > r.Avg*1.0001 || r.Avg > r.Max*1.0001 {
				t.Errorf("%d ranks: %+v", ranks, r)
			}
		}
		for _, b := range All() {
			want := 4
			if b.Sizeless() {
				want = 1
			}
			if b.pairs && ranks%2 == 1 && b.Name != "bw" && b.Name != "bibw" {
				want = 0
			}
			if seen[b.Name] != want {
				t.Errorf("%s on %d ranks: %d rows, want %d", b.Name, ranks, seen[b.Name], want)
			}
		}
	}
}

func TestWrongBytesAreCounted(t *testing.T) {
	b, err := Find("Sendrecv")
	if err != nil {
		t.Fatal(err)
	}
	b.loop = func(e *env, reps int) error {
		err := sendrecv(e, reps)
		e.recv[0] ^= 1
		return err
	}
	if n := run(t, 2, []Benchmark{b}, Options{Sizes: []int{8}, Repetitions: 1, Check: true}); n.rows[0].Defects != 2 {
		t.Errorf("%d defects, want one on each rank", n.rows[0].Defects)
	}
	b, _ = Find("Allreduce")
	b.call = func(e *env, i int) error { e.recvF[0] = 0; return nil }
	if n := run(t, 2, []Benchmark{b}, Options{Sizes: []int{8}, Repetitions: 1, Check: true}); n.rows[0].Defects != 4 {
		t.Errorf("%d defects, want 2 values on each rank", n.rows[0].Defects)
	}
}

// 1000 repetitions, or fewer if 40 MiB have been moved or the time is up earlier.
func TestRepetitions(t *testing.T) {
	b, _ := Find("Bcast")
	b.call = func(*env, int) error { return nil }
	n := run(t, 2, []Benchmark{b}, Options{Sizes: []int{0, 32 << 10, 64 << 10, 4 << 20}, NoSync: true, Time: time.Hour})
	var reps []int
	for _, r := range n.rows {
		reps = append(reps, r.Repetitions)
	}
	if fmt.Sprint(reps) != "[1000 1000 640 10]" {
		t.Errorf("repetitions are %v", reps)
	}
	b.call = func(*env, int) error { time.Sleep(2 * time.Millisecond); return nil }
	if n = run(t, 2, []Benchmark{b}, Options{Sizes: []int{0}, Time: 10 * time.Millisecond}); n.rows[0].Repetitions > 5 {
		t.Errorf("%d repetitions of 2 ms in 10 ms", n.rows[0].Repetitions)
	}
}

func TestScheduleIsTheUsualOne(t *testing.T) {
	b, _ := Find("PingPong")
	if s := b.Sizes; len(s) != 24 || s[0] != 0 || s[1] != 1 || s[23] != 4<<20 {
		t.Errorf("sizes are %v", s)
	}
	b, _ = Find("reduce")
	if s := b.Sizes; s[0] != 0 || s[1] != 4 || s[2] != 8 {
		t.Errorf("sizes are %v", s)
	}
}

func TestGroups(t *testing.T) {
	b, _ := Find("Sendrecv")
	p, _ := Find("PingPong")
	o := Options{Sizes: []int{8}, Repetitions: 1}
	n := run(t, 5, []Benchmark{p, b}, o)
	if got, want := strings.Join(n.begins, "; "), "PingPong [[0 1]] of 5; Sendrecv [[0 1]] of 5; Sendrecv [[0 1 2 3]] of 5; Sendrecv [[0 1 2 3 4]] of 5"; got != want {
		t.Errorf("groups are %s, want %s", got, want)
	}
	o.Multi = true
	n = run(t, 5, []Benchmark{p, b}, o)
	if got, want := strings.Join(n.begins, "; "), "PingPong [[0 1] [2 3]] of 5; Sendrecv [[0 1] [2 3]] of 5"; got != want {
		t.Errorf("groups are %s, want %s", got, want)
	}
}

func TestHugeBuffersAreSkipped(t *testing.T) {
	b, _ := Find("Alltoall")
	if n := run(t, 2, []Benchmark{b}, Options{Sizes: []int{512 << 20}}); len(n.rows) != 0 || !slices.Equal(n.skipped, []int{512 << 20}) {
		t.Errorf("rows %v, skipped %v", n.rows, n.skipped)
	}
}

func TestErrorsOfTheCallsEndTheRun(t *testing.T) {
	broken := errors.New("broken")
	for _, kind := range []string{"loop", "call"} {
		b, _ := Find("Bcast")
		if kind == "loop" {
			b.call, b.loop = nil, func(*env, int) error { return broken }
		} else {
			b.call = func(*env, int) error { return broken }
		}
		err := mpitest.World(1, func(world *mpi.Comm) error { return Run(world, []Benchmark{b}, Options{}, new(note)) })
		if !errors.Is(err, broken) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestCheckNamesTheWayOut(t *testing.T) {
	b, _ := Find("pingpong")
	r, _ := Find("Reduce")
	for _, c := range []struct {
		b     Benchmark
		ranks int
		o     Options
		want  string
	}{
		{b, 1, Options{}, "mpirun -n 2"},
		{b, 2, Options{Sizes: []int{-1}}, "size -1"},
		{r, 2, Options{Sizes: []int{6}}, "Reduce takes multiples of 4 from 0 to"},
		{b, 2, Options{Volume: -1}, "--volume -1 is negative"},
	} {
		if err := Check([]Benchmark{c.b}, c.ranks, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := Find("PongPing"); err == nil || !strings.Contains(err.Error(), "PingPong, PingPing, Sendrecv") {
		t.Errorf("unknown name: %v", err)
	}
}

// The output has what parsers of the original's output look for: the head of each section, the names of the
// columns, and columns of 13 characters.
func TestOutputReadsAsTheOriginals(t *testing.T) {
	var out bytes.Buffer
	o := Options{}
	p, err := NewPrinter("imb", &out, []string{"Machine               : x"}, "bench pmb", Blocking(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PingPong", "Sendrecv", "Bcast", "Uniband", "Barrier", "bw"} {
		b, _ := Find(name)
		p.Begin(b, [][]int{{0, 1}}, 4)
		p.Row(Row{Test: name, Ranks: 2, Bytes: 1024, Repetitions: 1000, Min: 1, Max: 3, Avg: 2, MBPerSec: 512.5, MsgPerSec: 100})
		p.End()
	}
	p.Skip(7, "too large")
	for _, name := range []string{"Iallreduce", "Ibarrier"} {
		b, _ := Find(name)
		p.Begin(b, [][]int{{0, 1}}, 2)
		p.Row(Row{Test: name, Ranks: 2, Bytes: 1024, Repetitions: 1000, Overlapped: 3, Pure: 2.5, CPU: 2.25, Hidden: 77.777})
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"       #bytes #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n         1024         1000         3.00         2.50         2.25        77.78\n",
		"\n #repetitions t_ovrl[usec] t_pure[usec]  t_CPU[usec]   overlap[%]\n         1000         3.00         2.50         2.25        77.78\n",
		"# Benchmarking PingPong \n# #processes = 2 \n# ( 2 additional processes waiting in MPI_Barrier)\n#---------------------------------------------------\n" +
			"       #bytes #repetitions      t[usec]   Mbytes/sec\n         1024         1000         3.00       512.50\n",
		"       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n         1024         1000         1.00         3.00         2.00       512.50\n",
		"       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n         1024         1000         1.00         3.00         2.00\n",
		"       #bytes #repetitions   Mbytes/sec      Msg/sec\n         1024         1000       512.50          100\n",
		" #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n         1000         1.00         3.00         2.00\n",
		"# Size        Bandwidth (MB/s)          Messages/s\n1024                    512.50              100.00\n",
		"# 7 bytes: too large",
		"# All processes entering MPI_Finalize",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
	for line := range strings.Lines(out.String()) {
		if !strings.HasPrefix(line, "#") && strings.TrimSpace(line) != "" && !regexp.MustCompile(`^[ 0-9.#a-zA-Z_%\[\]/]+\n$`).MatchString(line) {
			t.Errorf("line %q is neither comment nor columns", line)
		}
	}
}

func TestMultiAndDefectsInTheOutput(t *testing.T) {
	var out bytes.Buffer
	p, _ := NewPrinter("imb", &out, nil, "", Blocking()[:1], Options{Multi: true, Check: true})
	b, _ := Find("PingPong")
	p.Begin(b, [][]int{{0, 1}, {2, 3}}, 4)
	p.Row(Row{Bytes: 8, Defects: 77})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Multi-PingPong", "( 2 groups of 2 processes each running simultaneous )", "Group  1:     2    3", "defects\n", "77\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("output lacks %q:\n%s", want, out.String())
		}
	}
}

func TestFormatsForPrograms(t *testing.T) {
	row := Row{Test: "Uniband", Ranks: 2, Groups: 1, Bytes: 8, Repetitions: 5, Min: 1, Max: 2, Avg: 1.5, MBPerSec: 16, MsgPerSec: 2e6, kind: Window}
	for _, format := range []string{"csv", "json"} {
		var out bytes.Buffer
		p, err := NewPrinter(format, &out, nil, "", nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.Row(row)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if format == "json" {
			if !strings.Contains(out.String(), `"t_avg_usec": 1.5`) {
				t.Errorf("JSON is %s", out.String())
			}
			continue
		}
		back, err := ParseCSV(out.String())
		if err != nil || len(back) != 1 || back[0] != row || back[0].Usec() != 0.5 {
			t.Errorf("read back %+v, %v", back, err)
		}
	}
	if _, err := NewPrinter("xml", nil, nil, "", nil, Options{}); err == nil || !strings.Contains(err.Error(), Formats) {
		t.Errorf("unknown format: %v", err)
	}
	for _, text := range []string{"", "a\n", "\"", strings.Join(header, ",") + "\nBcast,2,1,x,1,1,1,1,1,1,1,1,1,1,1\n"} {
		if _, err := ParseCSV(text); err == nil {
			t.Errorf("%q reads", text)
		}
	}
}

// The neighbors on the grid are those that CartShift finds, also where some are one rank.
func TestNeighborsOfTheGrid(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 4, 6, 8, 9} {
		mpitest.Run(t, ranks, func(world *mpi.Comm) error {
			group, err := world.Dup()
			if err != nil {
				return err
			}
			grid, err := onGrid(group)
			if err != nil {
				return err
			}
			var want []int
			for d := range sides / 2 {
				below, above, err := grid.CartShift(d, 1)
				if err != nil {
					return err
				}
				want = append(want, below, above)
			}
			e := &env{rank: grid.Rank(), size: ranks}
			if got := e.around(); !slices.Equal(got, want) {
				t.Errorf("%d ranks: the neighbors of %d are %v, want %v", ranks, e.rank, got, want)
			}
			return grid.Free()
		})
	}
}

// With the suite's own barrier no rank leaves before all have entered, and calls are measured with it.
func TestOwnBarrier(t *testing.T) {
	own := Options{OwnBarrier: true}
	for _, ranks := range []int{1, 2, 3, 5} {
		var come atomic.Int64
		mpitest.Run(t, ranks, func(world *mpi.Comm) error {
			for i := range int64(20) {
				come.Add(1)
				if err := between(world, own); err != nil {
					return err
				}
				if n := come.Load(); n < (i+1)*int64(ranks) {
					t.Errorf("rank %d of %d has left barrier %d when %d had come in all", world.Rank(), ranks, i, n)
				}
			}
			return nil
		})
	}
	b, err := Find("Scatterv")
	if err != nil {
		t.Fatal(err)
	}
	own.Sizes, own.Repetitions = []int{8}, 5
	if n := run(t, 3, []Benchmark{b}, own); len(n.rows) != 2 || n.rows[1].Ranks != 3 || n.rows[1].Avg <= 0 {
		t.Errorf("%+v", n.rows)
	}
}

// Nothing in the loops that are timed allocates.
func TestLoopsDoNotAllocate(t *testing.T) {
	for _, name := range []string{"Bcast", "Allreduce", "Barrier", "Scatter", "Scatterv", "Allgatherv", "Reduce_scatter"} {
		b, _ := Find(name)
		mpitest.Run(t, 1, func(world *mpi.Comm) error {
			e := b.newEnv(world, 64, Options{}.filled())
			if n := testing.AllocsPerRun(50, func() {
				if b.loop != nil {
					b.loop(e, 1)
				} else {
					b.call(e, 0)
				}
			}); n > 0 {
				t.Errorf("%s: %v allocations", name, n)
			}
			return nil
		})
	}
}

// The overlap is the hidden share of the operation or the computation, whichever is shorter.
func TestOverlap(t *testing.T) {
	for _, tt := range []struct {
		times times
		want  float64
	}{
		{times{overlapped: 2, pure: 1, cpu: 1}, 0},
		{times{overlapped: 1, pure: 1, cpu: 1}, 1},
		{times{overlapped: 1.5, pure: 1, cpu: 1}, 0.5},
		{times{overlapped: 5, pure: 1, cpu: 4}, 0},
		{times{overlapped: 4.25, pure: 1, cpu: 4}, 0.75},
		{times{overlapped: 9, pure: 1, cpu: 4}, 0},
		{times{overlapped: 0.5, pure: 1, cpu: 4}, 1},
		{times{overlapped: 1}, 0},
	} {
		if got := tt.times.hidden(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.times, got, tt.want)
		}
	}
}

// The times are those of the slowest rank, and a row contains all of them.
func TestTimesAreThoseOfTheSlowestRank(t *testing.T) {
	mpitest.Run(t, 3, func(world *mpi.Comm) error {
		r := float64(world.Rank())
		got, err := slowest(world, times{overlapped: 2 - (r-1)*(r-1), pure: 10 + r, cpu: 20 + r})
		if want := (times{2, 11, 21}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		return err
	})
	list, err := Named([]string{"nbc"})
	if err != nil || len(list) != 13 {
		t.Fatalf("%d benchmarks, %v", len(list), err)
	}
	n := run(t, 2, list, Options{Sizes: []int{64}, Repetitions: 2, Batches: 2})
	for _, r := range n.rows {
		if r.Overlapped < r.CPU || r.CPU <= 0 || r.Pure <= 0 || r.Hidden < 0 || r.Hidden > 100 || r.Usec() != r.Overlapped-r.CPU {
			t.Errorf("%+v", r)
		}
		if !r.Overlaps() || !IsOverlap(OverlapTest(r.Test)) || IsOverlap(r.Test) {
			t.Errorf("%+v: %v", r, r.Overlaps())
		}
	}
	if len(n.rows) != 13 {
		t.Errorf("%d rows", len(n.rows))
	}
}

// A request that fails ends the measurement.
func TestErrorsOfRequestsEndTheRun(t *testing.T) {
	b, _ := Find("Ibarrier")
	failed := errors.New("failed")
	calls := 0
	b.call = func(*env, int) error { return nil }
	b.start = func(e *env, _ int) mpi.Request {
		calls++
		return *mpi.Isend(e.c, []byte{1}, 7, 0) // no such rank
	}
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		if err := Run(world, []Benchmark{b}, Options{}, new(note)); !errors.Is(err, mpi.ErrRank) {
			t.Errorf("error %v", err)
		}
		b.call = func(*env, int) error { return failed }
		if err := Run(world, []Benchmark{b}, Options{}, new(note)); err != failed {
			t.Errorf("error %v", err)
		}
		return nil
	})
	if calls != 1 {
		t.Errorf("%d calls", calls)
	}
}

func TestNamesOfParts(t *testing.T) {
	for names, want := range map[string]string{
		"mpi1 ":                             fmt.Sprint(len(Blocking())),
		"NBC_PURE":                          "13",
		"ibcast NBC":                        "13",
		"persistent":                        "8",
		"neighbor":                          "4",
		"Ineighbor NBC":                     "17",
		"INEIGHBOR_PURE ineighbor_alltoall": "5",
		"Ibcast Ibcast":                     "1",
	} {
		list, err := Named(strings.Fields(names))
		if err != nil || fmt.Sprint(len(list)) != want {
			t.Errorf("%s: %d benchmarks, %v; want %s", names, len(list), err, want)
		}
	}
	if _, err := Named([]string{"Icast"}); err == nil || !strings.Contains(err.Error(), "Ibcast") || !strings.Contains(err.Error(), "Ineighbor, Ineighbor_pure, MPI1, NBC, NBC_pure, Neighbor, Persistent") {
		t.Errorf("error %v", err)
	}
}
