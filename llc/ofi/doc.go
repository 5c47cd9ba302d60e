// Package ofi is the translator of libfabric (OpenFabrics interfaces), which drives the networks between
// hosts: TCP, and with other providers InfiniBand, EFA, Slingshot or Omni-Path. It needs a program built with
// the tag ofi, and libfabric on the host.
//
//	Shared          header and payload as one message (fi_send), from a buffer outside Go's heap
//	Arrived         the completion of one of the receives that are always posted
//	Expose, Conceal fi_mr_reg, fi_close; the segment is the key
//	Pull, Push      fi_read; fi_writemsg with FI_DELIVERY_COMPLETE
//	Arm, Sleep      fi_trywait; the queue's descriptor, beside the doorbell
//
// libfabric does not report a peer that has ended: operations are to be retried for ever. So a rank that
// waits for a peer checks whether it is still there.
package ofi
