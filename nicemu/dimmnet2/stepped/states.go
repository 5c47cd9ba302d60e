package stepped

import "fmt"

// A State is the work of a module in a clock.
type State uint8

// The states. Those of the Window Controller are the rows of section 7.2, those of the Receive Controller
// the rows of section 8.2.
const (
	Idle State = iota

	Obtain     // the request is obtained from the FIFO
	Identify   // and identified
	Start      // BOTF, or the command, starts
	ReadWindow // read request to WW
	Header1    // 1st Header obtained, PGID field overwritten; or received
	Header2    // 1st Header to SWIF, 2nd obtained; or received, request identified
	Header3    // the same for the third, if there is one
	FirstData  // last header to SWIF, 1st data line obtained
	Pass       // lines go to SWIF until EOP
	Local      // a command of class (1) is with another unit

	Activate // RAS to CAS of SO-DIMM
	Column   // CAS to data
	Burst    // data from or to SO-DIMM

	RequestHeader // read request to SWIF
	CheckSpace    // IPUSH: free space of the receive ring
	StartWrite    // of PW, SO-DIMM or LLCM
	RequestRight  // PW write right requested
	AcquireRight  // and acquired
	RequestData   // data read request to SWIF
	WriteData     // data written until EOP
	ReleaseRight  // PW write right released
	RequestStatus // to the Status Write Unit
	Forward       // a request to read goes to the Window Controller

	WriteStatus
	numStates
)

var stateNames = [numStates]string{
	"IDLE", "OBTAIN", "IDENTIFY", "START", "READ WW", "HEADER 1", "HEADER 2", "HEADER 3", "1ST DATA", "PASS", "LOCAL", "ACTIVATE", "COLUMN", "BURST",
	"REQUEST HEADER", "CHECK SPACE", "START WRITE", "REQUEST RIGHT", "ACQUIRE RIGHT", "REQUEST DATA", "WRITE DATA", "RELEASE RIGHT", "REQUEST STATUS", "FORWARD",
	"WRITE STATUS",
}

// String returns the state in capitals.
func (s State) String() string { return stateNames[s] }

// clocks is the duration of each state: from sections 7.2, 8.2 and 11, and the suggested values of
// section 8.2 for SO-DIMM. Data for SO-DIMM is written at the rate at which its lines arrive: SWIF
// delivers 8 bytes a clock, SO-DIMM could take 16 (our choice: the source has both rates, but does
// not say which one decides). In states in which data passes, it is the number of lines, or of
// bursts of 16 bytes.
var clocks = [numStates]int{
	Obtain: 2, Identify: 1, Start: 1, ReadWindow: 1, Header1: 1, Header2: 1, Header3: 1, FirstData: 1, Local: 1,
	Activate: 2, Column: 2,
	RequestHeader: 1, CheckSpace: 4, StartWrite: 1, RequestRight: 1, AcquireRight: 1, RequestData: 1, ReleaseRight: 1, RequestStatus: 1, Forward: 1,
	WriteStatus: 3,
}

// Clocks returns the number of clocks of a state, for n bytes of data.
func Clocks(s State, n int) int {
	switch s {
	case Pass, WriteData:
		return (n + 7) / 8
	case Burst:
		return (n + 15) / 16
	}
	return clocks[s]
}

// A Module is a kind of module.
type Module uint8

// The modules.
const (
	WindowController Module = iota
	PrefetchUnit
	WriteUnit
	ReceiveController
	StatusWriteUnit
	numModules
)

// String returns the module's name.
func (m Module) String() string {
	return [numModules]string{"Window Controller", "Prefetch Unit", "Write Unit", "Receive Controller", "Status Write Unit"}[m]
}

// A transition leads from one state of a module to another.
type transition struct {
	module   Module
	from, to State
}

// transitions lists all transitions, with a text for each. A module that must wait, for a write
// right or for the end of a refresh, stays in its state.
var transitions = map[transition]string{
	{WindowController, Idle, Obtain}:           "a request is in the FIFO",
	{WindowController, Obtain, Identify}:       "obtained",
	{WindowController, Identify, Idle}:         "refused",
	{WindowController, Identify, Start}:        "identified",
	{WindowController, Identify, Local}:        "for another unit",
	{WindowController, Local, Idle}:            "it is done",
	{WindowController, Start, ReadWindow}:      "BOTF",
	{WindowController, Start, Activate}:        "data from SO-DIMM",
	{WindowController, Start, Header1}:         "data from LLCM, or none",
	{WindowController, ReadWindow, Header1}:    "WW is read",
	{WindowController, Activate, Column}:       "row is open",
	{WindowController, Column, Header1}:        "SO-DIMM is read",
	{WindowController, Header1, Idle}:          "no packet, or nobody to send it to",
	{WindowController, Header1, Activate}:      "nobody to send it to, the next packet",
	{WindowController, Header1, Header1}:       "nobody to send it to, the next request",
	{WindowController, Header1, Header2}:       "PGID overwritten",
	{WindowController, Header2, Header3}:       "a third line",
	{WindowController, Header2, FirstData}:     "1st Header passed",
	{WindowController, Header3, FirstData}:     "2nd Header passed",
	{WindowController, FirstData, Pass}:        "headers passed",
	{WindowController, FirstData, Idle}:        "EOP: no data",
	{WindowController, FirstData, Header1}:     "EOP: no data, the next request",
	{WindowController, Pass, Idle}:             "EOP",
	{WindowController, Pass, Activate}:         "EOP, the next packet",
	{WindowController, Pass, Header1}:          "EOP, the next request",
	{PrefetchUnit, Idle, RequestRight}:         "a request",
	{PrefetchUnit, RequestRight, AcquireRight}: "asked",
	{PrefetchUnit, AcquireRight, Activate}:     "acquired",
	{PrefetchUnit, Activate, Column}:           "row is open",
	{PrefetchUnit, Column, Burst}:              "data come",
	{PrefetchUnit, Column, ReleaseRight}:       "no data",
	{PrefetchUnit, Burst, ReleaseRight}:        "all is in PW",
	{PrefetchUnit, ReleaseRight, Idle}:         "released",
	{WriteUnit, Idle, Activate}:                "a request",
	{WriteUnit, Activate, Column}:              "row is open",
	{WriteUnit, Column, Burst}:                 "data go",
	{WriteUnit, Column, Idle}:                  "no data",
	{WriteUnit, Burst, Idle}:                   "all is in SO-DIMM",

	{ReceiveController, Idle, RequestHeader}:         "a packet has arrived",
	{ReceiveController, RequestHeader, Header1}:      "asked",
	{ReceiveController, Header1, Idle}:               "refused: another group",
	{ReceiveController, Header1, Header2}:            "of the own group",
	{ReceiveController, Header2, Idle}:               "refused",
	{ReceiveController, Header2, StartWrite}:         "a write",
	{ReceiveController, Header2, CheckSpace}:         "IPUSH",
	{ReceiveController, Header2, Header3}:            "a third line",
	{ReceiveController, Header3, Idle}:               "refused",
	{ReceiveController, Header3, StartWrite}:         "a write by a pattern",
	{ReceiveController, Header3, RequestData}:        "stride or list follows",
	{ReceiveController, Header3, Forward}:            "all is known",
	{ReceiveController, CheckSpace, Idle}:            "refused: no room",
	{ReceiveController, CheckSpace, StartWrite}:      "there is room",
	{ReceiveController, StartWrite, RequestRight}:    "PW",
	{ReceiveController, StartWrite, Activate}:        "SO-DIMM",
	{ReceiveController, StartWrite, RequestData}:     "LLCM",
	{ReceiveController, RequestRight, AcquireRight}:  "asked",
	{ReceiveController, AcquireRight, RequestData}:   "acquired",
	{ReceiveController, Activate, Column}:            "row is open",
	{ReceiveController, Column, RequestData}:         "column is open",
	{ReceiveController, RequestData, Idle}:           "refused, or nothing to write",
	{ReceiveController, RequestData, ReleaseRight}:   "no data, or no room for a status",
	{ReceiveController, RequestData, WriteData}:      "data come",
	{ReceiveController, RequestData, RequestStatus}:  "no data",
	{ReceiveController, WriteData, ReleaseRight}:     "EOP",
	{ReceiveController, WriteData, RequestStatus}:    "EOP",
	{ReceiveController, WriteData, Idle}:             "EOP, no status",
	{ReceiveController, WriteData, Forward}:          "stride or list is known",
	{ReceiveController, ReleaseRight, RequestStatus}: "released",
	{ReceiveController, ReleaseRight, Idle}:          "released, no status",
	{ReceiveController, RequestStatus, Idle}:         "asked: the next packet may come",
	{ReceiveController, Forward, Idle}:               "the Window Controller has it, or it is refused",

	{StatusWriteUnit, Idle, WriteStatus}: "a reception is complete",
	{StatusWriteUnit, WriteStatus, Idle}: "the host can see it",
}

// why returns the text of a transition, and panics if there is none.
func why(m Module, from, to State) string {
	text, ok := transitions[transition{m, from, to}]
	if !ok {
		panic(fmt.Sprintf("stepped: no transition of a %v from %v to %v", m, from, to))
	}
	return text
}
