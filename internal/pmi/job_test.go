package pmi

import (
	"strings"
	"testing"
)

func TestJobIsEncoded(t *testing.T) {
	for want, j := range map[string]Job{
		"version=1 rank=2 size=5 fabric=3 life=4 nic=martini:pm cpus=8": {Rank: 2, Size: 5, Fabric: 3, Life: 4, NIC: "martini:pm", CPUs: 8},
		"version=1 rank=0 size=1 fabric=0 nic= cpus=0":                  {Size: 1, Life: None},
	} {
		if got := j.Encode(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if got, err := Decode(want); err != nil || got != j {
			t.Errorf("%q: got %+v, %v; want %+v", want, got, err, j)
		}
	}
}

func TestFieldsMayStandInAnyOrder(t *testing.T) {
	const value = "later=x  nic=martini cpus=8\tsize=5 rank=2 later=x life=4 fabric=3 version=1"
	if j, err := Decode(value); err != nil || j != (Job{Rank: 2, Size: 5, Fabric: 3, Life: 4, NIC: "martini", CPUs: 8}) {
		t.Errorf("got %+v, %v", j, err)
	}
}

func TestMalformedJobs(t *testing.T) {
	for value, want := range map[string]string{
		"":                                 "this program speaks version 1; build it and mpirun from the same rhinet",
		"nonsense":                         "this program speaks version 1",
		"version=2 rank=0 size=2 fabric=3": "this program speaks version 1",
		"version=1 rank=x size=2":          "rank=x is not a number; start the program with rhinet's mpirun",
		"version=1 rank size=2":            "rank is not a number",
		"version=1 rank=0 size=-2":         "size=-2 is not a number",
		"version=1 rank=0 size=99999999999999999999": "is not a number",
		"version=1 rank=2 size=2 fabric=3":           "rank and size are missing or do not fit",
		"version=1 rank=0 size=0 fabric=3":           "rank and size are missing or do not fit",
		"version=1 size=2 fabric=3":                  "rank and size are missing or do not fit",
		"version=1 rank=0 fabric=3":                  "rank and size are missing or do not fit",
		"version=1 rank=0 size=2":                    "fabric is missing",
		"version=1 rank=0 size=2 fabric=3 rank=0":    "rank is there twice",
		"version=1 rank=0 size=2 nic=a nic=b":        "nic is there twice",
	} {
		j, err := Decode(value)
		if err == nil || j != (Job{}) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v", value, j, err)
			continue
		}
		if text := err.Error(); !strings.HasPrefix(text, `RHINET_JOB is "`+value+`": `) || strings.Contains(text, "\n") {
			t.Errorf("%q: %s", value, text)
		}
	}
}

// FuzzDecode has whoever starts a program write anything into its environment:
// what is accepted is a job, and the same after another passage.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"version=1 rank=2 size=5 fabric=3 life=4 nic=martini cpus=8", "version=1 rank=0 size=1 fabric=0 nic= cpus=0",
		"version=1 rank=0 size=2 fabric=3 rank=0", "version=1 rank=+1 size=02 fabric=3", "nic=a=b version=1 rank=0 size=1 fabric=1", "", "=", "version=\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		j, err := Decode(value)
		if err != nil {
			if text := err.Error(); j != (Job{}) || !strings.HasPrefix(text, "RHINET_JOB is ") || strings.Contains(text, "\n") {
				t.Fatalf("%+v, %v", j, err)
			}
			return
		}
		if j.Size < 1 || j.Rank < 0 || j.Rank >= j.Size || j.Fabric < 0 || j.Life < None || j.CPUs < 0 {
			t.Fatalf("accepted %+v", j)
		}
		if again, err := Decode(j.Encode()); err != nil || again != j {
			t.Fatalf("%+v becomes %+v, %v", j, again, err)
		}
	})
}
