package output

import (
	"io"
	"os"

	"golang.org/x/term"
)

// Columns of a terminal whose width is unknown.
const defaultColumns = 80

// Columns returns the width of the terminal that w is, 0 if w is not a terminal.
func Columns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0
	}
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		return n
	}
	return defaultColumns
}

// sameTerminal reports whether two writers are the same terminal.
func sameTerminal(a, b io.Writer) bool {
	if Columns(a) == 0 || Columns(b) == 0 {
		return false
	}
	ia, errA := a.(*os.File).Stat()
	ib, errB := b.(*os.File).Stat()
	return errA == nil && errB == nil && os.SameFile(ia, ib)
}
