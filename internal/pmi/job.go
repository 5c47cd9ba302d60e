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
}

// Encode returns the value of Variable, such as
//
//	version=1 rank=0 size=4 fabric=3 life=4 nic=martini cpus=2
//
// What is None is left out. NIC is one word, since blanks separate fields.
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
	return b.String()
}

// Decode reads a value of Variable. Fields may stand in any order; those it does
// not know are of a later launcher, which changes the version where it matters.
// Errors name the variable and its value and say what to do.
func Decode(value string) (Job, error) {
	j := Job{Rank: None, Size: None, Fabric: None, Life: None}
	version := None
	numbers := map[string]*int{
		"version": &version, "rank": &j.Rank, "size": &j.Size, "fabric": &j.Fabric, "life": &j.Life, "cpus": &j.CPUs,
	}
	given := map[string]bool{}
	for field := range strings.FieldsSeq(value) {
		key, text, _ := strings.Cut(field, "=")
		p := numbers[key]
		if p == nil && key != "nic" {
			continue
		}
		if given[key] {
			return Job{}, malformed(value, key+" is there twice")
		}
		given[key] = true
		if p == nil {
			j.NIC = text
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return Job{}, malformed(value, field+" is not a number")
		}
		*p = n
	}
	switch {
	case version != Version:
		return Job{}, fmt.Errorf("%s is %q: this program speaks version %d; build it and mpirun from the same rhinet", Variable, value, Version)
	case j.Size < 1 || j.Rank < 0 || j.Rank >= j.Size:
		return Job{}, malformed(value, "rank and size are missing or do not fit")
	case j.Fabric == None:
		return Job{}, malformed(value, "fabric is missing")
	}
	return j, nil
}

// malformed is an error about a value that no launcher of this version writes.
func malformed(value, what string) error {
	return fmt.Errorf("%s is %q: %s; start the program with rhinet's mpirun", Variable, value, what)
}
