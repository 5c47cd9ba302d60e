//go:build !linux

package launch

import (
	"errors"
	"os"
)

// newImage fails: this system can't execute anonymous files.
func newImage(string) (*os.File, error) {
	return nil, errors.New("this system executes no files without a name; put the program on all hosts and name its path")
}

// sealImage does nothing.
func sealImage(*os.File) error { return nil }
