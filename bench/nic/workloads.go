package nic

import (
	"rhinet/bench"
	"rhinet/bench/pair"
	"rhinet/nicemu/martini"
)

// largest is the longest transfer, in bytes.
const largest = 1 << 20

// latency is a ping-pong, reported one way; stream is a continuous transfer in one direction.
func latency(name string, sizes []int, most int) bench.Test {
	return bench.Test{Name: name, Sizes: sizes, Min: 8, Max: most, Unit: 8, Scale: 0.5, Moves: 1}
}

func stream(name string, sizes []int, most int) bench.Test {
	return bench.Test{Name: name, Sizes: sizes, Min: 8, Max: most, Unit: 8, Scale: 1, Moves: 1, Half: true}
}

// alone is a test of one process, without bytes.
func alone(name string) bench.Test {
	return bench.Test{Name: name, Sizes: []int{0}, Unit: 1, Scale: 1}
}

// Workloads returns all workloads in the order of the specification.
func Workloads() []pair.Workload {
	all, packet := bench.Powers(8, largest), bench.Powers(8, martini.MaxImage)
	return []pair.Workload{
		{Name: "push", About: "remote write by PUSH, against memcpy", Processes: 2, Tests: []bench.Test{
			latency("push", all, largest), stream("push-stream", all, largest), stream("memcpy", all, largest),
			{Name: "push-both", Sizes: all, Min: 8, Max: largest, Unit: 8, Scale: 1, Moves: 2},
			stream("push-2windows", all, largest), stream("push-4windows", all, largest), stream("sending", all, largest),
		}, Open: openPush},
		{Name: "pull", About: "remote read by PULL", Processes: 2, Tests: []bench.Test{
			stream("pull", all, largest), stream("pull-botf", all, largest),
		}, Open: openPull},
		{Name: "botf", About: "remote write by a packet image in the Window", Processes: 2, Tests: []bench.Test{
			latency("botf", packet, martini.MaxImage), stream("botf-stream", packet, martini.MaxImage),
		}, Open: openBotf},
		{Name: "aotf", About: "remote write of 8 bytes by one store, against a bare one", Processes: 2, Tests: []bench.Test{
			latency("aotf", []int{8}, 8), latency("bare", []int{8}, 8), {Name: "aotf-stream", Sizes: []int{8}, Min: 8, Max: 8, Unit: 8, Scale: 1, Moves: 1},
		}, Open: openAotf},
		{Name: "vpush", About: "remote write into the ring that the receiver fills", Processes: 2, Tests: []bench.Test{
			latency("vpush", append(bench.Powers(8, 1024), 2040), 2040), stream("vpush-stream", append(bench.Powers(8, 1024), 2040), 2040),
		}, Open: openVpush},
		{Name: "exceptions", About: "three processes: what refused requests of one direction cost the other", Processes: 3, Tests: exceptions(), Open: openExceptions},
		{Name: "lock", About: "LOCK and UNLOCK, by one process and by two in turn", Processes: 2, Tests: []bench.Test{
			alone("lock"), alone("lock-contended"),
		}, Open: openLock},
		{Name: "barrier", About: "BARRIER of two processes", Processes: 2, Tests: []bench.Test{alone("barrier")}, Open: openBarrier},
	}
}

// Find returns the workload of a name, or an error that lists the names.
func Find(name string) (pair.Workload, error) {
	return pair.Find(Workloads(), "NIC measurement", name)
}
