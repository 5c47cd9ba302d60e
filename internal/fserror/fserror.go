// Package fserror takes apart errors about files.
package fserror

import (
	"errors"
	"io/fs"
)

// Reason returns why a call of package os has failed, without the operation and the path: for messages that name
// the file themselves. Of other errors it returns all.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
