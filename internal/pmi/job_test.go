package pmi

import (
	"strings"
	"testing"
)

func TestJobIsEncoded(t *testing.T) {
	for want, j := range map[string]Job{
		"version=1 rank=2 size=5 fabric=3 life=4 nic=martini:pm cpus=8":                                           {Rank: 2, Size: 5, Fabric: 3, Life: 4, NIC: "martini:pm", CPUs: 8, App: None, Observe: None},
		"version=1 rank=0 size=1 fabric=0 nic= cpus=0":                                                            {Size: 1, Life: None, App: None, Observe: None},
		"version=1 rank=0 size=2 fabric=3 nic=x cpus=1 observe=5":                                                 {Size: 2, Fabric: 3, Life: None, NIC: "x", CPUs: 1, App: None, Observe: 5},
		"version=1 rank=0 size=2 fabric=3 nic=x cpus=2 tuning=eager=1;split=2;a=b@1..@2..":                        {Size: 2, Fabric: 3, Life: None, NIC: "x", CPUs: 2, App: None, Observe: None, Tuning: "eager=1;split=2;a=b@1..@2.."},
		"version=1 rank=0 size=2 fabric=3 nic=ofi cpus=2 host=1 address=10.0.0.2 store=rhinet://10.0.0.1:7 key=6": {Size: 2, Fabric: 3, Life: None, NIC: "ofi", CPUs: 2, App: None, Observe: None, Host: 1, Address: "10.0.0.2", Store: "rhinet://10.0.0.1:7", Key: 6},
		"version=1 rank=0 size=2 fabric=3 nic=x cpus=1 loaded=1 keep-going=1":                                     {Size: 2, Fabric: 3, Life: None, NIC: "x", CPUs: 1, Loaded: true, App: None, Observe: None, KeepGoing: true},
		"version=1 rank=1 size=2 app=3 fabric=3 nic=x cpus=1":                                                     {Rank: 1, Size: 2, App: 3, Fabric: 3, Life: None, NIC: "x", CPUs: 1, Observe: None},
		"version=1 rank=1 size=2 fabric=3 nic=x cpus=1 ring-memory=4096":                                          {Rank: 1, Size: 2, Fabric: 3, Life: None, NIC: "x", CPUs: 1, App: None, Observe: None, RingMemory: 4096},
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
	if j, err := Decode(value); err != nil || j != (Job{Rank: 2, Size: 5, App: None, Fabric: 3, Life: 4, NIC: "martini", CPUs: 8, Observe: None}) {
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
		"version=1 rank=0 size=99999999999999999999":         "is not a number",
		"version=1 rank=2 size=2 fabric=3":                   "rank and size are missing or do not fit",
		"version=1 rank=0 size=0 fabric=3":                   "rank and size are missing or do not fit",
		"version=1 size=2 fabric=3":                          "rank and size are missing or do not fit",
		"version=1 rank=0 fabric=3":                          "rank and size are missing or do not fit",
		"version=1 rank=0 size=2":                            "fabric is missing",
		"version=1 rank=0 size=2 fabric=3 rank=0":            "rank is there twice",
		"version=1 rank=0 size=2 nic=a nic=b":                "nic is there twice",
		"version=1 tuning=a size=2 tuning=b":                 "tuning is there twice",
		"version=1 rank=0 size=2 fabric=3 address=a":         "host, address, store and key belong together",
		"version=1 rank=0 size=2 fabric=3 address=a store=s": "host, address, store and key belong together",
		"version=1 rank=0 size=2 fabric=3 store=s key=5":     "host, address, store and key belong together",
		"version=1 rank=0 size=2 fabric=3 host=1":            "host, address, store and key belong together",
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

// FuzzDecode decodes any text that the environment may contain: if it is accepted, it is a job that is
// still the same after it was encoded and decoded again.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"version=1 rank=2 size=5 fabric=3 life=4 nic=martini cpus=8", "version=1 rank=0 size=1 fabric=0 nic= cpus=0",
		"version=1 rank=0 size=2 fabric=3 rank=0", "version=1 rank=0 size=2 fabric=3 tuning=eager=1;x", "version=1 rank=+1 size=02 fabric=3", "version=1 rank=0 size=2 fabric=3 host=1 address=a store=s key=6", "nic=a=b version=1 rank=0 size=1 fabric=1", "", "=", "version=\xff",
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
		if j.Size < 1 || j.Rank < 0 || j.Rank >= j.Size || j.Fabric < 0 || j.Life < None || j.CPUs < 0 || j.RingMemory < 0 {
			t.Fatalf("accepted %+v", j)
		}
		if again, err := Decode(j.Encode()); err != nil || again != j {
			t.Fatalf("%+v becomes %+v, %v", j, again, err)
		}
	})
}
