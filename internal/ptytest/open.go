package ptytest

import (
	"os"
	"testing"

	"github.com/creack/pty"

	"rhinet/internal/need"
)

// Open returns both sides of a pseudo terminal of the given width, 0 for an unknown width. They are closed
// when the test ends. Where there are no pseudo terminals, the test is skipped; in the gate it fails.
func Open(t testing.TB, columns int) (user, program *os.File) {
	t.Helper()
	user, program, err := pty.Open()
	if err != nil {
		need.Missing(t, "a pseudo terminal: "+err.Error())
	}
	t.Cleanup(func() {
		user.Close()
		program.Close()
	})
	if columns > 0 {
		if err := pty.Setsize(program, &pty.Winsize{Rows: 24, Cols: uint16(columns)}); err != nil {
			t.Fatal(err)
		}
	}
	return user, program
}
