package vec

// Demote has this core's caches hand b, which has just been written and which another core is about to read, on to the cache that
// the cores share. It changes nothing but timing, and does nothing where the processor cannot.
func Demote(b []byte) {
	if canDemote && len(b) > 0 {
		demote(&b[0], len(b))
	}
}
