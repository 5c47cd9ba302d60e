package archtest

// Policy says which package may import which within the module, and where external libraries may be used.
// It is a policy: a line changes by decision, not to make a build pass.
//
// "a, b < c, d" means that c and d may import a and b. The relation is
// transitive: with "c < e", e may import a as well. EVERYONE stands for all
// packages. A word in angle brackets stands for any one folder name that a let
// line gives it, the same within a line.
//
// "a !< b" forbids a direct import of b by a although the order above would
// allow it; "a !<< b" asserts that not even an indirect one exists. A pattern
// that ends in /... stands for the folder and all below it.
const Policy = `
let nic     = nicemu/* - fabric, dma, vtime, param, network, syncctl, medium, loggp, models
let kernel  = npb/* - nas, cfd
let level   = bench/* - host, peer, compare
let feature = examples/*

# Tools without knowledge of the product. Beside them everyone has the standard library.
internal/callsite, internal/checked, internal/clock, internal/fserror, internal/hosts, internal/hugepage, internal/iface, internal/integer, internal/invariants, internal/layout, internal/need, internal/netns, internal/netnstest, internal/observe, internal/onesided, internal/pace, internal/page, internal/parallel, internal/perfetto, internal/pmi, internal/process, internal/ptytest, internal/rapidseed, internal/ring, internal/scratch, internal/slurmtest, internal/strided, internal/sysinfo, internal/tracetest, internal/wait, internal/vec, internal/script < EVERYONE

# Libraries, where the design names a use for them. None of them is for llc, collectives or a NIC.
pgregory.net/rapid < internal/rapidseed
github.com/creack/pty < internal/ptytest
golang.org/x/term < internal/output, internal/launch, internal/bar, cmd/npb
golang.org/x/sys < nicemu/fabric, internal/launch, internal/wait, internal/ring, internal/observe, internal/hugepage
github.com/klauspost/cpuid/v2 < internal/vec, internal/launch, npb/nas, bench/host
gonum.org/v1/gonum, gonum.org/v1/plot, github.com/olekukonko/tablewriter < bench, bench/compare, bench/<level>
golang.org/x/exp < npb/nas, bench
github.com/google/pprof < internal/profiles
# A job for Kubernetes is checked against a schema, as Kubernetes does.
github.com/santhosh-tekuri/jsonschema/v6, go.yaml.in/yaml/v3 < cmd/mpirun
github.com/spf13/cobra, github.com/spf13/pflag < cmd/mpirun, cmd/bench, cmd/npb
github.com/olekukonko/tablewriter < cmd/bench, cmd/npb, cmd/mpirun
github.com/schollz/progressbar/v3 < internal/bar
github.com/bradfitz/gomemcache < internal/kvs/memcached
github.com/ebitengine/purego < internal/libfabric, internal/kvs/pmix, internal/libmpi
golang.org/x/tools < internal/mpivet, cmd/mpivet, internal/typecheck

# The stores in which ranks exchange addresses.
internal/kvs < internal/kvs/own, internal/kvs/launcher, internal/kvs/pmix, internal/kvs/memcached, internal/kvs/kvstest
internal/kvs/kvstest < internal/kvs/own, internal/kvs/launcher, internal/kvs/pmix, internal/kvs/memcached
internal/kvs/own, internal/kvs/memcached < internal/kvs/open
internal/kvs/open < llc/nics

internal/strided < internal/layout
internal/clock, internal/page, internal/perfetto < internal/observe
internal/need < internal/slurmtest, internal/netnstest, internal/ptytest
internal/netns < internal/netnstest
internal/wait < internal/netns
internal/sysinfo < internal/wait
internal/pace < internal/ring
internal/vec < internal/ring, internal/strided, internal/layout

# The protocol engine.
llc/seq < llc/match, llc/wire
llc/ir, llc/match, llc/wire, llc/seq < llc
llc/ir < llc/contract, llc/checksum
llc/contract < llc/nictest
llc/checksum < llc/nics
llc, llc/ir < llc/port, llc/sim

# NICs and their translators.
nicemu/fabric < nicemu/dma, nicemu/fabric/fabrictest
nicemu/dma < nicemu/<nic>
nicemu/fabric, nicemu/martini < nicemu/martini/stepped
nicemu/fabric, nicemu/tofu < nicemu/tofu/stepped
nicemu/fabric, nicemu/dimmnet2 < nicemu/dimmnet2/stepped
nicemu/vtime, nicemu/param, nicemu/dimmnet2/stepped < nicemu/dimmnet2/timed
bench/report, nicemu/dimmnet2/timed < bench/dimmnet2
nicemu/fabric, nicemu/cenju4 < nicemu/cenju4/stepped
nicemu/vtime, nicemu/param, nicemu/cenju4 < nicemu/cenju4/timed
bench/report, nicemu/cenju4/timed < bench/cenju4

# Virtual time and the models that run on it. They touch no memory of a job.
nicemu/vtime, nicemu/param < nicemu/network, nicemu/syncctl
nicemu/syncctl < nicemu/sync
nicemu/vtime < nicemu/martini/stepped
nicemu/martini/stepped, nicemu/network < nicemu/martini/timed
bench/network, bench/pair, bench/report, nicemu/fabric, nicemu/martini/timed < bench/timed
gonum.org/v1/gonum < nicemu/network
bench/report, nicemu/vtime, nicemu/param, nicemu/network < bench/network
bench/report, nicemu/syncctl < bench/barriers
bench/report, bench/virtual, npb < bench/study
nicemu/martini/stepped, nicemu/tofu/stepped, nicemu/dimmnet2/stepped, nicemu/cenju4/stepped, nicemu/syncctl, nicemu/ib < bench/pictures
bench/report, collectives, llc/timed, nicemu/models < bench/virtual
bench/pmb, bench/report, bench/virtual, collectives, nicemu/models, npb < bench/nics
nicemu/models < bench/events
nicemu/syncctl !<< nicemu/fabric
nicemu/vtime < nicemu/medium
nicemu/medium, nicemu/param < nicemu/loggp
nicemu/medium < nicemu/martini/timed
nicemu/martini/timed < nicemu/martini/media
nicemu/medium, nicemu/cenju4/timed < nicemu/cenju4/media
nicemu/medium, nicemu/dimmnet2/timed < nicemu/dimmnet2/media
nicemu/medium, nicemu/syncctl < nicemu/sync/media
nicemu/medium < nicemu/medium/mediumtest
nicemu/medium/mediumtest < nicemu/cenju4/media, nicemu/dimmnet2/media, nicemu/sync/media
nicemu/martini/media, nicemu/cenju4/media, nicemu/dimmnet2/media, nicemu/sync/media, nicemu/loggp < nicemu/models
nicemu/medium < nicemu/timed
nicemu/vtime !< nicemu/...
nicemu/network !<< nicemu/fabric
nicemu/loggp !<< nicemu/fabric
nicemu/martini/stepped < bench, bench/nic, bench/model, cmd/bench
nicemu/martini < nicemu/martini/pm, nicemu/martini/lowlevel
llc/ir, nicemu/fabric < llc/entry
nicemu/<nic>, llc/entry, llc/ir < llc/<nic>
llc/entry < llc/martini, llc/martinipm, llc/endpoint
llc/connect, llc/ir, nicemu/fabric < llc/endpoint
llc/endpoint < llc/<nic>, llc/martini/endpoint
llc/arq, llc/endpoint, llc/ir < llc/datagram
llc/datagram < llc/ib
llc/ir < llc/mailbox
llc/mailbox < llc/endpoint, llc/tofu, llc/cenju4, llc/sync
llc/entry, llc/ir, nicemu/fabric < llc/endpoint/endpointtest
internal/libfabric, llc/entry, llc/endpoint, llc/ir, nicemu/fabric < llc/ofi
llc/ofi < llc/nics
internal/tcp, llc/entry, llc/endpoint, llc/ir, nicemu/fabric < llc/tcp
llc/tcp < llc/nics
llc/ir < llc/route
llc/route < llc/nics
llc/ir, llc/nictest, llc/route < llc/route/routetest
nicemu/martini/pm, nicemu/fabric, llc/ir < llc/martinipm
nicemu/martini, nicemu/martini/lowlevel, nicemu/fabric, llc/ir < llc/martini/endpoint
llc/martini/endpoint < llc/martini, llc/martinipm, llc/timed
llc/<nic>, llc/martinipm, llc/contract, nicemu/fabric < llc/nics

# The communication library for programs without MPI.
llc/port, llc/nics < llc/user
llc/user < llc/user/usertest
llc/user, llc/user/usertest < llc/user/hashtable, llc/user/blockstore

# MPI. Pieces of it that know no communicator are packages of their own.
internal/callsite < internal/origin
internal/wait < internal/hwresource
internal/agreement, internal/cartesian, internal/epoch, internal/fetchop, internal/hwresource, internal/origin < mpi
collectives < collectives/colltest
collectives, llc/port, llc/nics, internal/kvs/launcher, internal/kvs/pmix, internal/libmpi, internal/tuning < mpi
mpi, collectives/colltest < mpi/mpitest

# Programs.
mpi < npb/nas
npb/nas < npb/cfd, npb/<kernel>
npb/cfd < npb/bt, npb/sp, npb/lu
npb/nas, mpi/mpitest < npb/nas/nastest
npb/cfd, npb/nas/nastest < npb/cfd/cfdtest
npb/<kernel> < npb
npb, npb/nas < cmd/npb, bench/compare
mpi < cmd/hello
internal/mpivet < cmd/mpivet
mpi < examples/<feature>
gonum.org/v1/gonum < examples/gonum
mpi, llc/port, llc/sim, llc/nics < bench
nicemu/<nic> < bench
bench < bench/pair
bench/pair, nicemu/martini/lowlevel < bench/nic
bench/pair, bench/report, nicemu/martini/pm < bench/pm
bench/pair < bench/model
bench/pair, llc/port, llc/martini < bench/llc
bench/host < bench
bench/host, bench/peer, bench/pmb, bench/progress, bench/rma < bench/compare
mpi, mpi/mpitest < bench/layouts
bench/layouts < cmd/bench
internal/archtest < bench/share
bench/compare < bench/report
bench/host < bench/watch
bench/compare, bench/model, bench/nic, bench/report < bench/results
bench/compare < bench/traffic
bench < bench/peer, bench/<level>
bench/peer < bench/rma, bench/progress
internal/libmpi < bench/peer, internal/libmpi/libmpitest
internal/need < internal/libmpi/libmpitest
bench/compare, bench/<level>, internal/bar < cmd/bench
internal/control, internal/diagnosis, internal/kvs/own, internal/output, internal/program < internal/launch
internal/tuning < internal/tuning/measure
internal/observe < internal/observe/metrics
internal/launch, internal/tuning, internal/tuning/measure, internal/observe/metrics, internal/profiles, internal/bar, internal/kvs/open, nicemu/fabric, nicemu/models, nicemu/timed, llc/nics, llc/ofi, collectives < cmd/mpirun

# What the order must never come to allow.
llc !<< nicemu/...
llc !<< mpi
llc !<< llc/port
llc !<< internal/wait
llc/ir !<< nicemu/...
llc/sim !<< nicemu/...
llc/port !<< nicemu/...
llc/route !<< nicemu/...
llc/contract !<< nicemu/...
llc/contract !<< llc
llc/nics !< nicemu/martini/...
llc/entry !< nicemu/martini/...
llc/endpoint !<< nicemu/martini/...
llc/mailbox !<< nicemu/...
nicemu/... !<< llc/...
nicemu/... !<< mpi
collectives/... !<< llc/...
collectives/... !<< mpi
collectives/... !<< nicemu/...
internal/... !<< mpi
internal/... !<< llc/...
internal/... !<< nicemu/...
internal/... !<< collectives
mpi !< nicemu/...
mpi !< llc/martini
npb/... !< llc/...
npb/... !< nicemu/...
npb/... !< collectives
examples/... !< llc/...
examples/... !< nicemu/...
examples/... !< collectives
cmd/mpirun !< mpi
cmd/mpirun !< nicemu/martini/...
`

// pure lists the packages without clock, randomness, goroutines, input or output.
var pure = []string{"llc", "llc/ir", "llc/wire", "llc/match", "llc/seq", "llc/arq", "llc/connect", "llc/sim", "nicemu/vtime", "nicemu/param", "nicemu/network", "nicemu/syncctl", "nicemu/medium", "nicemu/loggp", "nicemu/models",
	"internal/agreement", "internal/cartesian", "internal/origin"}

// stateless lists the folders whose packages have no variables that change.
var stateless = []string{"mpi", "llc", "nicemu", "collectives"}

// mayUseUnsafe lists the packages that may have files named _unsafe.go.
var mayUseUnsafe = []string{
	"internal/libfabric", "internal/kvs/pmix", "internal/libmpi", "internal/tcp",
	"nicemu/fabric", "nicemu/dma", "nicemu/martini",
	"internal/ring", "internal/vec", "internal/hugepage", "internal/fetchop",
	"llc/user", "mpi",
}

// longest is the number of lines that a source file may have.
const longest = 500

// wrappers are packages of the communication library that wrap translators or describe them: they are not
// written for one NIC.
var wrappers = []string{"llc/checksum", "llc/contract", "llc/entry", "llc/route"}

// library lists the top packages of the NIC-independent part of the communication library: the engine's
// driver, and the code shared by translators that imports no NIC. What is below them is not written again
// for another NIC.
var library = []string{"llc/port", "llc/endpoint", "llc/mailbox", "llc/datagram"}

// mostNewCode is the largest part of the communication library, in percent, that may have to be written for
// one NIC.
const mostNewCode = 10
