package control

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// ErrSilent reports that nothing was heard from the other side for too long, and ErrLate that only its kernel
// was.
var (
	ErrSilent = fmt.Errorf("nothing was heard from it for %v", silence*beat)
	ErrLate   = fmt.Errorf("its host answers, but its process was not heard for %v", lateness*beat)
)

// A Conn carries values between two sides in frames: the length in 4 bytes, followed by as many bytes of a
// gob stream. A length of 0 is a heartbeat, and paused announces that the next frame may take long.
type Conn struct {
	raw     *tls.Conn
	in      *gob.Decoder
	heard   atomic.Bool
	reading atomic.Bool           // Receive waits for bytes
	patient atomic.Bool           // the other side has paused
	gone    atomic.Pointer[error] // why this side has closed it: ErrSilent or ErrLate

	mu     sync.Mutex // guards writing
	out    *gob.Encoder
	buffer bytes.Buffer

	over    chan struct{}
	closing sync.Once
	err     error // result of Close
	beating sync.WaitGroup
}

const paused = ^uint32(0)

func newConn(raw *tls.Conn, every time.Duration) *Conn {
	c := &Conn{raw: raw, over: make(chan struct{})}
	c.in = gob.NewDecoder(&frames{conn: c})
	c.out = gob.NewEncoder(&c.buffer)
	wanted := make(chan struct{}, 1)
	c.beating.Go(func() { c.watch(wanted, every) })
	c.beating.Go(func() { c.beat(wanted) })
	return c
}

// watch sends heartbeats and closes a connection that receives none while Receive waits: at other times it
// is this side that does not listen. It counts its own ticks rather than time, because this process may have
// been stopped for a time. A heartbeat that was sent is acknowledged within one tick if the host is there.
func (c *Conn) watch(wanted chan<- struct{}, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for missing := 0; ; {
		select {
		case <-c.over:
			return
		case <-tick.C:
		}
		select {
		case wanted <- struct{}{}:
		default: // the last one is still being sent
		}
		if missing++; c.heard.Swap(false) || c.patient.Load() || !c.reading.Load() {
			missing = 0
		}
		if missing >= silence && !acknowledged(c.raw.NetConn(), silence*every) {
			c.giveUp(ErrSilent)
			return
		}
		if missing >= lateness {
			c.giveUp(ErrLate)
			return
		}
	}
}

// giveUp closes the connection because the other side is gone.
func (c *Conn) giveUp(why error) {
	c.gone.Store(&why)
	c.hangUp()
}

func (c *Conn) beat(wanted <-chan struct{}) {
	for {
		select {
		case <-c.over:
			return
		case <-wanted:
			_ = c.mark(0) // Receive notices it
		}
	}
}

// mark sends a frame without content.
func (c *Conn) mark(length uint32) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.write(binary.BigEndian.AppendUint32(nil, length))
}

func (c *Conn) write(b []byte) error {
	_, err := c.raw.Write(b)
	return c.explain(err)
}

// Pause announces that this side may be silent until it sends something again.
func (c *Conn) Pause() error { return c.mark(paused) }

// Send sends a value. Any goroutine may call it.
func (c *Conn) Send(v any) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buffer.Reset()
	c.buffer.Write(make([]byte, 4))
	if err := c.out.Encode(v); err != nil {
		return err
	}
	frame := c.buffer.Bytes()
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return c.write(frame)
}

// Receive waits for the next value. One goroutine may call it. Only Receive notices heartbeats, and that
// there are none. The end of the connection is an error: io.EOF if the other side has closed it, ErrSilent if
// it was silent, ErrLate if only its host answers.
func (c *Conn) Receive(v any) error { return c.explain(c.in.Decode(v)) }

// explain returns why a call has failed.
func (c *Conn) explain(err error) error {
	switch gone := c.gone.Load(); {
	case err == nil:
		return nil
	case gone != nil:
		return *gone
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.EOF
	}
	return err
}

// Local returns the address of this side, without a port.
func (c *Conn) Local() string { return host(c.raw.LocalAddr()) }

// Remote returns the address of the other side, without a port.
func (c *Conn) Remote() string { return host(c.raw.RemoteAddr()) }

func host(a net.Addr) string { return a.(*net.TCPAddr).IP.String() }

// hangUp closes the connection without the close message of TLS, which could block on a peer that does not
// read.
func (c *Conn) hangUp() {
	c.closing.Do(func() {
		close(c.over)
		c.err = c.raw.NetConn().Close()
	})
}

// Close ends the connection.
func (c *Conn) Close() error {
	c.hangUp()
	c.beating.Wait()
	return c.err
}

// frames reads the contents of frames.
type frames struct {
	conn *Conn
	left int
}

func (f *frames) Read(b []byte) (int, error) {
	c := f.conn
	c.reading.Store(true)
	defer c.reading.Store(false)
	for f.left == 0 {
		var length [4]byte
		if _, err := io.ReadFull(c.raw, length[:]); err != nil {
			return 0, err
		}
		n := binary.BigEndian.Uint32(length[:])
		c.heard.Store(true)
		if c.patient.Store(n == paused); n != paused {
			f.left = int(n)
		}
	}
	n, err := c.raw.Read(b[:min(len(b), f.left)])
	c.heard.Store(true)
	f.left -= n
	return n, err
}
