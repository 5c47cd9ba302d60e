package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rhinet/bench/model"
	"rhinet/bench/nic"
)

// TestExperimentsInDocuments compares the table of experiments with the commands and series that exist.
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
		for _, s := range w.Tests {
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

// TestResultsInDocuments compares the tables of results/README.md with the folders: every file that a row
// names exists, and every file has a row.
func TestResultsInDocuments(t *testing.T) {
	text, err := os.ReadFile("../../results/README.md")
	if err != nil {
		t.Fatal(err)
	}
	// Each kind of folder has a section of its own on the page, named by the suffix.
	parts := map[string]string{}
	for i, part := range strings.Split(string(text), "A folder that ends in `-") {
		suffix, rest := "", part
		if i > 0 {
			suffix, rest, _ = strings.Cut(part, "`")
		}
		parts[suffix] = rest
	}
	folders, err := filepath.Glob("../../results/20*")
	if err != nil || len(folders) == 0 {
		t.Fatalf("folders %v, %v", folders, err)
	}
	row := regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|")
	name := regexp.MustCompile("`([^`]+)`")
	for _, folder := range folders {
		date := regexp.MustCompile(`^\d+-\d+-\d+-?`)
		suffix := date.ReplaceAllString(filepath.Base(folder), "")
		tables, ok := parts[suffix]
		if !ok {
			t.Errorf("results/README.md does not speak of folders that end in -%s, as %s", suffix, folder)
		}
		known := map[string]bool{filepath.Join(folder, "commands.txt"): true}
		for _, cells := range row.FindAllStringSubmatch(tables, -1) {
			for _, n := range name.FindAllStringSubmatch(cells[1], -1) {
				pattern := strings.NewReplacer("CLASS", "*", "RANKS", "*").Replace(strings.TrimSuffix(n[1], "/"))
				found, err := filepath.Glob(filepath.Join(folder, pattern))
				if err != nil || len(found) == 0 {
					t.Errorf("results/README.md names %s, which is not in %s", n[1], folder)
				}
				for _, f := range found {
					known[f] = true
				}
			}
		}
		there, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range there {
			if !known[f] {
				t.Errorf("results/README.md does not name %s", f)
			}
		}
	}
}
