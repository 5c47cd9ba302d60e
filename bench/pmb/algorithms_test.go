package pmb

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Every operation of package mpi has a contest, in which every available algorithm is timed, including the
// one that is used by default.
func TestContestsOfEveryOperation(t *testing.T) {
	for _, ranks := range []int{3, 4} {
		var all []Contest
		mpitest.Run(t, ranks, func(world *mpi.Comm) error {
			o := Options{Sizes: []int{4, 64, 4000}, Repetitions: 5, Time: time.Second}
			return Contests(world, Contestants(), o, func(c Contest) error { all = append(all, c); return nil })
		})
		if len(all) != len(Contestants()) {
			t.Fatalf("%d contests, want %d", len(all), len(Contestants()))
		}
		skipped := 0
		for _, c := range all {
			want := 3
			if c.Operation == "barrier" {
				want = 1
			}
			if len(c.Rows) != want || c.Ranks != ranks {
				t.Errorf("%s: %d rows on %d ranks", c.Test, len(c.Rows), c.Ranks)
			}
			for _, r := range c.Rows {
				i := slices.Index(c.Algorithms, r.Chosen)
				if i < 0 || r.Usec[i] < 0 || r.fastest() < 0 {
					t.Errorf("%s: %+v", c.Test, r)
				}
				for i, name := range c.Algorithms {
					if r.Usec[i] < 0 {
						skipped++
					}
					if large := r.Block > 64; (name == "exchange" && large || name == "recursive-halving" && ranks == 3) && r.Usec[i] >= 0 {
						t.Errorf("%s: %s cannot serve %d bytes on %d ranks", c.Test, name, r.Block, ranks)
					}
				}
			}
		}
		if skipped == 0 {
			t.Error("every algorithm serves every call")
		}
	}
	for _, op := range []string{"barrier", "bcast", "gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv",
		"reduce", "allreduce", "reduce_scatter_block", "reduce_scatter", "scan", "exscan"} {
		if _, err := NamedContestants([]string{op}); err != nil {
			t.Error(err)
		}
	}
}

func TestContestsPrint(t *testing.T) {
	c := Contest{Test: "Bcast", Operation: "bcast", Ranks: 4, Algorithms: []string{"exchange", "scatter-allgather", "binomial"}, Rows: []ContestRow{
		{Bytes: 8, Block: 8, Chosen: "exchange", Usec: []float64{0.5, 3, 1}},
		{Bytes: 4096, Block: 4096, Chosen: "binomial", Usec: []float64{-1, 3, 3.25}},
	}}
	for format, want := range map[string]string{
		"imb": `
#----------------------------------------------------------------------------------------
# Algorithms of Bcast 
# #processes = 4 
# t_avg[usec] of each, median of 5 rounds; * serves such calls as things are, < is the fastest
#----------------------------------------------------------------------------------------
       #bytes       #block           exchange    scatter-allgather             binomial  
            8            8               0.50*<               3.00                 1.00  
         4096         4096                  -                 3.00 <               3.25* 
`,
		"csv": `operation,ranks,bytes,block,algorithm,t_avg_usec,chosen
bcast,4,8,8,exchange,0.5000,true
bcast,4,8,8,scatter-allgather,3.0000,false
bcast,4,8,8,binomial,1.0000,false
bcast,4,4096,4096,scatter-allgather,3.0000,false
bcast,4,4096,4096,binomial,3.2500,true
`} {
		var out bytes.Buffer
		tell, err := NewContestPrinter(format, &out)
		if err != nil {
			t.Fatal(err)
		}
		if err := tell(c); err != nil {
			t.Fatal(err)
		}
		if out.String() != want {
			t.Errorf("%s is\n%s\nwant\n%s", format, out.String(), want)
		}
	}
	if _, err := NewContestPrinter("json", nil); err == nil || !strings.Contains(err.Error(), ContestFormats) {
		t.Errorf("unknown format: %v", err)
	}
}

func TestWrongContests(t *testing.T) {
	if _, err := NamedContestants([]string{"PingPong"}); err == nil || !strings.Contains(err.Error(), "Allgatherv, ") {
		t.Errorf("no operation: %v", err)
	}
	for want, o := range map[string]Options{"--check": {Check: true}, "--multi": {Multi: true}, "mpirun -n 2": {}, "size -1": {Sizes: []int{-1}}} {
		if err := CheckContests(Contestants(), 1, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if err := CheckContests(Contestants(), 2, Options{}); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	some, err := NamedContestants([]string{"scan", "Barrier", "scan", "gather"})
	if err != nil {
		t.Fatal(err)
	}
	b, barrier, gather := some[0], some[1], some[2]
	b.call = func(*env, int) error { return broken }
	tell := func(Contest) error { return broken }
	for i, run := range []Benchmark{b, barrier} {
		err := mpitest.World(2, func(world *mpi.Comm) error {
			return Contests(world, []Benchmark{run}, Options{Sizes: []int{4}, Repetitions: 1}, tell)
		})
		if !errors.Is(err, broken) {
			t.Errorf("%d: %v", i, err)
		}
	}
	// sizes that would need too much memory are left out
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		return Contests(world, []Benchmark{gather}, Options{Sizes: []int{512 << 20}}, func(c Contest) error {
			if len(c.Rows) != 0 {
				return fmt.Errorf("%d rows", len(c.Rows))
			}
			return nil
		})
	})
}
