package events

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"rhinet/bench"
)

func measure(t testing.TB, messages int, names ...string) (rows []Row) {
	t.Helper()
	loads, err := Loads(names, messages)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range loads {
		r, err := l.Measure(2)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

// Every load completes, takes some time, and does the same work each time.
func TestLoads(t *testing.T) {
	first, again := measure(t, 300, Names()...), measure(t, 300, Names()...)
	if len(first) != len(Names()) || first[0].Load != Kernel || first[0].Events != 300 {
		t.Fatalf("%+v", first)
	}
	for i, r := range first {
		if r.Packets < 300 || r.Events < r.Packets || r.Seconds <= 0 || r.Rate <= 0 || r.PerEvent <= 0 || r.Machine == "" {
			t.Errorf("%+v", r)
		}
		if o := again[i]; o.Events != r.Events || o.Packets != r.Packets {
			t.Errorf("%+v, then %+v", r, o)
		}
	}
	if few, many := measure(t, 100, "martini:pm")[0], measure(t, 400, "martini:pm")[0]; many.Events < 3*few.Events {
		t.Errorf("%+v, with four times the messages %+v", few, many)
	}
}

func TestMistakes(t *testing.T) {
	for want, load := range map[string]func() ([]Load, error){
		`no model of a network is called "pigeon"`: func() ([]Load, error) { return Loads([]string{"pigeon"}, 1) },
		"and there is kernel":                      func() ([]Load, error) { return Loads([]string{""}, 1) },
		"0 messages; give at least 1":              func() ([]Load, error) { return Loads(Names(), 0) },
		"switch.slack":                             func() ([]Load, error) { return Loads([]string{"martini:switch.slack=8000"}, 1) },
	} {
		if _, err := load(); !errors.Is(err, bench.ErrInput) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestOutput(t *testing.T) {
	rows := measure(t, 20, Kernel, "loggp")
	for format, want := range map[string]string{"table": "| loggp |", "csv": "kernel,20,20,20,1.00,", "json": `"events_s": `} {
		var b bytes.Buffer
		if err := Write(&b, format, rows); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%s: %v, %s", format, err, &b)
		}
	}
}
