package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"rhinet/internal/launch"
)

// A place to which nothing can be written is found before anything is started.
func TestPlacesThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	started := filepath.Join(dir, "started")
	long := filepath.Join(dir, strings.Repeat("x", 256)) // no file system has such names
	for _, args := range [][]string{
		{"--stats=" + long + ".txt"}, {"--trace", long}, {"--profile", "cpu:" + long}, {"--time", "loggp", "--model-trace", long + ".json"},
		{"--time", "loggp", "--time-report", long},
	} {
		status, _, text := mpirun(t, append(args, "touch", started)...)
		if status != launch.StatusUsage || !strings.HasSuffix(text, ": it cannot be written: file name too long; name another file\n") {
			t.Errorf("%.20q: status %d, %q", args, status, text)
		}
	}
	if names := filesIn(t, dir); len(names) > 0 {
		t.Errorf("there is %q", names)
	}
}

func filesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// To look whether a file can be written changes nothing.
func TestLookingAtAPlace(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("old", []byte(vcdMark), 0o640), os.Symlink("nothing", "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new", "old", "link", os.DevNull} {
		if err := mayWrite(name, vcdMark); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile("old"); string(text) != vcdMark || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	if got := filesIn(t, "."); !slices.Equal(got, []string{"link", "old"}) {
		t.Errorf("there is %q", got)
	}
}

// A file that is replaced keeps its mode; a link is followed.
func TestCreateReplaces(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.WriteFile("old", []byte("before"), 0o640), os.Symlink("behind", "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new", "old", "link", os.DevNull} {
		err := create(name, func(out io.Writer) error { _, err := io.WriteString(out, "now"); return err })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"new", "old", "behind"} {
		if text, err := os.ReadFile(name); string(text) != "now" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if info, err := os.Stat("old"); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if got := filesIn(t, "."); !slices.Equal(got, []string{"behind", "link", "new", "old"}) {
		t.Errorf("there is %q", got)
	}
}

// A file that is not complete is not there, whether its writing fails or a signal ends it.
func TestCreateLeavesNoPart(t *testing.T) {
	t.Chdir(t.TempDir())
	broken := errors.New("broken")
	if err := create("x", func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	never := make(chan struct{})
	defer close(never)
	err := create("x", func(out io.Writer) error {
		io.WriteString(out, "a part")
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			return err
		}
		<-never
		return nil
	})
	if err == nil || err.Error() != "x was not complete when the signal to end came (interrupt)" {
		t.Errorf("%v", err)
	}
	if got := filesIn(t, "."); len(got) > 0 {
		t.Errorf("there is %q", got)
	}
}
