// Package own is the key-value store that mpirun serves to the ranks of its job, over TCP. At the start of
// a connection both sides prove that they know the key of the job, which is not transmitted:
//
//	server  rhinet-kvs 1 NONCE
//	client  NONCE RANK HMAC(key, "client", both nonces, rank)
//	server  HMAC(key, "server", both nonces, rank)
//
// Then the client sends requests of one line, each of which has an answer of one line, except list. While
// an answer is pending, the server sends dots, so that silence means that it is gone. A server that is only
// late, as on a busy machine, has half a minute: whether its host is there is asked by the kernel (SO_KEEPALIVE),
// for five seconds.
//
//	put KEY VALUE     ok
//	get KEY           value VALUE, or absent
//	list              entries N, and N lines KEY VALUE: all that there is
//	fence             ok, or left RANK
//
// Values are in hexadecimal. The package protects who may connect, not the data on the way.
package own

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net"
	"time"

	"rhinet/internal/kvs"
)

// Scheme is the start of the name of such a store: rhinet://HOST:PORT.
const Scheme = "rhinet://"

const (
	greeting   = "rhinet-kvs 1"
	nonceBytes = 16
	// longestLine limits what either side reads: a put of the longest key and value.
	longestLine = len("put ") + kvs.MaxKey + 1 + 2*kvs.MaxValue + 1
	// lateness is how long a server may be silent whose host is there.
	lateness = 30 * time.Second
)

// probes has the kernel end a connection to a host that is cut off. While a rank waits for others, it sends
// nothing that could be unanswered.
var probes = net.KeepAliveConfig{Enable: true, Idle: time.Second, Interval: time.Second, Count: 4}

// NewKey returns the key of a new job.
func NewKey() []byte { return random(32) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// prove returns the proof that a side knows the key.
func prove(key []byte, side, server, client string, rank int) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "%s %s %s %d", side, server, client, rank)
	return hex.EncodeToString(m.Sum(nil))
}

// same compares in constant time what the other side has sent with what it should have sent.
func same(said, should string) bool { return hmac.Equal([]byte(said), []byte(should)) }
