// Package archtest holds the rules of the tree as data and the code that
// checks them; its test runs them on the whole repository. See [Policy] for
// who may import whom, and [Share] for how much code a NIC needs.
//
// Test files are free to import what they need; all else holds for them too.
package archtest
