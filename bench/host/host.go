// Package host describes the machine on which a measurement ran, so that a result can be judged without
// access to it.
package host

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// A Host is recorded with every result.
type Host struct {
	Time   time.Time `json:"time"`
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"`
	L1     int       `json:"l1_bytes"`
	L2     int       `json:"l2_bytes"`
	L3     int       `json:"l3_bytes"`
	OS     string    `json:"os"`
	Kernel string    `json:"kernel"`
	Go     string    `json:"go"`
	Commit string    `json:"commit"` // "unknown" when built outside a checkout
	Load   string    `json:"load_before"`
	After  string    `json:"load_after"`
}

// Describe returns the description of this machine, now.
func Describe() Host {
	h := Host{
		Time: time.Now().UTC().Truncate(time.Second), CPU: cpuid.CPU.BrandName, Cores: runtime.NumCPU(),
		L1: cpuid.CPU.Cache.L1D, L2: cpuid.CPU.Cache.L2, L3: cpuid.CPU.Cache.L3,
		OS: runtime.GOOS + "/" + runtime.GOARCH, Kernel: first("/proc/sys/kernel/osrelease"),
		Go: runtime.Version(), Commit: "unknown", Load: Load(),
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		dirty := ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				h.Commit = s.Value[:min(12, len(s.Value))]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+changes"
			}
		}
		h.Commit += dirty
	}
	return h
}

// FindCommit fills in the commit of a program that was built without one: that of the checkout of this
// module in whose folder the program runs, if there is one. It is marked as such, because the program may
// be older.
func (h *Host) FindCommit() {
	if !strings.HasPrefix(h.Commit, "unknown") {
		return
	}
	git := func(args ...string) string {
		text, err := exec.Command("git", args...).Output()
		if err != nil {
			return ""
		}
		return strings.TrimSpace(string(text))
	}
	top := git("rev-parse", "--show-toplevel")
	if top == "" || !strings.HasPrefix(first(filepath.Join(top, "go.mod")), "module rhinet\n") {
		return
	}
	h.Commit = git("rev-parse", "--short=12", "HEAD")
	if git("status", "--porcelain", "--untracked-files=no") != "" {
		h.Commit += "+changes"
	}
	h.Commit += " (of the folder)"
}

// Load returns the 1, 5 and 15 minute load averages, or "unknown".
func Load() string {
	f := strings.Fields(first("/proc/loadavg"))
	if len(f) < 3 {
		return "unknown"
	}
	return strings.Join(f[:3], " ")
}

// String returns the line that is printed above a table.
func (h Host) String() string {
	return fmt.Sprintf("%s, %d cores, L2 %d KiB, %s %s, %s, commit %s, %s, load before %s, after %s",
		h.CPU, h.Cores, h.L2>>10, h.OS, h.Kernel, h.Go, h.Commit, h.Time.Format(time.RFC3339), h.Load, h.After)
}

func first(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}
