package tcp

import (
	"errors"

	"golang.org/x/sys/unix"
)

// A Poller tells which of many sockets are ready. It belongs to one goroutine at a time, except for Await
// and Release.
type Poller struct {
	fd     int
	pipe   [2]int // writing to it ends Await
	events [batch]unix.EpollEvent
}

// batch is how many sockets one Look reports at most.
const batch = 16

// NewPoller makes a poller without sockets.
func NewPoller() (*Poller, error) {
	p := &Poller{pipe: [2]int{-1, -1}}
	var err error
	if p.fd, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	if err := unix.Pipe2(p.pipe[:], unix.O_CLOEXEC); err != nil {
		return nil, errors.Join(err, unix.Close(p.fd))
	}
	return p, nil
}

// Add has Look report a socket by a key; with out, also when Send may have room.
func (p *Poller) Add(s Socket, key int, out bool) error {
	return unix.EpollCtl(p.fd, unix.EPOLL_CTL_ADD, int(s), event(key, out))
}

// Change changes the key and out of a socket.
func (p *Poller) Change(s Socket, key int, out bool) {
	_ = unix.EpollCtl(p.fd, unix.EPOLL_CTL_MOD, int(s), event(key, out))
}

// Remove removes a socket.
func (p *Poller) Remove(s Socket) { _ = unix.EpollCtl(p.fd, unix.EPOLL_CTL_DEL, int(s), nil) }

func event(key int, out bool) *unix.EpollEvent {
	e := &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(key)}
	if out {
		e.Events |= unix.EPOLLOUT
	}
	return e
}

// Look fills out with sockets that are ready, and returns how many.
func (p *Poller) Look(out []Ready) int {
	n, errno := glance(p.fd, p.events[:min(len(out), batch)])
	if errno != 0 {
		return 0
	}
	for i, e := range p.events[:n] {
		const broken = unix.EPOLLERR | unix.EPOLLHUP
		out[i] = Ready{Key: int(e.Fd), In: e.Events&(unix.EPOLLIN|broken) != 0, Out: e.Events&(unix.EPOLLOUT|broken) != 0}
	}
	return n
}

// Await blocks until a socket is ready, and returns true, or until Release, and returns false. One
// goroutine may run it concurrently with all other calls.
func (p *Poller) Await() bool {
	fds := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}, {Fd: int32(p.pipe[0]), Events: unix.POLLIN}}
	for {
		if _, err := unix.Ppoll(fds, nil, nil); err != unix.EINTR && err != unix.EAGAIN {
			return fds[1].Revents == 0
		}
	}
}

// Release ends Await for good.
func (p *Poller) Release() { _, _ = unix.Write(p.pipe[1], []byte{0}) }

// Close closes the poller, not its sockets.
func (p *Poller) Close() error {
	return errors.Join(unix.Close(p.fd), unix.Close(p.pipe[0]), unix.Close(p.pipe[1]))
}
