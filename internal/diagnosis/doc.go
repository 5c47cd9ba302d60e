// Package diagnosis says why a job does not go on. From what its ranks tell of themselves, read once or twice, it
// makes the table of what each waits for, the same in a few lines, and the likely reasons: cycles of waits,
// collective calls that differ, a rank that others wait for in vain, no progress for some time.
//
// It only computes: reading the ranks, and what becomes of the job, is up to the launcher.
package diagnosis
