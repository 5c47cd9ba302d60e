package syncctl

// The barrier controllers: a process writes Set_d to its distributed BC and sleeps; the central BC
// applies the rules; PE Go becomes an interrupt of the RP's CPU core and then of the PE
// (sync-controller, section 6).

// central is the central BC.
type central struct {
	logic   *RBCQ
	waiting []Waiter
	running bool // a pass of the rules is due
}

// Code has a process execute a code of RBCQ-1. w is notified of PE Go. An error, which is a mistake
// of the program, is reported when the central BC detects it.
func (m *Machine) Code(node, setD int, w Waiter) {
	m.after(m.set.write+m.set.bcDecode, opWait, job{at: node, w: w, setD: setD})
}

// RBCQ returns the logic of the central BC, for inspection.
func (m *Machine) RBCQ() *RBCQ { return m.bc.logic }

func (m *Machine) bcWait(j *job) {
	if err := m.bc.logic.Wait(j.at, j.setD); err != nil {
		m.after(m.set.bcInterrupt+m.set.interrupt+m.set.wake, opResume, job{at: j.at, w: j.w, status: NotOwner})
		return
	}
	m.bc.waiting[j.at] = j.w
	m.bcRun()
}

// bcRun schedules a pass of the rules, one for each clock.
func (m *Machine) bcRun() {
	if !m.bc.running {
		m.bc.running = true
		m.after(m.set.bcCentral, opRules, job{})
	}
}

func (m *Machine) bcRules() {
	m.bc.running = false
	released, changed := m.bc.logic.Step()
	for _, n := range released {
		m.after(m.set.bcInterrupt+m.set.interrupt+m.set.wake, opResume, job{at: n, w: m.bc.waiting[n]})
		m.bc.waiting[n] = nil
	}
	if changed {
		m.bcRun()
	}
}
