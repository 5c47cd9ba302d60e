package launch

import (
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/term"
)

// foregroundPoll is how often a launcher in the background of a terminal checks whether it is in the
// foreground.
const foregroundPoll = 200 * time.Millisecond

// rankInput returns the input of rank 0. A file or a pipe is handed down as it is. A terminal cannot be:
// ranks lead process groups of their own, and the kernel stops a process that reads a terminal from the
// background. So the launcher reads the terminal and passes the bytes on. release closes the launcher's
// copy of the rank's descriptor.
func rankInput(stdin *os.File) (input *os.File, release func(), err error) {
	if stdin == nil || !term.IsTerminal(int(stdin.Fd())) {
		return stdin, func() {}, nil
	}
	fd, w, err := blockingPipe()
	if err != nil {
		return nil, nil, err
	}
	go passOn(stdin, w)
	return fd, func() { fd.Close() }, nil
}

// blockingPipe returns a pipe whose ends suit programs that do not expect non-blocking reads.
func blockingPipe() (r, w *os.File, err error) {
	rfd, wfd, err := pipe()
	if err != nil {
		return nil, nil, err
	}
	if err := syscall.SetNonblock(rfd, false); err != nil {
		syscall.Close(rfd)
		syscall.Close(wfd)
		return nil, nil, err
	}
	return os.NewFile(uintptr(rfd), "input"), os.NewFile(uintptr(wfd), "input"), nil
}

// passOn copies a terminal to w until its end, or until w has no reader. It may stay in a read when the job
// is over; then the launcher ends with it.
func passOn(terminal, w *os.File) {
	defer w.Close()
	runtime.LockOSThread() // for ever: the thread is not like others any more
	failInBackground()
	buf := make([]byte, 4096)
	for {
		n, err := terminal.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
		}
		switch {
		case errors.Is(err, syscall.EIO) && !isForeground(terminal):
			time.Sleep(foregroundPoll)
		case err != nil:
			return
		}
	}
}
