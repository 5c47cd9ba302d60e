package hostile

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"rhinet/internal/pmi"
	"rhinet/nicemu/fabric"
)

// A recipe says what is written where, and how often.
type recipe struct {
	seed  uint64
	area  string
	kind  string
	count int // writes
}

func (r recipe) String() string {
	return fmt.Sprintf("%d:%s:%s:%d", r.seed, r.area, r.kind, r.count)
}

func parseRecipe(s string) (r recipe, err error) {
	f := strings.Split(s, ":")
	if len(f) != 4 {
		return r, fmt.Errorf("recipe %q; it is seed:area:kind:count", s)
	}
	r.area, r.kind = f[1], f[2]
	if r.seed, err = strconv.ParseUint(f[0], 10, 64); err == nil {
		r.count, err = strconv.Atoi(f[3])
	}
	return r, err
}

// areas are the parts of the memory, kinds what is written.
var (
	areas  = []string{"all", "head", "bells", "flag arrays", "front", "tables", "tables", "device", "public", "accounts", "control", "shared", "rings", "rings", "counters"}
	kinds  = []string{"word", "word", "byte", "byte", "bit", "bit", "zero", "line", "copy", "step", "block"}
	counts = []int{3, 30, 300, 3000, 30_000, 300_000}
)

// newRecipe draws the recipe of a job.
func newRecipe(seed uint64) recipe {
	rng := rand.New(rand.NewPCG(seed, 1))
	return recipe{seed, areas[rng.IntN(len(areas))], kinds[rng.IntN(len(kinds))], counts[rng.IntN(len(counts))]}
}

// steps is how often the writing of a job pauses.
const steps = 300

// scribble carries out a recipe on the memory behind a descriptor, until the process is
// killed or the recipe is finished.
func scribble(r recipe, fd int) error {
	m, err := mapped(fd)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(r.seed, 2))
	for rank := range m.Ranks() {
		for m.Process(rank) == 0 { // a rank that does not start ends the job, and this process with it
			time.Sleep(time.Millisecond)
		}
	}
	time.Sleep(time.Duration(20+rng.IntN(200)) * time.Millisecond)
	for i := range r.count {
		hit(rng, m.target(rng, r.area), r.kind)
		if r.count < steps || i%(r.count/steps) == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// A memory is the whole memory of a job, writable: a helper that never enters the job
// as a rank is not restricted.
type memory struct {
	*fabric.Fabric
	all []byte
}

func mapped(fd int) (memory, error) {
	f, err := fabric.Map(os.NewFile(uintptr(fd), "fabric"))
	if err != nil {
		return memory{}, err
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return memory{}, err
	}
	all, err := syscall.Mmap(fd, 0, int(st.Size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_NORESERVE)
	return memory{f, all}, err
}

// area returns an area of a rank.
func (m memory) area(rank int, a fabric.Area) []byte {
	at, n := m.Span(rank, a)
	return m.all[at : at+n]
}

// target chooses a part of the memory for one write.
func (m memory) target(rng *rand.Rand, area string) []byte {
	if area == "all" {
		area = areas[1+rng.IntN(len(areas)-1)]
	}
	rank := rng.IntN(m.Ranks())
	at, size := m.FlagSpan()
	g := m.Geometry()
	switch area {
	case "head":
		return m.all[512 : fabric.PageBytes+2048] // the header is read once
	case "bells":
		return m.all[at-uint64(m.Ranks()*64) : at]
	case "flag arrays":
		// The world's flag array, and those of duplicates.
		return m.all[at : at+min(size, uint64(2*m.Ranks()*fabric.FlagLines*64))]
	case "front":
		return m.area(rank, fabric.Front)[:512]
	case "tables":
		// Areas of NIC memory as in regs.go: the words, the Windows' owners, and the
		// segments and extents that are used first.
		b := m.area(rank, fabric.Device)
		const segments, extents = 512 * 8, (512 + 2048*8) * 8
		switch rng.IntN(8) {
		case 0:
			return b[:32*8]
		case 1:
			return b[128*8 : (128+16*8)*8]
		case 2:
			return b[segments : segments+16*64]
		case 3, 4, 5:
			return b[segments+16*64 : segments+24*64]
		}
		return b[extents : extents+8*64]
	case "device":
		return m.area(rank, fabric.Device)
	case "public":
		return m.area(rank, fabric.Public)
	case "accounts":
		return m.area(rank, fabric.Accounts)
	case "control":
		return m.area(rank, fabric.Control)[:64]
	case "shared":
		b := m.area(rank, fabric.Shared)
		if rng.IntN(3) == 0 {
			return b[:256]
		}
		return b[:min(len(b), 16<<10)]
	}
	i := rng.IntN(min(g.Rings, m.Ranks()))
	ring := m.area(rank, fabric.Rings)[i*m.RingStride():][:g.Ring.Size()]
	switch {
	case area == "counters":
		return ring[g.Ring.Counters():g.Ring.Data()]
	case rng.IntN(4) == 0:
		return ring
	}
	return ring[:g.Ring.Counters()] // lines
}

// hit makes one write in b.
func hit(rng *rand.Rand, b []byte, kind string) {
	word := rng.IntN(len(b)/8) * 8
	line := rng.IntN(max(1, len(b)/64)) * 64
	random := func(b []byte) {
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
	}
	switch kind {
	case "word":
		random(b[word : word+8])
	case "byte":
		random(b[word+rng.IntN(8):][:1])
	case "bit":
		b[word+rng.IntN(8)] ^= 1 << rng.IntN(8)
	case "zero":
		clear(b[word : word+8])
	case "line":
		random(b[line:min(line+64, len(b))])
	case "copy":
		from := rng.IntN(max(1, len(b)/64)) * 64
		copy(b[line:min(line+64, len(b))], b[from:])
	case "step":
		b[word] += byte(1 + rng.IntN(3))
	case "block":
		random(b[line:min(line+4096, len(b))])
	}
}

// fabricOf returns a copy of the descriptor that mpirun gave this rank: Init
// closes the rank's own.
func fabricOf(value string) (int, error) {
	job, err := pmi.Decode(value)
	if err != nil {
		return 0, err
	}
	return syscall.Dup(job.Fabric)
}
