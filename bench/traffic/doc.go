// Package traffic is random MPI traffic that checks itself. One seed gives a
// [Plan]: what every rank of a job sends, receives, and does between. All ranks
// derive the same plan, each carries out its part ([Plan.Run]), and checks all that
// it receives against the plan: that the message is the next one that may match, as
// the rules of order demand (MPI 4.1, section 3.5), its bytes, its status, and that
// nothing beside the buffer has changed.
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
// A plan cannot deadlock, whatever the network does and however little it buffers:
// messages of an exchange are numbered, each rank sends in order of number and
// receives in order of number, and so the first message that has not been received is
// one that its sender sends and its receiver receives, or can. Where a
// rank receives with a wildcard, all its receives of the exchange are alike, and
// nothing that it sends comes between them.
package traffic
