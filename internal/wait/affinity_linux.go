package wait

import "golang.org/x/sys/unix"

// Affinity returns the processors that this thread may use: bit i of byte j for
// processor 8j + i.
func Affinity() []byte {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	mask := []byte{}
	for cpu, left := 0, set.Count(); left > 0; cpu++ {
		if cpu%8 == 0 {
			mask = append(mask, 0)
		}
		if set.IsSet(cpu) {
			mask[cpu/8] |= 1 << (cpu % 8)
			left--
		}
	}
	return mask
}
