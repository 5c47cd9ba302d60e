package main

import (
	"slices"

	"rhinet/bench/compare"
	"rhinet/bench/workdir"
	"rhinet/llc/nics"
)

// betweenHosts compares jobs on several hosts, which are created for this purpose. Kernels are included if
// there is something to compare them with: compiled originals, or else our kernels on the peers' libraries.
func (s *comparison) betweenHosts(short bool, tests []string, kernels *originals) (err error) {
	var cells []compare.Cell
	if len(kernels.folders)+len(s.peers) > 0 {
		cells, s.Left, err = compare.NPB(nil, []string{"W"}, []int{4})
		if err != nil {
			return usage(err)
		}
	} else {
		s.Left = append(s.Left, "kernels, as neither --peers nor --reference names something to compare them with")
	}
	plan := compare.BetweenHosts(cells)
	if short {
		plan = compare.ShortBetweenHosts()
	}
	if s.Cells, err = compare.Select(plan, tests); err != nil {
		return usage(err)
	}
	var hosts *compare.Hosts
	defer func() {
		if hosts != nil {
			hosts.Close()
		}
	}()
	return s.run(func(dir workdir.Dir) ([]compare.Runtime, error) {
		if hosts, err = compare.OpenHosts(dir.Path); err != nil {
			return nil, err
		}
		s.Notes = hosts.About()
		others, err := hosts.Peers(dir.Context, s.peers, dir.Path, kernels.folders, kernels.mpi)
		if err != nil {
			return nil, err
		}
		if len(kernels.folders) == 0 && slices.ContainsFunc(s.Cells, compare.Cell.IsKernel) {
			libraries, err := s.onLibraries(dir, hosts, false)
			if err != nil {
				return nil, err
			}
			for i := range others {
				others[i] = others[i].WithKernels(libraries[i])
			}
		}
		ours, err := s.oursBetween(dir, hosts)
		return append(ours, others...), err
	})
}

// oursBetween returns the variants of this runtime between hosts, with programs that can use the network.
func (s *comparison) oursBetween(dir workdir.Dir, hosts *compare.Hosts) ([]compare.Runtime, error) {
	launch, err := dir.Program(s.launch, "mpirun")
	if err != nil {
		return nil, err
	}
	var tag string
	for i := range s.ours {
		s.ours[i].Hosts = hosts
		if needs := nics.Tag(s.ours[i].NIC); needs != "" {
			tag = needs
		}
	}
	programs := map[string]string{"bench": "", "hello": "", "npb": ""}
	for name := range programs {
		if tag != "" {
			programs[name], err = dir.Tagged(name, tag)
		} else {
			programs[name], err = dir.Program("", name)
		}
		if err != nil {
			return nil, err
		}
	}
	return s.variants(dir, launch, func(v compare.Setting) compare.Runtime {
		return compare.Ours(launch, programs["bench"], programs["hello"], v).WithKernels(compare.OursNPB(launch, programs["npb"], v, false))
	})
}
