package launcher

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"rhinet/internal/kvs"
)

// A conn is the connection to a launcher. One goroutine reads all messages, so that the end of the launcher
// is noticed at any time.
type conn struct {
	file     *os.File
	name     string
	patience time.Duration
	framed   bool        // version 2: six digits of length before each message
	messages chan string // closed at the end
	cause    error       // reason of the end; for readers of the closed channel
	ending   chan struct{}
	over     chan struct{} // closed when nothing more can come
	early    bool          // over was closed before the rank left; for readers of the closed over
	broken   bool          // the rank could not write; for readers of the closed ending
	lost     error
}

// longestMessage limits the length of a launcher's message.
const longestMessage = 64 << 10

func newConn(f *os.File, name string, patience time.Duration) *conn {
	return &conn{file: f, name: name, patience: patience, messages: make(chan string, 1), ending: make(chan struct{}), over: make(chan struct{})}
}

// listen reads messages until the end. Only the first message precedes the agreement on a version.
func (c *conn) listen(in *bufio.Reader) {
	for c.cause == nil {
		var text string
		if text, c.cause = c.receive(in); c.cause == nil {
			c.messages <- text
		}
	}
	if errors.Is(c.cause, io.EOF) {
		c.cause = errors.New("the launcher has ended")
	}
	// Decide this before anybody can learn of the loss and close the connection because of it.
	select {
	case <-c.ending:
		c.early = c.broken
	default:
		c.early = true
	}
	close(c.over)
	close(c.messages)
}

func (c *conn) receive(in *bufio.Reader) (string, error) {
	if !c.framed {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return "", err
		}
		return string(line[:len(line)-1]), nil
	}
	var digits [6]byte
	if _, err := io.ReadFull(in, digits[:]); err != nil {
		return "", err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(digits[:])))
	if err != nil || n < 0 {
		return "", errors.New("the length of a message is no number")
	}
	text := make([]byte, n)
	_, err = io.ReadFull(in, text)
	return string(text), err
}

// first reads the line that comes before all others, before listen runs.
func (c *conn) first(in *bufio.Reader) (string, error) {
	if err := c.file.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
		return "", err
	}
	line, err := in.ReadString('\n')
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = errors.New("no answer")
	}
	return line, errors.Join(err, c.file.SetReadDeadline(time.Time{}))
}

// say sends a message unchanged.
func (c *conn) say(text string) error {
	if c.lost != nil {
		return c.lost
	}
	err := c.file.SetWriteDeadline(time.Now().Add(c.patience))
	if err == nil {
		_, err = io.WriteString(c.file, text)
	}
	if err != nil {
		c.broken = !errors.Is(err, os.ErrDeadlineExceeded)
		return c.fail(err)
	}
	return nil
}

// last sends a message that has no answer, whatever other goroutines do.
func (c *conn) last(text string) {
	if c.file.SetWriteDeadline(time.Now().Add(c.patience)) == nil {
		_, _ = io.WriteString(c.file, text)
	}
}

// ask sends a message and returns the next one that arrives. If patient, it waits as long as the launcher
// lives, otherwise for c.patience.
func (c *conn) ask(text string, patient bool) (string, error) {
	if err := c.say(text); err != nil {
		return "", err
	}
	var late <-chan time.Time
	if !patient {
		late = time.After(c.patience)
	}
	select {
	case answer, ok := <-c.messages:
		if !ok {
			return "", c.fail(c.cause)
		}
		return answer, nil
	case <-late:
		return "", c.fail(errors.New("no answer"))
	}
}

// end sends the last message, which the launcher need not answer, and closes the connection.
func (c *conn) end(last string) error {
	close(c.ending)
	if c.lost == nil {
		_, _ = c.ask(last, false)
	}
	err := c.file.Close()
	for range c.messages {
	}
	return err
}

// fail notes that the launcher is lost.
func (c *conn) fail(err error) error {
	c.lost = kvs.Lost(c.name, err)
	return c.lost
}

// refused returns the error for an unexpected answer.
func (c *conn) refused(asked, answer string) error {
	return c.fail(errors.New("the launcher answers " + strconv.Quote(answer) + " to " + asked))
}
