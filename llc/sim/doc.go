// Package sim runs many protocol engines in one goroutine over a network of memory, chance and faults, and
// checks what they deliver.
//
// A run is a value, [Params]: one seed decides the Caps of the NIC, the program of every peer, which peer
// acts when, how long things take, what is refused, and which peer dies. The same Params give the same run,
// and print as a recipe that [Parse] reads back:
//
//	sim: seed=17 peers=3 messages=24 remote=true rings=1 ...
//
// The network uses all the freedom that the contract of ir.Translator leaves it, and in some runs it breaks
// that contract by a fault ([ParseFault]): then [Check] says what must come of it.
//
// What a run checks: every message is received exactly once, with the right bytes, in the order that MPI
// demands; no byte outside a buffer changes; no ring is overrun and no packet is placed where its reader
// would not look; nothing waits for ever; at the end engines have given back all that they hold.
package sim
