package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rhinet/bench/model"
	"rhinet/bench/nic"
)

// TestExperimentsInDocuments holds the table of experiments to the commands and
// series that there are.
func TestExperimentsInDocuments(t *testing.T) {
	text, err := os.ReadFile("../../docs/bench.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range levelCommands(io.Discard, io.Discard) {
		for _, sub := range c.Commands() {
			known[c.Name()+" "+sub.Name()] = true
			for _, low := range sub.Commands() {
				known[c.Name()+" "+sub.Name()+" "+low.Name()] = true
			}
		}
	}
	commands := regexp.MustCompile("bench ((?:nic model|nic|pm) [a-z]+)").FindAllStringSubmatch(string(text), -1)
	if len(commands) < 15 {
		t.Errorf("only %d commands below MPI", len(commands))
	}
	for _, c := range commands {
		if !known[c[1]] {
			t.Errorf("docs/bench.md names bench %s, which does not exist", c[1])
		}
	}
	var series []string
	for _, w := range nic.Workloads() {
		for _, s := range w.Series {
			series = append(series, s.Name)
		}
	}
	for _, e := range model.Experiments() {
		series = append(series, e.Names()...)
	}
	table := string(text[strings.Index(string(text), "| E1, P1"):])
	table = table[:strings.Index(table, "\n\n")]
	for _, name := range regexp.MustCompile("`((?:push|pull|botf|aotf|vpush|sending|pattern|hard|soft|noex)[a-z0-9-]*)`").FindAllStringSubmatch(table, -1) {
		if !slices.Contains(series, name[1]) && !known["nic "+name[1]] {
			t.Errorf("docs/bench.md names the series %s, which does not exist", name[1])
		}
	}
	for _, e := range model.Experiments() {
		if !strings.Contains(table, "`bench nic model "+e.Name+"`") {
			t.Errorf("docs/bench.md does not name bench nic model %s", e.Name)
		}
	}
}
