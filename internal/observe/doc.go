// Package observe is how a job is seen from outside: memory in which each rank writes
// down its calls, and which the launcher reads, also when a rank has died in the middle.
//
//	 rank, for each call          launcher, at the end
//	Begin ... End ---> memory ---> Read ---> Stats: text, JSON, a page
//	                          \--> Trace: a file for Perfetto
//
// Calls and bytes are counted exactly. A time stamp costs as much as a part of a short
// call, so of calls that do not sleep only some are timed, and their sum is estimated from
// these; sleeps are timed all. A job that is traced reads the clock at the end of every call, and at the
// beginning of those that wait.
package observe
