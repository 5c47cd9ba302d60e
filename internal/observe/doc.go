// Package observe shows a job from outside: each rank records its calls in memory that the launcher reads,
// even if a rank has died in the middle.
//
//	 rank, for each call          launcher, at the end
//	Begin ... End ---> memory ---> Read ---> Stats: text, JSON, a page
//	                          \--> Trace: a file for Perfetto
//
// Calls and bytes are counted exactly. A time stamp costs as much as a part of a short call, so of the
// calls that do not sleep only some are timed, and the total time is estimated from these; all sleeps are
// timed. In a traced job, the clock is read at the end of every call, and at the beginning of those that
// wait.
package observe
