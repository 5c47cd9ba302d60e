//go:build !linux

package launch

// usableCores returns nil: this system does not offer binding.
func usableCores() []int { return nil }

// A binder does nothing on this system.
type binder struct{}

func (*binder) bind([]int) error { return nil }
func (*binder) restore() error   { return nil }
