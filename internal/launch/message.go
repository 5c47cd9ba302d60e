package launch

import (
	"syscall"
	"time"

	"rhinet/internal/pmi"
)

// A message is what mpirun and the daemon of a host send to each other: exactly one of its fields is set.
// Ranks have their numbers in the job.
//
//	daemon  Hello                      who it is
//	mpirun  Orders                     what to start
//	mpirun  Code                       the programs that are sent, in the order of the parts
//	daemon  Begun                      every rank runs, or why not
//	daemon  Output, mpirun Taken       what ranks print
//	mpirun  Input, daemon Taken        what rank 0 reads
//	mpirun  Look, daemon Report        what ranks wait for
//	mpirun  Signal
//	daemon  Ended, mpirun Ended        ranks that have ended, for those on the other hosts
//	daemon  Parcel                     what a rank has written down
//	daemon  Done                       no rank is left, and no output
//
// Then mpirun closes the connection. A side that loses the connection earlier ends its part of the job.
type message struct {
	Hello  *hello
	Orders *orders
	Code   []byte // the next piece of a program; pieces leave room for heartbeats between them
	Begun  *begun
	Output *piece
	Input  *piece
	Taken  int // bytes of pieces that were passed on, including their overhead
	Signal syscall.Signal
	Look   int // number of the requested Report
	Report *report
	Ended  []departed
	Parcel *Parcel
	Done   bool
}

type hello struct {
	Host int // the number that it was given
	CPUs int // processors that ranks can keep busy there
	Now  time.Time
}

// orders are what a daemon must know about the job.
type orders struct {
	Size    int   // ranks of the job
	Ranks   []int // those on this host
	Slots   []int // their parts
	Parts   []partSpec
	Environ []string // of mpirun
	Env     []string
	NIC     string
	Tuning  string
	Bind    Bind

	KeepGoing  bool
	RingMemory int
	Gather     Gathering

	CPUs    int    // processors that the ranks are told to share
	Columns int    // columns of mpirun's terminal, for rank 0
	Store   string // store of the job; only a port if mpirun serves it
	Key     []byte // of the store
	Input   bool   // rank 0 reads the data of Input
}

// A partSpec describes a part to a daemon.
type partSpec struct {
	Name  string
	Path  string
	Image int // bytes of the executable that is sent in place of the file at Path; 0: none
	Args  []string
	Dir   string
	Env   []string
}

type begun struct {
	PIDs  []int
	Err   string // why not all ranks run
	Usage bool   // the cause is a mistake of the user
}

// A piece is a part of the output or input of a rank.
type piece struct {
	Rank  int
	Error bool // standard error
	Data  []byte
	End   bool // there is no more
}

// codeBytes is how much of a program is sent at once.
const codeBytes = 256 << 10

// The pieces in flight have at most window bytes, counting besidePiece bytes of overhead for each.
const (
	window      = 256 << 10
	pieceBytes  = 32 << 10
	besidePiece = 64
)

func (p *piece) weight() int { return len(p.Data) + besidePiece }

// A departed rank has ended or was stopped.
type departed struct {
	Rank   int
	Wait   uint32 // a syscall.WaitStatus
	Status pmi.Status
}

// A report says what the ranks of a host wait for.
type report struct {
	Number int
	Now    time.Time
	Ranks  []state
}

type state struct {
	Rank   int
	Status pmi.Status
	Used   time.Duration // processor time
}

// An invitation is the line that tells a daemon how to reach mpirun. It comes on the standard input, over
// the connection that started the daemon, and never by any other way.
type invitation struct {
	Version   int
	Host      int
	Key       []byte
	Addresses []string
}

const invitationVersion = 2
