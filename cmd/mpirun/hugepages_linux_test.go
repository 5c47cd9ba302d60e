package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"rhinet/internal/hugepage"
	"rhinet/mpi"
)

// liveInHugePages exchanges 4 MiB often, and then prints how much of this process is in huge pages.
func liveInHugePages(world *mpi.Comm) error {
	out, in := make([]byte, 4<<20), make([]byte, 4<<20)
	for i := range out {
		out[i] = byte(i>>8 + world.Rank())
	}
	for range 200 {
		if _, err := mpi.Sendrecv(world, out, 1-world.Rank(), 0, in, 1-world.Rank(), 0); err != nil {
			return err
		}
	}
	for i := range in {
		if in[i] != byte(i>>8+1-world.Rank()) {
			return fmt.Errorf("byte %d is %d", i, in[i])
		}
	}
	n, err := inHugePages()
	fmt.Printf("%d KiB\n", n)
	return err
}

// inHugePages returns how much memory of this process is in huge pages, in KiB.
func inHugePages() (int, error) {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "AnonHugePages:" {
			return strconv.Atoi(words[1])
		}
	}
	return 0, errors.New("the system does not tell")
}

// makesHugePages reports whether the system moves memory into huge pages when asked, and only then.
func makesHugePages(t *testing.T) bool {
	t.Helper()
	enabled, _ := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	mem, err := syscall.Mmap(-1, 0, 4<<20, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mem)
	for i := range mem {
		mem[i] = 1
	}
	return strings.Contains(string(enabled), "[madvise]") && unix.Madvise(mem, unix.MADV_COLLAPSE) == nil
}

// Memory that is transferred again and again is moved into huge pages, unless the user wants none.
func TestHugePages(t *testing.T) {
	makes := makesHugePages(t)
	for _, setting := range []string{"auto", "off"} {
		status, out, errs := mpirun(t, "-n", "2", "-x", hugepage.Variable+"="+setting, "-x", playRank+"=huge pages", os.Args[0])
		var kib [2]int
		if n, err := fmt.Sscanf(out, "%d KiB\n%d KiB\n", &kib[0], &kib[1]); n != 2 || err != nil || status != 0 {
			t.Fatalf("%s: status %d, %q, %q", setting, status, out, errs)
		}
		for rank, n := range kib {
			if makes && (n > 0) != (setting == "auto") {
				t.Errorf("%s: rank %d has %d KiB in huge pages", setting, rank, n)
			}
		}
	}
}
