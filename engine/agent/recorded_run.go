package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/store/whole"
)

// RecordedRun is what a folder of recordings tells of its run beside its jobs, for a
// replay that draws as the run did.
type RecordedRun struct {
	Version int `json:"version"`
	// Operators are the weights of those that some agent could carry out.
	Operators map[string]float64 `json:"operators"`
}

// runFile is its name in the folder.
const runFile = "run.json"

// WriteRecordedRun makes the folder and puts the file in place as a whole.
func WriteRecordedRun(dir string, operators map[string]float64) error {
	data, err := json.MarshalIndent(RecordedRun{recordingVersion, operators}, "", " ")
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = whole.Write(filepath.Join(dir, runFile), whole.Options{}, whole.Bytes(append(data, '\n')))
	}
	if err != nil {
		return fmt.Errorf("record the run: %w; choose another folder with --record", err)
	}
	return nil
}

// ReadRecordedRun reads the file. Errors: [ErrNoRecording] where there is none, as in
// recordings of older versions, [ErrOtherRecording] where it cannot be read.
func ReadRecordedRun(dir string) (RecordedRun, error) {
	path := filepath.Join(dir, runFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return RecordedRun{}, fmt.Errorf("%w: there is no %s", ErrNoRecording, path)
	}
	if err != nil {
		return RecordedRun{}, fmt.Errorf("read a recording: %w", err)
	}
	var r RecordedRun
	if err := json.Unmarshal(data, &r); err != nil || r.Version != recordingVersion {
		return RecordedRun{}, fmt.Errorf("%w: %s is damaged or of another version", ErrOtherRecording, path)
	}
	return r, nil
}
