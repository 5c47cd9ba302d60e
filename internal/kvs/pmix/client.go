//go:build pmix && linux && (amd64 || arm64)

package pmix

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"rhinet/internal/kvs"
)

// Built reports whether the program was built with PMIx.
const Built = true

// name names the store in errors.
const name = "the launcher's PMIx"

// A Client is a process that a launcher with PMIx has started as one rank of a job. There is one in a
// process.
type Client struct {
	lib      *library
	self     *proc
	size     int
	patience time.Duration

	unsaid []byte            // values put since the latest fence
	values map[string][]byte // of all ranks, up to the latest fence
	fences int

	end  sync.Once
	gone chan struct{} // closed when the server is lost before Close
	left chan struct{} // closed by Close, else
	lost error         // belongs to the goroutine that uses the store
}

var _ kvs.Store = (*Client)(nil)

// Open connects to the launcher that the environment names.
func Open() (*Client, error) { return open(kvs.Patience) }

func open(patience time.Duration) (*Client, error) {
	lib, err := load()
	if err != nil {
		return nil, err
	}
	c := &Client{lib: lib, self: new(proc), patience: patience, values: map[string][]byte{}, gone: make(chan struct{}), left: make(chan struct{})}
	if err := c.call("PMIx_Init", false, func() int32 { return lib.initialize(c.self, nil, 0) }); err != nil {
		return nil, err
	}
	if err := c.call("PMIx_Register_event_handler", false, func() int32 { return min(lib.onLoss(c.lose), 0) }); err != nil {
		return nil, err
	}
	v, err := c.ask(c.self.all(), jobSize)
	if err != nil {
		return nil, err
	}
	size, ok := v.number()
	if !ok || c.Rank() >= size {
		return nil, c.fail(fmt.Errorf("it says that rank %d is one of %d", c.Rank(), size))
	}
	c.size = size
	return c, nil
}

// lose notes that the server has gone.
func (c *Client) lose() { c.end.Do(func() { close(c.gone) }) }

// call makes a call of the library, which may never return. If patient, it waits as long as the server
// lives, otherwise for c.patience.
func (c *Client) call(what string, patient bool, f func() int32) error {
	if c.lost != nil {
		return c.lost
	}
	result := make(chan int32, 1)
	go func() { result <- f() }()
	var late <-chan time.Time
	if !patient {
		late = time.After(c.patience)
	}
	select {
	case status := <-result:
		if status != 0 {
			return c.fail(fmt.Errorf("%s: %s (%d)", what, c.lib.errorString(status), status))
		}
		return nil
	case <-c.gone:
		return c.fail(errors.New("the launcher has ended"))
	case <-late:
		return c.fail(errors.New(what + ": no answer"))
	}
}

// fail notes that the store is lost.
func (c *Client) fail(err error) error {
	c.lost = kvs.Lost(name, err)
	return c.lost
}

// ask gets a value that must exist.
func (c *Client) ask(p *proc, key string) (*value, error) {
	var v *value
	err := c.call("PMIx_Get "+key, false, func() int32 { return c.lib.get(p, key, nil, 0, &v) })
	if err == nil && v == nil {
		err = c.fail(errors.New("PMIx_Get " + key + " returns nothing"))
	}
	return v, err
}

// Rank returns the rank of this process.
func (c *Client) Rank() int { return int(c.self.rank) }

// Size returns the number of ranks.
func (c *Client) Size() int { return c.size }

// AppNum returns which of the programs of the job this process runs, from 0; ok is false if the launcher does not tell.
func (c *Client) AppNum() (n int, ok bool, err error) {
	var v *value
	err = c.call("PMIx_Get "+appNum, false, func() int32 {
		if c.lib.get(c.self, appNum, nil, 0, &v) != 0 {
			v = nil
		}
		return 0
	})
	if err != nil || v == nil {
		return 0, false, err
	}
	n, ok = v.number()
	return n, ok, nil
}

// Put keeps a value for the next fence.
func (c *Client) Put(key string, value []byte) error {
	if err := kvs.Check(key, value); err != nil {
		return err
	}
	if c.lost != nil {
		return c.lost
	}
	c.unsaid = fmt.Appendf(c.unsaid, "%s %d %s", key, len(value), value)
	return nil
}

// Fence publishes what was put, as one value of this rank, waits for the other ranks, and gets theirs: PMIx
// finds a value by key and rank, and would wait for one that nobody has put.
func (c *Client) Fence() error {
	c.fences++
	key := "rhinet." + strconv.Itoa(c.fences)
	mine := append([]byte{'.'}, c.unsaid...)
	c.unsaid = nil
	err := c.call("PMIx_Put", false, func() int32 {
		status := c.lib.put(scopeGlobal, key, ofBytes(mine))
		runtime.KeepAlive(mine)
		return status
	})
	if err == nil {
		err = c.call("PMIx_Commit", false, c.lib.commit)
	}
	if err == nil {
		err = c.call("PMIx_Fence", true, func() int32 { return c.lib.fence(c.self.all(), 1, collect(), 1) })
	}
	for rank := range c.size {
		if err == nil {
			err = c.learn(uint32(rank), key)
		}
	}
	return err
}

// learn gets what a rank has published.
func (c *Client) learn(rank uint32, key string) error {
	v, err := c.ask(c.self.peer(rank), key)
	if err != nil {
		return err
	}
	text, ok := v.bytes()
	if !ok || len(text) == 0 {
		return c.fail(errOther)
	}
	for text = text[1:]; len(text) > 0; {
		var name string
		var n int
		if _, err := fmt.Sscanf(string(text[:min(len(text), kvs.MaxKey+8)]), "%s %d ", &name, &n); err != nil {
			return c.fail(errOther)
		}
		begin := len(name) + len(strconv.Itoa(n)) + 2
		if n < 0 || begin+n > len(text) {
			return c.fail(errOther)
		}
		c.values[name] = text[begin : begin+n]
		text = text[begin+n:]
	}
	return nil
}

var errOther = errors.New("a rank has put what this version does not; use programs of one build")

// Get looks up a value.
func (c *Client) Get(key string) ([]byte, error) {
	if c.lost != nil {
		return nil, c.lost
	}
	v, ok := c.values[key]
	if !ok {
		return nil, fmt.Errorf("%s: %s: %w", name, key, kvs.ErrAbsent)
	}
	return v, nil
}

// Hosts returns the number of each rank's host, from 0. All ranks must call it: each knows only those on
// its own host.
func (c *Client) Hosts() ([]int, error) {
	v, err := c.ask(c.self.all(), localPeers)
	if err != nil {
		return nil, err
	}
	peers, _ := v.bytes()
	lowest, _, _ := strings.Cut(string(peers), ",")
	const host = "host."
	if err := errors.Join(c.Put(host+strconv.Itoa(c.Rank()), []byte(lowest)), c.Fence()); err != nil {
		return nil, err
	}
	hosts := make([]int, c.size)
	number := map[string]int{}
	for rank := range hosts {
		lowest, err := c.Get(host + strconv.Itoa(rank))
		if err != nil {
			return nil, err
		}
		if _, known := number[string(lowest)]; !known {
			number[string(lowest)] = len(number)
		}
		hosts[rank] = number[string(lowest)]
	}
	return hosts, nil
}

// Gone calls f, in a goroutine of its own, if the launcher ends before Close.
func (c *Client) Gone(f func()) {
	go func() {
		select {
		case <-c.gone:
			f()
		case <-c.left:
		}
	}()
}

// Abort has the launcher end the job with a status. Any goroutine may call it.
func (c *Client) Abort(status int) {
	over := make(chan struct{})
	go func() {
		c.lib.abort(int32(status), "a rank has called Abort", nil, 0)
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(c.patience):
	}
}

// Close tells the launcher that this rank ends normally.
func (c *Client) Close() error {
	c.end.Do(func() { close(c.left) })
	if c.lost != nil {
		return nil // nobody to tell
	}
	return c.call("PMIx_Finalize", false, func() int32 { return c.lib.finalize(nil, 0) })
}
