// Package barriers measures the model of the synchronization controller
// (package nicemu/syncctl): its barriers and its lock, on any number of nodes.
//
// All times are virtual: figures depend only on the plan, to the last digit.
package barriers
