package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"rhinet/bench/host"
	"rhinet/internal/wait"
)

func TestPerfReads(t *testing.T) {
	text := "# started on\n\n1234567,,instructions:u,1000,100.00,1.2,insn per cycle\n99,,cycles:u,1000,100.00,,\n<not supported>,,L1-dcache-load-misses:u,0,100.00,,\n"
	if c, err := parsePerf(text); err != nil || c != (counts{1234567, absent, 99}) {
		t.Errorf("counts %+v, %v", c, err)
	}
	if _, err := parsePerf("<not supported>,,instructions:u,0,100.00,,\n"); err == nil || !strings.Contains(err.Error(), "no counter") {
		t.Errorf("error is %v", err)
	}
}

func TestValgrindReads(t *testing.T) {
	text := "==9== Cachegrind\n==9== I   refs:      27,515,697\n==9== I1  misses:        13,440\n==9== D1  misses:       275,779  (  158,690 rd   +   117,089 wr)\n"
	if c, err := parseValgrind(text); err != nil || c != (counts{27515697, 275779, absent}) {
		t.Errorf("counts %+v, %v", c, err)
	}
	if _, err := parseValgrind("==9== killed\n"); err == nil {
		t.Error("no count passes")
	}
}

// tool makes a counter from a shell script, which gets the command as "$@".
func tool(script string) *Counter {
	return &Counter{name: "tool", args: []string{"sh", "-c", script, "sh"}, parse: parseValgrind}
}

func works(script string, c *Counter) Options {
	return Options{Counter: c, Tries: 3, Limit: time.Minute, Works: []Work{{"piece", []string{"sh", "-c", script, "sh", "10"}, []string{"sh", "-c", script, "sh", "30"}, 20}}}
}

// A repetition is the difference of the two commands, the smallest of all tries.
func TestWorkIsCounted(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	noisy := `echo >>` + log + `; n=$(wc -l <` + log + `); for last; do :; done; echo "==1== I refs: $(( last * 100 + n ))" >&3; echo "==1== D1 misses: 7" >&3`
	list, notes, err := works("exit 0", tool(noisy)).works(t.Context())
	if err != nil || len(notes) > 0 || len(list) != 1 {
		t.Fatalf("%+v, %v, %v", list, notes, err)
	}
	// Counted are 1001, 3002, 1003, 3004, 1005, 3006.
	if w := list[0]; w.Instructions != 2001./20 || w.Noise <= 0.003 || w.Noise > 0.005 || w.Lines != 0 || w.Cycles != absent || w.Tool != "tool" {
		t.Errorf("cost is %+v", w)
	}
}

// A work is tried again as long as its count is not enough.
func TestTriesEndWhenTheCountIsEnough(t *testing.T) {
	for enough, want := range map[float64]int{200: 1, 100.2: 2, 0: 3} {
		log := filepath.Join(t.TempDir(), "log")
		// The first try counts 100 more for each repetition.
		first := `echo >>` + log + `; n=$(wc -l <` + log + `); for last; do :; done; more=100; [ $n -gt 2 ] && more=0; echo "==1== I refs: $(( last * (100 + more) ))" >&3`
		o := works("exit 0", tool(first))
		o.enough = func(w WorkCost) bool { return w.Work == "piece" && w.Tool == "tool" && w.Instructions <= enough }
		list, _, err := o.works(t.Context())
		text, _ := os.ReadFile(log)
		if err != nil || len(list) != 1 || len(text) != 2*want {
			t.Errorf("enough is %v: %+v, %v, %d commands, want %d", enough, list, err, len(text), 2*want)
		}
	}
}

// What is enough leaves room for the noise of one try below what is too much.
func TestEnough(t *testing.T) {
	here := host.Host{OS: "linux/amd64", Go: "go1.26", CPU: "this"}
	r := &Record{Host: here, Works: []WorkCost{
		{Work: "calm", Tool: "valgrind", Instructions: 1000, Noise: 0.001, Lines: 10},
		{Work: "noisy", Tool: "valgrind", Instructions: 1000, Noise: 0.04, Lines: absent},
		{Work: "counted", Tool: "perf", Instructions: 1000, Lines: absent},
	}}
	other := here
	other.CPU = "another"
	for _, c := range []struct {
		on     host.Host
		w      WorkCost
		enough bool
	}{
		{here, WorkCost{Work: "calm", Tool: "valgrind", Instructions: 1010, Lines: 12}, true},
		{here, WorkCost{Work: "calm", Tool: "valgrind", Instructions: 1011, Lines: 12}, false},
		{here, WorkCost{Work: "calm", Tool: "valgrind", Instructions: 900, Lines: 12.1}, false},
		{here, WorkCost{Work: "calm", Tool: "perf", Instructions: 900, Lines: 10}, false},
		{here, WorkCost{Work: "noisy", Tool: "valgrind", Instructions: 1040, Lines: 99}, true},
		{here, WorkCost{Work: "noisy", Tool: "valgrind", Instructions: 1041}, false},
		{here, WorkCost{Work: "unknown", Tool: "valgrind"}, false},
		{here, WorkCost{Work: "counted", Tool: "perf", Instructions: 1000}, true},
		{other, WorkCost{Work: "counted", Tool: "perf", Instructions: 1000}, false},
		{other, WorkCost{Work: "calm", Tool: "valgrind", Instructions: 1000, Lines: 10}, true},
	} {
		if got := r.enough(&c.on, c.w); got != c.enough {
			t.Errorf("%+v on %s: %v", c.w, c.on.CPU, got)
		}
	}
	for _, h := range []host.Host{{OS: "linux/arm64", Go: here.Go, CPU: here.CPU}, {OS: here.OS, Go: "go1.25", CPU: here.CPU}} {
		if r.enough(&h, WorkCost{Work: "calm", Tool: "valgrind"}) {
			t.Errorf("counts on %+v are compared", h)
		}
	}
}

// A command that fails is an error; one that fails only under the tool is a note, because that is not the
// fault of the counted program.
func TestWorkThatFails(t *testing.T) {
	if _, _, err := works("echo broken >&2; exit 3", tool("exit 0")).works(t.Context()); err == nil || !strings.Contains(err.Error(), "piece: sh: exit status 3: broken") {
		t.Errorf("error is %v", err)
	}
	for script, want := range map[string]string{"echo no such instruction >&2; exit 9": "no such instruction", "exit 0": "counts no instructions"} {
		list, notes, err := works("exit 0", tool(script)).works(t.Context())
		if err != nil || len(list) > 0 || len(notes) != 1 || !strings.Contains(notes[0], "instructions of piece are not counted: ") || !strings.Contains(notes[0], want) {
			t.Errorf("%+v, %v, %v", list, notes, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := works("exit 0", tool("exit 0")).works(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	missing := works("exit 0", tool("exit 1"))
	missing.Works = []Work{{"none", nil, []string{"/nowhere"}, 1}}
	if _, _, err := missing.works(t.Context()); err == nil {
		t.Error("a missing command passes")
	}
}

// Under a tool that simulates the processor, as many works are counted at once as there are processors: all
// of them have begun before the first ends. The list keeps their order.
func TestWorksAreCountedTogether(t *testing.T) {
	n := wait.UsableCPUs()
	dir := t.TempDir()
	script := `for name; do :; done; : >` + dir + `/$name
		until [ $(ls ` + dir + `/1?? | wc -l) -ge ` + strconv.Itoa(n) + ` ]; do sleep 0.01; done
		echo "==1== I refs: $name" >&3`
	o := Options{Counter: tool(script), Tries: 1, Limit: time.Minute}
	o.Counter.simulates = true
	for i := range n {
		o.Works = append(o.Works, Work{fmt.Sprint("work ", i), []string{"true", strconv.Itoa(100 + i)}, []string{"true", strconv.Itoa(200 + i)}, 1})
	}
	list, notes, err := o.works(t.Context())
	if err != nil || len(notes) > 0 || len(list) != n {
		t.Fatalf("%+v, %v, %v", list, notes, err)
	}
	for i, w := range list {
		if w.Work != o.Works[i].Name || w.Instructions != 100 {
			t.Errorf("work %d is %+v", i, w)
		}
	}
}

// A work that fails ends those that are counted beside it.
func TestWorkThatFailsEndsAll(t *testing.T) {
	o := Options{Counter: tool(`for last; do :; done; exec sleep $last`), Tries: 1, Limit: time.Minute}
	o.Counter.simulates = true
	o.Works = []Work{{"broken", []string{"/nowhere", "0"}, []string{"/nowhere", "0"}, 1}}
	for range 3 * wait.UsableCPUs() {
		o.Works = append(o.Works, Work{"slow", []string{"sh", "-c", "exit 2", "30"}, []string{"sh", "-c", "exit 2", "30"}, 1})
	}
	start := time.Now()
	if _, _, err := o.works(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "broken: ") {
		t.Errorf("error is %v", err)
	}
	if d := time.Since(start); d > 25*time.Second {
		t.Errorf("took %v", d)
	}
}

// A tool that is killed but leaves its command running does not delay us.
func TestToolLeavesItsCommand(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := run(ctx, []string{"sh", "-c", "sleep 30 2>&- >&- & wait"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v", err)
	}
	if d := time.Since(start); d > 25*time.Second {
		t.Errorf("took %v", d)
	}
}

func TestNoToolIsSaidInOneLine(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if _, err := FindCounter(t.Context()); err == nil || err.Error() != "instructions are not counted: perf is not installed, valgrind is not installed" {
		t.Errorf("error is %v", err)
	}
	for name, script := range map[string]string{"perf": "#!/bin/sh\necho one >&2\necho forbidden >&2\nexit 1\n", "valgrind": "#!/bin/sh\necho '==1== I refs: 5' >&3\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if c, err := FindCounter(t.Context()); err != nil || c.name != "valgrind" {
		t.Errorf("%+v, %v", c, err)
	}
	if err := os.Remove(filepath.Join(dir, "valgrind")); err != nil {
		t.Fatal(err)
	}
	if _, err := FindCounter(t.Context()); err == nil || !strings.Contains(err.Error(), "perf perf: exit status 1: forbidden, valgrind is not") {
		t.Errorf("error is %v", err)
	}
}

func worked(w WorkCost) *Record {
	w.Work, w.Tool = "piece", "valgrind"
	return &Record{Schema: Schema, Works: []WorkCost{w}}
}

func TestMoreInstructionsAreFound(t *testing.T) {
	for _, c := range []struct {
		before, now WorkCost
		want        string
	}{
		{WorkCost{Instructions: 1000, Lines: 10}, WorkCost{Instructions: 1009, Lines: 11.9}, ""},
		{WorkCost{Instructions: 1000, Lines: 10}, WorkCost{Instructions: 10, Lines: 0}, ""},
		{WorkCost{Instructions: 1000, Lines: 10}, WorkCost{Instructions: 1020, Lines: 10}, "piece: 1020 instructions, 1000 before, at most 1010"},
		{WorkCost{Instructions: 1000, Noise: 0.01, Lines: 10}, WorkCost{Instructions: 1029, Lines: 10}, ""},
		{WorkCost{Instructions: 1000, Noise: 0.01, Lines: 10}, WorkCost{Instructions: 1031, Lines: 10}, "piece: 1031 instructions, 1000 before, at most 1030"},
		{WorkCost{Instructions: 1000, Lines: 100}, WorkCost{Instructions: 1000, Lines: 104}, ""},
		{WorkCost{Instructions: 1000, Lines: 100}, WorkCost{Instructions: 1000, Lines: 106}, "piece: 106.0 cache lines, 100.0 before, at most 105.0"},
		{WorkCost{Instructions: 1000, Lines: 100, LinesNoise: 0.02}, WorkCost{Instructions: 1000, Lines: 105.9}, ""},
		{WorkCost{Instructions: 1000, Lines: absent}, WorkCost{Instructions: 1000, Lines: 106}, ""},
	} {
		found, notes := Compare(worked(c.before), worked(c.now), false)
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || found[0].String() != c.want) || len(notes) > 0 {
			t.Errorf("%+v: found %v, notes %v", c, found, notes)
		}
	}
}

func TestInstructionsThatCannotBeCompared(t *testing.T) {
	high := WorkCost{Instructions: 9000, Lines: 9}
	for want, change := range map[string]func(before, now *Record){
		"piece: not in the record of before":                               func(b, _ *Record) { b.Works = nil },
		"before they were counted by perf, now by valgrind":                func(b, _ *Record) { b.Works[0].Tool = "perf" },
		"before it was go1.0 on ":                                          func(b, _ *Record) { b.Host.Go = "go1.0" },
		"piece: instructions are not compared: before it was a better one": func(b, n *Record) { b.Host.CPU, b.Works[0].Tool, n.Works[0].Tool = "a better one", "perf", "perf" },
	} {
		before, now := worked(WorkCost{Instructions: 1, Lines: 1}), worked(high)
		change(before, now)
		if found, notes := Compare(before, now, false); len(found) > 0 || len(notes) != 1 || !strings.Contains(notes[0], want) {
			t.Errorf("found %v, notes %v; want %q", found, notes, want)
		}
	}
	if found, notes := Compare(worked(high), &Record{}, false); len(found)+len(notes) > 0 {
		t.Errorf("nothing was counted, yet found %v, notes %v", found, notes)
	}
}

func TestMergeKeepsTheFewestInstructions(t *testing.T) {
	r := worked(WorkCost{Instructions: 10, Lines: 4, Cycles: 7})
	r.Merge(worked(WorkCost{Instructions: 9, Lines: 5, Cycles: 6}))
	r.Merge(&Record{Works: []WorkCost{{Work: "piece", Tool: "perf"}, {Work: "another", Tool: "valgrind"}}})
	if w := r.Works[0]; w.Instructions != 9 || w.Lines != 4 || w.Cycles != 6 {
		t.Errorf("cost is %+v", w)
	}
}

// Pieces do what they describe, and once they run, messages allocate nothing except handles that are
// watched.
func TestPieces(t *testing.T) {
	for _, p := range Pieces() {
		if p.Name == "self 8" {
			continue // a process has only one world: see the test of the command
		}
		if p.Many < 5*p.Few {
			t.Errorf("%s: %d and %d repetitions are too close", p.Name, p.Few, p.Many)
		}
		if err := p.Do("martini", 20); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		s, err := p.open("martini")
		if err != nil {
			t.Fatal(err)
		}
		most := 0.0
		if p.Name == "checked window 64" {
			most = 32 // for 128 handles: one that is watched for being forgotten is not used again
		}
		if n := testing.AllocsPerRun(200, func() { err = s.step() }); n > most || err != nil {
			t.Errorf("%s: %v allocations, %v", p.Name, n, err)
		}
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := FindPiece("x"); err == nil || !strings.Contains(err.Error(), "the pieces are message 8, ") {
		t.Errorf("error is %v", err)
	}
	if p, err := FindPiece("match 32"); err != nil || p.Name != "match 32" {
		t.Errorf("%+v, %v", p, err)
	}
}
