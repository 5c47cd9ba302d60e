package archtest

// Policy is who may import whom within the module, and which libraries from
// outside serve where. It is policy: a line changes by decision, not to make a
// build pass.
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
let nic     = nicemu/* - fabric, vtime, param, network, syncctl, medium, loggp, models
let kernel  = npb/* - nas, cfd
let level   = bench/* - host, peer, compare
let feature = examples/*

# Tools without knowledge of the product. Beside them everyone has the standard library.
internal/checked, internal/clock, internal/hosts, internal/invariants, internal/layout, internal/pmi, internal/ptytest, internal/ring, internal/wait, internal/vec, internal/script < EVERYONE

# Libraries, where the design names a use for them. None of them is for llc, collectives or a NIC.
golang.org/x/sys < nicemu/fabric, internal/launch, internal/wait, internal/ring, internal/ptytest
github.com/klauspost/cpuid/v2 < internal/vec, internal/launch, npb/nas, bench/host
gonum.org/v1/gonum, gonum.org/v1/plot, github.com/olekukonko/tablewriter < bench, bench/compare, bench/<level>
golang.org/x/exp < npb/nas, bench
github.com/spf13/cobra, github.com/spf13/pflag < cmd/mpirun, cmd/bench, cmd/npb
github.com/olekukonko/tablewriter, github.com/schollz/progressbar/v3 < cmd/bench, cmd/npb, cmd/mpirun
github.com/bradfitz/gomemcache < internal/launch

# The protocol engine.
llc/seq < llc/match, llc/wire
llc/ir, llc/match, llc/wire, llc/seq < llc
llc/ir < llc/contract, llc/checksum
llc/contract < llc/nictest
llc/checksum < llc/nics
llc, llc/ir < llc/port, llc/sim

# NICs and their translators.
nicemu/fabric < nicemu/<nic>
nicemu/fabric, nicemu/martini < nicemu/martini/stepped

# Virtual time and the models that run on it. They touch no memory of a job.
nicemu/vtime, nicemu/param < nicemu/network, nicemu/syncctl
nicemu/vtime < nicemu/martini/stepped
nicemu/martini/stepped, nicemu/network < nicemu/martini/timed
bench/pair, bench/report, nicemu/fabric, nicemu/martini/timed < bench/timed
gonum.org/v1/gonum < nicemu/network
bench/report, nicemu/vtime, nicemu/param, nicemu/network < bench/network
bench/report, nicemu/syncctl < bench/barriers
nicemu/syncctl !<< nicemu/fabric
nicemu/vtime < nicemu/medium
nicemu/medium, nicemu/param < nicemu/loggp
nicemu/loggp < nicemu/models
nicemu/medium < nicemu/timed
nicemu/vtime !< nicemu/...
nicemu/network !<< nicemu/fabric
nicemu/models !<< nicemu/fabric
nicemu/martini/stepped < bench, bench/nic, bench/model, cmd/bench
nicemu/martini < nicemu/martini/pm, nicemu/martini/lowlevel
llc/ir, nicemu/fabric < llc/entry
nicemu/<nic>, llc/entry, llc/ir < llc/<nic>
llc/entry < llc/martini, llc/martinipm
nicemu/martini/pm, nicemu/fabric, llc/ir < llc/martinipm
nicemu/martini, nicemu/martini/lowlevel, nicemu/fabric, llc/ir < llc/martini/endpoint
llc/martini/endpoint < llc/martini, llc/martinipm, llc/timed
llc/<nic>, llc/martinipm, llc/contract, nicemu/fabric < llc/nics

# MPI.
collectives < collectives/colltest
collectives, llc/port, llc/nics < mpi
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
mpi < examples/<feature>
gonum.org/v1/gonum < examples/gonum
mpi, llc/port, llc/sim, llc/nics < bench
nicemu/<nic> < bench
bench < bench/pair
bench/pair, nicemu/martini/lowlevel < bench/nic
bench/pair, nicemu/martini/pm < bench/pm
bench/pair < bench/model
bench/pair, llc/port, llc/martini < bench/llc
bench/host < bench
bench/host, bench/peer, bench/pmb < bench/compare
mpi, mpi/mpitest < bench/layouts
bench/layouts < cmd/bench
bench/compare < bench/report
bench/host < bench/watch
bench/compare, bench/model, bench/nic, bench/report < bench/results
bench/compare < bench/traffic
bench < bench/peer, bench/<level>
bench/peer < bench/rma
bench/compare, bench/<level> < cmd/bench
internal/launch, nicemu/fabric, nicemu/models, nicemu/timed, llc/nics, collectives < cmd/mpirun

# What the order must never come to allow.
llc !<< nicemu/...
llc !<< mpi
llc !<< llc/port
llc !<< internal/wait
llc/ir !<< nicemu/...
llc/sim !<< nicemu/...
llc/port !<< nicemu/...
llc/contract !<< nicemu/...
llc/contract !<< llc
llc/nics !< nicemu/martini/...
llc/entry !< nicemu/martini/...
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

// pure are the packages without clock, chance, goroutine, input or output.
var pure = []string{"llc", "llc/ir", "llc/wire", "llc/match", "llc/seq", "llc/sim", "nicemu/vtime", "nicemu/param", "nicemu/network", "nicemu/syncctl", "nicemu/medium", "nicemu/loggp", "nicemu/models"}

// stateless are the folders whose packages have no variables that change.
var stateless = []string{"mpi", "llc", "nicemu", "collectives"}

// mayUseUnsafe are the packages that may have files named _unsafe.go.
var mayUseUnsafe = []string{"nicemu/fabric", "nicemu/martini", "internal/ring", "internal/vec", "mpi"}

// longest is the number of lines that a source file may have.
const longest = 500

// wrappers are packages of the communication library that wrap translators or describe them: they
// are not written for one NIC.
var wrappers = []string{"llc/checksum", "llc/contract", "llc/entry"}

// mostNewCode is the part of the communication library, in percent, that may have
// to be written for one NIC.
const mostNewCode = 15
