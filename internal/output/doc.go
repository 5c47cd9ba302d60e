// Package output passes on what the ranks of a job print: whole lines, never torn, each with its rank or the time
// in front if asked. At a terminal a prompt is shown before its line ends, and progress is replaced by what comes next.
package output
