package collectives

// The ranks of each host reduce to one of them, these ranks make an allreduce, and each
// broadcasts the result on its host. If the operation does not commute, the ranks of a
// host must be consecutive.
//
// Cost: that of a reduction and a broadcast within a host, and of an allreduce among h hosts.
func allreduceHosts(b *builder) {
	heads, out := b.hosts.heads(0), b.out()
	b.combine(heads, out, b.inPlace)
	b.do(stage{ranks: heads, kind: Allreduce, in: out, out: out, inPlace: true})
	b.tell(heads, out)
}
