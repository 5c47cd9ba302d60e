// Package memcached keeps a job's key-value store in a memcached server. Each value carries a message
// authentication code with the key of the job, because anybody who reaches the server can write to it.
package memcached

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/bradfitz/gomemcache/memcache"

	"rhinet/internal/kvs"
)

// Scheme is the start of the name of such a store: memcached://HOST:PORT.
const Scheme = "memcached://"

const (
	// keptFor is how long the server keeps the entries of a job that was killed, in seconds.
	keptFor = 24 * 60 * 60
	// The pauses of a rank that waits for others grow from shortPause to longPause.
	shortPause, longPause = 200 * time.Microsecond, 20 * time.Millisecond
)

// A Store is one rank's connection to the store.
type Store struct {
	client *memcache.Client
	name   string
	prefix string // of the job's keys
	key    []byte
	size   int
	fences int
	put    []string
	lost   error

	missing func() error // see Watch; may be nil
}

var (
	_ kvs.Store   = (*Store)(nil)
	_ kvs.Lister  = (*Store)(nil)
	_ kvs.Watcher = (*Store)(nil)
)

// Open opens the store of a job of the given number of ranks at HOST:PORT. key is the job's secret, the
// same at all ranks and for this job only. It fails if there is no server.
func Open(address string, key []byte, size int) (*Store, error) {
	return open(address, key, size, kvs.Patience)
}

func open(address string, key []byte, size int, patience time.Duration) (*Store, error) {
	if err := CheckAddress(address); err != nil {
		return nil, err
	}
	s := &Store{client: memcache.New(address), name: Scheme + address, key: key, size: size}
	s.client.Timeout = patience
	s.client.MaxIdleConns = 1
	job := sha256.Sum256(key)
	s.prefix = fmt.Sprintf("rhinet.%x.", job[:12])
	if err := s.client.Ping(); err != nil {
		return nil, s.fail(err)
	}
	return s, nil
}

// CheckAddress returns what is wrong with HOST:PORT.
func CheckAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if n, bad := strconv.Atoi(port); err != nil || host == "" || bad != nil || n < 1 || n > 65535 {
		return fmt.Errorf("kvs: %s%s names no server; write %sHOST:PORT", Scheme, address, Scheme)
	}
	return nil
}

// Put stores a value.
func (s *Store) Put(key string, value []byte) error {
	if err := kvs.Check(key, value); err != nil {
		return err
	}
	if s.lost != nil {
		return s.lost
	}
	item := &memcache.Item{Key: s.prefix + key, Value: append(s.sign(key, value), value...), Expiration: keptFor}
	if err := s.client.Add(item); err != nil {
		return s.fail(err)
	}
	s.put = append(s.put, key)
	return nil
}

// Get looks up a value.
func (s *Store) Get(key string) ([]byte, error) {
	if s.lost != nil {
		return nil, s.lost
	}
	item, err := s.client.Get(s.prefix + key)
	if err != nil && !errors.Is(err, memcache.ErrCacheMiss) {
		return nil, s.fail(err)
	}
	return s.value(key, item)
}

// List looks up many values in one request.
func (s *Store) List(keys []string) ([][]byte, error) {
	if s.lost != nil {
		return nil, s.lost
	}
	names := make([]string, len(keys))
	for i, key := range keys {
		names[i] = s.prefix + key
	}
	items, err := s.client.GetMulti(names)
	if err != nil {
		return nil, s.fail(err)
	}
	values := make([][]byte, len(keys))
	for i, key := range keys {
		if values[i], err = s.value(key, items[names[i]]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// value returns what a rank has put, if the entry is authentic; a nil item means that there is no entry.
func (s *Store) value(key string, item *memcache.Item) ([]byte, error) {
	if item == nil {
		return nil, fmt.Errorf("%s: %s: %w", s.name, key, kvs.ErrAbsent)
	}
	if len(item.Value) < sha256.Size || !hmac.Equal(item.Value[:sha256.Size], s.sign(key, item.Value[sha256.Size:])) {
		return nil, s.fail(fmt.Errorf("somebody else has written the value of %s", key))
	}
	return item.Value[sha256.Size:], nil
}

// sign returns the authentication code of a key and its value.
func (s *Store) sign(key string, value []byte) []byte {
	m := hmac.New(sha256.New, s.key)
	fmt.Fprintf(m, "%s=", key)
	m.Write(value)
	return m.Sum(nil)
}

// Watch has Fence ask missing before it looks again at a counter.
func (s *Store) Watch(missing func() error) { s.missing = missing }

// Fence adds itself to the counter of this fence and waits until all ranks have. When all ranks have
// reached a fence, the one before is over: no rank needs its counter any more.
func (s *Store) Fence() error {
	if s.lost != nil {
		return s.lost
	}
	s.fences++
	counter := s.counter(s.fences)
	n, err := s.count(counter)
	for pause := shortPause; err == nil && n < uint64(s.size); pause = min(2*pause, longPause) {
		time.Sleep(pause)
		var gone error
		if s.missing != nil {
			gone = s.missing()
		}
		if n, err = s.read(counter); gone != nil && err == nil && n != uint64(s.size) {
			s.lost = gone
			return gone
		}
	}
	if err != nil {
		return s.fail(err)
	}
	s.drop(s.counter(s.fences - 1))
	return nil
}

func (s *Store) counter(fence int) string { return fmt.Sprintf("%sfence:%d", s.prefix, fence) }

// count adds 1 to a counter, which starts at 0, and returns it.
func (s *Store) count(counter string) (uint64, error) {
	err := s.client.Add(&memcache.Item{Key: counter, Value: []byte("0"), Expiration: keptFor})
	if err != nil && !errors.Is(err, memcache.ErrNotStored) {
		return 0, err
	}
	return s.client.Increment(counter, 1)
}

func (s *Store) read(counter string) (uint64, error) {
	item, err := s.client.Get(counter)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(string(item.Value), 10, 64)
}

// drop removes an entry, which another rank may already have removed.
func (s *Store) drop(key string) {
	_ = s.client.Delete(key)
}

// Close removes what this rank has put; the last rank to close also removes the counters.
func (s *Store) Close() error {
	if s.lost != nil {
		return s.client.Close()
	}
	for _, key := range s.put {
		s.drop(s.prefix + key)
	}
	closed := s.prefix + "closed:"
	if n, err := s.count(closed); err == nil && n == uint64(s.size) {
		s.drop(s.counter(s.fences))
		s.drop(closed)
	}
	return s.client.Close()
}

// fail notes that the store is lost.
func (s *Store) fail(err error) error {
	if errors.Is(err, memcache.ErrCacheMiss) {
		err = errors.New("the server has forgotten entries of the job; was it started again, or is it short of memory?")
	}
	s.lost = kvs.Lost(s.name, err)
	return s.lost
}
