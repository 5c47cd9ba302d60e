// Package nictest tests translators: [Run] takes any implementation of [rhinet/llc/ir.Translator] through
// every operation and every rule of its contract, and [Loopback] is the implementation that needs no network,
// for tests of drivers of translators.
package nictest
