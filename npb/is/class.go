package is

import "rhinet/npb/nas"

const (
	name       = "IS"
	seed       = 314159265
	operation  = "keys ranked"
	iterations = 10
	tests      = 5    // keys whose rank is checked in each iteration
	maxBuckets = 1024 // of any class
)

// params is one class.
type params struct {
	keysLog, rangeLog, bucketsLog int
	minProcs, maxProcs            int
	position                      [tests]int64 // of the test keys, global
	rank                          [tests]int64 // base of the expected ranks
	slope                         [tests]int64 // in iteration it the expected rank is
	rise                          int64        // rank + it + rise, where slope is 1,
	fall                          int64        // or rank - it - fall, where it is -1
	dips                          []int        // from which iterations on the rank of test key dipping is one lower than that
}

// dipping is the test key that dips applies to.
const dipping = 2

// expected returns the rank of test key i in iteration it.
func (p *params) expected(i, it int) int64 {
	if p.slope[i] > 0 {
		rank := p.rank[i] + int64(it) + p.rise
		for _, from := range p.dips {
			if i == dipping && it >= from {
				rank--
			}
		}
		return rank
	}
	return p.rank[i] - int64(it) - p.fall
}

func (p *params) keys() int64  { return 1 << p.keysLog }
func (p *params) values() int  { return 1 << p.rangeLog }
func (p *params) buckets() int { return 1 << p.bucketsLog }
func (p *params) shift() uint  { return uint(p.rangeLog - p.bucketsLog) }

func classes() nas.Table[params] {
	return nas.Table[params]{
		nas.S: {16, 11, 9, 1, 128,
			[tests]int64{48427, 17148, 23627, 62548, 4431},
			[tests]int64{0, 18, 346, 64917, 65463},
			[tests]int64{1, 1, 1, -1, -1}, 0, 0, nil},
		nas.W: {20, 16, 10, 1, 1024,
			[tests]int64{357773, 934767, 875723, 898999, 404505},
			[tests]int64{1249, 11698, 1039987, 1043896, 1048018},
			[tests]int64{1, 1, -1, -1, -1}, -2, 0, nil},
		nas.A: {23, 19, 10, 1, 1024,
			[tests]int64{2112377, 662041, 5336171, 3642833, 4250760},
			[tests]int64{104, 17523, 123928, 8288932, 8388264},
			[tests]int64{1, 1, 1, -1, -1}, -1, -1, nil},
		nas.B: {25, 21, 10, 1, 1024,
			[tests]int64{41869, 812306, 5102857, 18232239, 26860214},
			[tests]int64{33422937, 10244, 59149, 33135281, 99},
			[tests]int64{-1, 1, 1, -1, 1}, 0, 0, nil},
		nas.C: {27, 23, 10, 1, 1024,
			[tests]int64{44172927, 72999161, 74326391, 129606274, 21736814},
			[tests]int64{61147, 882988, 266290, 133997595, 133525895},
			[tests]int64{1, 1, 1, -1, -1}, 0, 0, nil},
		// On fewer processes local positions would not fit 32 bits.
		nas.D: {31, 27, 10, 4, 1024,
			[tests]int64{1317351170, 995930646, 1157283250, 1503301535, 1453734525},
			[tests]int64{1, 36538729, 1978098519, 2145192618, 2147425337},
			[tests]int64{1, 1, -1, -1, -1}, 0, 0, nil},
		nas.E: {35, 31, 10, 64, 1024,
			[tests]int64{21492309536, 24606226181, 12608530949, 4065943607, 3324513396},
			[tests]int64{3, 27580354, 3248475153, 30048754302, 31485259697},
			[tests]int64{1, 1, 1, -1, -1}, -2, -2, []int{3, 5}},
	}
}

// alltoallv is the variant that exchanges the keys as the original does: the counts with Alltoall, the keys
// with Alltoallv.
const alltoallv = "alltoallv"

func variants() []string { return []string{alltoallv} }

// Kernel returns IS in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "is", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run, Variants: variants()}
}

// Describe returns the problem of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{Kernel: name, Class: class, Size: nas.Count(p.keys()), Iterations: iterations}, nil
}

// Allowed returns nil if procs processes can run the class: powers of two
// within the limits of the class.
func Allowed(procs int, class nas.Class) error {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(name, class, procs, "a power of two", func(n int) bool {
		return nas.IsPowerOfTwo(n) && n >= p.minProcs && n <= p.maxProcs
	})
}

// Memory returns approximately how many bytes the class needs on procs processes together: the keys, a copy
// in bucket order, a copy where they arrive (with several processes), and a sorted copy; and the counts of
// all values.
func Memory(procs int, class nas.Class) int64 {
	p := classes()[class]
	copies := int64(3)
	if procs > 1 {
		copies++
	}
	return 4 * (copies*p.keys() + int64(p.values()))
}
