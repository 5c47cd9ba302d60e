package nic

import (
	"fmt"

	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
)

// A Workload is what "bench nic" measures under one name.
type Workload struct {
	Name      string
	About     string
	Processes int
	Series    []pair.Series
	Open      func(*pair.End) (pair.Side, error)
}

// largest is the longest transfer, in bytes.
const largest = 1 << 20

// latency is a ping-pong, reported one way; stream is one way, continuously.
func latency(name string, sizes []int, most int) pair.Series {
	return pair.Series{Name: name, Sizes: sizes, Min: 8, Max: most, Unit: 8, Scale: 0.5, Moves: 1}
}

func stream(name string, sizes []int, most int) pair.Series {
	return pair.Series{Name: name, Sizes: sizes, Min: 8, Max: most, Unit: 8, Scale: 1, Moves: 1, Half: true}
}

// alone is what one process does, without bytes.
func alone(name string) pair.Series {
	return pair.Series{Name: name, Sizes: []int{0}, Unit: 1, Scale: 1}
}

// Workloads returns all workloads in the order of the specification.
func Workloads() []Workload {
	all, packet := pair.Powers(8, largest), pair.Powers(8, martini.MaxImage)
	return []Workload{
		{"push", "remote write by PUSH, against memcpy", 2, []pair.Series{
			latency("push", all, largest), stream("push-stream", all, largest), stream("memcpy", all, largest),
			{Name: "push-both", Sizes: all, Min: 8, Max: largest, Unit: 8, Scale: 1, Moves: 2},
			stream("push-2windows", all, largest), stream("push-4windows", all, largest), stream("sending", all, largest),
		}, openPush},
		{"pull", "remote read by PULL", 2, []pair.Series{
			stream("pull", all, largest), stream("pull-botf", all, largest),
		}, openPull},
		{"botf", "remote write by a packet image in the Window", 2, []pair.Series{
			latency("botf", packet, martini.MaxImage), stream("botf-stream", packet, martini.MaxImage),
		}, openBotf},
		{"aotf", "remote write of 8 bytes by one store, against a bare one", 2, []pair.Series{
			latency("aotf", []int{8}, 8), latency("bare", []int{8}, 8), {Name: "aotf-stream", Sizes: []int{8}, Min: 8, Max: 8, Unit: 8, Scale: 1, Moves: 1},
		}, openAotf},
		{"vpush", "remote write into the ring that the receiver fills", 2, []pair.Series{
			latency("vpush", append(pair.Powers(8, 1024), 2040), 2040), stream("vpush-stream", append(pair.Powers(8, 1024), 2040), 2040),
		}, openVpush},
		{"exceptions", "three processes: what refused requests of one direction cost the other", 3, exceptions(), openExceptions},
		{"lock", "LOCK and UNLOCK, by one process and by two in turn", 2, []pair.Series{
			alone("lock"), alone("lock-contended"),
		}, openLock},
		{"barrier", "BARRIER of two processes", 2, []pair.Series{alone("barrier")}, openBarrier},
	}
}

// Find returns the workload of a name, or an error that lists the names.
func Find(name string) (Workload, error) {
	w, known, ok := bench.Pick(Workloads(), func(w Workload) string { return w.Name }, name)
	if !ok {
		return w, fmt.Errorf("%w: no NIC measurement %q; there is %s", pair.ErrInput, name, known)
	}
	return w, nil
}
