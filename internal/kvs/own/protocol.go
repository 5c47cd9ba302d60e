// Package own is the key-value store that mpirun serves to the ranks of its job,
// over TCP. A connection begins with both sides showing that they know the key of the
// job, which does not travel:
//
//	server  rhinet-kvs 1 NONCE
//	client  NONCE RANK HMAC(key, "client", both nonces, rank)
//	server  HMAC(key, "server", both nonces, rank)
//
// Then the client asks in lines, and each has one line as its answer, but for list. While an
// answer is due, the server sends dots, so that its silence means that it is gone.
//
//	put KEY VALUE     ok
//	get KEY           value VALUE, or absent
//	list              entries N, and N lines KEY VALUE: all that there is
//	fence             ok, or left RANK
//
// Values are in hexadecimal. The package protects who may speak, not what is said on the way.
package own

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"rhinet/internal/kvs"
)

// Scheme begins the name of such a store: rhinet://HOST:PORT.
const Scheme = "rhinet://"

const (
	greeting   = "rhinet-kvs 1"
	nonceBytes = 16
	// longestLine bounds what either side reads: a put of the longest key and value.
	longestLine = len("put ") + kvs.MaxKey + 1 + 2*kvs.MaxValue + 1
)

// NewKey returns the key of a new job.
func NewKey() []byte { return random(32) }

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}

// prove returns what shows that a side knows the key.
func prove(key []byte, side, server, client string, rank int) string {
	m := hmac.New(sha256.New, key)
	fmt.Fprintf(m, "%s %s %s %d", side, server, client, rank)
	return hex.EncodeToString(m.Sum(nil))
}

// same compares what the other side has said with what it should have, in a time that tells nothing.
func same(said, should string) bool { return hmac.Equal([]byte(said), []byte(should)) }
