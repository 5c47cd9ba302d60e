package launch

import (
	"syscall"
	"time"

	"rhinet/internal/pmi"
)

// A message is what mpirun and the daemon of a host say to each other: one of its parts.
// Ranks have their numbers in the job.
//
//	daemon  Hello                      who it is
//	mpirun  Orders                     what to start
//	daemon  Begun                      every rank runs, or why not
//	daemon  Output, mpirun Taken       what ranks print
//	mpirun  Input, daemon Taken        what rank 0 reads
//	mpirun  Look, daemon Report        what ranks wait for
//	mpirun  Signal
//	daemon  Ended, mpirun Ended        ranks that have ended, for those on the other hosts
//	daemon  Parcel                     what a rank has written down
//	daemon  Done                       no rank is left, and no output
//
// Then mpirun closes the connection. Whoever loses it before ends what belongs to the job.
type message struct {
	Hello  *hello
	Orders *orders
	Begun  *begun
	Output *piece
	Input  *piece
	Taken  int // bytes of pieces that were passed on, with what they take beside
	Signal syscall.Signal
	Look   int // number of the Report that is wanted
	Report *report
	Ended  []departed
	Parcel *Parcel
	Done   bool
}

type hello struct {
	Host int // as it was told
	CPUs int // that ranks may keep busy there
	Now  time.Time
}

// orders are what a daemon needs to know of the job.
type orders struct {
	Size    int   // ranks of the job
	Ranks   []int // those on this host
	Slots   []int // their parts
	Parts   []errand
	Environ []string // of mpirun
	Env     []string
	NIC     string
	Tuning  string
	Bind    Bind

	KeepGoing  bool
	RingMemory int
	Gather     Gathering

	CPUs    int    // that the ranks are told to share
	Columns int    // of the terminal of mpirun, for rank 0
	Store   string // where ranks find each other; a port alone if mpirun serves it
	Key     []byte // of the store
	Input   bool   // rank 0 reads what comes as Input
}

// An errand is a part as a daemon carries it out.
type errand struct {
	Name  string
	Path  string
	Image []byte // what to execute, in the place of what is at Path
	Args  []string
	Dir   string
	Env   []string
}

type begun struct {
	PIDs  []int
	Err   string // why not all ranks run
	Usage bool   // which is the user's mistake
}

// A piece of what a rank prints or reads.
type piece struct {
	Rank  int
	Error bool // standard error
	Data  []byte
	End   bool // there is no more
}

// The pieces that are under way hold at most window bytes, of which each takes some
// beside its data.
const (
	window      = 256 << 10
	pieceBytes  = 32 << 10
	besidePiece = 64
)

func (p *piece) weight() int { return len(p.Data) + besidePiece }

// A departed rank is one that has ended, or was stopped.
type departed struct {
	Rank   int
	Wait   uint32 // a syscall.WaitStatus
	Status pmi.Status
}

// A report is what the ranks of a host wait for.
type report struct {
	Number int
	Now    time.Time
	Ranks  []state
}

type state struct {
	Rank   int
	Status pmi.Status
	Used   time.Duration // of processors
}

// An invitation is the line by which a daemon learns how to reach mpirun. It comes on the
// standard input, by the way that has started the daemon and no other.
type invitation struct {
	Version   int
	Host      int
	Key       []byte
	Addresses []string
}

const invitationVersion = 1
