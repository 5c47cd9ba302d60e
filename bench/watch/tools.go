package watch

import (
	"fmt"
	"strconv"
	"strings"
)

// perf reads the processor's own counters, in user mode only.
var perf = Counter{
	name:  "perf",
	args:  []string{"perf", "stat", "--log-fd", "3", "-x", ",", "-e", "instructions:u,cycles:u,L1-dcache-load-misses:u", "--"},
	parse: parsePerf,
}

// parsePerf parses lines such as "123456,,instructions:u,1000,100.00,,". If the processor cannot count, the
// number is <not supported>.
func parsePerf(text string) (counts, error) {
	c := counts{absent, absent, absent}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) < 3 {
			continue
		}
		v, err := strconv.ParseFloat(f[0], 64)
		if err != nil {
			continue
		}
		switch event := strings.TrimSuffix(f[2], ":u"); event {
		case "instructions":
			c.instructions = v
		case "cycles":
			c.cycles = v
		case "L1-dcache-load-misses":
			c.lines = v
		}
	}
	if c.instructions < 0 {
		return c, fmt.Errorf("finds no counter of instructions in this machine")
	}
	return c, nil
}

// valgrind runs the command on a simulated processor. Its caches are specified, so that they are the same
// on all machines. The first-level data cache is fully associative: with eight ways, the addresses chosen
// by the linker and the allocator decided about one line in twenty.
var valgrind = Counter{
	name: "valgrind",
	args: []string{"valgrind", "--log-fd=3", "--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null",
		"--I1=32768,8,64", "--D1=32768,512,64", "--LL=2097152,16,64"},
	parse: parseValgrind,

	simulates: true,
}

// parseValgrind parses lines such as "==1== I   refs:      27,515,697" and "==1== D1  misses:  275,779  (
// 158,690 rd   +   117,089 wr)".
func parseValgrind(text string) (counts, error) {
	c := counts{absent, absent, absent}
	for line := range strings.Lines(text) {
		f := strings.Fields(strings.ReplaceAll(line, ",", ""))
		if len(f) < 4 {
			continue
		}
		v, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			continue
		}
		switch f[1] + " " + f[2] {
		case "I refs:":
			c.instructions = v
		case "D1 misses:":
			c.lines = v
		}
	}
	if c.instructions < 0 {
		return c, fmt.Errorf("counts no instructions")
	}
	return c, nil
}
