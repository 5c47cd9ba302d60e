// Package pm is the PM message interface of the SCore cluster system on the Martini NIC, after the
// specification "pm-messaging", part 1, in two implementations:
//
//	RHiNET  PM/RHiNET (section 1.4): a ring for each source at each receiver,
//	        written by PUSH with header and trailer in the message; the sender
//	        fetches the receiver's tail by PULL when the ring seems full
//	VP      PM/RHiNET-VP (section 1.5): one ring for all sources, filled by
//	        VPUSH in the order of arrival
//
// Both deliver the messages of one source in the order sent, without loss, and poll. Messages do
// not carry their sender: the layer above puts it into its own header, and may compare it with
// Source.
//
// Choices where the specification is silent: a node sends to itself through a ring like any other;
// sending while a message is held is allowed; a send that fails releases its buffer; counters count
// slots and never wrap.
package pm
