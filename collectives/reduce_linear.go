package collectives

// Every rank sends to root, which combines in rank order.
//
// Cost: 1 step for short messages, (p-1) n bytes and p-1 reductions at root.
func reduceLinear(b *builder) { linearReduce(b, b.in(), b.out(), b.root) }

// linearReduce needs out only at root. Contributions arrive in groups that fit a
// bounded scratch, last ranks first.
func linearReduce(b *builder, in, out region, root int) {
	if b.rank != root {
		b.send(in, root)
		b.wait()
		return
	}
	group := min(b.size-1, b.width, max(1, linearScratch/max(1, in.n)))
	held := make([]region, group)
	for i := range held {
		held[i] = b.scratch(in.n)
	}
	value := out
	if b.inPlace && root != b.size-1 {
		value = b.scratch(in.n) // the input in out is combined later
	}
	for hi := b.size; hi > 0; {
		lo := hi
		var got []region // of ranks hi-1, hi-2, ...
		for used := 0; lo > 0 && (used < group || lo-1 == root); {
			lo--
			if lo == root {
				got = append(got, in)
				continue
			}
			b.recv(held[used], lo)
			got = append(got, held[used])
			used++
		}
		b.wait()
		for i, r := range got {
			if hi-i == b.size {
				b.copy(value, r)
			} else {
				b.reduce(r, value)
			}
		}
		hi = lo
	}
	b.copy(out, value)
}
