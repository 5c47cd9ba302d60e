package wait

import (
	"io/fs"
	"math/bits"
	"os"
	"path"
	"runtime"
	"strconv"
	"strings"

	"rhinet/internal/sysinfo"
)

// UsableCPUs returns how many processors this process can keep busy: those in its affinity mask when it
// started, or fewer if a control group limits its share. At least 1.
func UsableCPUs() int {
	return usable(runtime.NumCPU(), os.DirFS("/"))
}

// UsableTogether returns how many processors a group of processes in one control group can keep busy
// together; masks are their affinity masks, as [Affinity] returns them. At least 1.
func UsableTogether(masks [][]byte) int {
	var all []byte
	for _, m := range masks {
		for len(all) < len(m) {
			all = append(all, 0)
		}
		for i, b := range m {
			all[i] |= b
		}
	}
	n := 0
	for _, b := range all {
		n += bits.OnesCount8(b)
	}
	if n == 0 {
		n = runtime.NumCPU()
	}
	return usable(n, os.DirFS("/"))
}

// Threads returns the GOMAXPROCS of each rank: its share of the processors.
func Threads(cpus, ranks int) int { return max(1, cpus/ranks) }

// usable applies the CPU limits of the control groups that root shows.
func usable(cpus int, root fs.FS) int {
	for version, dir := range sysinfo.Groups(root, "cpu") {
		limit := limit2
		if version == 1 {
			limit = limit1
		}
		if l := limit(root, dir); l > 0 {
			cpus = min(cpus, max(1, int(l)))
		}
	}
	return max(1, cpus)
}

// limit2 returns the processors that a version 2 group may use, 0 for all.
func limit2(root fs.FS, dir string) float64 {
	text, err := fs.ReadFile(root, path.Join(dir, "cpu.max"))
	if err != nil {
		return 0
	}
	field := strings.Fields(string(text))
	if len(field) != 2 {
		return 0
	}
	return ratio(field[0], field[1])
}

// limit1 returns the processors that a version 1 group may use, 0 for all.
func limit1(root fs.FS, dir string) float64 {
	quota, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_quota_us"))
	if err != nil {
		return 0
	}
	period, err := fs.ReadFile(root, path.Join(dir, "cpu.cfs_period_us"))
	if err != nil {
		return 0
	}
	return ratio(strings.TrimSpace(string(quota)), strings.TrimSpace(string(period)))
}

// ratio returns quota/period, 0 if there is no limit ("max", -1).
func ratio(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return 0
	}
	return q / p
}
