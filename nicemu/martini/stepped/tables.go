package stepped

// A Basis is the source of a transition.
type Basis uint8

// The bases.
const (
	Stated   Basis = iota // the specification states it, or the order of the states
	Inferred              // follows from other statements
	Ours                  // our choice, where the specification is silent
)

// An Edge is one transition of a module: the machine, its trace and its diagram all use these.
type Edge struct {
	From  State
	On    Cond
	To    State
	Basis Basis
}

// Tables returns the transitions of a module. From MISS, firmware may write any state (martini,
// section 10.2); a break point leads from any state of the four modules that can be taken over to
// MISS (10.4). Neither is in the tables.
func Tables(m Module) []Edge {
	if m < Modules {
		return tables[m]
	}
	return nil
}

var tables = [Modules][]Edge{
	Window: {
		{IDLE, Packet, MOVE, Ours},
		{MOVE, Always, IDLE, Ours},
	},
	// martini, section 10.7.
	Initiator: {
		{IDLE, Push, PGID, Stated},
		{IDLE, Other, PGID, Inferred},
		{IDLE, Special, MISS, Stated},
		{PGID, Valid, IPA, Stated},
		{PGID, Violation, MISS, Stated},
		{PGID, Queued, CONT, Ours},
		{PGID, Nothing, CHK1, Ours},
		{IPA, Always, IPA2, Stated},
		{IPA2, Hit, CHK1, Stated},
		{IPA2, Miss, MISS, Stated},
		{CHK1, Always, CHK2, Stated},
		{CHK1, TimedOut, MISS, Ours},
		{CHK2, Done, CONT, Stated},
		{CHK2, More, IPA, Inferred},
		{CHK2, Withdrawn, IPA, Ours},
		{CONT, Always, IDLE, Stated},
	},
	// martini, sections 7.1, 10.9: as the Initiator, and the ack.
	Replier: {
		{IDLE, PullRequest, IPA, Inferred},
		{IDLE, Nothing, CHK1, Ours},
		{IDLE, AckRequest, WAIT, Inferred},
		{IPA, Always, IPA2, Inferred},
		{IPA2, Hit, CHK1, Inferred},
		{IPA2, Miss, MISS, Stated},
		{CHK1, Always, CHK2, Inferred},
		{CHK1, TimedOut, MISS, Ours},
		{CHK2, Done, IDLE, Inferred},
		{CHK2, More, IPA, Inferred},
		{CHK2, Withdrawn, IPA, Ours},
		{WAIT, Drained, ACK, Stated},
		{WAIT, Cancelled, IDLE, Ours},
		{ACK, Always, IDLE, Inferred},
	},
	Header: {
		{IDLE, Packet, BUILD, Ours},
		{BUILD, Always, IDLE, Ours},
	},
	Sender: {
		{IDLE, Packet, JOIN, Ours},
		{JOIN, Always, IDLE, Ours},
	},
	AOTFSend: {
		{IDLE, Packet, HTLB, Ours},
		{HTLB, Hit, HBUF, Ours},
		{HTLB, Miss, IDLE, Ours},
		{HBUF, Always, SEND, Ours},
		{SEND, Always, IDLE, Ours},
	},
	SWI: {
		{IDLE, Packet, SEND, Ours},
		{SEND, Always, IDLE, Ours},
	},
	// martini, section 10.8.
	RFend: {
		{IDLE, Packet, FLIT0, Stated},
		{IDLE, TimedOut, MISS, Ours},
		{FLIT0, Always, FLIT1, Stated},
		{FLIT1, Ordinary, FLIT2, Stated},
		{FLIT1, Control, MISS, Stated},
		{FLIT1, Direct, AOTF, Ours},
		{FLIT2, Always, FLIT3, Stated},
		{FLIT3, Unknown, MISS, Stated},
		{FLIT3, Translate, RVACHK, Stated},
		{FLIT3, Plain, SET1, Inferred},
		{RVACHK, Always, RVA, Stated},
		{RVA, Hit, SET1, Stated},
		{RVA, InRing, SET1, Ours},
		{RVA, Miss, MISS, Stated},
		{RVACHK2, Always, RVA, Ours},
		{SET1, Always, SET2, Stated},
		{SET2, Always, SET3, Stated},
		{SET3, Always, SET4, Stated},
		{SET4, Always, IDLE, Stated},
		{AOTF, Hit, AOTFR, Inferred},
		{AOTF, Miss, FLIT2, Ours},
		{AOTFR, Always, IDLE, Inferred},
	},
	// martini, sections 7.2, 10.9.
	RBend: {
		{IDLE, Packet, IPA, Inferred},
		{IDLE, Nothing, WAIT, Ours},
		{IPA, Always, IPA2, Inferred},
		{IPA2, Hit, CHK1, Inferred},
		{IPA2, Miss, MISS, Stated},
		{CHK1, Always, CHK2, Inferred},
		{CHK2, Done, WAIT, Inferred},
		{CHK2, More, IPA, Inferred},
		{CHK2, Withdrawn, IPA, Ours},
		{WAIT, TimedOut, MISS, Ours},
		{WAIT, Flag, IPA, Inferred},
		{WAIT, Drained, IDLE, Inferred},
	},
	PCIDMAC:  engineTable,
	DIMMDMAC: engineTable,
	SRAMDMAC: engineTable,
	CPU: {
		{MAIN, Raised, HANDLER, Ours},
		{HANDLER, Handled, MAIN, Ours},
	},
}

// engineTable is the rule for master and slave (martini, section 7.3).
var engineTable = []Edge{
	{IDLE, Packet, MREQ, Stated},
	{MREQ, Begun, SREQ, Stated},
	{SREQ, Granted, DATA, Stated},
	{DATA, Done, IDLE, Stated},
}

// rest returns the state in which a module has nothing to do.
func (m Module) rest() State {
	if m == CPU {
		return MAIN
	}
	return IDLE
}

// TakenOver reports whether firmware can take the module over (martini,
// section 10.6).
func (m Module) TakenOver() bool {
	return m == Initiator || m == Replier || m == RFend || m == RBend
}

// Suspendable reports whether a module goes from s to MISS by itself; such a
// state is suspendable (martini, section 10.6).
func Suspendable(m Module, s State) bool {
	for _, e := range Tables(m) {
		if e.From == s && e.To == MISS {
			return true
		}
	}
	return false
}

// A transition table for the machine: the next state plus one, by module, state and condition; 0
// means that there is none.
type transitions [Modules][States][Conds]uint8

func compile() *transitions {
	t := new(transitions)
	for m, edges := range tables {
		for _, e := range edges {
			if t[m][e.From][e.On] != 0 {
				panic("stepped: two transitions from one state under one condition")
			}
			t[m][e.From][e.On] = uint8(e.To) + 1
		}
	}
	return t
}
