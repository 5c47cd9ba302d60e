package models

import (
	"slices"
	"strings"
	"testing"

	"rhinet/nicemu/vtime"
)

func TestNames(t *testing.T) {
	if names := Names(); !slices.IsSorted(names) || !slices.Contains(names, "loggp") {
		t.Error(names)
	}
	for _, name := range Names() {
		c, err := Parse(name)
		if err != nil || c.Check(1) != nil {
			t.Fatal(name, err)
		}
		again, err := Parse(c.String())
		if err != nil || again.String() != c.String() {
			t.Errorf("%s becomes %s, %v", c, again, err)
		}
		if m, err := c.New(new(vtime.Kernel), 5); err != nil || m.Lookahead() <= 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]float64{"L=1500": 1500, "L=1.5us": 1500, "L=2ns": 2, "L=0.01ms": 10000, "L=1e-3s": 1e6} {
		c, err := Parse("loggp:" + text)
		if err != nil || c.Params.Value("L") != want {
			t.Errorf("%s: %v, %v", text, c.Params.Value("L"), err)
		}
	}
	for text, want := range map[string]string{
		"loggp:G=1us":         `G is a number of ns/byte, not "1us"`,
		"loggp:L=us":          `L is a number of ns, not "us"`,
		"loggp:Q=1":           `unknown parameter "Q"; loggp has L, g, G, o, O, S, poll`,
		"martini:pm:rma=on":   `unknown parameter "rma"; the names of its parameters begin with pm., core., `,
		"martini:host.cop=1":  `unknown parameter "host.cop"; there is host.store, host.hold`,
		"loggp:S=1e6":         "S is 64 to 16384 bytes",
		"":                    `no model of a network is called ""; there is cenju4, dimmnet2, fattree, loggp`,
		"=":                   `no model of a network is called ""`,
		"L=1":                 `no model of a network is called ""`,
		"fattree:rate=0":      "rate is 0.001 to 10000 Gbyte/s, not 0",
		"fattree:rate=NaN":    "rate is 0.001 to 10000 Gbyte/s, not NaN",
		"fattree:k=4,taper=3": "",
	} {
		c, err := Parse(text)
		if want == "" {
			if err = c.Check(1); err == nil {
				t.Errorf("%s is right", text)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse: any text is refused, or makes a network.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"loggp", "fattree:k=4,taper=2", "loggp:L=1us,o=3", "loggp:=", "a:b=c", ",,", "fattree:k=1e300"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse(text)
		if err == nil && c.Check(1) == nil {
			if m, err := c.New(new(vtime.Kernel), 33); err != nil || m.Lookahead() <= 0 {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
