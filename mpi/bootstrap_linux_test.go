package mpi

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"rhinet/internal/kvs"
	"rhinet/internal/pmi"
	"rhinet/internal/wait"
	"rhinet/llc/nics"
)

// A sharedStore is a store that ranks of this process share.
type sharedStore struct {
	sync.Mutex
	values map[string]string
	fenced sync.Cond
	inside int
	fences int
}

// A fakeGroup is one rank's place in a sharedStore.
type fakeGroup struct {
	*sharedStore
	rank, size int
	hosts      []int
	fail       string // key whose Put fails, and "fence"
}

func fakeGroups(n int) []*fakeGroup {
	t := &sharedStore{values: map[string]string{}}
	t.fenced.L = t
	all := make([]*fakeGroup, n)
	for i := range all {
		all[i] = &fakeGroup{sharedStore: t, rank: i, size: n, hosts: make([]int, n)}
	}
	return all
}

var _ processGroup = (*fakeGroup)(nil)

func (s *fakeGroup) Rank() int             { return s.rank }
func (s *fakeGroup) Size() int             { return s.size }
func (s *fakeGroup) Hosts() ([]int, error) { return s.hosts, nil }
func (s *fakeGroup) Close() error          { return nil }

func (s *fakeGroup) Put(key string, value []byte) error {
	if strings.HasPrefix(key, s.fail) && s.fail != "" {
		return kvs.Lost("the store", errors.New("it is full"))
	}
	s.Lock()
	defer s.Unlock()
	s.values[key] = string(value)
	return nil
}

func (s *fakeGroup) Get(key string) ([]byte, error) {
	s.Lock()
	defer s.Unlock()
	v, ok := s.values[key]
	if !ok {
		return nil, kvs.ErrAbsent
	}
	return []byte(v), nil
}

func (s *fakeGroup) Fence() error {
	s.Lock()
	defer s.Unlock()
	now := s.fences
	if s.inside++; s.inside == s.size {
		s.inside = 0
		s.fences++
		s.fenced.Broadcast()
	}
	for s.fences == now {
		s.fenced.Wait()
	}
	return nil
}

// TestBootstrap: ranks that start share the same memory, and only the descriptors that
// they were given stay open.
func TestBootstrap(t *testing.T) {
	before := descriptors(t)
	all := fakeGroups(3)
	var wg sync.WaitGroup
	var inodes [3]uint64
	for i, s := range all {
		wg.Go(func() {
			j, err := bootstrap(s, environment())
			if err != nil || j.Rank != i || j.Size != 3 || j.NIC != nics.Default || j.CPUs < 1 {
				t.Errorf("%+v, %v", j, err)
				return
			}
			var st syscall.Stat_t
			if err := syscall.Fstat(j.Fabric, &st); err != nil {
				t.Error(err)
			}
			inodes[i] = st.Ino
			if err := syscall.Close(j.Fabric); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if inodes[0] != inodes[1] || inodes[0] != inodes[2] {
		t.Errorf("different memory: %v", inodes)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors are open, %d were", after, before)
	}
}

func descriptors(t *testing.T) int {
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// TestBootstrapOnHosts: ranks have the memory of their host, and the number of processors
// is that of the host with the fewest per rank.
func TestBootstrapOnHosts(t *testing.T) {
	all := fakeGroups(5)
	var wg sync.WaitGroup
	var inodes [5]uint64
	var jobs [5]pmi.Job
	for i, s := range all {
		s.hosts = []int{7, 3, 7, 7, 3}
		wg.Go(func() {
			j, err := bootstrap(s, environment("RHINET_IFACE=127.0.0.1"))
			if err != nil {
				t.Error(err)
				return
			}
			var st syscall.Stat_t
			if err := errors.Join(syscall.Fstat(j.Fabric, &st), syscall.Close(j.Fabric)); err != nil {
				t.Error(err)
			}
			inodes[i], jobs[i] = st.Ino, j
		})
	}
	wg.Wait()
	for i, host := range []int{0, 1, 0, 0, 1} {
		want := pmi.Single(i, 5)
		want.NIC, want.Host, want.Address, want.Fabric, want.CPUs = "martini+tcp", host, "127.0.0.1", jobs[i].Fabric, max(1, wait.UsableCPUs()*5/3)
		if jobs[i] != want || inodes[i] != inodes[host] || inodes[0] == inodes[1] {
			t.Errorf("rank %d: %+v, want %+v; memory %v", i, jobs[i], want, inodes)
		}
	}
}

func TestRanksThatCannotMeet(t *testing.T) {
	far := fakeGroups(4)[0]
	far.hosts = []int{0, 2, 1, 0}
	for _, c := range []struct{ env, want string }{
		{"RHINET_NIC=martini+ib", "RHINET_NIC: ib reaches ranks on one host only; tcp and ofi reach others; the launcher has placed the ranks on 3 hosts"},
		{"RHINET_NIC=ethernet", "RHINET_NIC: no such network interface; there is "},
		{"RHINET_IFACE=carrier0", "RHINET_IFACE: there is no network interface carrier0 with an address here"},
	} {
		if _, err := bootstrap(far, environment(c.env)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.env, err)
		}
	}
	for env, want := range map[string]string{
		"RHINET_NIC=ethernet":    "RHINET_NIC=ethernet: no such network interface; there is ",
		"RHINET_NIC=martini+tcp": "RHINET_NIC=martini+tcp: for jobs on several hosts only; name one network interface",
	} {
		if _, err := bootstrap(fakeGroups(1)[0], environment(env)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", env, err)
		}
	}
	for key, want := range map[string]string{keyMemory: "it is full", keyMask: "it is full", keyCPUs: "it is full"} {
		s := fakeGroups(1)[0]
		s.fail = key
		if _, err := bootstrap(s, environment()); !errors.Is(err, kvs.ErrLost) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", key, err)
		}
	}
	for record, want := range map[string]string{
		"":                                       "the memory of the job is \"\"; use programs of one build",
		"1 2":                                    "use programs of one build",
		"x y martini":                            "use programs of one build",
		fmt.Sprint(os.Getpid(), " 0 martini:pm"): "RHINET_NIC: this rank would use martini, and rank 0 martini:pm",
		fmt.Sprint(os.Getpid(), " 999999 martini"):   "all ranks on a host must run as one user, in one container",
		"999999999 3 martini":                        "cannot open the memory that rank 0 has made",
		fmt.Sprint(os.Getppid(), " 4000000 martini"): "all ranks on a host must run as one user, in one container",
	} {
		s := fakeGroups(2)[1]
		s.values[keyMemory+"0"] = record
		if _, err := groupByHost(s, s.hosts).openMemory("martini"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", record, err)
		}
	}
	s := fakeGroups(1)[0]
	if _, err := groupByHost(s, s.hosts).openMemory("martini"); !errors.Is(err, kvs.ErrAbsent) {
		t.Error(err)
	}
	for _, text := range []string{"", "0", "-1", "x"} {
		s := fakeGroups(2)[1]
		s.fences, s.size = 0, 1 // it does not wait for rank 0
		s.values[keyCPUs+"0"] = text
		if _, err := groupByHost(s, s.hosts).processors(); err == nil || !strings.Contains(err.Error(), "use programs of one build") {
			t.Errorf("%q: %v", text, err)
		}
	}
	closed, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	if _, err := inherit(closed); err == nil {
		t.Error("a closed file is inherited")
	}
	var notExist *fs.PathError
	s = fakeGroups(2)[1]
	s.values[keyMemory+"0"] = "999999999 3 martini"
	_, err = groupByHost(s, s.hosts).openMemory("martini")
	if !errors.As(err, &notExist) {
		t.Error(err)
	}
}
