package vtime_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"rhinet/internal/tracetest"
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

// TestChromeTracer: the trace for Perfetto is JSON, with slices of the states, and an arrow.
func TestChromeTracer(t *testing.T) {
	var b bytes.Buffer
	traced(t, vtime.NewChromeTracer(&b))
	if _, err := tracetest.Chrome(b.Bytes()); err != nil {
		t.Error(err)
	}
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

// TestRecorder: a recorder replays its calls, or the last of them; two tracers see the same.
func TestRecorder(t *testing.T) {
	text := func(show func(vtime.Tracer)) string {
		var b bytes.Buffer
		tracer := vtime.NewTextTracer(&b)
		show(tracer)
		if err := tracer.Close(); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := vtime.NewRecorder(1000)
	if x := vtime.Both(nil, all); x != vtime.Tracer(all) || vtime.Both(all, nil) != x || vtime.Both(nil, nil) != nil {
		t.Error("nobody is a tracer")
	}
	var last [6]*vtime.Recorder
	seen := vtime.Tracer(all)
	for i := range last {
		last[i] = vtime.NewRecorder(i)
		seen = vtime.Both(seen, last[i])
	}
	want := text(func(x vtime.Tracer) { traced(t, file{vtime.Both(x, seen)}) })
	if got := text(all.Replay); got != want || all.Lost() != 0 || strings.Count(want, "\n") < 10 {
		t.Errorf("%s, want %s", got, want)
	}
	for i, r := range last {
		n := max(i, 1) // at least one is kept
		if got := text(r.Replay); !strings.HasSuffix(want, got) || strings.Count(got, "\n") != n || r.Lost() != uint64(strings.Count(want, "\n")-n) {
			t.Errorf("%s, %d lost of %s", got, r.Lost(), want)
		}
	}
}

type file struct{ vtime.Tracer }

func (file) Close() error { return nil }

// TestVCDTracer: the dump declares its signals, and has all changes in order.
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
	if d, err := tracetest.VCD(b.Bytes()); err != nil || len(d.Vars) != 2 || d.Vars[1].Name != "node_0.sender" {
		t.Errorf("%+v, %v", d, err)
	}
}

// TestBusyAhead: use until a future time is reported in advance, and is at its place in a dump;
// names are valid in Verilog.
func TestBusyAhead(t *testing.T) {
	var b bytes.Buffer
	var k vtime.Kernel
	link, other := k.Source("link out of stage 1, line 0"), k.Source("other-part")
	k.Observe(nil)
	link.Busy(0, 1) // no tracer
	tracer := vtime.NewVCDTracer(&b)
	k.Observe(tracer)
	vtime.Source{}.Busy(0, 1) // the zero Source
	link.Busy(10, 30)
	link.Busy(30, 50)
	other.Busy(20, 40)
	if err := tracer.Close(); err != nil {
		t.Fatal(err)
	}
	want := "$scope module link_out_of_stage_1_line $end\n$var integer 32 n0 n0 $end\n$upscope $end\n$var integer 32 n1 other_part $end\n$enddefinitions $end\n" +
		"$dumpvars\nb0 n0\nb0 n1\n$end\n#10\nb1 n0\n#20\nb1 n1\n#30\nb0 n0\nb1 n0\n#40\nb0 n1\n#50\nb0 n0\n"
	if _, text, _ := strings.Cut(b.String(), "\n"); text != want {
		t.Errorf("%s\nwant\n%s", text, want)
	}
	if d, err := tracetest.VCD(b.Bytes()); err != nil || d.Changes != 6 || d.Last != 50 {
		t.Errorf("%+v, %v", d, err)
	}
}
