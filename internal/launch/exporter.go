package launch

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// An exporter sends the output of the ranks of a host to mpirun.
type exporter struct {
	send    func(*message) error
	number  func(r int) int // rank number in the job
	files   []*os.File
	running sync.WaitGroup

	mu   sync.Mutex
	more *sync.Cond
	room int // bytes that mpirun accepts now
	shut bool
}

func newExporter(send func(*message) error, number func(int) int) *exporter {
	x := &exporter{send: send, number: number, room: window}
	x.more = sync.NewCond(&x.mu)
	return x
}

// Forward sends one output of a rank, which comes through a pipe.
func (x *exporter) Forward(pipe *os.File, r int, isError bool) {
	x.files = append(x.files, pipe)
	x.running.Go(func() { x.forward(pipe, x.number(r), isError) })
}

// forward sends data from the pipe until the last writer has closed it, or what is left in it when the
// exporter finishes.
func (x *exporter) forward(file *os.File, rank int, isError bool) {
	buf := make([]byte, pieceBytes)
	pass := func(n int) bool {
		return n <= 0 || x.pass(&piece{Rank: rank, Error: isError, Data: buf[:n]})
	}
	for {
		n, err := file.Read(buf)
		if !pass(n) {
			return
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil {
			return
		}
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return
	}
	for n := 1; n > 0; {
		raw.Control(func(fd uintptr) { n, err = syscall.Read(int(fd), buf) })
		if errors.Is(err, syscall.EINTR) {
			n = 1
			continue
		}
		if !pass(n) {
			return
		}
	}
}

// pass sends a piece when there is room for it.
func (x *exporter) pass(p *piece) bool {
	x.mu.Lock()
	for x.room < p.weight() && !x.shut {
		x.more.Wait()
	}
	x.room -= p.weight()
	shut := x.shut
	x.mu.Unlock()
	return !shut && x.send(&message{Output: p}) == nil
}

// taken notes that mpirun has passed on n bytes.
func (x *exporter) taken(n int) {
	x.mu.Lock()
	x.room += n
	x.mu.Unlock()
	x.more.Broadcast()
}

// abandon drops output that is no longer accepted.
func (x *exporter) abandon() {
	x.mu.Lock()
	x.shut = true
	x.mu.Unlock()
	x.more.Broadcast()
}

// finish sends what the pipes still hold when all ranks have ended.
func (x *exporter) finish() {
	for _, f := range x.files {
		f.SetReadDeadline(time.Now())
	}
	x.running.Wait()
	for _, f := range x.files {
		f.Close()
	}
}
