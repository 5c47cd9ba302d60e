package ep

import "rhinet/npb/nas"

const (
	name      = "EP"
	seed      = 271828183
	bins      = 10
	batchLog  = 16 // log2 of the pairs in a batch
	tolerance = 1e-8
	operation = "Random numbers generated"
)

// params is one class: 2^m pairs, and the reference sums of the deviates.
type params struct {
	m      int
	sx, sy float64
}

func classes() nas.Table[params] {
	return nas.Table[params]{
		nas.S: {24, -3.247834652034740e+3, -6.958407078382297e+3},
		nas.W: {25, -2.863319731645753e+3, -6.320053679109499e+3},
		nas.A: {28, -4.295875165629892e+3, -1.580732573678431e+4},
		nas.B: {30, 4.033815542441498e+4, -2.660669192809235e+4},
		nas.C: {32, 4.764367927995374e+4, -8.084072988043731e+4},
		nas.D: {36, 1.982481200946593e+5, -1.020596636361769e+5},
		nas.E: {40, -5.319717441530e+05, -3.688834557731e+05},
	}
}

// Kernel returns EP in the form common to all kernels.
func Kernel() nas.Kernel {
	return nas.Kernel{Name: "ep", Describe: Describe, Allowed: Allowed, Memory: Memory, Run: Run}
}

// Describe returns the problem of a class.
func Describe(class nas.Class) (nas.Problem, error) {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{Kernel: name, Class: class, Size: nas.Count(1 << (p.m + 1))}, nil
}

// Allowed returns nil if procs processes can run the class: any number up to
// the number of batches.
func Allowed(procs int, class nas.Class) error {
	p, err := classes().Lookup(name, class)
	if err != nil {
		return err
	}
	batches := 1 << (p.m - batchLog)
	return nas.CheckCount(name, class, procs, "one batch of 2^16 pairs per process",
		func(n int) bool { return n <= batches })
}

// Memory returns approximately how many bytes the class needs on procs processes together: buffers that
// stay in the cache, in any class.
func Memory(procs int, _ nas.Class) int64 { return int64(procs) * bufferBytes }

// bufferBytes is larger than the buffers of an adder.
const bufferBytes = 64 << 10
