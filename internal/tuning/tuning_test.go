package tuning

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var here = Machine{"A CPU (R) 1.5GHz", 8, "amd64"}

func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "table")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func anything(string) error { return nil }

func TestTablesReadAsTheyAreWritten(t *testing.T) {
	for _, want := range []Table{
		{Machine: &here, NIC: "martini", Ranks: []int{2, 4}, Eager: 4096, Split: 65537, Rules: []string{"a=b@2..3@0..", "c=d@4..@1..2@shared"}},
		{Model: "loggp:L=1us", NIC: "timed", Ranks: []int{2}},
	} {
		text, err := want.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "null") {
			t.Errorf("a list that is empty is null in %s", text)
		}
		var rules string
		got, err := Read(written(t, string(text)), func(list string) error { rules = list; return nil })
		if err != nil || fmt.Sprint(got.Word(), got.NIC, got.Model, got.Ranks) != fmt.Sprint(want.Word(), want.NIC, want.Model, want.Ranks) || rules != strings.Join(want.Rules, ",") {
			t.Errorf("%+v, %v, rules %s", got, err, rules)
		}
		if want.Machine != nil && *got.Machine != here {
			t.Errorf("machine %v", got.Machine)
		}
		s, err := ParseWord(got.Word())
		if err != nil || s != (Setting{want.Eager, want.Split, rules}) {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

func TestBadTables(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "unexpected end of JSON input",
		"bytes":                          "invalid character",
		`{"schema": "rhinet-compare-1"}`: "it names no schema rhinet-tuning-1",
		`{"schema": "rhinet-tuning-0", "model": "x", "nic": "y"}`:                              `it has the schema "rhinet-tuning-0", not rhinet-tuning-1`,
		`{"schema": "rhinet-tuning-1", "nic": "y"}`:                                            "it says neither machine nor model",
		`{"schema": "rhinet-tuning-1", "machine": {}, "model": "x", "nic": "y"}`:               "or both",
		`{"schema": "rhinet-tuning-1", "model": "x"}`:                                          "it names no network interface",
		`{"schema": "rhinet-tuning-1", "model": "x", "nic": "y", "eager": -1}`:                 "a limit of -1 bytes",
		`{"schema": "rhinet-tuning-1", "model": "x", "nic": "y", "split": 1073741825}`:         "a limit of 1073741825 bytes",
		`{"schema": "rhinet-tuning-1", "model": "x", "nic": "y", "rules": ["wrong", "wrong"]}`: "no rule: wrong,wrong",
		`{"schema": "rhinet-tuning-1", "model": "x", "nic": "y", "rules": {"a": 1}}`:           "cannot unmarshal object",
	} {
		file := written(t, text)
		table, err := Read(file, func(list string) error {
			if list != "" {
				return errors.New("no rule: " + list)
			}
			return nil
		})
		if err == nil || table != nil || !strings.HasPrefix(err.Error(), file+" is no table of this version: ") || !strings.Contains(err.Error(), want) ||
			!strings.HasSuffix(err.Error(), "; write a new one with mpirun tune") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
	if _, err := Read("/no/such/table", anything); err == nil || err.Error() != "cannot read the table /no/such/table: no such file or directory" {
		t.Error(err)
	}
	for word, want := range map[string]string{
		"eager=1":                   "is no tuning; start the program",
		"eager=1;split=x;":          `"split=x" is no limit`,
		"split=1;eager=1;":          `"split=1" is no limit`,
		"eager=-1;split=1;a":        `"eager=-1" is no limit`,
		"eager=1;split=1073741825;": "is no limit",
	} {
		if s, err := ParseWord(word); err == nil || s != (Setting{}) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", word, s, err)
		}
	}
	if s, err := ParseWord(""); err != nil || s != (Setting{}) {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestMachines(t *testing.T) {
	for info, want := range map[string]string{
		"processor\t: 0\nmodel name\t: A CPU\nmodel name\t: B": "A CPU",
		"CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n":         "CPU 0x41 0xd0c",
		"": "unknown CPU",
	} {
		if got := cpu([]byte(info)); got != want {
			t.Errorf("%q: %s", info, got)
		}
	}
	if got := here.File("/c"); got != "/c/rhinet/tuning/a-cpu-r-1.5ghz-8-amd64.json" {
		t.Error(got)
	}
	if got := ModelFile("/c", "loggp:L=1us,o=2"); got != "/c/rhinet/tuning/model-loggp-l=1us-o=2.json" {
		t.Error(got)
	}
	if this, again := This(3), This(3); here.String() != "A CPU (R) 1.5GHz, 8 usable cores, amd64" || this.Processors != 3 || this != again {
		t.Error(here, this, again)
	}
}

// cells returns the cells of one operation: times by algorithm for each block; chosen is the default
// algorithm.
func cells(op string, ranks, pass int, times map[string][]float64, chosen string, blocks ...int) (list []Cell) {
	names := slices.Sorted(func(yield func(string) bool) {
		for n := range times {
			if !yield(n) {
				return
			}
		}
	})
	for i, b := range blocks {
		for _, n := range names {
			if v := times[n][i]; v > 0 {
				list = append(list, Cell{op, n, ranks, b, b, v, n == chosen, pass})
			}
		}
	}
	return list
}

func TestRulesSayWhatIsFaster(t *testing.T) {
	one := cells("bcast", 2, 0, map[string][]float64{"a": {1, 1, 1, 1}, "b": {0.95, 0.5, 0.5, 2}, "c": {2, 0.6, 0.4, 0}}, "a", 8, 64, 512, 4096)
	two := cells("bcast", 4, 0, map[string][]float64{"a": {1, 1}, "b": {0.5, 0.5}}, "a", 8, 64)
	more := cells("scan", 8, 0, map[string][]float64{"x": {1}, "y": {0.8}}, "x", 0)
	for _, c := range []struct {
		cells      []Cell
		processors int
		want       string
	}{
		{one, 0, "bcast=b@2..3@64..511 bcast=c@2..3@512..4095"},
		{slices.Concat(one, two), 2, "bcast=b@2..2@64..511 bcast=c@2..2@512..4095 bcast=b@4..7@8..@shared"},
		{slices.Concat(two, one, more), 4, "bcast=b@2..3@64..511 bcast=c@2..3@512..4095 bcast=b@4..4@8.. scan=y@8..15@0..@shared"},
		{slices.Concat(one, cells("bcast", 2, 1, map[string][]float64{"a": {1, 1, 1}, "b": {1, 0.8, 1}, "c": {1, 0.8, 0.8}}, "a", 8, 64, 512)), 0, "bcast=b@2..3@64..511 bcast=c@2..3@512..4095"},
		{slices.Concat(one, cells("bcast", 2, 1, map[string][]float64{"a": {1, 1, 1}, "b": {1, 1, 1}, "c": {1, 1, 1}}, "a", 8, 64, 512)), 0, ""},
		{cells("bcast", 2, 0, map[string][]float64{"b": {0.5}}, "a", 8), 0, ""},
		{nil, 2, ""},
	} {
		if got := strings.Join(Rules(c.cells, c.processors), " "); got != c.want {
			t.Errorf("%v processors: %s\nwant %s", c.processors, got, c.want)
		}
	}
	// Sizes that are the same to rules count by their mean; algorithms that cannot be used for all of them
	// do not count.
	var alike []Cell
	for i, v := range []float64{0.5, 1.2, 0.7} {
		alike = append(alike, Cell{"gatherv", "a", 2, i, 0, 1, true, 0}, Cell{"gatherv", "b", 2, i, 0, v, false, 0})
	}
	alike = append(alike, Cell{"gatherv", "c", 2, 1, 0, 0.01, false, 0})
	if got := strings.Join(Rules(alike, 0), " "); got != "gatherv=b@2..3@0.." {
		t.Error(got)
	}
}

// Without limits the curves cross where they are told to.
func TestThreshold(t *testing.T) {
	flat := Curve{1: 1, 2: 1, 4: 1, 8: 1}
	for _, c := range []struct {
		long  Curve
		usual int
		want  int
	}{
		{Curve{1: 2, 2: 2, 4: 2, 8: 0.5}, 4, 0},
		{Curve{1: 2, 2: 2, 4: 0.5, 8: 0.5}, 4, 2},
		{Curve{1: 2, 2: 2, 4: 2, 8: 2}, 4, 8},
		{Curve{1: 2, 2: 2, 4: 2, 8: 1.05}, 4, 0},
		{Curve{1: 2, 2: 2, 4: 0.95, 8: 0.5}, 4, 0},
		{Curve{1: 2, 2: 0.8, 4: 1.2, 8: 0.5}, 4, 0},
		{Curve{3: math.Inf(1)}, 4, 0},
		{nil, 4, 0},
	} {
		if got := Threshold(flat, c.long, c.usual); got != c.want {
			t.Errorf("%v, usually %d: %d, want %d", c.long, c.usual, got, c.want)
		}
	}
}
