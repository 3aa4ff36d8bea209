package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// compiledFolder is where Python looks for compiled modules, beside their sources.
const compiledFolder = "__pycache__"

// compiledParts are the parts of the Python probe as the interpreter compiled them, so that it does so once
// for a [Guard]. The zero value has none yet; it is safe for concurrent use.
type compiledParts struct {
	mu    sync.Mutex
	parts map[string][]byte // by name; nil: not compiled yet
}

// lay puts them beside the sources in a folder, where compile makes them the first time.
func (c *compiledParts) lay(host string, compile func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	dir := filepath.Join(host, compiledFolder)
	if c.parts == nil {
		if err := compile(); err != nil {
			return err
		}
		parts, err := readFolder(dir)
		if err == nil {
			c.parts = parts
		}
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, data := range c.parts {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// readFolder reads the files of a folder; of one that is not there none.
func readFolder(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	list, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, f := range list {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, err
		}
		files[f.Name()] = data
	}
	return files, nil
}
