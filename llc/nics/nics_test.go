package nics

import (
	"errors"
	"os"
	"strings"
	"testing"

	"rhinet/nicemu/fabric"
)

func TestTable(t *testing.T) {
	f, err := fabric.Heap(2, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open("infiniband", f, 0); err == nil || !strings.Contains(err.Error(), `"infiniband"`) || !strings.Contains(err.Error(), "martini") {
		t.Errorf("unknown name: %v", err)
	}
	for _, name := range Names() {
		f, err := fabric.Heap(2, Geometry(name, fabric.Small(), 2))
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Open(name, f, 1)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Self() != 1 || tr.Peers() != 2 || tr.Caps().Name != name {
			t.Errorf("%s: %d of %d, calls itself %q", name, tr.Self(), tr.Peers(), tr.Caps().Name)
		}
		if _, err := Open(name, f, 1); err == nil {
			t.Errorf("%s: opened twice", name)
		}
		if err := tr.Close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(Default, f, 2); err == nil {
		t.Error("opened rank 2 of 2")
	}
}

func TestAttachVariable(t *testing.T) {
	for value, remote := range map[string]bool{"off": false, "on": true, "auto": true, "": true} {
		t.Setenv(AttachVariable, value)
		f, err := fabric.Heap(1, fabric.Small())
		if err != nil {
			t.Fatal(err)
		}
		tr, err := Open(Default, f, 0)
		if err != nil {
			t.Fatal(err)
		}
		if tr.Caps().Remote != remote {
			t.Errorf("%q: remote memory %v", value, tr.Caps().Remote)
		}
		_ = tr.Close()
	}
	t.Setenv(AttachVariable, "perhaps")
	f, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(Default, f, 0); err == nil || !strings.Contains(err.Error(), AttachVariable) {
		t.Error(err)
	}
}

func TestRegisterAnUnknownName(t *testing.T) {
	f, err := fabric.Heap(1, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	if err := Register("infiniband", f); err == nil || !strings.Contains(err.Error(), "no such network interface") {
		t.Error(err)
	}
}

// register does the launcher's part.
func register(t testing.TB, file *os.File) {
	t.Helper()
	f, err := fabric.Map(file)
	if err == nil {
		err = errors.Join(Register(Default, f), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
