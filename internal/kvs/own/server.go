package own

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	"rhinet/internal/kvs"
)

// A Server keeps the values of one job.
type Server struct {
	listener net.Listener
	key      []byte
	size     int
	beat     time.Duration // between two dots
	conns    sync.WaitGroup

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	values map[string]string
	inside []bool // ranks that are connected, or have been
	now    *fence
	left   int // 1 + the first rank that has left; 0: none
}

// Serve starts the store of a job of the given number of ranks. It listens at HOST:PORT; port 0 means any
// free one.
func Serve(address string, key []byte, size int) (*Server, error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, key: key, size: size, beat: kvs.Patience / 4,
		open: map[net.Conn]bool{}, values: map[string]string{}, inside: make([]bool, size), now: &fence{over: make(chan struct{})}}
	s.conns.Go(s.accept)
	return s, nil
}

// Address returns HOST:PORT.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends the store and all connections.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	err := s.listener.Close()
	for c := range s.open {
		err = errors.Join(err, c.Close())
	}
	s.mu.Unlock()
	s.conns.Wait()
	return err
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(time.Millisecond) // out of descriptors: there may be some soon
			continue
		}
		s.mu.Lock()
		if s.closed {
			conn.Close()
		} else {
			s.open[conn] = true
			s.conns.Go(func() { s.serve(conn) })
		}
		s.mu.Unlock()
	}
}

// A session is the connection of one rank.
type session struct {
	*Server
	conn net.Conn
	in   *bufio.Reader
	rank int
}

// serve serves one connection until it ends. A client that does not know the key gets no answer.
func (s *Server) serve(conn net.Conn) {
	c := session{Server: s, conn: conn, in: bufio.NewReaderSize(conn, longestLine)}
	if c.admit() {
		for c.answer() {
		}
		c.leave()
	}
	s.mu.Lock()
	if s.open[conn] {
		delete(s.open, conn)
		conn.Close()
	}
	s.mu.Unlock()
}

func (c *session) admit() bool {
	server := hex.EncodeToString(random(nonceBytes))
	if c.conn.SetDeadline(time.Now().Add(kvs.Patience)) != nil || !c.say(greeting+" "+server) {
		return false
	}
	words := strings.Fields(c.read())
	if len(words) != 3 {
		return false
	}
	rank, err := strconv.Atoi(words[1])
	if err != nil || !same(words[2], prove(c.key, "client", server, words[0], rank)) || !c.enter(rank) {
		return false
	}
	return c.say(prove(c.key, "server", server, words[0], rank)) && c.conn.SetDeadline(time.Time{}) == nil
}

// enter marks a rank as connected; each rank may connect once.
func (c *session) enter(rank int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if rank < 0 || rank >= c.size || c.inside[rank] {
		return false
	}
	c.rank, c.inside[rank] = rank, true
	return true
}

// leave tells the ranks that wait for this one that it will not come.
func (c *session) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left == 0 {
		c.left = c.rank + 1
	}
	if c.now.ranks > 0 {
		c.end()
	}
}

// A fence is a Fence call of all ranks.
type fence struct {
	ranks   int           // ranks that wait
	over    chan struct{} // closed when it ends
	verdict string        // the answer to them
}

// end completes the current fence. The next one can begin.
func (s *Server) end() {
	s.now.verdict = "ok"
	if s.now.ranks < s.size {
		s.now.verdict = fmt.Sprintf("left %d", s.left-1)
	}
	close(s.now.over)
	s.now = &fence{over: make(chan struct{})}
}

// join adds one more rank to the current fence.
func (s *Server) join() *fence {
	s.mu.Lock()
	defer s.mu.Unlock()
	f := s.now
	if f.ranks++; f.ranks == s.size || s.left > 0 {
		s.end()
	}
	return f
}

// answer answers one line. It reports whether the rank continues.
func (c *session) answer() bool {
	word, rest, _ := strings.Cut(c.read(), " ")
	switch word {
	case "put":
		key, value, _ := strings.Cut(rest, " ")
		c.mu.Lock()
		c.values[key] = value
		c.mu.Unlock()
		return c.say("ok")
	case "get":
		c.mu.Lock()
		value, ok := c.values[rest]
		c.mu.Unlock()
		if !ok {
			return c.say("absent")
		}
		return c.say("value " + value)
	case "list":
		_, err := c.conn.Write(c.list())
		return err == nil
	case "fence":
		return c.fence()
	}
	return false
}

// list returns the lines with all values.
func (c *session) list() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	text := fmt.Appendf(nil, "entries %d\n", len(c.values))
	for key, value := range c.values {
		text = fmt.Appendf(text, "%s %s\n", key, value)
	}
	return text
}

// fence waits for all ranks and sends a dot from time to time.
func (c *session) fence() bool {
	f := c.join()
	dots := time.NewTicker(c.beat)
	defer dots.Stop()
	for {
		select {
		case <-f.over:
			return c.say(f.verdict)
		case <-dots.C:
			if !c.say(".") {
				return false
			}
		}
	}
}

// say writes a line.
func (c *session) say(line string) bool {
	_, err := c.conn.Write([]byte(line + "\n"))
	return err == nil
}

// read returns the next line, "" if there is none.
func (c *session) read() string {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return ""
	}
	return string(line[:len(line)-1])
}
