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

// A conn is the connection to a launcher. One goroutine reads all that comes, so
// that the end of the launcher is noticed at any time.
type conn struct {
	file     *os.File
	name     string
	patience time.Duration
	framed   bool        // version 2: six digits of length before each message
	messages chan string // closed at the end
	cause    error       // why; for readers of the closed channel
	ending   chan struct{}
	over     chan struct{} // closed when nothing more can come
	early    bool          // it was over before the rank left; for readers of the closed over
	broken   bool          // the rank could not write; for readers of the closed ending
	lost     error
}

// longestMessage bounds what a launcher may send.
const longestMessage = 64 << 10

func newConn(f *os.File, name string, patience time.Duration) *conn {
	return &conn{file: f, name: name, patience: patience, messages: make(chan string, 1), ending: make(chan struct{}), over: make(chan struct{})}
}

// listen reads until the end. Only the first message comes before a version is agreed on.
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
	// Decided before anybody can learn of the loss and close the connection for it.
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

// first reads the line that comes before all others, while nobody listens yet.
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

// say sends a message as it is.
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

// last sends a message that has no answer, whatever others do.
func (c *conn) last(text string) {
	if c.file.SetWriteDeadline(time.Now().Add(c.patience)) == nil {
		_, _ = io.WriteString(c.file, text)
	}
}

// ask sends a message and returns the next one that comes. patient asks wait
// as long as the launcher lives, others c.patience.
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

// end sends the last message, whose answer the launcher may leave out, and closes
// the connection.
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

// refused words an answer that is not the one expected.
func (c *conn) refused(asked, answer string) error {
	return c.fail(errors.New("the launcher answers " + strconv.Quote(answer) + " to " + asked))
}
