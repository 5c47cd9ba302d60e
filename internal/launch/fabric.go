package launch

import (
	"os"
	"time"

	"rhinet/internal/pmi"
)

// A Fabric is the memory that the ranks of a job share, as far as a launcher
// needs to know it: a descriptor to hand down, and one status line per rank to
// read. Methods are called from several goroutines.
type Fabric interface {
	// File returns the open file that every rank inherits.
	File() *os.File
	// Status returns what a rank says about itself. It never blocks and never
	// trusts what it reads: a rank may be killed in the middle of a change, and
	// what it returns is plausible.
	Status(rank int) pmi.Status
	// Begin is the time at which the memory was made: no wait is older.
	Begin() time.Time
	// Bury tells all ranks that the process of one has ended.
	Bury(rank int)
	// Close gives back what the launcher itself holds.
	Close() error
}
