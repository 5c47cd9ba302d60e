// Package traffic is random MPI traffic that checks itself. A seed determines a [Plan]: what every rank of
// a job sends and receives, and what it does between. All ranks derive the same plan; each executes its
// part ([Plan.Run]) and checks everything that it receives against the plan: that the message is the next
// one that may match, according to the rules of order (MPI 4.1, section 3.5), its bytes, its status, and
// that nothing outside the buffer has changed.
//
//	seed --Draw--> Plan: lanes of steps        (draw.go, plan.go)
//	                 |
//	                 | every rank: a goroutine for each lane   (run.go)
//	                 v
//	      Exchange: messages in one of four styles  (exchange.go, send.go, receive.go)
//	      Collective: one call, checked             (collective.go)
//	      Dup, Split, Free
//	                 |
//	                 v
//	      judge: the next message of its flow?      (judge.go)
//
// A plan cannot deadlock, whatever the network does and however little it buffers: messages of an exchange
// are numbered, and each rank sends and receives in order of number. So the first message that has not been
// received is one that its sender and its receiver are handling, or can handle, next. Where a rank receives
// with a wildcard, all its receives in the exchange are alike, and it sends nothing between them.
package traffic
