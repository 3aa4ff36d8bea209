package config

// FromOpenEvolve turns a configuration of OpenEvolve into one of atoll. The
// paths of evaluator and program are relative to atoll.yaml.
func FromOpenEvolve(text []byte, evaluator, program string) (Imported, error) {
	return openEvolveTask{evaluator: evaluator, program: program}.take(text)
}
