package control

import (
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// acknowledged reports whether the kernel of the other side has acknowledged anything within d (tcp(7),
// TCP_INFO).
func acknowledged(conn net.Conn, d time.Duration) (yes bool) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		yes = err == nil && time.Duration(info.Last_ack_recv)*time.Millisecond < d
	})
	return yes && err == nil
}
