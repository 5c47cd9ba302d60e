// Package archtest holds the rules of the tree as data and the code that checks them; its test checks the
// whole repository. See [Policy] for the allowed imports, and [Share] for how much code a NIC needs.
//
// Test files may import what they need; all other rules hold for them too.
package archtest
