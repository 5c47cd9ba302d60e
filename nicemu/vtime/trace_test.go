package vtime_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"rhinet/nicemu/vtime"
)

// traced runs the sender of the example twice under a tracer.
func traced(t *testing.T, tracer interface {
	vtime.Tracer
	Close() error
}) {
	t.Helper()
	clock, err := vtime.NewClock(66e6, 1)
	if err != nil {
		t.Fatal(err)
	}
	var k vtime.Kernel
	bus := vtime.NewBus(&k, "node 0 bus", 1, vtime.FirstCome, 0)
	s := &sender{vtime.NewModule(&k, "node 0 sender", states, clock, vtime.EveryStep{}), bus}
	k.Observe(tracer)
	for range 2 {
		s.Work(look, 1, s, found, 8)
		s.Mark("packet", 7)
		if err := k.Run(100); err != nil {
			t.Fatal(err)
		}
	}
	if err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
}

// The trace for Perfetto is JSON, with slices of the states, and an arrow.
func TestChromeTracer(t *testing.T) {
	var b bytes.Buffer
	traced(t, vtime.NewChromeTracer(&b))
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Ts, Dur  float64
			Pid, Tid int
		}
	}
	if err := json.Unmarshal(b.Bytes(), &file); err != nil {
		t.Fatalf("%v in %s", err, b.String())
	}
	seen := map[string]int{}
	for _, e := range file.TraceEvents {
		seen[e.Ph+" "+e.Name]++
		if e.Pid != 1 || e.Ph == "X" && e.Dur <= 0 {
			t.Errorf("%+v", e)
		}
	}
	for what, n := range map[string]int{
		"M process_name": 1, "M thread_name": 2, "X LOOK": 2, "X SEND": 2, "X IDLE": 0, "s packet": 1, "t packet": 1, "C node 0 bus": 4, "X packet 7": 2,
	} {
		if seen[what] != n {
			t.Errorf("%d of %q, want %d: %v", seen[what], what, n, seen)
		}
	}
}

// The dump declares what it holds, and has all changes in order.
func TestVCDTracer(t *testing.T) {
	var b bytes.Buffer
	traced(t, vtime.NewVCDTracer(&b))
	want := `$timescale 1ps $end
$scope module node_0 $end
$var integer 32 n1 bus $end
$var string 1 n0 sender $end
$upscope $end
$enddefinitions $end
$dumpvars
b0 n1
sIDLE n0
$end
#0
sLOOK n0
#15151
b1 n1
sSEND n0
#30303
b0 n1
sIDLE n0
sLOOK n0
`
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("%s\nwant first\n%s", b.String(), want)
	}
}
