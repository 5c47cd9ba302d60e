// Package pmix uses the key-value store that launchers with PMIx serve to the processes that they start:
// Open MPI's, and Slurm's with --mpi=pmix. The protocol between client and server is private to the library
// libpmix, which is loaded at run time. Only programs built with the tag pmix can do that, because
// importing a package that loads libraries makes a binary dynamic.
//
// Names are those of the PMIx standard, version 4.1, without their prefix.
package pmix

import "errors"

// ErrUnavailable reports that there is no PMIx in this program or on this host.
var ErrUnavailable = errors.New("PMIx cannot be used")

// The variables by which launchers tell a process its place in the job.
const (
	envNamespace = "PMIX_NAMESPACE"
	envRank      = "PMIX_RANK"
)

// Speaks reports whether the environment names a launcher whose store can be opened with the library.
func Speaks(getenv func(string) string) bool {
	return getenv(envNamespace) != "" && getenv(envRank) != ""
}

// Variables returns the variables by which launchers tell a process its place in the job. They must not
// reach programs that a rank starts.
func Variables() []string {
	return []string{envNamespace, envRank, "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}
}
