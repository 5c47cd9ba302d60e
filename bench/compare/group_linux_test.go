package compare

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A launcher that is told to end has the time to remove the files of its job; what is left of the job then, and a
// launcher that does not listen, are killed.
func TestLaunchersCleanUp(t *testing.T) {
	for script, cleans := range map[string]bool{
		`sleep 60 & trap "echo gone > FILE; exit 1" TERM; echo ready; wait`:   true,
		`trap "" TERM; echo ready; sleep 60`:                                  false,
		`trap "kill $$" TERM; (trap "" TERM; sleep 60) & echo ready; wait $!`: false,
	} {
		file := filepath.Join(t.TempDir(), "file")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(script, "FILE", file))
		ended := inGroup(cmd, 500*time.Millisecond)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(make([]byte, 6)); err != nil {
			t.Fatal(err)
		}
		cancel()
		err = cmd.Wait()
		ended()
		if err == nil {
			t.Errorf("%s: ended with success", script)
		}
		if _, err := os.Stat(file); (err == nil) != cleans {
			t.Errorf("%s: its file: %v", script, err)
		}
		for i := 0; alive(cmd.Process.Pid); i++ {
			if i == 1000 {
				t.Fatalf("%s: processes are left", script)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
}

// alive reports whether a process of the group runs; one that has ended may wait for its parent.
func alive(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		text, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); len(f) > 2 && f[0] != "Z" && f[2] == strconv.Itoa(group) {
			return true
		}
	}
	return false
}
