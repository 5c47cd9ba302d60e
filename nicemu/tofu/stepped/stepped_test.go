package stepped

import (
	"os"
	"strings"
	"testing"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// TestShow: an order of two packets passes every state at least once, and the notice comes before
// the answer.
func TestShow(t *testing.T) {
	var out strings.Builder
	if err := Show(&out, tofu.PacketBytes+1); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	at := -1
	for _, want := range []string{
		"port 0    IDLE    -> CHECK", "SEND    -> SEND", "SEND    -> WAIT", "receiver  LOOK    -> RESERVE", "RESERVE -> MOVE",
		"MOVE    -> IDLE     more packets come", "MOVE    -> TELL", "TELL    -> ANSWER", "WAIT    -> DONE", "DONE    -> IDLE", " steps\n",
	} {
		i := strings.Index(text, want)
		if i < at && want != "SEND    -> WAIT" {
			t.Errorf("%q is too early", want)
		}
		if at = max(at, i); i < 0 {
			t.Errorf("%q is missing", want)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
}

// TestDocument: the page shows the output of Show.
func TestDocument(t *testing.T) {
	page, err := os.ReadFile("../../../docs/tofu.md")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Show(&out, 3000); err != nil {
		t.Fatal(err)
	}
	if want := "<!-- show 3000 -->\n```\n" + out.String() + "```\n<!-- end -->"; !strings.Contains(string(page), want) {
		t.Errorf("docs/tofu.md does not show this:\n%s", want)
	}
	out.Reset()
	if err := Ports(&out); err != nil {
		t.Fatal(err)
	}
	if want := "<!-- ports -->\n```\n" + out.String() + "```\n<!-- end -->"; !strings.Contains(string(page), want) {
		t.Errorf("docs/tofu.md does not show this:\n%s", want)
	}
}

// TestOneMessageByPorts: parts of one message to one node take fewer steps over four ports; a
// single port waits for each answer (llc, section 5).
func TestOneMessageByPorts(t *testing.T) {
	for _, order := range []int{8 << 10, 64 << 10} {
		one, err := Long(1<<20, order, 1)
		if err != nil {
			t.Fatal(err)
		}
		four, err := Long(1<<20, order, 4)
		if err != nil {
			t.Fatal(err)
		}
		if four >= one {
			t.Errorf("orders of %d bytes: %d steps by one port, %d by four", order, one, four)
		}
	}
}

// TestPortsWorkAtOnce: orders at different injection ports take less time together than one after
// the other (llc, section 5).
func TestPortsWorkAtOnce(t *testing.T) {
	steps := func(ports int) int {
		x := newImplementation(t, true)
		for i := range 4 {
			x.machine.Post(0, i%ports, tofu.Order{Command: tofu.Put, Node: 1 + i, Tag: tofu.TagRings, Local: make([]byte, 16*tofu.PacketBytes)})
		}
		return x.machine.Run()
	}
	if one, four := steps(1), steps(4); four > one/2 {
		t.Errorf("%d steps by one port, %d by four", one, four)
	}
}

// TestMachineOfAJob: a machine has all NICs of a job, and a manager knows only those.
func TestMachineOfAJob(t *testing.T) {
	if _, err := New(nil); err == nil {
		t.Error("a machine of no NIC")
	}
	f, err := fabric.Heap(2, tofu.Geometry(fabric.Small(), 0))
	if err != nil {
		t.Fatal(err)
	}
	boss, err := tofu.Manage(f)
	if err != nil {
		t.Fatal(err)
	}
	n, err := tofu.Open(f, 0, tofu.Options{})
	if err != nil {
		t.Fatal(err)
	}
	hw, err := boss.Hardware(n)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New([]*tofu.Hardware{hw}); err == nil {
		t.Error("a machine without the other NIC")
	}
	for _, other := range []*tofu.NIC{nil, newImplementation(t, false).nics[0]} {
		if _, err := boss.Hardware(other); err == nil {
			t.Error("the inside of a NIC of another job")
		}
	}
}

// TestNoSuchTransition: a transition that is not in the table panics.
func TestNoSuchTransition(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	why(Receiver, Answer, Move)
}
