package collectives

// Root sends to every rank.
//
// Cost: 1 step, (p-1) n bytes at root.
func bcastLinear(b *builder) { linearBcast(b, b.out(), b.root) }

func linearBcast(b *builder, buf region, root int) {
	if b.rank != root {
		b.recv(buf, root)
		b.wait()
		return
	}
	for d := 1; d < b.size; d++ {
		b.send(buf, b.mod(root+d))
	}
	b.wait()
}
