package fabric

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"rhinet/internal/pmi"
)

// A place is a word of the region that a rank may try to write.
type place struct {
	name string
	word func(f *Fabric) *uint64
	mine bool // whether rank 1 may
}

func places() []place {
	in := func(rank int, a Area, i int) func(*Fabric) *uint64 {
		return func(f *Fabric) *uint64 {
			w := f.Words(rank, a)
			return &w[(i+len(w))%len(w)]
		}
	}
	all := []place{
		{"header", func(f *Fabric) *uint64 { return &words(f.mem[headerAt:commonAt])[wordJob] }, false},
		{"common", func(f *Fabric) *uint64 { return &words(f.mem[commonAt:bellsAt])[8] }, true},
		{"bell of rank 2", func(f *Fabric) *uint64 { return &words(f.mem[bellsAt+2*64:][:64])[2] }, true},
		{"flag array", func(f *Fabric) *uint64 { return &f.Flags()[0][3] }, true},
	}
	for rank := range 3 {
		for a, name := range []string{"front", "device", "public", "control", "shared", "rings"} {
			for _, i := range []int{0, -1} {
				if Area(a) == Front && i == 0 {
					i = wordProcess + 8 // an unused word
				}
				all = append(all, place{fmt.Sprintf("%s of rank %d, word %d", name, rank, i), in(rank, Area(a), i), rank == 1 || Area(a) >= Public})
			}
		}
	}
	return all
}

// tries reports whether the process survives a store.
func tries(w *uint64) (faults bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { faults = recover() != nil }()
	*w++ // not atomic: under the race detector an atomic store would fault outside Go code
	return false
}

// trespass is rank 1, which tries all stores, and last the one that ends it.
func trespass(f *Fabric, part string) error {
	var wrong error
	for _, p := range places() {
		if faults := tries(p.word(f)); faults == p.mine {
			wrong = errors.Join(wrong, fmt.Errorf("%s: a store faults: %v", p.name, faults))
		}
	}
	if wrong == nil && part == "vandal" {
		_, _ = io.Copy(io.Discard, os.Stdin)
		f.Words(0, Device)[5] = 666
		fmt.Println("survived")
	}
	return wrong
}

// TestForeignTablesAreReadOnly has a process that is rank 1 write everywhere: it cannot write what
// it may not, and memory that it did not change is as before.
func TestForeignTablesAreReadOnly(t *testing.T) {
	file, f := create(t, 3)
	before := map[string]uint64{}
	for i, p := range places() {
		before[p.name] = uint64(1000 * i)
		if p.name == "header" {
			before[p.name] = *p.word(f)
		}
		*p.word(f) = before[p.name] // a process that has not entered as a rank may write: the launcher
	}
	_, _, end := spawn(t, file, "trespass")
	if err := end(); err != nil {
		t.Fatal(err)
	}
	for _, p := range places() {
		want := before[p.name]
		if p.mine {
			want++
		}
		if got := *p.word(f); got != want {
			t.Errorf("%s holds %d, want %d", p.name, got, want)
		}
	}
}

// TestWhoWritesForeignTablesDies is the same without a handler for the fault: the process that
// writes ends, and its victim does not.
func TestWhoWritesForeignTablesDies(t *testing.T) {
	file, f := create(t, 3)
	if err := f.Enter(0); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"=vandal")
	cmd.ExtraFiles = []*os.File{file}
	out, err := cmd.CombinedOutput()
	if exit := new(exec.ExitError); !errors.As(err, &exit) || !strings.Contains(string(out), "SIGSEGV") || strings.Contains(string(out), "survived") {
		t.Fatalf("%v: %s", err, out)
	}
	if got := f.Words(0, Device)[5]; got != 0 {
		t.Errorf("the victim holds %d", got)
	}
	if f.Process(0) != os.Getpid() {
		t.Error("the victim is no longer what it was")
	}
}

// TestSecondRankOfAProcess: its tables become writable beside those of the first.
func TestSecondRankOfAProcess(t *testing.T) {
	_, f := create(t, 3)
	for _, rank := range []int{2, 0} {
		if err := f.Enter(rank); err != nil {
			t.Fatal(err)
		}
		f.Publish(rank, &pmi.Status{State: pmi.Computing})
	}
	if !tries(&f.Words(1, Front)[wordStatus]) || tries(&f.Words(2, Device)[1]) || tries(&f.Words(0, Device)[1]) {
		t.Error("a process of ranks 0 and 2 can write the tables of rank 1, or not its own")
	}
	if err := f.Enter(2); err == nil || !strings.Contains(err.Error(), "taken") {
		t.Errorf("entered twice: %v", err)
	}
}

func TestProtectionThatTheKernelRefuses(t *testing.T) {
	_, f := create(t, 2)
	whole := f.mem
	f.mem = f.mem[1:] // does not start on a page
	if err := f.Enter(1); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), "protect the tables") {
		t.Errorf("protected what is no page: %v", err)
	}
	f.mem = whole
	if f.Process(1) != 0 {
		t.Error("a rank that could not be protected has entered")
	}
}

// TestFewMappings: the largest job needs as many mappings as any other.
func TestFewMappings(t *testing.T) {
	for _, rank := range []int{0, 1, MaxRanks / 2, MaxRanks - 1} {
		_, f := create(t, MaxRanks)
		if err := f.Enter(rank); err != nil {
			t.Fatal(err)
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(maps)) {
			var from, to uint64
			if _, err := fmt.Sscanf(line, "%x-%x", &from, &to); err == nil && from >= f.base && to <= f.base+uint64(len(f.mem)) {
				n++
			}
		}
		if n < 5 || n > 7 {
			t.Errorf("%d mappings of a job of %d ranks for rank %d", n, MaxRanks, rank)
		}
	}
}
