package own

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/kvstest"
)

func serve(t *testing.T, ranks int) (*Server, []byte) {
	t.Helper()
	key := NewKey()
	s, err := Serve("127.0.0.1:0", key, ranks)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, key
}

func openAll(t *testing.T, address string, key []byte, ranks int, patience time.Duration) []kvs.Store {
	t.Helper()
	all := make([]kvs.Store, ranks)
	for i := range all {
		s, err := open(address, key, i, patience)
		if err != nil {
			t.Fatal(err)
		}
		all[i] = s
	}
	return all
}

func TestConformance(t *testing.T) {
	for _, ranks := range []int{1, 2, 5} {
		s, key := serve(t, ranks)
		kvstest.Run(t, openAll(t, s.Address(), key, ranks, time.Minute))
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestServerEnds(t *testing.T) {
	s, key := serve(t, 3)
	kvstest.Lost(t, openAll(t, s.Address(), key, 3, time.Minute), Scheme+s.Address(), func() { s.Close() })
}

func TestRankIsMissing(t *testing.T) {
	s, key := serve(t, 3)
	s.beat = 10 * time.Millisecond
	kvstest.Missing(t, openAll(t, s.Address(), key, 3, time.Minute))
}

// A silent server counts as lost, like one that has ended: this one sends no heartbeat, as if its host were
// disconnected.
func TestServerIsSilent(t *testing.T) {
	s, key := serve(t, 2)
	s.beat = time.Hour
	all := openAll(t, s.Address(), key, 2, time.Minute)
	all[0].(*Store).patience = 100 * time.Millisecond
	kvstest.Lost(t, all, Scheme+s.Address(), func() {})
	for _, address := range []string{kvstest.Silent(t), liar(t, greeting+" 00\n"), "127.0.0.1:1"} {
		kvstest.LostAtStart(t, Scheme+address, func() (kvs.Store, error) { return open(address, key, 0, 100*time.Millisecond) })
	}
}

// Ranks that wait for a long time get signs of life from the server, and continue to wait.
func TestLongWait(t *testing.T) {
	s, key := serve(t, 2)
	s.beat = 10 * time.Millisecond
	all := openAll(t, s.Address(), key, 2, time.Second)
	go func() {
		time.Sleep(1500 * time.Millisecond)
		all[1].Fence()
	}()
	if err := all[0].Fence(); err != nil {
		t.Error(err)
	}
}

// When a rank leaves, the waits of ranks that need it end, and also those that begin later.
func TestRankLeaves(t *testing.T) {
	s, key := serve(t, 3)
	all := openAll(t, s.Address(), key, 3, time.Minute)
	go all[1].Close()
	for _, i := range []int{0, 2} {
		if err := all[i].Fence(); !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), "rank 1 has left") {
			t.Errorf("rank %d: %v", i, err)
		}
	}
}

// A client that does not know the key learns nothing, whatever it sends, and does not keep others from
// connecting.
func TestStrangers(t *testing.T) {
	s, key := serve(t, 2)
	for what, err := range map[string]error{
		"another key":           second(open(s.Address(), NewKey(), 0, time.Minute)),
		"no such rank":          second(open(s.Address(), key, 2, time.Minute)),
		"a rank below all":      second(open(s.Address(), key, -1, time.Minute)),
		"no server at all":      second(open("127.0.0.1:1", key, 0, time.Minute)),
		"no address that is":    second(open("nowhere", key, 0, time.Minute)),
		"a server of something": second(open(liar(t, "220 mail.example ready\n"), key, 0, time.Minute)),
		"the server of another": second(open(liar(t, greeting+" 00\n", "00\n"), key, 0, time.Minute)),
	} {
		if !errors.Is(err, kvs.ErrLost) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, text := range []string{"\n", "get k\n", "a b\n", "00 0 00\n", "00 x 00\n", strings.Repeat("x", 1<<16)} {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(c)
		if _, err := in.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(c, text)
		if line, err := in.ReadString('\n'); err == nil {
			t.Errorf("%.10q is answered by %q", text, line)
		}
		c.Close()
	}
	all := openAll(t, s.Address(), key, 2, time.Minute)
	if _, err := open(s.Address(), key, 1, time.Minute); !errors.Is(err, kvs.ErrLost) {
		t.Errorf("a rank twice: %v", err)
	}
	kvstest.Run(t, all)
}

func second(_ *Store, err error) error { return err }

// liar returns the address of a server that answers one connection with lines that no store sends.
func liar(t *testing.T, lines ...string) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		in := bufio.NewReader(c)
		for i, line := range lines {
			if i > 0 {
				in.ReadString('\n')
			}
			fmt.Fprint(c, line)
		}
		in.ReadString('\n')
	}()
	return l.Addr().String()
}

// TestListsOfNonsense: an invalid list counts as the loss of the store.
func TestListsOfNonsense(t *testing.T) {
	for _, answer := range []string{"entries x\n", "entries 2\nk 00\n", "entries 1\nk zz\n", "values 1\n"} {
		here, there := net.Pipe()
		s := &Store{conn: here, in: bufio.NewReaderSize(here, longestLine), name: Scheme + "here", patience: time.Minute}
		go func() {
			bufio.NewReader(there).ReadString('\n')
			fmt.Fprint(there, answer)
			there.Close()
		}()
		if _, err := s.List([]string{"k"}); !errors.Is(err, kvs.ErrLost) {
			t.Errorf("%q: %v", answer, err)
		}
		if _, err := s.List(nil); !errors.Is(err, kvs.ErrLost) {
			t.Errorf("after %q: %v", answer, err)
		}
		s.Close()
	}
}
