// Package program finds what the name of a program means, and builds it if it is a Go package. What is built lies in
// a directory that does not outlive its user for long.
package program
