package own

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The kernel asks every second whether the host of the server is still there, and a server that is only late has
// more time.
func TestProbes(t *testing.T) {
	s, key := serve(t, 1)
	c, err := Open(s.Address(), key, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if c.patience != lateness {
		t.Errorf("the server may be late by %v", c.patience)
	}
	raw, err := c.conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	err = raw.Control(func(fd uintptr) {
		total := 0
		for option, want := range map[int]int{unix.TCP_KEEPIDLE: 1, unix.TCP_KEEPINTVL: 1, unix.TCP_KEEPCNT: 4} {
			got, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option)
			if err != nil || got != want {
				t.Errorf("option %d is %d, %v", option, got, err)
			}
			total += got
		}
		on, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_KEEPALIVE)
		if err != nil || on != 1 || time.Duration(total)*time.Second > lateness {
			t.Errorf("on %d, %v", on, err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
