package collectives

// The barrier of the barrier controllers. Cost: no packets; two codes, which the other
// ranks see as soon as they are executed.
func barrierController(b *builder) { b.control() }
