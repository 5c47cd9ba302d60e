package collectives

// Everyone contributes what is in its buffer; root's contribution counts.
//
// Cost: one step of the network, p n bytes read.
func bcastExchange(b *builder) {
	all := b.scratch(b.size * b.bytes)
	b.exchange(b.out(), all)
	if b.rank != b.root {
		b.copy(b.out(), all.sub(b.root*b.bytes, b.bytes))
	}
}
