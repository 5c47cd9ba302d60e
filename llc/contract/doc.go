// Package contract checks that a translator and its caller keep the contract of [rhinet/llc/ir.Translator]:
// [Watch] wraps a translator in one that carries out the same calls and checks each rule of the contract as
// it goes. The first breach is reported, as an error that names the rank, the side at fault, the rule, and
// the command or event.
//
// Wrapped alone, as in a process of a job, a translator is checked for what can be seen at one end: Busy,
// answers, tails, views, ends, and the goroutines that call it. If all translators of a network are wrapped
// together ([WatchAll]), both ends of each packet are checked as well: order, whole packets, when room is
// freed, and whether sleepers are woken. This assumes that what is posted is visible when Post returns.
package contract
