package virtual

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"rhinet/bench"
	"rhinet/nicemu/models"
)

func model(t testing.TB, text string) models.Choice {
	t.Helper()
	m, err := models.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func plan(t testing.TB, ranks int, sizes ...int) *Plan {
	return &Plan{Models: []models.Choice{model(t, "loggp:o=300,L=1us,G=0.08,g=10"), model(t, "fattree:k=2")}, Operation: "allreduce",
		Algorithms: Usual("allreduce"), Sizes: sizes, Ranks: ranks}
}

func rows(t testing.TB, p *Plan) (all []Row) {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	if err := p.Run(func(r Row) { all = append(all, r) }); err != nil {
		t.Fatal(err)
	}
	return all
}

// Recursive doubling of 2^k ranks takes k times o + L + 8 G + o; every algorithm computes the sum, also of
// a number of ranks that is no power of two, and one that moves less is faster with long messages.
func TestAllreduce(t *testing.T) {
	short := rows(t, plan(t, 64, 8))
	if want := 6 * (0.3 + 1 + 8*0.00008 + 0.3); math.Abs(short[0].Usec-want) > 1e-9 {
		t.Errorf("%+v, want %v", short[0], want)
	}
	long := rows(t, plan(t, 24, 256<<10))
	if long[0].Algorithm != "recursive-doubling" || long[1].Algorithm != "rabenseifner" || long[1].Usec >= long[0].Usec {
		t.Errorf("%+v", long)
	}
	for _, r := range append(short, long...) {
		if r.Usec <= 0 || r.Packets == 0 || r.Events == 0 || r.Seconds <= 0 || r.Memory < 0 {
			t.Errorf("%+v", r)
		}
	}
}

// Figures depend only on the plan.
func TestRepeatsExactly(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	first := ""
	for i, n := range []int{1, 2, 2} {
		runtime.GOMAXPROCS(n)
		p := plan(t, 17, 8, 4096)
		p.Operation, p.Algorithms = "bcast", Usual("bcast")
		text := ""
		for _, r := range append(rows(t, plan(t, 17, 8, 4096)), rows(t, p)...) {
			text += fmt.Sprintln(r.Model, r.Operation, r.Algorithm, r.Bytes, r.Usec, r.Packets, r.Events)
		}
		if i == 0 {
			first = text
		} else if text != first {
			t.Errorf("with %d processors\n%s, before\n%s", n, text, first)
		}
	}
}

func TestMistakes(t *testing.T) {
	for want, change := range map[string]func(p *Plan){
		"no operation":    func(p *Plan) { p.Operation = "gossip" },
		"no algorithm":    func(p *Plan) { p.Algorithms = []string{"binomial"} },
		"size 0":          func(p *Plan) { p.Sizes = []int{0} },
		"1 ranks; give":   func(p *Plan) { p.Ranks = 1 },
		"up to 256 hosts": func(p *Plan) { p.Ranks, p.Models = 257, []models.Choice{model(t, "martini")} },
	} {
		p := plan(t, 4, 8)
		change(p)
		if err := p.Check(); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	p := plan(t, 4, 8) // in virtual time ranks share no memory
	p.Algorithms = []string{"exchange"}
	if err := p.Run(func(Row) { t.Error("a row") }); !errors.Is(err, ErrNotServed) {
		t.Error(err)
	}
	if err := expect([]float64{1, 2}, func(i int) float64 { return 1 }); !errors.Is(err, errWrong) {
		t.Error(err)
	}
}

func TestOutput(t *testing.T) {
	all := rows(t, plan(t, 4, 8, 64))
	for format, want := range map[string]string{"table": "| recursive-doubling |", "csv": "loggp,allreduce,ring,4,64,", "json": `"host_MB_rank": `} {
		var b bytes.Buffer
		if err := Write(&b, format, all); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%s: %v, %s", format, err, b.String())
		}
	}
	f, err := Plot("four ranks", all[:6])
	if err != nil {
		t.Fatal(err)
	}
	if svg, err := f.SVG(); err != nil || !strings.Contains(string(svg), "rabenseifner") {
		t.Error(err)
	}
}
