package pmi

import (
	"fmt"
	"slices"
	"strings"
)

// ProfileVariable names the environment variable that holds an encoded [Profile].
const ProfileVariable = "RHINET_PROFILE"

// The kinds of profiles, named as in package runtime/pprof, except for that of processor time.
const (
	ProfileCPU   = "cpu"
	ProfileHeap  = "heap"
	ProfileMutex = "mutex"
	ProfileBlock = "block"
)

// ProfileKinds returns all kinds.
func ProfileKinds() []string {
	return []string{ProfileCPU, ProfileHeap, ProfileMutex, ProfileBlock}
}

// A Profile says what ranks are asked to measure of themselves.
type Profile struct {
	Kind string
	Dir  string // where each rank writes a file, see ProfileName
}

// ProfileName is the name of the file that a rank writes.
func ProfileName(rank int) string { return fmt.Sprintf("rank-%d.pprof", rank) }

// Encode returns the value of ProfileVariable.
func (p Profile) Encode() string { return p.Kind + ":" + p.Dir }

// DecodeProfile reads a value of ProfileVariable; an empty one asks for no profile.
func DecodeProfile(value string) (Profile, error) {
	if value == "" {
		return Profile{}, nil
	}
	kind, dir, ok := strings.Cut(value, ":")
	if !ok || dir == "" || !slices.Contains(ProfileKinds(), kind) {
		return Profile{}, fmt.Errorf("%s is %q, not a kind of profile and a directory; mpirun --profile sets it", ProfileVariable, value)
	}
	return Profile{kind, dir}, nil
}
