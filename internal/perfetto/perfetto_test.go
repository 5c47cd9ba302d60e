package perfetto

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// An event in the form of the file format.
type event struct {
	Phase string         `json:"ph"`
	Name  string         `json:"name"`
	Pid   int            `json:"pid"`
	Tid   int            `json:"tid"`
	Ts    float64        `json:"ts"`
	Dur   float64        `json:"dur"`
	Bound string         `json:"bp"`
	Args  map[string]any `json:"args"`
}

func TestTraceIsJSON(t *testing.T) {
	var b strings.Builder
	w := New(&b)
	at := Track{1, 2}
	w.Process(1, "rank \"0\"\n\x01")
	w.Thread(at, "main\\")
	w.Slice(at, "Send", 3*Microsecond+5, 7*Nanosecond, Arg{"bytes", 8}, Arg{"protocol", "ea\"ger"}, Arg{"odd", func() {}})
	w.Slice(at, "", -5, 0)
	w.Counter(1, "depth", 2*Microsecond, 4)
	w.Arrow(at, Begin, "message", 9, 0)
	w.Arrow(at, End, "message", 9, 1)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var trace struct{ TraceEvents []event }
	if err := json.Unmarshal([]byte(b.String()), &trace); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	all := trace.TraceEvents
	if len(all) != 7 || all[0].Args["name"] != "rank \"0\"\n\x01" || all[1].Args["name"] != "main\\" {
		t.Errorf("%+v", all)
	}
	if s := all[2]; s.Phase != "X" || s.Pid != 1 || s.Tid != 2 || s.Ts != 3.000005 || s.Dur != 0.007 || s.Args["bytes"] != 8.0 || s.Args["protocol"] != "ea\"ger" {
		t.Errorf("slice %+v", s)
	}
	if all[3].Ts != -0.000005 || all[4].Args["level"] != 4.0 || all[5].Bound != "" || all[6].Bound != "e" || all[6].Phase != "f" {
		t.Errorf("%+v", all[3:])
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestCloseTellsThatNothingWasWritten(t *testing.T) {
	w := New(full{})
	w.Process(1, "x")
	if err := w.Close(); err == nil || err.Error() != "no room" {
		t.Error(err)
	}
}
