package main

import (
	"errors"
	"slices"

	"github.com/spf13/pflag"

	"rhinet/internal/launch"
)

// errTwice is the error for a flag that contradicts itself. That the last one counts would hide a mistake.
var errTwice = errors.New("the flag is given twice, with different values; give it once")

// sameAs marks other names of a flag with its own name.
const sameAs = "same-as"

// lists are flags that may be given several times: each adds something.
var lists = []string{"export", "env", "genv", "set", "hosts", "hostfile"}

// ofParts are flags that each part of a job has for itself.
var ofParts = []string{"np", "wdir"}

// A single is the value of a flag that may not be given twice with different values.
type single struct {
	pflag.Value
	part   func() *launch.Part // whose flags are being read
	ofPart bool
	before *given
}

// given is how a flag was given before, by any of its names.
type given struct {
	value string
	part  *launch.Part // nil: not yet
}

func (s *single) Set(v string) error {
	b, part := s.before, s.part()
	if b.part != nil && b.value != v && (b.part == part || !s.ofPart) {
		return errTwice
	}
	b.value, b.part = v, part
	return s.Value.Set(v)
}

// refuseTwice makes all flags single that are no lists. part returns the part whose flags are being read.
func refuseTwice(fs *pflag.FlagSet, part func() *launch.Part) {
	before := map[string]*given{}
	fs.VisitAll(func(f *pflag.Flag) {
		name := f.Name
		if of := f.Annotations[sameAs]; of != nil {
			name = of[0]
		}
		if slices.Contains(lists, name) {
			return
		}
		if before[name] == nil {
			before[name] = new(given)
		}
		f.Value = &single{f.Value, part, slices.Contains(ofParts, name), before[name]}
	})
}
