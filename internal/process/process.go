// Package process keeps what a process has once, whichever of its parts asks for it: its
// connection to the job. Parts that know nothing of each other, such as libraries that
// open sessions, find it here.
package process

import "sync"

var kept struct {
	sync.Mutex
	value any
}

// Use calls f with what is kept, nil at first, and keeps what f returns, also with an
// error. Calls of Use wait for each other.
func Use(f func(value any) (any, error)) (err error) {
	kept.Lock()
	defer kept.Unlock()
	kept.value, err = f(kept.value)
	return err
}
