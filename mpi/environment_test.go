package mpi

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestEnvironment checks the inquiries of section 9.1.
func TestEnvironment(t *testing.T) {
	if major, minor := Version(); major != 4 || minor != 1 {
		t.Errorf("version %d.%d", major, minor)
	}
	if v := LibraryVersion(); !strings.HasPrefix(v, "rhinet ") || !strings.HasSuffix(v, runtime.GOOS+"/"+runtime.GOARCH) || strings.Contains(v, "\n") {
		t.Errorf("library version %q", v)
	}
	host, err := os.Hostname()
	if name, bad := ProcessorName(); err != nil || bad != nil || name != host {
		t.Errorf("processor %q of %q, %v, %v", name, host, bad, err)
	}
	if tick := Wtick(); tick <= 0 || tick > 1e-6 {
		t.Errorf("a tick of %v s", tick)
	}
}

// TestBuiltWith: the version is that of this module, wherever it is in the build
// information.
func TestBuiltWith(t *testing.T) {
	const unknown = "of unknown version"
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{nil, unknown},
		{&debug.BuildInfo{Main: debug.Module{Path: "rhinet", Version: "(devel)"}}, unknown},
		{&debug.BuildInfo{Main: debug.Module{Path: "rhinet", Version: "v1.2.3"}}, "v1.2.3"},
		{&debug.BuildInfo{Main: debug.Module{Path: "other", Version: "v9.0.0"}, Deps: []*debug.Module{{Path: "rhinet", Version: "v0.4.0"}}}, "v0.4.0"},
	} {
		if got := builtWith(c.info, c.info != nil); got != c.want {
			t.Errorf("%+v: %q, want %q", c.info, got, c.want)
		}
	}
}
