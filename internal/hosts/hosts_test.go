package hosts

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRates(t *testing.T) {
	for _, h := range All() {
		rates, err := Rates(h.Name)
		if err != nil || len(rates) == 0 || h.Source == "" {
			t.Errorf("%+v: %v", h, err)
		}
		for kind, rate := range rates {
			if !(rate > 0) {
				t.Errorf("%s: %s at %v", h.Name, kind, rate)
			}
		}
	}
	if _, err := Rates("toaster"); err == nil || !strings.Contains(err.Error(), Default) {
		t.Error(err)
	}
}

// TestSource compares the rates of the default host with the results from which they are taken.
func TestSource(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "..", "results", "2026-11-21", "npb-A-1.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rates, _ := Rates(Default)
	lines := bufio.NewScanner(f)
	n := 0
	for lines.Scan() {
		var r struct {
			Kernel string
			Mops   float64
		}
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if got := rates[strings.ToLower(r.Kernel)]; math.Abs(got/r.Mops/1e6-1) > 1e-3 {
			t.Errorf("%s: %v operations a second, measured were %v million", r.Kernel, got, r.Mops)
		}
		n++
	}
	if n != len(rates) {
		t.Errorf("%d rates of %d results", len(rates), n)
	}
}

func TestParse(t *testing.T) {
	rates, err := Parse("pentium3,cg=1e6,ep=2")
	if err != nil || rates["cg"] != 1e6 || rates["ep"] != 2 || rates["bt"] != 1.1e8 {
		t.Error(rates, err)
	}
	for _, text := range []string{"toaster", "xeon,", "xeon,cg", "xeon,cg=0", "xeon,cg=x", "xeon,knitting=1", "xeon,cg=1e30"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%s is right", text)
		}
	}
}
