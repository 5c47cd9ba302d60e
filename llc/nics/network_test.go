package nics

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rhinet/internal/kvs"
	"rhinet/internal/kvs/own"
	"rhinet/internal/pmi"
	"rhinet/llc/entry"
	"rhinet/nicemu/fabric"
)

// keyFD returns a descriptor from which a key can be read.
func keyFD(t *testing.T, text string) int {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, text)
	w.Close()
	defer r.Close()
	fd, err := syscall.Dup(int(r.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// heap makes the memory of a host.
func heap(t *testing.T, ranks int) *fabric.Fabric {
	t.Helper()
	f, err := fabric.Heap(ranks, fabric.Small())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestRanksOnSeveralHostsMeet(t *testing.T) {
	const size = 4
	f := heap(t, size)
	key := own.NewKey()
	server, err := own.Serve("127.0.0.1:0", key, size)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var ranks sync.WaitGroup
	secrets := make([]uint32, size)
	for r := range size {
		job := pmi.Job{Rank: r, Size: size, Host: r / 2, Address: fmt.Sprint("10.0.0.", r/2), Store: own.Scheme + server.Address(), Key: keyFD(t, hex.EncodeToString(key))}
		n, err := network(job, nil, f)
		if err != nil || n.Host != job.Host || n.Address != job.Address {
			t.Fatal(n, err)
		}
		ranks.Go(func() {
			all, secret, err := n.Meet([]byte{'n', byte(r)})
			if err != nil || len(all) != size {
				t.Errorf("rank %d: %v, %v", r, all, err)
				return
			}
			for p, place := range all {
				if place.Host != p/2 || string(place.Name) != string([]byte{'n', byte(p)}) {
					t.Errorf("rank %d is at %+v", p, place)
				}
			}
			secrets[r] = secret
		})
	}
	ranks.Wait()
	for _, s := range secrets {
		if s != secrets[0] {
			t.Error("secrets differ", secrets)
		}
	}
}

// Ranks that meet learn that another one will not come.
func TestRankIsLostBeforeOthersMeet(t *testing.T) {
	f, key := heap(t, 3), own.NewKey()
	server, err := own.Serve("127.0.0.1:0", key, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var ranks sync.WaitGroup
	for r := range 2 {
		n, err := network(pmi.Job{Rank: r, Size: 3, Address: "10.0.0.1", Store: own.Scheme + server.Address(), Key: keyFD(t, hex.EncodeToString(key))}, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		ranks.Go(func() {
			if _, _, err := n.Meet([]byte("me")); err == nil || !strings.Contains(err.Error(), "rank 2, or its host, was lost before all ranks had met") {
				t.Errorf("rank %d: %v", r, err)
			}
		})
	}
	f.MarkFailed(2)
	ranks.Wait()
}

func TestNoNetwork(t *testing.T) {
	if n, err := network(pmi.Single(0, 1), nil, nil); n != nil || err != nil {
		t.Error(n, err)
	}
	f := heap(t, 2)
	job := pmi.Job{Size: 2, Address: "10.0.0.1", Store: own.Scheme + "127.0.0.1:1"}
	for _, text := range []string{"", "xyz", "123"} {
		job.Key = keyFD(t, text)
		if _, err := network(job, nil, f); err == nil || !strings.Contains(err.Error(), "holds no key") {
			t.Errorf("key %q: %v", text, err)
		}
	}
	for _, scheme := range []string{own.Scheme, "memcached://"} {
		job.Key, job.Store = keyFD(t, "00"), scheme+"127.0.0.1:1"
		n, err := network(job, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := n.Meet([]byte("me")); !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), job.Store) {
			t.Error(err)
		}
	}
}

// A NIC that reaches one host only says so.
func TestNICsOfOneHost(t *testing.T) {
	f := heap(t, 1)
	if _, err := (Debug{}).openNIC(Default, f, 0, new(entry.Network)); !errors.Is(err, errOneHost) {
		t.Error(err)
	}
	if _, err := (Debug{}).openNIC("martini+tcp", f, 0, nil); err == nil || !strings.Contains(err.Error(), "for jobs on several hosts") {
		t.Error(err)
	}
}

// TestSpread: names of NICs of jobs on several hosts, and errors for others.
func TestSpread(t *testing.T) {
	for name, want := range map[string]string{
		"": "martini+tcp", "ib:ud": "ib:ud+tcp", "tcp": "tcp", "tofu+tcp": "tofu+tcp", "martini+ofi": "martini+ofi", "ofi": "ofi", "ofi:provider=rxm": "ofi:provider=rxm", "tofu+ofi:provider=rxm": "tofu+ofi:provider=rxm",
	} {
		if got, err := Spread(name); err != nil || got != want || (Tag(got) == "ofi") != strings.Contains(want, "ofi") {
			t.Errorf("%q: %q, %v, tag %q", name, got, err, Tag(got))
		}
	}
	for name, want := range map[string]string{
		"pigeon": "no such network interface", "timed": "no such network interface", "martini+pigeon": "no such network interface",
		"martini+ib": "ib reaches ranks on one host only; tcp and ofi reach others", "ofi+ofi": "ofi reaches ranks on its own host as well", "tcp+ofi": "tcp reaches ranks on its own host as well", "martini+ofi+ofi": "no such network interface",
	} {
		if got, err := Spread(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
}

// A shelf is a store with given contents.
type shelf map[string][]byte

func (s shelf) Put(string, []byte) error { return nil }
func (s shelf) Fence() error             { return nil }
func (s shelf) Close() error             { return nil }
func (s shelf) Get(key string) ([]byte, error) {
	if v, ok := s[key]; ok {
		return v, nil
	}
	return nil, kvs.ErrAbsent
}

func TestWhatTheStoreHoldsIsChecked(t *testing.T) {
	place, short := []byte{0, 1, 'x'}, []byte{0, 1}
	for what, c := range map[string]struct {
		s    shelf
		want error
	}{
		"all right":    {shelf{"place.0": place, "secret": {0, 0, 1, 2}}, nil},
		"no place":     {shelf{"secret": {0, 0, 1, 2}}, kvs.ErrAbsent},
		"no secret":    {shelf{"place.0": place}, kvs.ErrAbsent},
		"short place":  {shelf{"place.0": short, "secret": {0, 0, 1, 2}}, errOther},
		"short secret": {shelf{"place.0": place, "secret": {1}}, errOther},
	} {
		all, secret, err := meet(c.s, pmi.Job{Size: 1}, []byte("me"))
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", what, err)
		}
		if c.want == nil && (secret != 0x102 || len(all) != 1 || all[0].Host != 1 || string(all[0].Name) != "x") {
			t.Errorf("%s: %v %x", what, all, secret)
		}
	}
}
