// Package timed runs the processes of a job in virtual time. The network is a model (package
// medium) in one process, the service; each rank has a virtual clock of its own, and a mailbox in
// the job's memory.
//
//	config.go   the configuration that ranks get when they open their node
//	mailbox.go  the memory that a rank and the service use in turn
//	node.go     a rank: its clock, sending and receiving
//	turn.go     giving the turn to the service, and waiting for it
//	service.go  the order in which ranks run: conservative, deterministic
//	traffic.go  posted packets in the model, and events for ranks
//	report.go   where the time went
//
// A rank runs real code; its clock advances only by the costs of operations. It puts packets into
// its mailbox, stamped with its clock. When it must know what has arrived until now, or waits, it
// gives the turn to the service. Once all ranks have done so, the service runs whatever is next: an
// event of the model, or the ranks that are ready to continue. A rank never runs at a time for
// which another one could still send it a packet that arrives earlier:
//
//	next event of the model at K, first rank ready at R, lookahead l of the model
//	K <= R: the event happens, and a rank that waits for it becomes ready
//	K > R:  all ranks that are ready before min(K, R+l) run
//
// Packets that these ranks send arrive at R+l or later. So what a rank receives depends only on
// virtual time, and at equal times on the numbers of ranks. The number and the speed of processors
// make no difference.
//
// The goroutines of a rank share its clock. If one of them calls while another one waits, the rank
// gets the turn back at once, at the time that the other ranks have reached. That works, but the
// time of such a call is not determined by virtual time.
package timed
