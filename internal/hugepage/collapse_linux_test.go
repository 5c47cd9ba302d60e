package hugepage

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// huge returns how much memory is in huge pages of the mapping that begins at an address.
func huge(t *testing.T, at uintptr) (kib int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	inside := false
	for line := range strings.Lines(string(text)) {
		var from, to uintptr
		if n, _ := fmt.Sscanf(line, "%x-%x ", &from, &to); n == 2 {
			inside = from <= at && at < to
		}
		if rest, ok := strings.CutPrefix(line, "AnonHugePages:"); ok && inside {
			fmt.Sscan(rest, &kib)
			return kib
		}
	}
	t.Fatal("there is no such mapping")
	return 0
}

// The kernel moves the memory, whose contents stay as they are; or it refuses, and nothing happens.
func TestTheKernelMakesHugePages(t *testing.T) {
	all, err := syscall.Mmap(-1, 0, 5*size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(all)
	from := -address(all) % size
	mem := all[from : from+4*size]
	for i := range mem {
		mem[i] = byte(i ^ i>>12)
	}
	before := huge(t, address(mem))
	want := bytes.Clone(mem)
	p := New("", 1)
	for range dearEnough / size { // some pages may take long here
		p.Moved(mem)
	}
	if !bytes.Equal(mem, want) {
		t.Error("the memory has changed")
	}
	after := huge(t, address(mem))
	if why := usable(); why != nil || p.refused > 0 {
		t.Logf("no huge pages: %v, refused %d times", why, p.refused)
		if after != before {
			t.Errorf("%d KiB in huge pages before, %d after", before, after)
		}
		return
	}
	if after < 4*size>>10 {
		t.Errorf("%d KiB are in huge pages, of %d", after, len(mem)>>10)
	}
}

// Memory that is not there cannot be moved.
func TestTheKernelRefuses(t *testing.T) {
	mem, err := syscall.Mmap(-1, 0, 3*size, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	at := (address(mem) + size - 1) / size * size
	if err := syscall.Munmap(mem); err != nil {
		t.Fatal(err)
	}
	if collapse(at) == nil {
		t.Error("what is not mapped is in a huge page")
	}
}
