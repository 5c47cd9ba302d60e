// Package compare runs one measurement on several MPI runtimes in turn and
// says how they relate.
//
// Machines drift by a factor of two within an hour, so nothing is compared
// across time: in each round every runtime measures every cell, in an order
// that rotates from round to round (A B C, B C A, C A B), and the figure that
// counts is the median over the rounds of the ratio within a round.
package compare
