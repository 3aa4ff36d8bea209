package backup

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"atoll/store/record"
)

// Errors of this package; test with errors.Is.
var (
	// ErrFormat: the file is no backup, is of a newer format, or is not whole.
	ErrFormat = errors.New("not a backup that can be read")
	// ErrTaken: there is something already where the backup would go.
	ErrTaken = errors.New("something is there already")
)

// format is the version of the layout that this package writes and reads.
const format = 1

// The parts of a backup, in the order of the file. Evaluators are files below
// their folder.
const (
	manifestName = "manifest.json"
	databaseName = "atoll.db.gz"
	bundleName   = "store.bundle"
	shallowName  = "shallow"
	evaluators   = "evaluators"
)

// Manifest says what a backup holds.
type Manifest struct {
	Format      int          `json:"format"`
	Program     string       `json:"program"` // what wrote it
	Made        string       `json:"made"`    // RFC 3339
	Experiments []Experiment `json:"experiments"`
	Parts       []Part       `json:"parts"`

	// What could not be read any more when the backup was made: commits without all their
	// files, and those trees and files.
	Lacking []record.Hash `json:"lacking,omitempty"`
	Lost    []record.Hash `json:"lost,omitempty"`
}

// Experiment is one search within.
type Experiment struct {
	ID         record.ExperimentID `json:"id"`
	Name       string              `json:"name"`
	Root       record.Hash         `json:"root_commit"`
	Candidates int                 `json:"candidates"`
}

// Part is one file within.
type Part struct {
	Name   string `json:"name"`
	Mode   int64  `json:"mode"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// manifestMost bounds what is read as a manifest.
const manifestMost = 16 << 20

// readManifest reads the first entry of a backup.
func readManifest(t *tar.Reader) (Manifest, error) {
	var m Manifest
	head, err := t.Next()
	if err != nil || head.Name != manifestName || head.Size > manifestMost {
		return m, fmt.Errorf("%w: it does not begin with a manifest", ErrFormat)
	}
	data, err := io.ReadAll(t)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	switch {
	case err != nil:
		return m, fmt.Errorf("%w: its manifest: %w", ErrFormat, err)
	case m.Format != format:
		return m, fmt.Errorf("%w: it has format %d, this program reads %d", ErrFormat, m.Format, format)
	}
	return m, nil
}
