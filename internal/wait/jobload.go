package wait

import "time"

// A jobLoad tells whether the ranks of a job have the processors to themselves. Then a yield is long because
// of work of the job, such as copying, and a rank that sleeps instead only adds to that work.
type jobLoad struct {
	at    time.Duration // since epoch; 0: never
	spent time.Duration
}

// judge takes in a yield that lasted from before to now, both since epoch.
func (p *Policy) judge(before, now time.Duration) {
	took := now - before
	if took >= longYield && p.Spent != nil && p.load.exclusive(now, p.Spent(), p.cpus) {
		took = 0
	}
	p.contention.note(took)
}

// exclusive reports whether the ranks, which have used spent processor time in all, kept the processors busy
// since the last call. In the first call, and after a long time, this is not known, and the answer is no.
func (f *jobLoad) exclusive(now, spent time.Duration, cpus int) bool {
	last := *f
	*f = jobLoad{now, spent}
	wall := now - last.at
	if last.at == 0 || wall <= 0 || wall > exclusiveWindow {
		return false
	}
	return spent-last.spent >= time.Duration(cpus)*wall-wall/exclusiveSlack
}
