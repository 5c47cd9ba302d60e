// Package contract holds a translator and its caller to the contract of
// [rhinet/llc/ir.Translator]: [Watch] wraps a translator in one that carries out
// the same calls and checks each sentence of the contract as it goes. A broken
// sentence is reported once, as an error that names the rank, whose mistake it is,
// the sentence, and the command or event.
//
// Wrapped alone, as in a process of a job, a translator is held to what can be
// seen at one end: Busy, answers, tails, views, ends, and by whom it is called. If
// all translators of a network are wrapped together ([WatchAll]), so are the two ends of
// each packet: order, whole packets, when room is freed, and whether a sleeper is rung for.
// That supposes that what is posted is visible when Post returns.
package contract
