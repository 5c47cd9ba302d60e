package launch

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// usableCores lists the logical processors that this process may run on, with the siblings of each physical
// core next to each other.
func usableCores() []int {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	var cores []int
	for cpu := range len(set) * 64 {
		if !set.IsSet(cpu) || slices.Contains(cores, cpu) {
			continue
		}
		cores = append(cores, cpu)
		for _, sibling := range siblings(cpu) {
			if set.IsSet(sibling) && !slices.Contains(cores, sibling) {
				cores = append(cores, sibling)
			}
		}
	}
	return cores
}

// siblings returns the logical processors on the physical core of cpu.
func siblings(cpu int) []int {
	text, err := os.ReadFile(fmt.Sprintf("/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
	if err != nil {
		return nil
	}
	return parseList(strings.TrimSpace(string(text)))
}

// parseList reads the kernel's notation of a set, "0-1,8".
func parseList(text string) []int {
	var list []int
	for _, item := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(item, "-")
		a, err := strconv.Atoi(first)
		if err != nil {
			return nil
		}
		b := a
		if isRange {
			if b, err = strconv.Atoi(last); err != nil {
				return nil
			}
		}
		for ; a <= b; a++ {
			list = append(list, a)
		}
	}
	return list
}

// A binder moves the calling thread from core to core, so that the processes it forks start where they are
// bound. Its goroutine is locked to that thread.
type binder struct {
	before unix.CPUSet
	moved  bool
}

// bind sets the cores of the calling thread and thus of its future children.
func (b *binder) bind(cores []int) error {
	if cores == nil {
		return nil
	}
	if !b.moved {
		if err := unix.SchedGetaffinity(0, &b.before); err != nil {
			return err
		}
		b.moved = true
	}
	var set unix.CPUSet
	for _, c := range cores {
		set.Set(c)
	}
	return unix.SchedSetaffinity(0, &set)
}

// restore undoes every bind.
func (b *binder) restore() error {
	if !b.moved {
		return nil
	}
	b.moved = false
	return unix.SchedSetaffinity(0, &b.before)
}
