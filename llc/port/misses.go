package port

// misses are Tests and Probes that have found nothing. They come in rounds: a yield of the processor begins
// one.
type misses struct {
	row   uint   // since one has found something
	round uint32 // its number
}

// found ends the row.
func (m *misses) found() { m.row = 0 }

// miss adds one, and reports whether it is to yield. looked holds the last round in which the same thing was
// looked for in vain; nil: it may be something else each time. Where ranks share processors, a program that
// looks for many things in turn yields when it begins anew, since a pass would else last as many scheduling
// turns as there are things.
func (m *misses) miss(looked *uint32, shared bool) (yield bool) {
	m.row++
	if m.row%missesPerYield != 0 && (!shared || looked != nil && *looked != m.round) {
		if looked != nil {
			*looked = m.round
		}
		return false
	}
	m.round++
	if looked != nil {
		*looked = m.round
	}
	return true
}

// audit reports whether there are so many in a row that an audit is worth considering.
func (m *misses) audit() bool { return m.row%missesPerAudit == 0 }
