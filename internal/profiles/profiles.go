// Package profiles merges the profiles that the ranks of a job write into one, in which every sample has
// its rank as a label.
package profiles

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/google/pprof/profile"

	"rhinet/internal/pmi"
)

// A Folder is where the ranks of a job write one file each. It is created on demand.
type Folder struct{ dir string }

// Dir returns the folder, which is created by the first call.
func (f *Folder) Dir() (dir string, err error) {
	if f.dir == "" {
		f.dir, err = os.MkdirTemp("", "rhinet-profile-")
	}
	return f.dir, err
}

// Made reports whether the folder exists.
func (f *Folder) Made() bool { return f.dir != "" }

// Remove removes the folder with its contents.
func (f *Folder) Remove() error { return os.RemoveAll(f.dir) }

// Keep writes a part of the profile of a rank on another host.
func (f *Folder) Keep(rank int, at int64, data []byte) error {
	dir, err := f.Dir()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, pmi.ProfileName(rank)), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(data, at)
	return errors.Join(err, file.Close())
}

// Merge returns one profile of all ranks that have written a complete profile, nil if none has, and the
// ranks that have not.
func (f *Folder) Merge(ranks int) (merged *profile.Profile, missing []int, err error) {
	var all []*profile.Profile
	for rank := range ranks {
		if !f.Made() {
			missing = append(missing, rank)
			continue
		}
		one, err := Read(filepath.Join(f.dir, pmi.ProfileName(rank)))
		switch {
		case errors.Is(err, os.ErrNotExist), errors.Is(err, ErrUnfinished):
			missing = append(missing, rank)
			continue
		case err != nil:
			return nil, nil, fmt.Errorf("rank %d: %w", rank, err)
		}
		for _, s := range one.Sample {
			number(s, rank)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, missing, nil
	}
	merged, err = profile.Merge(all)
	return merged, missing, err
}

// number gives a sample the label of its rank. The label is a number, since pprof takes a number behind
// -tagfocus rank= for one, and has a unit, since the format of profiles drops a zero without unit.
func number(s *profile.Sample, rank int) {
	const label = "rank"
	if s.NumLabel == nil {
		s.NumLabel = map[string][]int64{}
	}
	if s.NumUnit == nil {
		s.NumUnit = map[string][]string{}
	}
	s.NumLabel[label], s.NumUnit[label] = []int64{int64(rank)}, []string{label}
}

// ErrUnfinished says that a rank has written only a part of its profile.
var ErrUnfinished = errors.New("the profile is not complete")

// Read reads a profile from a file.
func Read(name string) (*profile.Profile, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseData(b)
	if err != nil {
		return nil, ErrUnfinished
	}
	return p, nil
}
