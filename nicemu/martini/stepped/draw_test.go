package stepped

import (
	"fmt"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// An op is one request, in terms that have the same meaning on both sides.
type op struct {
	name        string
	node, win   int
	botf        bool
	kind        uint8
	to, pid     int
	seg         martini.Segment
	segKind     int
	off         uint64
	local, loff int // area, and offset at the issuer
	size        int
	flag        int
	payload     []byte
	plainAt     uint64 // ack, response: offset in plainArea
	plainArea   int
	localBad    bool
	lock        bool           // a call of LOCK: size is the lock
	vpush       bool           // for a VPUSH ring
	tenure      martini.Tenure // of a lock packet
}

func (o *op) String() string {
	return fmt.Sprintf("%s node %d window %d to %d.%d seg %v(%d)+%d local %d+%d size %d flag %d plain %d+%d",
		o.name, o.node, o.win, o.to, o.pid, o.seg, o.segKind, o.off, o.local, o.loff, o.size, o.flag, o.plainArea, o.plainAt)
}

// offset draws a start, often next to a border of pages.
func (w *pair) offset() int {
	switch w.pick(4) {
	case 0:
		return w.pick(areaSize)
	case 1:
		return (w.pick(7))*pageBytes + w.pick(17) - 8
	case 2:
		return w.pick(64)
	}
	return w.pick(areaSize/8) * 8
}

func (w *pair) length() int {
	switch w.pick(16) {
	case 0:
		return w.pick(areaSize)
	case 1, 2:
		return w.pick(2*MTU + 3)
	case 3:
		return 0
	}
	return w.pick(129)
}

// draw draws an operation.
func (w *pair) draw() op {
	o := op{node: w.pick(pairNodes), win: w.pick(12), to: w.pick(3), flag: w.pick(7)}
	if w.pick(8) != 0 {
		o.node %= 3
	}
	if w.pick(16) == 0 {
		o.to = 3
	}
	o.pid = o.to
	o.segKind = max(0, w.pick(16)-11)
	o.off = uint64(max(0, w.offset()))
	o.size = w.length()
	o.loff = max(0, w.offset())
	if o.segKind == 0 && w.pick(8) != 0 { // inside the segment
		o.off = min(o.off, areaSize)
		o.size = min(o.size, areaSize-int(o.off))
	}
	o.loff = min(o.loff, areaSize-min(o.size, areaSize))
	switch w.pick(64) {
	case 0:
		o.win = invalidBy
	case 1:
		o.win, o.localBad = forgedBy, true
	case 2:
		o.pid = w.pick(5)
	case 3:
		o.flag = martini.CompletionFlags + 1 + w.pick(9)
	case 4:
		o.off = ^uint64(0) - uint64(w.pick(9))
	case 5:
		o.local, o.localBad = 2, o.size > 0
	case 6:
		o.local = 1
		end := o.loff + o.size
		o.localBad = o.size > 0 && !(end <= 2*pageBytes || o.loff >= 4*pageBytes)
	}
	if o.segKind < len(w.segs[0]) {
		o.seg = w.segs[o.to][o.segKind]
	}
	w.decide(&o)
	return o
}

// decide draws the kind of request.
func (w *pair) decide(o *op) {
	lost := w.pick(128) == 0
	switch k := w.pick(36); {
	case k < 12:
		o.name, o.kind = "PUSH", martini.CommandPush
	case k < 21:
		o.name, o.kind = "PULL", martini.CommandPull
	case k < 25:
		o.name, o.botf, o.kind = "BOTF push", true, martini.PacketPush
	case k < 27:
		o.name, o.botf, o.kind = "BOTF pull request", true, martini.PacketPullRequest
		o.size = max(o.size, 1)
		o.loff = min(o.loff, areaSize-o.size)
		if o.local == 2 {
			o.localBad = true
		}
		if o.local == 1 {
			o.localBad = !(o.loff+o.size <= 2*pageBytes || o.loff >= 4*pageBytes)
		}
	case k < 29:
		o.name, o.botf, o.kind = "BOTF response", true, uint8(martini.PacketAck+2*w.pick(2))
		o.plainAt, o.plainArea = uint64(min(areaSize, max(0, w.offset()))), w.pick(3)
	case k == 29:
		o.name, o.botf, o.kind = "SWAP", true, martini.PacketSwap
		o.off %= 70
	case k == 30:
		o.name, o.botf, o.kind = "unknown packet", true, uint8([]int{0, 5, 15, 19, 99, 0xf0, 0xff}[w.pick(7)])
	case k == 31:
		if w.pick(4) == 0 {
			o.name, o.botf, o.kind = "lock packet", true, uint8(martini.PacketLockRequest+w.pick(2))
			o.tenure = martini.MakeTenure(w.pick(pairLocks+1), w.pick(pairNodes+1), uint32(w.pick(3)))
			o.off = uint64(martini.MakeTenure(w.pick(pairLocks), w.pick(pairNodes), 1))
			if w.pick(4) != 0 {
				o.size = 0
			}
			break
		}
		fallthrough
	case k == 32:
		w.drawLock(o)
	case k == 33:
		o.name, o.kind = "VPUSH", martini.CommandPush
		w.drawVPush(o)
	case k == 34:
		o.name, o.botf, o.kind = "BOTF VPUSH", true, martini.PacketPush
		w.drawVPush(o)
	default:
		o.name, o.kind = "special request", uint8(35+w.pick(215))
	}
	if lost && !o.vpush && (o.kind == martini.PacketPush || !o.botf && o.kind == martini.CommandPull) {
		o.to, o.pid = lostNode, lostNode
	}
	if o.botf && o.kind != martini.PacketPullRequest {
		size := min(o.size, MTU)
		if o.vpush {
			size = min(o.size, vpushMost)
		}
		if w.pick(64) == 0 && o.to != lostNode {
			size = MTU + 1
		}
		if o.kind == martini.PacketSwap && w.pick(8) != 0 {
			size = 16
		}
		o.size, o.localBad = size, false
		o.payload = make([]byte, size)
		for i := range o.payload {
			o.payload[i] = byte(w.pick(256))
		}
		if o.kind == martini.PacketSwap {
			for i := range o.payload {
				o.payload[i] &= 1
				if i%8 != 0 {
					o.payload[i] = 0
				}
			}
		}
	}
}

// vpushMost is the longest record that both sides accept: that of the fast path has a frame of 8
// bytes.
const vpushMost = MTU - 8

// drawVPush draws a packet for a VPUSH ring, or a request that resembles one.
func (w *pair) drawVPush(o *op) {
	o.vpush, o.seg, o.segKind = true, VPushSegment, 0
	o.flag = 1 + w.pick(6)
	if o.size > vpushMost && o.size <= MTU {
		o.size = vpushMost
	}
	switch w.pick(24) {
	case 0:
		o.flag = 0
	case 1:
		o.size = MTU + 1 + w.pick(MTU)
		o.loff = min(o.loff, areaSize-o.size)
		if o.local == 1 {
			o.local = 0
		}
	case 2:
		o.seg += martini.Segment(1+w.pick(2)) << 32
	case 3:
		if !o.botf {
			o.name, o.kind = "PULL of VPUSH", martini.CommandPull
		}
	}
}

// drawLock draws a call of LOCK or UNLOCK, or of their preparation. Some are mistakes.
func (w *pair) drawLock(o *op) {
	o.name, o.kind, o.lock, o.localBad = "lock", uint8(martini.CommandLock+w.pick(2)), true, false
	o.size, o.node = w.pick(pairLocks), w.pick(3)
	switch w.pick(16) {
	case 0:
		o.size = martini.Locks - 1 + w.pick(2)
	case 1, 2, 3:
		o.kind = martini.CommandLockInit
		o.to, o.seg, o.off = o.size%3, w.segs[o.node][0], uint64(8*o.size)
		switch w.pick(12) {
		case 0:
			o.to = w.pick(5)
		case 1:
			o.seg = w.segs[o.node][w.pick(5)]
		case 2:
			o.off = uint64(w.offset())
		}
	}
	o.pid = o.to
}

// overlaps reports whether source and target share memory.
func (o *op) overlaps() bool {
	at, from := o.off, uint64(o.loff)
	return !o.lock && !o.vpush && o.to == o.node && len(o.payload) == 0 && o.segKind == o.local && at < from+uint64(o.size) && from < at+uint64(o.size)
}

// prepare writes the Window of one side and returns the kick.
func (o *op) prepare(s *side) (dw int, value uint64) {
	w := s.nics[o.node].Window(o.win)
	local := fabric.Address(s.areas[o.node][o.local]) + uint64(o.loff)
	if !o.botf {
		parameters(w, o.kind, martini.Request{Node: o.to, Segment: o.seg, Offset: o.off, Flag: o.flag}, local, uint64(o.size))
		w.Store(martini.DWTarget, uint64(o.to)|uint64(o.pid)<<16)
		return martini.DWKick, 1
	}
	p := martini.Packet{Type: o.kind, PGID: 77, PID: o.pid, Node: o.to, Segment: o.seg, Offset: o.off, Local: local, Flag: o.flag, Length: o.size, Payload: o.payload}
	if o.name == "BOTF response" && o.to < pairNodes {
		p.Local = fabric.Address(s.areas[o.to][o.plainArea]) + o.plainAt
	}
	if o.name == "lock packet" {
		p.Local = uint64(o.tenure)
	}
	image(w, &p)
	return martini.DWBotf, uint64(len(o.payload))
}
