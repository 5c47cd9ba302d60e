package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// readYAML reads the one document of a file.
func readYAML(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// at returns the value that a path of names and numbers leads to.
func at(doc any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := doc.(map[string]any)
			doc = m[step]
		case int:
			doc = doc.([]any)[step]
		}
	}
	return doc
}

func words(v any) []string {
	var all []string
	list, _ := v.([]any)
	for _, w := range list {
		all = append(all, w.(string))
	}
	return all
}

// TestMPIJob: the example for the MPI operator is accepted by the operator, by mpirun and by the image.
func TestMPIJob(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("testdata/mpijob.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../deploy/mpijob.yaml"
	doc := readYAML(t, path)
	if err := schema.Validate(doc); err != nil {
		t.Error(err)
	}
	for _, wrong := range []struct {
		name  string
		spoil func(spec map[string]any)
	}{
		{"field that there is not", func(s map[string]any) { s["slots"] = 2 }},
		{"hostfile that there is not", func(s map[string]any) { s["mpiImplementation"] = "rhinet" }},
		{"number that is a text", func(s map[string]any) { s["slotsPerWorker"] = "2" }},
		{"no launcher", func(s map[string]any) { delete(s["mpiReplicaSpecs"].(map[string]any), "Launcher") }},
		{"flag that is a number", func(s map[string]any) {
			at(s, "mpiReplicaSpecs", "Worker", "template", "spec", "containers", 0).(map[string]any)["args"] = []any{4}
		}},
	} {
		bad := readYAML(t, path)
		wrong.spoil(bad["spec"].(map[string]any))
		if schema.Validate(bad) == nil {
			t.Errorf("%s: the schema takes it", wrong.name)
		}
	}

	spec := at(doc, "spec")
	launcher := at(spec, "mpiReplicaSpecs", "Launcher", "template", "spec", "containers", 0)
	worker := at(spec, "mpiReplicaSpecs", "Worker", "template", "spec", "containers", 0)
	hostfile := t.TempDir() + "/hostfile"
	if err := os.WriteFile(hostfile, []byte("npb-worker-0.npb.default.svc slots=2\nnpb-worker-1.npb.default.svc slots=2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	command := slices.Concat(words(at(launcher, "command")), words(at(launcher, "args")))
	if command[0] != "mpirun" {
		t.Fatalf("the launcher runs %q", command)
	}
	for i, w := range command {
		switch w {
		case "/etc/mpi/hostfile":
			command[i] = hostfile
		case "/usr/local/bin/program":
			command[i] = "sh"
		}
	}
	status, out, errs := mpirun(t, append([]string{"--dry-run"}, command[1:]...)...)
	if status != 0 || !strings.Contains(out+errs, "npb-worker-1") {
		t.Errorf("%q: status %d, %s%s", command, status, out, errs)
	}

	image, err := os.ReadFile("../../deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	sshd, err := os.ReadFile("../../deploy/sshd_config")
	if err != nil {
		t.Fatal(err)
	}
	if port := at(worker, "readinessProbe", "tcpSocket", "port"); !strings.Contains(string(sshd), fmt.Sprintf("\nPort %v\n", port)) {
		t.Errorf("the probe of a worker asks port %v, which is not that of sshd", port)
	}
	if got := words(at(worker, "command")); !strings.Contains(string(image), `CMD ["`+strings.Join(got, `", "`)+`"]`) {
		t.Errorf("the worker runs %q, not what the image does", got)
	}
	for _, c := range []any{launcher, worker} {
		if at(c, "securityContext", "runAsUser") != 1000 || at(c, "securityContext", "runAsNonRoot") != true || !strings.Contains(string(image), "USER 1000:1000") {
			t.Errorf("%v runs as another user than the image", at(c, "name"))
		}
	}
	if home := at(spec, "sshAuthMountPath"); !strings.Contains(string(sshd), "HostKey "+home.(string)+"/id_rsa\n") {
		t.Errorf("keys are mounted at %v", home)
	}
}
