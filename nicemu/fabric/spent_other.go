//go:build !linux

package fabric

import "time"

// spentBy returns 0: this system has no clock that counts the time of other processes.
func spentBy(int) time.Duration { return 0 }
