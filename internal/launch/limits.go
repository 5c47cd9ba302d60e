package launch

import (
	"fmt"
	"io/fs"
	"path"

	"rhinet/internal/program"
	"rhinet/internal/sysinfo"
)

// What ranks need. The figures are those of a Go program that only starts: a job that has less cannot run,
// and one that has more may still not have enough.
const (
	threadsOfGo = 5       // threads of an idle Go program
	bytesOfRank = 2 << 20 // private memory
	besides     = 8       // threads of the launcher
)

// needs are the minimal needs of the ranks of a job.
type needs struct {
	ranks   int
	threads int
}

// needs counts the needs of a plan. A program that may be a script counts as one thread.
func (p *Plan) needs() needs {
	n := needs{ranks: len(p.slots), threads: besides}
	for i := range p.programs {
		prog := &p.programs[i]
		each := 1
		if prog.Package != "" || program.IsStatic(prog.Path) {
			each = threadsOfGo
		}
		n.threads += each * p.job.Parts[i].Ranks
	}
	return n
}

// A ceiling is one limit on threads.
type ceiling struct {
	left int // how many more threads there may be
	what string
	way  string
}

// check compares the needs with the limits that root, the root of the file system, shows, and with the
// user's own limit on processes, which does not bind every user; negative: none. An error names the limit
// and how to raise it.
func (n needs) check(root fs.FS, userLimit int) error {
	for _, c := range ceilings(root, userLimit) {
		if c.left >= 0 && c.left < n.threads {
			return fmt.Errorf("%s %s at least %d threads, but %s %d; %s", plural(n.ranks, "rank"), verb(n.ranks), n.threads, c.what, c.left, c.way)
		}
	}
	if have, ok := sysinfo.Memory(root); ok && have < int64(n.ranks*bytesOfRank) {
		return fmt.Errorf("%s %s at least %d MiB of memory, but %d MiB are available; start fewer",
			plural(n.ranks, "rank"), verb(n.ranks), n.ranks*bytesOfRank>>20, have>>20)
	}
	return nil
}

// verb is the form of "need" for n things.
func verb(n int) string {
	if n == 1 {
		return "needs"
	}
	return "need"
}

// ceilings lists the limits on threads.
func ceilings(root fs.FS, userLimit int) []ceiling {
	all := []ceiling{
		{userLimit, "the limit is", "raise it with ulimit -u"},
		{number(root, "proc/sys/kernel/threads-max"), "this machine allows", "raise /proc/sys/kernel/threads-max"},
		{number(root, "proc/sys/kernel/pid_max"), "this machine allows", "raise /proc/sys/kernel/pid_max"},
	}
	for _, dir := range sysinfo.Groups(root, "pids") {
		most, used := number(root, path.Join(dir, "pids.max")), number(root, path.Join(dir, "pids.current"))
		if most >= 0 && used >= 0 {
			all = append(all, ceiling{max(0, most-used), "the control group leaves", "raise its pids.max"})
		}
	}
	return all
}

// number reads a file that holds a number; negative: it does not.
func number(root fs.FS, name string) int {
	if n, ok := sysinfo.Number(root, name); ok {
		return int(n)
	}
	return -1 // "max"
}
