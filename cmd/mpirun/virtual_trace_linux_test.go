package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rhinet/internal/tracetest"
	"rhinet/nicemu/models"
)

// One file contains the calls of a rank, its messages and, below them, the modules of its NIC with their
// packets.
func TestTraceWithModules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trace.json")
	status, _, errs := virtually(t, "pingpong 8", "-n", "2", "-q", "--time", "martini", "--trace", file, "--model-trace", filepath.Join(t.TempDir(), "x.vcd"))
	text, err := os.ReadFile(file)
	var trace struct {
		TraceEvents []struct {
			Ph, Name string
			Pid, Tid int
			Ts, Dur  float64
			Args     struct{ Name string }
		}
	}
	if err == nil {
		err = json.Unmarshal(text, &trace)
	}
	if status != 0 || err != nil || errs != "" {
		t.Fatalf("status %d, %v, %s", status, err, errs)
	}
	if err := tracetest.Check(file, text); err != nil {
		t.Error(err)
	}
	names, threads := map[int]string{}, map[string]int{}
	var sends, modules []float64 // when rank 0 sends, and when a packet comes to the NIC of rank 1
	messages := 0
	for _, e := range trace.TraceEvents {
		switch what := e.Ph + " " + e.Name; {
		case what == "M process_name":
			names[e.Pid] += e.Args.Name
		case what == "M thread_name":
			threads[fmt.Sprint(e.Pid, " ", e.Args.Name)] = e.Tid
		case what == "X Send" && e.Pid == 1:
			sends = append(sends, e.Ts)
		case what == "s message":
			messages++
		case what == "X FLIT0" && e.Pid == 2:
			modules = append(modules, e.Ts)
		}
	}
	if names[1] != "rank 0" || names[2] != "rank 1" || threads["1 calls"] != 1 || threads["2 RFend"] <= threads["2 calls"] || threads["1 Initiator"] == 0 {
		t.Errorf("processes %v, threads %v", names, threads)
	}
	for _, send := range sends {
		if !slices.ContainsFunc(modules, func(at float64) bool { return at > send && at < send+7.5 }) {
			t.Errorf("Send at %v us, and packets come to the receiver's NIC at %v", send, modules)
		}
	}
	if len(sends) != 8 || messages < 16 {
		t.Errorf("%d calls of Send by rank 0, %d messages", len(sends), messages)
	}
}

// Every model shows the states of its parts.
func TestEveryModelIsSeen(t *testing.T) {
	for _, model := range models.Names() {
		file := filepath.Join(t.TempDir(), "seen.vcd")
		status, _, errs := virtually(t, "pingpong 8", "-n", "2", "-q", "--time", model, "--model-trace", file)
		text, err := os.ReadFile(file)
		if status != 0 || err != nil {
			t.Fatalf("%s: status %d, %v, %s", model, status, err, errs)
		}
		if d, err := tracetest.VCD(text); err != nil || len(d.Vars) < 4 || d.Changes < 32 {
			t.Errorf("%s: %v, %+v", model, err, d)
		}
	}
}

// TestModelTrace: the trace of the model has the nodes with their modules, and the packets.
func TestModelTrace(t *testing.T) {
	dir := t.TempDir()
	for name, want := range map[string][]string{
		"a.json": {`"node 0"`, `"node 1"`, `"RFend"`, `"Initiator"`, `"FLIT0"`, `"packet"`},
		"a.vcd":  {"$scope module node_0 $end", " RFend $end", "sFLIT0 "},
	} {
		file := filepath.Join(dir, name)
		status, _, errs := virtually(t, "pingpong 8", "-n", "2", "-q", "--time", "martini:vp", "--model-trace", file)
		text, err := os.ReadFile(file)
		if status != 0 || err != nil {
			t.Fatalf("status %d, %v, %s", status, err, errs)
		}
		if err := tracetest.Check(name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, w := range want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%s has no %s", name, w)
			}
		}
	}
}
