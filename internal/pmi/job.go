package pmi

import (
	"fmt"
	"strconv"
	"strings"
)

// Variable names the environment variable that holds an encoded [Job].
const Variable = "RHINET_JOB"

// Version is the version of the format, and of the contents of the memory and pipes that the descriptors
// refer to.
const Version = 1

// None stands for a descriptor that does not exist.
const None = -1

// A Job describes a job to one of its processes.
type Job struct {
	Rank   int    // of this process
	Size   int    // number of ranks
	App    int    // which of the programs of the job this process runs, from 0, or None: not known
	Fabric int    // descriptor of the memory that the ranks share, or None for a process alone
	Life   int    // descriptor of a pipe that closes when the launcher ends, or None
	NIC    string // network interface that all ranks use; empty: the default
	CPUs   int    // processors that all ranks share; 0: unknown
	Loaded bool   // other processes kept processors busy when the job was started
	Tuning string // measured settings for the machine, see package internal/tuning; empty: none

	Observe int // descriptor of the memory into which ranks write statistics and events, or None

	KeepGoing bool // the job goes on when ranks die

	// For a job on several hosts, whose ranks find each other through a store.
	Host    int    // number of the host that this process is on
	Address string // of that host in the network between the hosts; empty: there is one host
	Store   string // name of the store, such as rhinet://HOST:PORT
	Key     int    // descriptor from which the key of the store can be read once; 0: none

	RingMemory int // bytes of the packet rings that each rank hands out; 0: no limit
}

// Spread reports whether the job is on several hosts.
func (j Job) Spread() bool { return j.Address != "" }

// Single returns the job of a process that has been handed no descriptors.
func Single(rank, size int) Job {
	return Job{Rank: rank, Size: size, App: None, Fabric: None, Life: None, Observe: None}
}

// Encode returns the value of Variable, such as
//
//	version=1 rank=0 size=4 app=0 fabric=3 life=4 nic=martini cpus=2
//
// Descriptors that are None are left out, and so are Tuning and RingMemory if empty or 0. NIC and Tuning
// must be single words, since blanks separate fields.
func (j Job) Encode() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version=%d rank=%d size=%d", Version, j.Rank, j.Size)
	if j.App != None {
		fmt.Fprintf(&b, " app=%d", j.App)
	}
	if j.Fabric != None {
		fmt.Fprintf(&b, " fabric=%d", j.Fabric)
	}
	if j.Life != None {
		fmt.Fprintf(&b, " life=%d", j.Life)
	}
	fmt.Fprintf(&b, " nic=%s cpus=%d", j.NIC, j.CPUs)
	if j.Loaded {
		b.WriteString(" loaded=1")
	}
	if j.Observe != None {
		fmt.Fprintf(&b, " observe=%d", j.Observe)
	}
	if j.Tuning != "" {
		fmt.Fprintf(&b, " tuning=%s", j.Tuning)
	}
	if j.KeepGoing {
		b.WriteString(" keep-going=1")
	}
	if j.Spread() {
		fmt.Fprintf(&b, " host=%d address=%s store=%s key=%d", j.Host, j.Address, j.Store, j.Key)
	}
	if j.RingMemory != 0 {
		fmt.Fprintf(&b, " ring-memory=%d", j.RingMemory)
	}
	return b.String()
}

// Decode reads a value of Variable. Fields may come in any order; unknown fields come from a later
// launcher, which changes the version where it matters, and are ignored. Errors name the variable and its
// value and say what to do.
func Decode(value string) (Job, error) {
	j := Single(None, None)
	version, loaded, keepGoing := None, 0, 0
	numbers := map[string]*int{
		"version": &version, "rank": &j.Rank, "size": &j.Size, "app": &j.App, "fabric": &j.Fabric, "life": &j.Life, "cpus": &j.CPUs,
		"loaded": &loaded, "observe": &j.Observe, "keep-going": &keepGoing, "ring-memory": &j.RingMemory, "host": &j.Host, "key": &j.Key,
	}
	words := map[string]*string{"nic": &j.NIC, "tuning": &j.Tuning, "address": &j.Address, "store": &j.Store}
	given := map[string]bool{}
	for field := range strings.FieldsSeq(value) {
		key, text, _ := strings.Cut(field, "=")
		p := numbers[key]
		if p == nil && words[key] == nil {
			continue
		}
		if given[key] {
			return Job{}, malformed(value, key+" is there twice")
		}
		given[key] = true
		if p == nil {
			*words[key] = text
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return Job{}, malformed(value, field+" is not a number")
		}
		*p = n
	}
	j.Loaded, j.KeepGoing = loaded != 0, keepGoing != 0
	switch {
	case version != Version:
		return Job{}, fmt.Errorf("%s is %q: this program speaks version %d; build it and mpirun from the same rhinet", Variable, value, Version)
	case j.Size < 1 || j.Rank < 0 || j.Rank >= j.Size:
		return Job{}, malformed(value, "rank and size are missing or do not fit")
	case j.Fabric == None:
		return Job{}, malformed(value, "fabric is missing")
	case j.Spread() != (j.Store != "") || j.Spread() != (j.Key != 0) || j.Host != 0 && !j.Spread():
		return Job{}, malformed(value, "host, address, store and key belong together")
	}
	return j, nil
}

// malformed returns an error about a value that no launcher of this version writes.
func malformed(value, what string) error {
	return fmt.Errorf("%s is %q: %s; start the program with rhinet's mpirun", Variable, value, what)
}
