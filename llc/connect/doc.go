// Package connect is the machine that makes connections between peers, for NICs that have connections (llc,
// section 4.2): with a common slot in each peer's bootstrap area, which is locked by compare-and-swap, and a
// pool of transaction slots. It also works on a NIC without send and receive.
//
// A [Machine] is that of one peer. It is pure, like the protocol engine: its driver tells it what its own
// slots hold (Seen), answers its commands (Swapped, Created), and carries out what Take returns. It knows
// neither how a NIC makes the ends of a connection nor what their addresses mean: they are 44 bits that the
// two sides exchange.
//
// The steps have the names of the specification; A initiates, B responds:
//
//	I1  A locks the common slot of B
//	I2  A writes its request there: its number, and the transaction slot at A that B is to answer in
//	I3  A makes its end
//	R1  B makes its end, writes the answer (its address, and a transaction slot at B), and releases the common slot
//	I4  A sees the answer and makes its end ready to send
//	I5  A writes its address into the slot at B
//	R2  B sees it, makes its end ready, and acknowledges into the slot at A
//
//	      slot, lock           written          made          answer              acknowledged
//	Idle ------------> I1, I2 --------> I3 -----------> I4 -----------> I5 ------------------> Connected
//	  \  no slot                                         | refused                                 ^
//	   \------------> Waiting                            v                                         |
//	    \                                             Refused <-- no end, or A has none            |
//	     \    request                                    |                                         |
//	      \------------> R1 (end made, answer written) --+----> R2 --------------------------------/
//
// What the specification leaves open:
//
//	both sides start   the one with the lower number goes on and drops the request of the other, which
//	                   gives up its own attempt when it sees that of the lower one (Yield: it gives a lock back)
//	a dead peer locks  the lock names its holder: the owner of the common slot releases the lock of a
//	                   peer whose end has been reported
//	no free slot       the initiator waits before it locks, so that no other peer waits for it; a request
//	                   stays in the common slot until there is a slot. One slot is kept for responding, so
//	                   that no peers wait for each other in a circle
//	refusal            Refused, at both sides, and for good: packets between the two go as before
//	a slot outlives    each use of a slot has a number, and every write is a compare-and-swap from the
//	its transaction    value that the use began with: a late write changes nothing
package connect
