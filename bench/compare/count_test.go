package compare

import (
	"bytes"
	"strings"
	"testing"
)

// Cells are counted by ranks and peer. A cell that was too slow to be measured is not counted as faster,
// and memory is not counted.
func TestCounts(t *testing.T) {
	res := &Result{Runtimes: []string{"ours", "x", "y"}, Rounds: 6}
	for round := range 6 {
		add := func(runtime, test string, ranks int, v float64) {
			res.Samples = append(res.Samples, Sample{Round: round, Runtime: runtime, Test: test, Ranks: ranks, Value: v})
		}
		for _, test := range []string{"Bcast", Memory} {
			add("ours", test, 2, 1)
			add("x", test, 2, 2)
			add("y", test, 2, 0.5)
		}
		add("ours", "Bcast", 4, 1)
		add("x", "Bcast", 4, 1)
		if round == 0 {
			add("ours", "Gather", 4, 1)
			add("y", "Gather", 4, 7)
		}
	}
	var out bytes.Buffer
	if err := WriteCounts(&out, "csv", res.Counts("f")); err != nil {
		t.Fatal(err)
	}
	want := `file,ranks,against,cells,faster,equal,slower,few rounds,no peer,faster of those told
f,2,x,1,1,0,0,0,0,100 %
f,2,y,1,0,0,1,0,0,0 %
f,2,faster peer,1,0,0,1,0,0,0 %
f,4,x,2,0,1,0,0,1,0 %
f,4,y,2,0,0,0,1,1,-
f,4,faster peer,2,0,1,0,1,0,0 %
f,all,x,3,1,1,0,0,1,50 %
f,all,y,3,0,0,1,1,1,0 %
f,all,faster peer,3,0,1,1,1,0,0 %
`
	if out.String() != want {
		t.Errorf("counts are\n%s\nwant\n%s", out.String(), want)
	}
	out.Reset()
	if err := WriteCounts(&out, "markdown", res.Counts("f")); err != nil || !strings.Contains(out.String(), "| f | all | x | 3 | 1 | 1 | 0 | 0 | 1 | 50 % |\n") {
		t.Errorf("markdown is %s, %v", out.String(), err)
	}
	if got := (&Result{Runtimes: []string{"ours"}, Samples: res.Samples[:1]}).Counts("f"); got != nil {
		t.Errorf("counts without a peer: %v", got)
	}
}
