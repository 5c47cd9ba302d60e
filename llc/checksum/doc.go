// Package checksum wraps a translator in one that adds a checksum to each packet and to each flag, and
// verifies it before the engine sees what has come. A mismatch ends the use of the sender, with an error that
// says so.
//
// It is for finding the cause of damage: memory that other processes overwrite looks like a mistake of the
// program. All ranks of a job wrap their translators, or none.
//
//	packet   payload | checksum                8 bytes more
//	flag     10 bytes more                     before the payload, with its length
//
// A checksum covers the header, the payload, the sender, the receiver, and the number of the packet in its
// ring, so that an old packet that looks new is found too. The packet is copied out of the shared memory
// before it is verified.
//
// What a rendezvous moves by Pull and Push goes from process to process, not through memory that the ranks
// share, and has no checksum; the packets that control it have. Where Pull and Push are impossible
// (RHINET_CMA=off) everything travels in packets.
package checksum
