// Package dma is the DMA engine of an emulated NIC: it moves bytes between the NIC and memory of
// its process, of other processes and of the job, in the order that pollers rely on. The NIC
// decides which bytes may be moved.
package dma
