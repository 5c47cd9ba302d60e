//go:build !linux

package watch

import "context"

// trace fails: it is available on Linux only.
func trace(context.Context, []string) (int, error) { return 0, errNoTrace }
