//go:build !linux

package pm

// anonymous returns n bytes of memory, and a function that frees them.
func anonymous(n int) ([]byte, func() error, error) {
	return make([]byte, n), func() error { return nil }, nil
}
