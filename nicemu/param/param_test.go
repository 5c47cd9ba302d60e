package param

import (
	"errors"
	"strings"
	"testing"
)

func table() *Table {
	return New(
		Parameter{Name: "link.length", Unit: "m", Value: 2, Most: 1000, About: "length", Source: "1.5"},
		Parameter{Name: "link.bits", Unit: "bit", Value: 64, Least: 8, Most: 128, Whole: true, About: "data of a flit", Source: "1.5"},
		Parameter{Name: "switch.order", Choices: []string{"oldest", "round-robin"}, About: "who is next", Source: "chosen, because"},
	)
}

func TestSet(t *testing.T) {
	p := table()
	before := p.Clone()
	for _, s := range []string{"link.length=2.5", "link.bits=32", "switch.order=round-robin"} {
		if err := p.Set(s); err != nil {
			t.Fatal(err)
		}
	}
	if p.Value("link.length") != 2.5 || p.Int("link.bits") != 32 || p.Choice("switch.order") != "round-robin" || p.All()[0].Text() != "2.5" {
		t.Errorf("table is %+v", p.All())
	}
	if before.Int("link.bits") != 64 {
		t.Error("a clone was set")
	}
}

func TestWrongSettings(t *testing.T) {
	for text, want := range map[string]string{
		"link.length":       `"link.length": write NAME=VALUE`,
		"link.width=3":      `unknown parameter "link.width"; there is link.length, link.bits`,
		"x=3":               `unknown parameter "x"`,
		"link.length=long":  `link.length is a number of m, not "long"`,
		"link.length=-1":    "link.length is 0 to 1000 m, not -1",
		"link.length=NaN":   "link.length is 0 to 1000 m, not NaN",
		"link.bits=8.5":     "link.bits is a whole number of bit, not 8.5",
		"switch.order=last": `switch.order is one of oldest, round-robin, not "last"`,
	} {
		p := table()
		err := p.Set(text)
		if !errors.Is(err, ErrSetting) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
		if p.Value("link.length") != 2 || p.Int("link.bits") != 64 {
			t.Errorf("%s changed the table", text)
		}
	}
}

func TestWrongTables(t *testing.T) {
	row := Parameter{Name: "a.b", Most: 1, About: "x", Source: "1"}
	outside := row
	outside.Value = 2
	for _, rows := range [][]Parameter{{row, row}, {outside}, {{Name: "c.d", About: "x"}}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v is taken", rows)
				}
			}()
			New(rows...)
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("a parameter that is not there has a value")
		}
	}()
	table().Value("x")
}
