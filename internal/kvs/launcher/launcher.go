// Package launcher uses the key-value stores that other launchers serve to the processes that they start:
// the process management interface, PMI, in its versions 1 (MPICH's hydra) and 2 (Slurm, hydra). Both are
// text protocols on a connection that a process inherits. MPI implementations describe them only in their
// sources; MPICH: src/pmi.
package launcher

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"

	"rhinet/internal/kvs"
)

// A Client is a process that a launcher has started as one rank of a job. Its connection lasts until Close,
// which tells the launcher that the rank has ended normally.
type Client struct {
	*conn
	wire wire
	rank int
	size int
}

var _ kvs.Store = (*Client)(nil)

// wire is what differs between the versions of PMI. Values are text.
type wire interface {
	start(c *conn, rank int) error
	put(c *conn, key, value string) error
	fence(c *conn) error
	get(c *conn, key string) (value string, found bool, err error)
	mapping(c *conn) (value string, found bool, err error)
	program(c *conn) (value string, found bool, err error)
	finish() string
	abort(status int) string
}

// The variables by which launchers tell a process how to connect.
const (
	envFD   = "PMI_FD"
	envRank = "PMI_RANK"
	envSize = "PMI_SIZE"
	envJob  = "PMI_JOBID"
	envPort = "PMI_PORT"      // hydra's other way, which processes must request
	envStep = "SLURM_STEP_ID" // Slurm prefers version 2
)

// Speaks reports whether the environment names a launcher whose store can be opened.
func Speaks(getenv func(string) string) bool { return getenv(envFD) != "" }

// Variables returns the variables by which launchers tell a process its place in the job. They must not
// reach programs that a rank starts.
func Variables() []string {
	return []string{envFD, envRank, envSize, envJob, envPort, envStep, "MPI_LOCALNRANKS", "MPI_LOCALRANKID", "SLURM_PROCID"}
}

// Open connects to the launcher that the environment names. The Client owns the descriptor from then on,
// even if Open fails.
func Open(getenv func(string) string) (*Client, error) {
	var n [3]int
	for i, name := range []string{envFD, envRank, envSize} {
		var err error
		if n[i], err = strconv.Atoi(getenv(name)); err != nil || n[i] < 0 {
			return nil, fmt.Errorf("kvs: %s is %q: a launcher sets it to a number", name, getenv(name))
		}
	}
	fd, rank, size := n[0], n[1], n[2]
	if rank >= size {
		return nil, fmt.Errorf("kvs: %s=%d does not fit %s=%d", envRank, rank, envSize, size)
	}
	if getenv(envStep) != "" {
		return open(fd, rank, size, &pmi2{job: getenv(envJob)}, "Slurm's PMI-2", kvs.Patience)
	}
	return open(fd, rank, size, new(pmi1), "hydra's PMI-1", kvs.Patience)
}

func open(fd, rank, size int, w wire, name string, patience time.Duration) (*Client, error) {
	syscall.CloseOnExec(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, kvs.Lost(name, fmt.Errorf("%s=%d is not an open descriptor: %w", envFD, fd, err))
	}
	c := &Client{conn: newConn(os.NewFile(uintptr(fd), name), name, patience), wire: w, rank: rank, size: size}
	if err := w.start(c.conn, rank); err != nil {
		return nil, errors.Join(err, c.file.Close())
	}
	return c, nil
}

// Rank returns the rank of this process.
func (c *Client) Rank() int { return c.rank }

// Size returns the number of ranks.
func (c *Client) Size() int { return c.size }

// AppNum returns which of the programs of the job this process runs, from 0; ok is false if the launcher does not tell.
func (c *Client) AppNum() (n int, ok bool, err error) {
	text, found, err := c.wire.program(c.conn)
	if err != nil || !found {
		return 0, false, err
	}
	n, err = strconv.Atoi(text)
	return n, err == nil && n >= 0, nil
}

// Put stores a value.
func (c *Client) Put(key string, value []byte) error {
	if err := kvs.Check(key, value); err != nil {
		return err
	}
	return c.wire.put(c.conn, key, encode(value))
}

// Fence waits for the other ranks.
func (c *Client) Fence() error { return c.wire.fence(c.conn) }

// Get looks up a value.
func (c *Client) Get(key string) ([]byte, error) {
	text, found, err := c.wire.get(c.conn, key)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%s: %s: %w", c.name, key, kvs.ErrAbsent)
	}
	value, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s is %.40q: %w", c.name, key, text, err)
	}
	return value, nil
}

// Hosts returns the number of each rank's host, from 0, as the launcher gives it: host names would be less
// reliable. It fails if the launcher does not tell.
func (c *Client) Hosts() ([]int, error) {
	text, found, err := c.wire.mapping(c.conn)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("%s does not tell which ranks share a host", c.name)
	}
	hosts, err := parseMapping(text, c.size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	return hosts, nil
}

// Gone calls f, in a goroutine of its own, if the launcher ends before Close.
func (c *Client) Gone(f func()) {
	go func() {
		if <-c.over; c.early {
			f()
		}
	}()
}

// Abort has the launcher end the job with a status. Any goroutine may call it.
func (c *Client) Abort(status int) { c.last(c.wire.abort(status)) }

// Close tells the launcher that this rank ends normally.
func (c *Client) Close() error { return c.end(c.wire.finish()) }

// Launchers read values as words: the first character keeps the word from being empty.
func encode(value []byte) string { return "v" + base64.RawURLEncoding.EncodeToString(value) }

func decode(text string) ([]byte, error) {
	if text == "" || text[0] != 'v' {
		return nil, errors.New("rhinet has not put this")
	}
	return base64.RawURLEncoding.DecodeString(text[1:])
}
