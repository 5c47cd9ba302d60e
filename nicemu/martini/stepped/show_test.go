package stepped

import (
	"errors"
	"flag"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the diagrams and traces in docs/martini.md")

const (
	tour     = "../../../docs/martini.md"
	diagrams = "<!-- diagrams -->\n"
	end      = "<!-- end -->\n"
)

// section returns the bounds of the text between two marks of the tour.
func section(t *testing.T, text, mark string) (from, to int) {
	t.Helper()
	from = strings.Index(text, mark)
	if from < 0 {
		t.Fatalf("%s has no %q", tour, mark)
	}
	from += len(mark)
	n := strings.Index(text[from:], end)
	if n < 0 {
		t.Fatalf("%s: no end of %q", tour, mark)
	}
	return from, from + n
}

// TestTourShowsTheMachine checks that the diagrams and traces of the tour equal those of the code.
func TestTourShowsTheMachine(t *testing.T) {
	b, err := os.ReadFile(tour)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	check := func(mark, want string) {
		from, to := section(t, text, mark)
		if text[from:to] == want {
			return
		}
		if *rewrite {
			text = text[:from] + want + text[to:]
			return
		}
		t.Errorf("%s: %q is not what the code says; run go test ./nicemu/martini/stepped -run Tour -rewrite", tour, strings.TrimSpace(mark))
	}
	check(diagrams, Diagrams())
	for _, c := range []struct {
		operation string
		bytes     int
	}{{"push", 8}, {"miss", 8}, {"vpush", 8}, {"beyond", 8}, {"lock", 8}} {
		var out strings.Builder
		if err := Show(&out, c.operation, c.bytes); err != nil {
			t.Fatal(err)
		}
		check("<!-- trace "+c.operation+" -->\n", "```\n"+out.String()+"```\n")
	}
	if *rewrite {
		if err := os.WriteFile(tour, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestShowEveryOperation(t *testing.T) {
	for _, operation := range Operations() {
		for _, size := range []int{0, 8, 2048, 5000} {
			var out strings.Builder
			if err := Show(&out, operation, size); err != nil {
				t.Errorf("%s: %v", operation, err)
			}
			if !strings.Contains(out.String(), " -> ") || !strings.HasSuffix(out.String(), " steps\n") {
				t.Errorf("%s: %s", operation, out.String())
			}
		}
	}
	var seen, beyond strings.Builder // the first of the two requests is not seen
	if err := errors.Join(Show(&seen, "fall-back", 8), Show(&beyond, "beyond", 8)); err != nil || seen.String() != beyond.String() {
		t.Errorf("%v: the fast path leaves to the machine:\n%s", err, seen.String())
	}
	for _, c := range []struct {
		operation string
		bytes     int
		say       string
	}{{"shove", 8, "push, pull"}, {"push", -1, "at most"}, {"push", showMost + 1, "at most"}} {
		if err := Show(&strings.Builder{}, c.operation, c.bytes); err == nil || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s of %d bytes: %v", c.operation, c.bytes, err)
		}
	}
	if err := Show(broken{}, "push", 100000); !errors.Is(err, os.ErrClosed) {
		t.Errorf("to a closed file: %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestTablesAreWhole checks the properties of tables that machine and diagram rely on.
func TestTablesAreWhole(t *testing.T) {
	compile() // panics if two transitions collide
	for m := range Modules {
		into := map[State]bool{m.rest(): true}
		for _, e := range Tables(m) {
			into[e.To] = true
			if e.To == MISS && !m.TakenOver() {
				t.Errorf("%v goes to MISS, and nobody takes it over", m)
			}
		}
		for _, e := range Tables(m) {
			if !into[e.From] && e.From != RVACHK2 { // only firmware writes it
				t.Errorf("%v: nothing leads to %v", m, e.From)
			}
		}
		for s := range into {
			if s != MISS && !has(m, s) {
				t.Errorf("%v: nothing leads out of %v", m, s)
			}
		}
	}
	if Tables(Modules) != nil || Modules.String() != "?" || States.String() != "?" || Conds.String() != "?" || Works.String() != "?" {
		t.Error("what is not there has a name")
	}
}
