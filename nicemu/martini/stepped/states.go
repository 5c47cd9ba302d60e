package stepped

// A Module is one part of the controller with a state register of its own
// (martini, sections 2.1, 7).
type Module uint8

// The modules of a node.
const (
	Window    Module = iota // Window controller (3.1)
	Initiator               // of the Send Controller, for requests from Windows (7.1, 10.7)
	Replier                 // of the Send Controller, for requests from RCONT (7.1, 10.9)
	Header                  // Header Generator (7.1)
	Sender                  // joins Header FIFO and payload to packets for the Send FIFO (7.1)
	AOTFSend                // AOTF Send Controller (6.2)
	SWI                     // Switch Interface (2.1)
	RFend                   // Receiver Front-end (7.2, 10.8)
	RBend                   // Receiver Back-end (7.2, 10.9)
	PCIDMAC                 // transfer engines of the DMA Controller (7.3)
	DIMMDMAC
	SRAMDMAC
	CPU // on-chip processor (7.4)
	Modules
)

var moduleNames = [Modules]string{
	"Window", "Initiator", "Replier", "Header", "Sender", "AOTF", "SWI",
	"RFend", "RBend", "PCIDMAC", "DIMMDMAC", "SRAMDMAC", "CPU",
}

// String returns the name of the module.
func (m Module) String() string {
	if m < Modules {
		return moduleNames[m]
	}
	return "?"
}

// A State is the content of a module's state register. All modules share one enumeration; a
// module's table of transitions says which states it has.
type State uint8

// The states. Names from IDLE to AOTFR are the specification's (martini, sections 10.7 to 10.9);
// the rest are ours, for modules whose states it does not describe.
const (
	IDLE    State = iota
	MISS          // suspended: only firmware leaves it
	PGID          // PGIDTBL lookup
	IPA           // PATLB lookup issued
	IPA2          // PATLB returns the result
	CHK1          // size of the next DMA
	CHK2          // DMA request
	CONT          // contflag
	WAIT          // for DMA completion
	FLIT0         // header analysis
	FLIT1         //
	FLIT2         //
	FLIT3         //
	RVACHK        // RVATLB lookup issued
	RVA           // RVATLB returns the result
	RVACHK2       // in which firmware resumes RFend after a replacement
	SET1          // hand over to RBend or Replier
	SET2          //
	SET3          //
	SET4          //
	AOTF          // low-latency path of special AOTF packets
	AOTFR         //
	ACK           // Replier: the ack packet
	MOVE          // Window: parameters through the FIFO
	BUILD         // Header: the flits
	JOIN          // Sender: header and payload to the Send FIFO
	HTLB          // AOTF: Header TLB lookup
	HBUF          // AOTF: header from the Header Buffer
	SEND          // AOTF, SWI: the packet leaves
	MREQ          // DMAC: request to the master
	SREQ          // DMAC: the master has begun; request to the slave
	DATA          // DMAC: transfer
	MAIN          // CPU: main loop, polls the interrupt controller
	HANDLER       // CPU: runs a handler
	States
)

var stateNames = [States]string{
	"IDLE", "MISS", "PGID", "IPA", "IPA2", "CHK1", "CHK2", "CONT", "WAIT", "FLIT0", "FLIT1", "FLIT2", "FLIT3",
	"RVACHK", "RVA", "RVACHK2", "SET1", "SET2", "SET3", "SET4", "AOTF", "AOTFR", "ACK", "MOVE", "BUILD", "JOIN",
	"HTLB", "HBUF", "SEND", "MREQ", "SREQ", "DATA", "MAIN", "HANDLER",
}

// String returns the name of the state.
func (s State) String() string {
	if s < States {
		return stateNames[s]
	}
	return "?"
}

// A Cond is the condition that a module finds in a state; both together determine the next state.
type Cond uint8

// The conditions. Stay means that there is none: the module waits in its state.
const (
	Stay Cond = iota
	Always
	Push
	Other // PULL, BOTF
	Special
	Violation
	Valid
	Nothing
	Queued
	Hit
	Miss
	More
	Done
	Withdrawn
	TimedOut
	PullRequest
	AckRequest
	Drained
	Cancelled
	Flag
	Packet
	Ordinary
	Control
	Unknown
	Translate
	Plain
	Direct
	InRing
	Begun
	Granted
	Raised
	Handled
	Conds
)

var condTexts = [Conds]string{
	"waits", "", "request is PUSH", "request is PULL or BOTF", "neither PUSH, PULL nor BOTF", "Window invalid or request impossible",
	"Window valid, PUSH", "no bytes to read", "packet queued", "hit", "miss", "data left", "no data left",
	"translation withdrawn", "timeout", "pull request", "ack request", "DMA complete", "packet discarded",
	"last response, flag wanted", "input", "ordinary", "network control", "hardware cannot process",
	"push, pull request", "ack, pull response", "special AOTF packet", "VPUSH ring in hardware", "master has begun",
	"slave is free", "line raised", "handled",
}

// String returns the condition in a few words.
func (c Cond) String() string {
	if c < Conds {
		return condTexts[c]
	}
	return "?"
}

// A Work is the kind of work in a step, to which times can be attached (martini, section 12).
type Work uint8

// The kinds of work.
const (
	Waiting    Work = iota // no work: the module waits for input, room or an answer
	Analysis               // a clock of control logic
	Lookup                 // PGIDTBL, CONTTBL, PATLB, RVATLB, Header TLB
	Requesting             // DMA request
	Transfer               // data by DMA, or a packet on the link
	Build                  // assembly of a header or packet
	Suspended              // waits for firmware
	Programmed             // on-chip processor, with the control bus
	Works
)

var workNames = [Works]string{"wait", "analysis", "lookup", "request", "transfer", "build", "suspended", "firmware"}

// String returns the name of the kind.
func (w Work) String() string {
	if w < Works {
		return workNames[w]
	}
	return "?"
}

// workOf is the kind of work in each state, when the module does not wait.
var workOf = [States]Work{
	IDLE: Analysis, MISS: Suspended, PGID: Lookup, IPA: Lookup, IPA2: Lookup, CHK1: Analysis, CHK2: Requesting, CONT: Requesting,
	WAIT: Analysis, FLIT0: Analysis, FLIT1: Analysis, FLIT2: Analysis, FLIT3: Analysis, RVACHK: Lookup, RVA: Lookup, RVACHK2: Lookup,
	SET1: Analysis, SET2: Analysis, SET3: Analysis, SET4: Analysis, AOTF: Analysis, AOTFR: Analysis, ACK: Build, MOVE: Transfer,
	BUILD: Build, JOIN: Build, HTLB: Lookup, HBUF: Lookup, SEND: Transfer, MREQ: Requesting, SREQ: Requesting, DATA: Transfer,
	MAIN: Programmed, HANDLER: Programmed,
}
