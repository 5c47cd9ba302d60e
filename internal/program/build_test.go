package program

import (
	"os"
	"testing"
)

func TestTemporaryDirectoryNamedFromNowhere(t *testing.T) {
	nowhere := t.TempDir()
	t.Setenv("TMPDIR", "tmp")
	t.Chdir(nowhere)
	if err := os.Remove(nowhere); err != nil {
		t.Skip(err)
	}
	_, err := Build(t.Context(), []Program{{Name: ".", Package: "."}}, nil)
	if want := "TMPDIR is tmp, but the current directory is gone: name another place"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
