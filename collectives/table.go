package collectives

// A row of the table is one algorithm for one operation, in the file of that name. Rows
// of an operation are in the order of preference; the first one whose needs and range
// match is chosen, and the last one has no limits.
type row struct {
	kind           Kind
	name           string
	needs          needs
	exchange       func(s shape, size int) int // largest contribution in bytes, for rows that use an Exchange
	normal         span                        // where it is preferred when every rank has a processor
	oversubscribed span                        // where it is preferred when ranks share processors
	build          func(b *builder)
}

// needs are the requirements of an algorithm.
type needs uint8

const (
	powerOfTwo   needs = 1 << iota // the group's size is a power of two
	commutative                    // the reduction is commutative
	controllers                    // barrier controllers
	switched                       // its exchange is that of the network's switches
	severalHosts                   // ranks on several hosts, and several on some of them
	consecutive                    // the ranks of each host are consecutive
	ordered                        // consecutive, or the reduction is commutative
)

// A span is a range of message sizes and group sizes, both ends included. The size is
// that of a shape: of the whole buffer, or of one block for operations with a block per
// rank, or of the largest part for those with counts that all ranks know. Gatherv,
// Scatterv and Alltoallv have size 0, as their ranks know different parts of the
// counts. An upper end of 0 is no limit; the zero span includes everything.
type span struct {
	minBytes, maxBytes int
	minRanks, maxRanks int
	pair               int // for two ranks: maxBytes, if it is larger
	never              bool
}

func (s span) holds(bytes, ranks int) bool {
	return !s.never && bytes >= s.minBytes && (s.maxBytes == 0 || bytes <= s.maxBytes || ranks == 2 && bytes <= s.pair) &&
		ranks >= s.minRanks && (s.maxRanks == 0 || ranks <= s.maxRanks)
}

const (
	kib = 1 << 10
	mib = 1 << 20
)

var (
	always = span{}
	never  = span{never: true}
)

func upTo(bytes int) span { return span{maxBytes: bytes} }
func from(bytes int) span { return span{minBytes: bytes} }

// The largest contribution to an exchange.
func whole(s shape, _ int) int        { return s.bytes }
func allBlocks(s shape, n int) int    { return s.bytes * n }
func othersBlocks(s shape, n int) int { return s.bytes * (n - 1) }

// The least that is shown for parts of any length: their descriptors.
func parts(shape, int) int          { return descriptor }
func partsOfAll(_ shape, n int) int { return descriptor * n }

// oneByOne is one byte: data is sent by as many exchanges as it takes, up to a length for
// which that is worth it.
func oneByOne(s shape, _ int) int {
	if s.bytes > mib {
		return s.bytes
	}
	return min(s.bytes, 1)
}

var table = []row{
	{Barrier, "exchange", 0, whole, always, always, barrierExchange},
	{Barrier, "controller", controllers, nil, always, always, barrierController},
	{Barrier, "synchronization", switched, whole, never, never, barrierSynchronization},
	{Barrier, "hosts", severalHosts, nil, always, always, barrierHosts},
	{Barrier, "linear", 0, nil, never, span{minRanks: 3}, barrierLinear},
	{Barrier, "tree", 0, nil, never, never, barrierTree},
	{Barrier, "dissemination", 0, nil, always, always, barrierDissemination},

	{Bcast, "exchange", 0, whole, always, always, bcastExchange},
	{Bcast, "multicast", switched, oneByOne, never, never, bcastMulticast},
	{Bcast, "hosts", severalHosts, nil, always, always, bcastHosts},
	{Bcast, "linear", 0, nil, span{maxRanks: 2}, always, bcastLinear},
	{Bcast, "chain", 0, nil, from(512 * kib), never, bcastChain},
	{Bcast, "scatter-allgather", 0, nil, span{minBytes: 64 * kib, minRanks: 8}, never, bcastScatterAllgather},
	{Bcast, "binomial", 0, nil, always, always, bcastBinomial},

	{Gather, "exchange", 0, whole, always, always, gatherExchange},
	{Gather, "linear", 0, nil, from(16 * kib), always, gatherLinear},
	{Gather, "binomial", 0, nil, always, always, gatherBinomial},
	{Gatherv, "exchange", 0, parts, always, always, gathervExchange},
	{Gatherv, "linear", 0, nil, always, always, gathervLinear},

	{Scatter, "exchange", 0, othersBlocks, always, always, scatterExchange},
	{Scatter, "linear", 0, nil, from(16 * kib), always, scatterLinear},
	{Scatter, "binomial", 0, nil, always, always, scatterBinomial},
	{Scatterv, "exchange", 0, partsOfAll, span{maxRanks: 4}, span{maxRanks: 4}, scattervExchange},
	{Scatterv, "linear", 0, nil, always, always, scattervLinear},

	{Allgather, "exchange", 0, whole, always, always, allgatherExchange},
	{Allgather, "multicast", switched, whole, never, never, allgatherMulticast},
	{Allgather, "hosts", severalHosts | consecutive, nil, upTo(8 * kib), upTo(8 * kib), allgatherHosts},
	{Allgather, "recursive-doubling", powerOfTwo, nil, span{minRanks: 3, maxBytes: 32 * kib}, span{minRanks: 3, minBytes: 2 * kib, maxBytes: 32 * kib}, allgatherRecursiveDoubling},
	{Allgather, "bruck", 0, nil, span{minRanks: 3, maxBytes: 4 * kib}, span{minRanks: manyRanks, maxBytes: 4 * kib}, allgatherBruck},
	{Allgather, "linear", 0, nil, span{maxRanks: 2}, always, allgatherLinear},
	{Allgather, "ring", 0, nil, always, always, allgatherRing},
	{Allgatherv, "exchange", 0, whole, always, always, allgathervExchange},
	{Allgatherv, "linear", 0, nil, span{maxRanks: 2}, always, allgathervLinear},
	{Allgatherv, "ring", 0, nil, always, always, allgathervRing},

	{Alltoall, "exchange", 0, othersBlocks, always, always, alltoallExchange},
	{Alltoall, "bruck", 0, nil, span{maxBytes: 256, minRanks: 8}, never, alltoallBruck},
	{Alltoall, "linear", 0, nil, upTo(32 * kib), always, alltoallLinear},
	{Alltoall, "pairwise", 0, nil, always, always, alltoallPairwise},
	{Alltoallv, "exchange", 0, partsOfAll, span{maxRanks: 4}, never, alltoallvExchange},
	{Alltoallv, "pairwise", 0, nil, never, never, alltoallvPairwise},
	{Alltoallv, "linear", 0, nil, always, always, alltoallvLinear},

	{Reduce, "exchange", 0, whole, always, always, reduceExchange},
	{Reduce, "hosts", severalHosts | ordered, nil, always, always, reduceHosts},
	{Reduce, "linear", 0, nil, never, upTo(64 * kib), reduceLinear},
	{Reduce, "rabenseifner", 0, nil, span{minBytes: 64 * kib, minRanks: 3}, never, reduceRabenseifner},
	{Reduce, "binomial", 0, nil, always, always, reduceBinomial},

	{Allreduce, "exchange", 0, whole, always, always, allreduceExchange},
	{Allreduce, "hosts", severalHosts | ordered, nil, always, always, allreduceHosts},
	{Allreduce, "linear", 0, nil, never, upTo(4 * kib), allreduceLinear},
	{Allreduce, "recursive-doubling", 0, nil, span{maxBytes: 16 * kib, pair: 256 * kib}, upTo(32 * kib), allreduceRecursiveDoubling},
	{Allreduce, "ring", commutative, nil, span{minBytes: 512 * kib}, never, allreduceRing},
	{Allreduce, "reduce-bcast", 0, nil, never, never, allreduceReduceBcast},
	{Allreduce, "rabenseifner", 0, nil, always, always, allreduceRabenseifner},

	{ReduceScatterBlock, "exchange", 0, allBlocks, upTo(512), always, reduceScatterBlockExchange},
	{ReduceScatterBlock, "linear", 0, nil, never, upTo(512), reduceScatterBlockLinear},
	{ReduceScatterBlock, "recursive-halving", powerOfTwo | commutative, nil, always, upTo(64 * kib), reduceScatterBlockRecursiveHalving},
	{ReduceScatterBlock, "pairwise", commutative, nil, always, always, reduceScatterBlockPairwise},
	{ReduceScatterBlock, "reduce-scatter", 0, nil, always, always, reduceScatterBlockReduceScatter},

	{ReduceScatter, "exchange", 0, allBlocks, upTo(512), always, reduceScatterExchange},
	{ReduceScatter, "linear", 0, nil, never, upTo(128), reduceScatterLinear},
	{ReduceScatter, "recursive-halving", powerOfTwo | commutative, nil, always, always, reduceScatterRecursiveHalving},
	{ReduceScatter, "pairwise", commutative, nil, always, always, reduceScatterPairwise},
	{ReduceScatter, "reduce-scatter", 0, nil, always, always, reduceScatterReduceScatter},

	{Scan, "exchange", 0, whole, always, always, scanExchange},
	{Scan, "linear", 0, nil, never, upTo(4 * kib), scanLinear},
	{Scan, "recursive-doubling", 0, nil, always, always, scanRecursiveDoubling},
	{Exscan, "exchange", 0, whole, always, always, exscanExchange},
	{Exscan, "linear", 0, nil, never, upTo(4 * kib), exscanLinear},
	{Exscan, "recursive-doubling", 0, nil, always, always, exscanRecursiveDoubling},
}
