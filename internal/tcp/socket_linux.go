package tcp

import (
	"fmt"
	"io"
	"net/netip"

	"golang.org/x/sys/unix"
)

// backlog is how many streams may wait for Accept.
const backlog = 1024

// Listen makes a listening socket at a free port of an address of this host, and returns its address.
func Listen(address string) (s Socket, at netip.AddrPort, err error) {
	host, err := netip.ParseAddr(address)
	if err != nil {
		return None, at, fmt.Errorf("%q is not an address: %w", address, err)
	}
	if s, err = open(host); err != nil {
		return None, at, err
	}
	if err = unix.Bind(int(s), sockaddr(netip.AddrPortFrom(host, 0))); err == nil {
		err = unix.Listen(int(s), backlog)
	}
	if err == nil {
		at, err = s.address(host)
	}
	if err != nil {
		s.Close()
		return None, at, fmt.Errorf("%s: %w", address, err)
	}
	return s, at, nil
}

// open makes a socket.
func open(host netip.Addr) (Socket, error) {
	family := unix.AF_INET
	if host.Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	return Socket(fd), err
}

// sockaddr returns at in the form of the system.
func sockaddr(at netip.AddrPort) unix.Sockaddr {
	if at.Addr().Is6() {
		return &unix.SockaddrInet6{Port: int(at.Port()), Addr: at.Addr().As16()}
	}
	return &unix.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}
}

// address returns the address of the socket.
func (s Socket) address(host netip.Addr) (netip.AddrPort, error) {
	own, err := unix.Getsockname(int(s))
	switch a := own.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(host, uint16(a.Port)), err
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(host, uint16(a.Port)), err
	}
	return netip.AddrPort{}, err
}

// Dial starts to connect to an address. Once the socket is ready for Send, Connected tells whether there is
// a stream.
func Dial(to netip.AddrPort) (Socket, error) {
	s, err := open(to.Addr())
	if err != nil {
		return None, err
	}
	s.prompt()
	if err := unix.Connect(int(s), sockaddr(to)); err != nil && err != unix.EINPROGRESS {
		s.Close()
		return None, err
	}
	return s, nil
}

// prompt has data sent at once, without waiting for more.
func (s Socket) prompt() { _ = unix.SetsockoptInt(int(s), unix.IPPROTO_TCP, unix.TCP_NODELAY, 1) }

// Connected returns why there is no stream, nil if there is.
func (s Socket) Connected() error {
	code, err := unix.GetsockoptInt(int(s), unix.SOL_SOCKET, unix.SO_ERROR)
	if err == nil && code != 0 {
		err = unix.Errno(code)
	}
	return err
}

// Accept returns the next incoming stream, None if there is none.
func (s Socket) Accept() (Socket, error) {
	fd, _, err := unix.Accept4(int(s), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	switch err {
	case nil:
		Socket(fd).prompt()
		return Socket(fd), nil
	case unix.EAGAIN, unix.EINTR, unix.ECONNABORTED:
		return None, nil
	}
	return None, err
}

// Send sends b or its first n bytes, 0 if there is no room.
func (s Socket) Send(b []byte) (n int, err error) {
	n, errno := send(int(s), b)
	return outcome(n, errno)
}

// SendBoth is Send of a followed by b.
func (s Socket) SendBoth(a, b []byte) (n int, err error) {
	n, errno := sendBoth(int(s), a, b)
	return outcome(n, errno)
}

// Recv fills b or its first n bytes, 0 if nothing has come. io.EOF is the end of the stream.
func (s Socket) Recv(b []byte) (n int, err error) {
	n, errno := receive(int(s), b)
	if n == 0 && errno == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return outcome(n, errno)
}

// outcome returns the result of a call that may be tried again.
func outcome(n int, errno unix.Errno) (int, error) {
	switch errno {
	case 0:
		return n, nil
	case unix.EAGAIN, unix.EINTR, unix.ENOBUFS:
		return 0, nil
	}
	return 0, errno
}

// Unsent returns how many bytes the other side has not confirmed yet.
func (s Socket) Unsent() int {
	n, err := unix.IoctlGetInt(int(s), unix.SIOCOUTQ)
	if err != nil {
		return 0
	}
	return n
}

// Finish ends sending: nothing more will be sent.
func (s Socket) Finish() { _ = unix.Shutdown(int(s), unix.SHUT_WR) }

// Close closes the socket.
func (s Socket) Close() { _ = unix.Close(int(s)) }
