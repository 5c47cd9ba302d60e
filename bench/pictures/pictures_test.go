package pictures

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rhinet/nicemu/ib"
)

const docs = "../../docs/nics"

// TestPicturesAreCurrent: the pictures in the documents are those that the models give, and each is shown
// on the page.
func TestPicturesAreCurrent(t *testing.T) {
	page, err := os.ReadFile("../../docs/nics.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(docs, "*.svg"))
	if len(files) != len(All()) {
		t.Errorf("%d files for %d pictures", len(files), len(All()))
	}
	for _, p := range All() {
		got, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.ReadFile(filepath.Join(docs, p.Name+".svg"))
		if err != nil || !bytes.Equal(got, file) {
			t.Errorf("%s: %v, or not what the model draws; run go run ./cmd/bench model pictures --dir docs/nics", p.Name, err)
		}
		if !strings.Contains(string(page), "(nics/"+p.Name+".svg)") {
			t.Errorf("%s is not on the page", p.Name)
		}
	}
}

// TestPicturesAreXML: they are valid XML and not empty, and drawing them again gives the same.
func TestPicturesAreXML(t *testing.T) {
	for _, p := range All() {
		one, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		two, _ := p.SVG()
		if !bytes.Equal(one, two) {
			t.Errorf("%s differs from time to time", p.Name)
		}
		elements := map[string]int{}
		d := xml.NewDecoder(bytes.NewReader(one))
		for {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if e, ok := token.(xml.StartElement); ok {
				elements[e.Name.Local]++
			}
		}
		if elements["rect"] < 6 || elements["text"] < 12 || elements["path"] < 6 {
			t.Errorf("%s: %v", p.Name, elements)
		}
	}
}

// TestErrorsAreNamed: a model that fails is named.
func TestErrorsAreNamed(t *testing.T) {
	wrong := errors.New("wrong")
	p := Picture{Name: "one", draw: func(*canvas) error { return wrong }}
	if _, err := p.SVG(); !errors.Is(err, wrong) || !strings.Contains(err.Error(), "one") {
		t.Error(err)
	}
}

// TestTimelineSpans: a state lasts until the next one of its lane, a state that is left at once is not
// drawn, and states without an end end at the end.
func TestTimelineSpans(t *testing.T) {
	l := newTimeline("step")
	l.enter(1, "a", "FIRST", false)
	l.enter(2, "b", "OTHER", true)
	l.enter(3, "a", "PASSED", false)
	l.enter(3, "a", "", false)
	c := &canvas{}
	l.draw(c)
	if got := l.spans; got[0].to != 3 || got[1].to != 4 || got[2].to != 3 {
		t.Errorf("%+v", got)
	}
	if s := c.body.String(); !strings.Contains(s, "FIRST") || strings.Contains(s, "PASSED") || !strings.Contains(s, `class="wait"`) {
		t.Error(s)
	}
}

// TestQueuePairStates: the text for each state in the picture is that of the table.
func TestQueuePairStates(t *testing.T) {
	seen := map[string]bool{}
	for s := range ib.States() {
		if seen[s.Does()] || s.Does() == "" {
			t.Errorf("%v: %q", s, s.Does())
		}
		seen[s.Does()] = true
	}
	if ib.States().Does() != "" || ib.Leads(ib.States(), ib.RESET) || !ib.Leads(ib.RTR, ib.RTS) || ib.Leads(ib.RTS, ib.RTR) {
		t.Error("states that there are not, or arrows")
	}
}
