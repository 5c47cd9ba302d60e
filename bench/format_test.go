package bench

import (
	"bytes"
	"strings"
	"testing"
)

func TestFormats(t *testing.T) {
	row := Row{Test: "pingpong", Ranks: 2, Bytes: 1024, Repetitions: 7, Microsecs: 1.25, MBPerSec: 819.2, Spread: 0.125}
	for format, want := range map[string]string{
		"table": "819.2",
		"csv":   "pingpong,2,1024,7,1.2500,819.20,0.125",
		"json":  `"usec": 1.25`,
	} {
		var out bytes.Buffer
		p, err := NewPrinter(format, &out)
		if err != nil {
			t.Fatal(err)
		}
		p.Row(row)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s lacks %q:\n%s", format, want, out.String())
		}
	}
	if _, err := NewPrinter("xml", nil); err == nil || !strings.Contains(err.Error(), Formats) {
		t.Errorf("unknown format: %v", err)
	}
}

func TestPick(t *testing.T) {
	all, self := []string{"b", "a"}, func(s string) string { return s }
	if got, known, ok := Pick(all, self, "a"); got != "a" || known != "" || !ok {
		t.Errorf("%q, %q, %v", got, known, ok)
	}
	if got, known, ok := Pick(all, self, "c"); got != "" || known != "b, a" || ok {
		t.Errorf("%q, %q, %v", got, known, ok)
	}
}
