// Package mg is the NAS kernel MG, multigrid: it approximates the solution of
// a Poisson problem on a periodic cube with a fixed number of V-cycles.
//
// The cube is cut into blocks along three axes; after each operator the ranks exchange a layer of ghost
// points. The kernel mainly tests memory bandwidth on the fine grids and message latency on the coarse
// ones, where there may be fewer points than ranks.
package mg
