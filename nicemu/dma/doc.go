// Package dma is the DMA engine of an emulated NIC: what moves bytes between
// the NIC and memory of its process, of other processes and of the job, in the
// order that pollers rely on. Which bytes may be moved is for the NIC to know.
package dma
