package model

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/nicemu/martini/stepped"
)

// rows runs an experiment at some sizes and returns its rows by test and size.
func rows(t *testing.T, name string, sizes ...int) func(test string, size int) Row {
	t.Helper()
	e, err := Find(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []Row
	if err := e.Run(Options{Sizes: sizes, Repetitions: 10}, func(r Row) { all = append(all, r) }); err != nil {
		t.Fatal(err)
	}
	return func(test string, size int) Row {
		t.Helper()
		i := slices.IndexFunc(all, func(r Row) bool { return r.Test == test && (r.Bytes == size || size == 0) })
		if i < 0 {
			t.Fatalf("no row of %s at %d bytes in %+v", test, size, all)
		}
		return all[i]
	}
}

// TestLatency: an image in the Window saves fetching the payload, and a header prepared in advance saves as
// much or more.
func TestLatency(t *testing.T) {
	at := rows(t, "latency", 8, 4096)
	push, botf, aotf := at("push", 8), at("botf", 8), at("aotf", 8)
	if botf.Steps >= push.Steps || aotf.Steps > botf.Steps || aotf.Steps <= 0 {
		t.Errorf("PUSH %v, BOTF %v, AOTF %v steps", push.Steps, botf.Steps, aotf.Steps)
	}
	if pull, image := at("pull", 4096), at("pull-botf", 4096); image.Steps >= pull.Steps || pull.PerStep != 4096/pull.Steps {
		t.Errorf("PULL %+v, by an image %+v", pull, image)
	}
}

// TestThroughput: sending without a receiver is not slower than sending to one, both directions together
// are faster than one, and one Window is enough if the receiver is the bottleneck.
func TestThroughput(t *testing.T) {
	at := rows(t, "throughput", 128, 8192)
	for _, size := range []int{128, 8192} {
		one, both, sending := at("push-stream", size), at("push-both", size), at("sending", size)
		if sending.PerStep < one.PerStep || both.PerStep <= one.PerStep || one.PerStep <= 0 {
			t.Errorf("%d bytes: one way %v, both %v, sending %v", size, one.PerStep, both.PerStep, sending.PerStep)
		}
		if two, four := at("push-2windows", size), at("push-4windows", size); two.PerStep < one.PerStep || four.PerStep < two.PerStep {
			t.Errorf("%d bytes: %v, %v and %v with 1, 2 and 4 Windows", size, one.PerStep, two.PerStep, four.PerStep)
		}
		if two, four := at("sending-2windows", size), at("sending-4windows", size); two.PerStep < sending.PerStep || four.PerStep < two.PerStep {
			t.Errorf("%d bytes, sending: %v, %v and %v with 1, 2 and 4 Windows", size, sending.PerStep, two.PerStep, four.PerStep)
		}
	}
	if half := at("push-stream-half", 0); half.Bytes <= 128 || half.Bytes > 8192 {
		t.Errorf("half the peak at %d bytes", half.Bytes)
	}
}

// TestExceptionsDisturbOneDirection checks the purpose of taking-over (martini, section 10.1): exceptions
// of RFend do not affect what the same node sends, and exceptions of the Initiator do not affect what it
// receives.
func TestExceptionsDisturbOneDirection(t *testing.T) {
	at := rows(t, "exceptions", 128, 8192)
	for _, size := range []int{128, 8192} {
		for _, pair := range [][2]string{{"pattern-1", "pattern-4"}, {"pattern-3", "pattern-5"}, {"pattern-3", "pattern-5-loop"}} {
			quiet, disturbed := at(pair[0], size), at(pair[1], size)
			if disturbed.PerStep < 0.95*quiet.PerStep || quiet.PerStep <= 0 {
				t.Errorf("%d bytes: %s %v, %s %v", size, pair[0], quiet.PerStep, pair[1], disturbed.PerStep)
			}
		}
		if one, two := at("pattern-1", size), at("pattern-2", size); two.PerStep <= one.PerStep {
			t.Errorf("%d bytes: two receivers take %v, one %v", size, two.PerStep, one.PerStep)
		}
	}
}

// TestMisses: hardware that continues after a miss is faster than firmware that does the rest, and nothing
// is faster than no miss.
func TestMisses(t *testing.T) {
	at := rows(t, "miss", 32, 2048)
	for _, size := range []int{32, 2048} {
		hard, soft, none := at("hard", size), at("soft", size), at("noex", size)
		if hard.Steps >= soft.Steps || none.Steps >= hard.Steps {
			t.Errorf("%d bytes: HARD %v, SOFT %v, NOEX %v steps", size, hard.Steps, soft.Steps, none.Steps)
		}
	}
}

// TestEverySendMisses checks what E7 requires: a miss of the Initiator for every send, and one of the
// receiver only for the first.
func TestEverySendMisses(t *testing.T) {
	const reps = 20
	for misses, want := range map[bool]int{true: warmUps + reps, false: 1} {
		var issued, received [2]int
		w, err := missWorld(stepped.Options{Trouble: func(node int, mod stepped.Module, _ stepped.State) {
			if mod == stepped.Initiator {
				issued[node]++
			} else {
				received[node]++
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		defer w.close()
		if _, err := w.bounce(misses, 64, reps); err != nil {
			t.Fatal(err)
		}
		// RVATLB and PATLB of a receiver miss once.
		if issued != [2]int{want, want} || received != [2]int{2, 2} {
			t.Errorf("misses %v: %v of Initiators, want %d each; %v of receivers", misses, issued, want, received)
		}
	}
}

// TestVPush checks the order of the curves of E8.
func TestVPush(t *testing.T) {
	at := rows(t, "vpush", 8, 2048)
	for _, size := range []int{8, 2048} {
		order := []string{"vpush-software", "vpush", "vpush-hardware", "push"}
		for i, name := range order[1:] {
			if slow, fast := at(order[i], size), at(name, size); fast.PerStep <= slow.PerStep || slow.PerStep <= 0 {
				t.Errorf("%d bytes: %s %v, %s %v", size, order[i], slow.PerStep, name, fast.PerStep)
			}
		}
	}
}

// TestRepeatsExactly: figures in steps depend on nothing but the model.
func TestRepeatsExactly(t *testing.T) {
	for _, e := range Experiments() {
		var runs [2][]Row
		for i := range runs {
			err := e.Run(Options{Sizes: []int{8, 512}, Repetitions: 5}, func(r Row) {
				r.HostMicros = 0
				runs[i] = append(runs[i], r)
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(runs[0]) == 0 || !slices.Equal(runs[0], runs[1]) {
			t.Errorf("%s: %v, then %v", e.Name, runs[0], runs[1])
		}
	}
}

func TestBadInput(t *testing.T) {
	if _, err := Find("shove"); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), "latency, throughput") {
		t.Error(err)
	}
	e, _ := Find("vpush")
	for _, o := range []Options{{Sizes: []int{2049}}, {Sizes: []int{0}}, {Repetitions: -1}, {Repetitions: maxRepetitions + 1}} {
		if err := e.Check(o); !errors.Is(err, bench.ErrInput) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := e.Check(Options{Sizes: []int{1, 2048}, Repetitions: 1}); err != nil {
		t.Error(err)
	}
}

// TestStandstill: a model that makes no progress ends the measurement.
func TestStandstill(t *testing.T) {
	_, err := between(func(w *world, bytes int) ([]*flow, int) {
		w.m.Handle(1, stepped.Initiator, stepped.IPA2, nil)
		w.idle = patience - 1000
		return pattern1(w, bytes)
	})(128, 10)
	if !errors.Is(err, errStuck) {
		t.Error(err)
	}
}

// TestFailures: what goes wrong in a flow or in a world ends the measurement.
func TestFailures(t *testing.T) {
	broken := errors.New("broken")
	_, err := between(func(*world, int) ([]*flow, int) {
		return []*flow{{kick: func(int, int) (uint64, error) { return 0, broken }}}, 1
	})(128, 10)
	if !errors.Is(err, broken) {
		t.Error(err)
	}
	e := Experiment{series: []series{curve("x", []int{8}, 1, 8, 1, false, func(int, int) (point, error) { return point{}, broken })}}
	if err := e.Run(Options{}, nil); !errors.Is(err, broken) || !strings.Contains(err.Error(), "x, 8 bytes") {
		t.Error(err)
	}
	if _, err := newWorld(0, 8, 8, stepped.Options{}); err == nil {
		t.Error("a world without nodes")
	}
	if _, err := newWorld(2, 8, 8, stepped.Options{TLB: stepped.Geometry{Sets: 3, Ways: 1}}); err == nil {
		t.Error("a TLB of three sets")
	}
}

func TestFormats(t *testing.T) {
	r := []Row{{"push", 2, 8, 100, 34.5, 0.25, 2.5}}
	for format, want := range map[string]string{
		"table": "| push |", "csv": "push,2,8,100,34.50,0.2500,2.500\n", "json": `"B_step": 0.25`,
	} {
		var b bytes.Buffer
		if err := Write(&b, format, r); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
	}
	if err := Write(&bytes.Buffer{}, "xml", r); err == nil || !strings.Contains(err.Error(), bench.ModelFormats) {
		t.Error(err)
	}
	if err := Write(broken{}, "csv", r); err == nil {
		t.Error("no error of the output")
	}
}

// broken is an output on which every write fails.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestTimeline checks what E9 shows: RFend is suspended while its handler runs, the Replier waits for the
// DMA and is then suspended for its own handler, and firmware takes the same time for all lengths.
func TestTimeline(t *testing.T) {
	busy := map[int]int{}
	for _, n := range TimelineSizes() {
		spans, err := Timeline(n)
		if err != nil {
			t.Fatal(err)
		}
		end := 0
		seen := map[string]int{}
		for _, s := range spans {
			if s.Bytes != n || s.From >= s.To {
				t.Errorf("%+v", s)
			}
			seen[s.Lane+" "+s.Doing] += s.To - s.From
			end = max(end, s.To)
			if strings.HasSuffix(s.Doing, "handler") {
				busy[n] += s.To - s.From
			}
		}
		for _, want := range []string{"CPU main", "CPU rfend handler", "CPU replier handler", "RFend active", "RFend MISS", "RBend active", "RBend WAIT", "Replier WAIT", "Replier MISS", "DMA active"} {
			if seen[want] == 0 {
				t.Errorf("%d bytes: never %s in %v", n, want, seen)
			}
		}
		if cpu := seen["CPU main"] + seen["CPU rfend handler"] + seen["CPU replier handler"]; cpu != end {
			t.Errorf("%d bytes: the CPU accounts for %d of %d steps", n, cpu, end)
		}
	}
	if busy[8] != busy[2048] || busy[8] == 0 {
		t.Errorf("handlers take %v steps", busy)
	}
	for _, n := range []int{0, 2049} {
		if _, err := Timeline(n); !errors.Is(err, bench.ErrInput) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}

func TestTimelineFormats(t *testing.T) {
	spans := []Span{{2048, "CPU", doingMain, 0, 150}, {2048, "CPU", doingRFend, 150, 160}, {2048, "RFend", doingMiss, 10, 20}, {8, "CPU", doingMain, 0, 3}}
	for format, want := range map[string]string{
		"table": "a column is 2 steps\nCPU     |" + strings.Repeat(".", 75) + "FFFFF|\nRFend   |     MMMMM|\nVPUSH of 8 bytes",
		"csv":   "2048,RFend,MISS,10,20\n", "json": `"doing": "rfend handler"`,
	} {
		var b bytes.Buffer
		if err := WriteTimeline(&b, format, spans); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
	}
	if err := WriteTimeline(broken{}, "table", spans); err == nil {
		t.Error("no error of the output")
	}
}
