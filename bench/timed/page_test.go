package timed

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"rhinet/bench"
)

// The parts of a message's path cover all of it, and no step begins before the step that brought the
// message there, even if a long message is in many places at once.
func TestJourney(t *testing.T) {
	for _, n := range []int{1, 8, 512, 2048} {
		j, err := Travel(Options{Table: table(t)}, n)
		if err != nil {
			t.Fatal(err)
		}
		parts := j.Parts()
		sum := 0.0
		for _, p := range parts {
			sum += p.To - p.From
		}
		if len(parts) != 5 || math.Abs(sum-j.End) > 1e-9 || parts[0].From != 0 {
			t.Errorf("%d bytes: %v, %v in all", n, parts, j.End)
		}
		came := 0.0
		steps := 0
		for _, s := range j.Steps {
			if s.Number == 0 {
				continue
			}
			steps++
			if s.Number != steps || s.From < came-0.05 && s.Lane != "DMA" || s.To > j.End && s.Number != 10 {
				t.Errorf("%d bytes: step %+v, after one at %v", n, s, came)
			}
			came = s.From
		}
		if steps != 18 {
			t.Errorf("%d bytes: %d steps", n, steps)
		}
	}
	for _, n := range []int{0, 2049} {
		if _, err := Travel(Options{Table: table(t)}, n); !errors.Is(err, bench.ErrInput) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := Travel(Options{Table: table(t, "switch.slack=8000")}, 8); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
}

// The page is self-contained: every step is drawn, described and linked, and nothing is loaded from
// elsewhere.
func TestPage(t *testing.T) {
	j, err := Travel(Options{Table: table(t)}, 8)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := j.WritePage(&b, "bench <x>"); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for i := 1; i <= 18; i++ {
		if !strings.Contains(text, fmt.Sprintf(`href="#step%d"`, i)) || !strings.Contains(text, fmt.Sprintf(`id="step%d"`, i)) {
			t.Errorf("no step %d", i)
		}
	}
	for _, want := range []string{fmt.Sprintf("<strong>%.3f µs", j.End), "8 bytes", "bench &lt;x&gt;", "prefers-color-scheme: dark", "receiving chip"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "http") || strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "NaN") {
		t.Error("the page names other pages, or has holes")
	}
	if err := j.WritePage(failing{}, ""); err == nil {
		t.Error("no error of a page that cannot be written")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// For a model in which a message takes another path there is an error instead of a page with wrong text.
func TestOtherWays(t *testing.T) {
	if err := newLog().journey(&Journey{}, 0, 0, 0); !errors.Is(err, errJourney) {
		t.Error(err)
	}
	j := Journey{Steps: []Step{{Lane: "x", From: 2, To: 1, What: "y"}}}
	if err := j.number(5); !errors.Is(err, errJourney) {
		t.Error(err)
	}
	for v, want := range map[float64]float64{0.3: 0.5, 0.1: 0.1, 1.2: 2, 6: 10} {
		if got := round(v); math.Abs(got-want) > 1e-12 {
			t.Errorf("round(%v) = %v", v, got)
		}
	}
}
