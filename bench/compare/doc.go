// Package compare runs the same measurements on several MPI runtimes in turn and compares them.
//
// Machines drift by a factor of two within an hour, so nothing is compared across time: in each round every
// runtime measures every cell, in an order that rotates from round to round (A B C, B C A, C A B), and the
// relevant figure is the median over the rounds of the ratio within a round.
package compare
