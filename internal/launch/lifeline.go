package launch

import (
	"fmt"
	"syscall"
)

// A lifeline is the pipe that shows ranks that their launcher is alive: ranks hold the read end, only the
// launcher the write end, and nobody ever writes. Its end of file is the only sign on systems without a
// death signal. Where the kernel can, it also kills the process group of each rank; the death signal
// reaches only the rank itself.
type lifeline struct{ read, write int }

func newLifeline() (*lifeline, error) {
	r, w, err := pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe for the ranks to watch: %w", err)
	}
	return &lifeline{r, w}, nil
}

func (l *lifeline) close() {
	syscall.Close(l.read)
	syscall.Close(l.write)
}
