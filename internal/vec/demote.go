package vec

// Demote hands b, which has just been written and which another core is about to read, from the caches of
// this core on to the cache that the cores share. It has no effect but on timing, and does nothing where
// the processor cannot do it.
func Demote(b []byte) {
	if canDemote && len(b) > 0 {
		demote(&b[0], len(b))
	}
}
