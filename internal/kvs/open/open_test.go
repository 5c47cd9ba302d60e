package open

import (
	"errors"
	"strings"
	"testing"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/own"
)

func TestStore(t *testing.T) {
	key := own.NewKey()
	server, err := own.Serve("127.0.0.1:0", key, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	s, err := Store(own.Scheme+server.Address(), key, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put("k", []byte("v")), s.Fence(), s.Close()); err != nil {
		t.Error(err)
	}
	for _, name := range []string{own.Scheme + "127.0.0.1:1", "memcached://127.0.0.1:1"} {
		if s, err := Store(name, key, 0, 1); s != nil || !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, %v", s, err)
		}
	}
	for _, name := range []string{"", "redis://a:1", "127.0.0.1:1"} {
		if _, err := Store(name, key, 0, 1); err == nil || !strings.Contains(err.Error(), "names no store; write memcached://HOST:PORT") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestCheck(t *testing.T) {
	if err := Check("memcached://cache:11211"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"", "memcached://cache", "memcached://cache:x", "rhinet://a:1", "redis://a:1"} {
		if err := Check(name); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}
