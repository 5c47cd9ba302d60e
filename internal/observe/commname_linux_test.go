package observe

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// A communicator is reported by its whole name, or the end of it, and by the one that it was given last.
func TestNamesOfCommunicators(t *testing.T) {
	reader, ranks := job(t, 1, false)
	r := ranks[0]
	long := strings.Repeat("é", 40) // 80 bytes
	for i, name := range []string{"world", "world.split1(color 12)", "pressure solver", "a\x01b\nc", "\xff\xfed", "x" + long, long} {
		r.Comm(name, uint16(2*i))
	}
	r.Rename(1, "all ranks")
	r.Rename(1, "all")
	r.Rename(0, "none")
	end := "..." + strings.Repeat("é", 30)
	want := []string{"all", "world.split1(color 12)", "pressure solver", "abc", "d", end, end}
	list := stats(t, reader).Ranks[0].Comms
	if len(list) != len(want) {
		t.Fatalf("%d communicators: %+v", len(list), list)
	}
	for i, c := range list {
		if c.Comm != want[i] {
			t.Errorf("%q, want %q", c.Comm, want[i])
		}
	}
}

// Communicators that share the last row keep its name, and those of a closed rank theirs.
func TestSharedRowIsNotRenamed(t *testing.T) {
	reader, ranks := job(t, 1, false)
	r := ranks[0]
	var last CommID
	for i := range mostComms + 5 {
		last = r.Comm(fmt.Sprint("comm", i), uint16(2*i))
	}
	r.Rename(last, "mine")
	r.Rename(last-1, "the last one of its own")
	r.Close()
	r.Rename(1, "late")
	list := stats(t, reader).Ranks[0].Comms
	if len(list) != mostComms || list[0].Comm != "comm0" || list[mostComms-2].Comm != "the last one of its own" || list[mostComms-1].Comm != other {
		t.Errorf("%d communicators: %+v", len(list), list)
	}
}

// In the text for Prometheus the name is one label.
func TestNamesInPrometheus(t *testing.T) {
	reader, ranks := job(t, 1, false)
	ranks[0].Comm(`world.split1(color 2) "a\b"`, 0)
	var text bytes.Buffer
	if err := stats(t, reader).WritePrometheus(&text); err != nil {
		t.Fatal(err)
	}
	const want = `rhinet_comm_waits_total{rank="0",comm="world.split1(color 2) \"a\\b\"",number="0"} 0`
	if !strings.Contains(text.String(), want) {
		t.Errorf("%s: not in\n%s", want, text.String())
	}
}
