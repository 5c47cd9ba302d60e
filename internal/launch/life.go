package launch

import (
	"fmt"
	"syscall"
)

// A life is the pipe that tells ranks that their launcher lives: they hold the
// end to read, it alone the end to write, and nobody ever writes. Its end is
// the only sign on systems without a death signal. Where the kernel can, it
// also kills the process group of each rank, which the death signal does not
// reach beyond the rank itself.
type life struct{ read, write int }

func newLife() (*life, error) {
	r, w, err := pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe for the ranks to watch: %w", err)
	}
	return &life{r, w}, nil
}

func (l *life) close() {
	syscall.Close(l.read)
	syscall.Close(l.write)
}
