package launch

import (
	"os"
	"time"

	"rhinet/internal/pmi"
)

// A Fabric is the memory that the ranks of a job share, as the launcher needs it: a descriptor to hand
// down, and one status line per rank to read. Methods are called from several goroutines.
type Fabric interface {
	// File returns the open file that every rank inherits.
	File() *os.File
	// Status returns the status line of a rank. It never blocks, and it returns plausible values although
	// it trusts nothing that it reads: a rank may be killed in the middle of a change.
	Status(rank int) pmi.Status
	// Begin returns when the memory was created: no wait is older.
	Begin() time.Time
	// MarkFailed tells all ranks that the process of rank has ended.
	MarkFailed(rank int)
	// Close releases what the launcher itself holds.
	Close() error
}
