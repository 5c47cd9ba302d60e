package wait

import "time"

// A family tells whether the ranks of a job have the processors for themselves. Then a yield is as long as what they
// do, such as copying, and who sleeps instead only adds to their work.
type family struct {
	at    time.Duration // since epoch; 0: never
	spent time.Duration
}

// judge takes in a yield, from before to now since epoch.
func (p *Policy) judge(before, now time.Duration) {
	took := now - before
	if took >= longYield && p.Spent != nil && p.family.alone(now, p.Spent(), p.cpus) {
		took = 0
	}
	p.crowd.note(took)
}

// alone reports whether ranks that have spent so much kept the processors busy since the last look. At the first
// one, and after a long time, it does not know.
func (f *family) alone(now, spent time.Duration, cpus int) bool {
	last := *f
	*f = family{now, spent}
	wall := now - last.at
	if last.at == 0 || wall <= 0 || wall > familyMemory {
		return false
	}
	return spent-last.spent >= time.Duration(cpus)*wall-wall/familyShare
}
