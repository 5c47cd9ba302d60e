package memcached

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/kvstest"
	"rhinet/internal/need"
)

// serve starts a real server for the duration of a test.
func serve(t *testing.T) (address string, server *os.Process) {
	t.Helper()
	path := need.Program(t, "memcached")
	for range 10 { // another process may take the port first
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		_, port, _ := net.SplitHostPort(address)
		l.Close()
		args := []string{"-l", "127.0.0.1", "-p", port, "-U", "0", "-m", "16", "-t", "1"}
		if u, err := user.Current(); err == nil && u.Uid == "0" {
			args = append(args, "-u", "root")
		}
		cmd := exec.Command(path, args...)
		var said bytes.Buffer
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() { cmd.Wait(); close(ended) }()
		for alive := true; alive; {
			if c, err := net.Dial("tcp", address); err == nil {
				c.Close()
				t.Cleanup(func() { cmd.Process.Kill(); <-ended })
				return address, cmd.Process
			}
			select {
			case <-ended:
				t.Logf("memcached: %s", said.String())
				alive = false
			case <-time.After(5 * time.Millisecond):
			}
		}
	}
	t.Fatal("memcached does not start")
	return "", nil
}

func openAll(t *testing.T, address, key string, ranks int, patience time.Duration) []kvs.Store {
	t.Helper()
	all := make([]kvs.Store, ranks)
	for i := range all {
		s, err := open(address, []byte(key), ranks, patience)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = s
	}
	return all
}

// TestConformance runs jobs at the same time on one server. They do not affect each other, and leave
// nothing there.
func TestConformance(t *testing.T) {
	address, _ := serve(t)
	t.Run("jobs", func(t *testing.T) {
		for _, ranks := range []int{1, 2, 5} {
			t.Run(fmt.Sprint(ranks), func(t *testing.T) {
				t.Parallel()
				kvstest.Run(t, openAll(t, address, fmt.Sprint("job", ranks), ranks, time.Minute))
			})
		}
	})
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "stats\r\n")
	var stats []byte
	for buf := make([]byte, 4096); !bytes.Contains(stats, []byte("END\r\n")); {
		n, err := c.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		stats = append(stats, buf[:n]...)
	}
	if !bytes.Contains(stats, []byte("STAT curr_items 0\r\n")) {
		t.Errorf("the jobs have left entries: %s", stats)
	}
}

func TestServerIsKilled(t *testing.T) {
	address, server := serve(t)
	kvstest.Lost(t, openAll(t, address, "job", 3, time.Minute), Scheme+address, func() { server.Kill() })
}

func TestRankIsMissing(t *testing.T) {
	address, _ := serve(t)
	kvstest.Missing(t, openAll(t, address, "job", 3, time.Minute))
}

// A silent server counts as lost, like one that has ended.
func TestServerIsSilent(t *testing.T) {
	for _, address := range []string{kvstest.Silent(t), "127.0.0.1:1"} {
		kvstest.LostAtStart(t, Scheme+address, func() (kvs.Store, error) { return open(address, []byte("job"), 2, 100*time.Millisecond) })
	}
	address, server := serve(t)
	stores := openAll(t, address, "job", 2, time.Minute)
	for _, s := range stores {
		s.(*Store).client.Timeout = time.Second
	}
	defer server.Signal(syscall.SIGCONT)
	kvstest.Lost(t, stores, Scheme+address, func() { server.Signal(syscall.SIGSTOP) })
}

// A server that was restarted no longer has the data of the job.
func TestServerForgets(t *testing.T) {
	address, _ := serve(t)
	s, err := Open(address, []byte("job"), 2)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	go func() {
		other := memcache.New(address)
		for ; ; time.Sleep(time.Millisecond) {
			if _, err := other.Get(s.counter(1)); err == nil {
				break
			}
		}
		_ = other.FlushAll()
		other.Close()
	}()
	if err := s.Fence(); !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), "has forgotten entries of the job") {
		t.Error(err)
	}
}

// A value that was written without the job's key is not accepted.
func TestForgedValue(t *testing.T) {
	address, _ := serve(t)
	for i, forge := range []func(*memcache.Item){
		func(it *memcache.Item) { it.Value[len(it.Value)-1]++ },
		func(it *memcache.Item) { it.Value = it.Value[:5] },
		func(it *memcache.Item) { it.Value = nil },
	} {
		s, err := Open(address, []byte{byte(i)}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Put("address", []byte("10.0.0.1")); err != nil {
			t.Fatal(err)
		}
		item, err := s.client.Get(s.prefix + "address")
		if err != nil {
			t.Fatal(err)
		}
		forge(item)
		if err := s.client.Set(item); err != nil {
			t.Fatal(err)
		}
		if v, err := s.Get("address"); v != nil || err == nil || !strings.Contains(err.Error(), "somebody else has written the value of address") {
			t.Errorf("%q, %v", v, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNoServer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	if _, err := Open(address, nil, 1); !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), Scheme+address) {
		t.Error(err)
	}
	for _, wrong := range []string{"", "host", ":1", "host:", "host:x", "host:0", "host:65536"} {
		if _, err := Open(wrong, nil, 1); err == nil || !strings.Contains(err.Error(), "write memcached://HOST:PORT") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}
