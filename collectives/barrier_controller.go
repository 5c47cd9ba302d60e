package collectives

// The barrier that barrier controllers keep. Cost: no packets. Two codes, which others see as soon as they are executed.
func barrierController(b *builder) { b.control() }
