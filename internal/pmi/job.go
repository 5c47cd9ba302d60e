package pmi

import (
	"fmt"
	"strconv"
	"strings"
)

// Variable names the environment variable that holds an encoded [Job].
const Variable = "RHINET_JOB"

// Version is that of the format, and of what the descriptors lead to.
const Version = 1

// None stands for a descriptor that there is not.
const None = -1

// A Job is a job as one of its processes is told about it.
type Job struct {
	Rank   int    // of this process
	Size   int    // number of ranks
	Fabric int    // descriptor of the memory that the ranks share, or None for a process alone
	Life   int    // descriptor of a pipe that ends when the launcher does, or None
	NIC    string // network interface that all ranks use; empty: the usual one
	CPUs   int    // processors that all ranks share; 0: unknown
	Loaded bool   // others kept processors busy when the job was started
	Tuning string // what was measured to suit the machine, by package internal/tuning; empty: nothing

	Observe int // descriptor of the memory into which ranks write what they do, or None

	KeepGoing bool // the job goes on when ranks die

	// Of a job on several hosts, whose ranks find each other through a store.
	Host    int    // number of the host that this process is on
	Address string // of that host in the network between them; empty: there is one host
	Store   string // name of the store, such as rhinet://HOST:PORT
	Key     int    // descriptor from which the key of the store can be read once; 0: none

	RingMemory int // bytes of the packet rings that each rank hands out; 0: no limit
}

// Spread reports whether the job is on several hosts.
func (j Job) Spread() bool { return j.Address != "" }

// Single returns a job as a process is told about it that has been handed nothing:
// no descriptor.
func Single(rank, size int) Job {
	return Job{Rank: rank, Size: size, Fabric: None, Life: None, Observe: None}
}

// Encode returns the value of Variable, such as
//
//	version=1 rank=0 size=4 fabric=3 life=4 nic=martini cpus=2
//
// What is None is left out, and so are Tuning and RingMemory if there is none. NIC and Tuning are one word each, since blanks separate fields.
func (j Job) Encode() string {
	var b strings.Builder
	fmt.Fprintf(&b, "version=%d rank=%d size=%d", Version, j.Rank, j.Size)
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

// Decode reads a value of Variable. Fields may stand in any order; those it does
// not know are of a later launcher, which changes the version where it matters.
// Errors name the variable and its value and say what to do.
func Decode(value string) (Job, error) {
	j := Single(None, None)
	version, loaded, keepGoing := None, 0, 0
	numbers := map[string]*int{
		"version": &version, "rank": &j.Rank, "size": &j.Size, "fabric": &j.Fabric, "life": &j.Life, "cpus": &j.CPUs,
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

// malformed is an error about a value that no launcher of this version writes.
func malformed(value, what string) error {
	return fmt.Errorf("%s is %q: %s; start the program with rhinet's mpirun", Variable, value, what)
}
