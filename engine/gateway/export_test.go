package gateway

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Recorded reads all exchanges of a folder, to look at them.
func Recorded(dir string) ([]Exchange, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	var all []Exchange
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the recording: %w", err)
		}
		var x Exchange
		if err := json.Unmarshal(data, &x); err != nil {
			return nil, fmt.Errorf("read the recording: %s: %w", e.Name(), err)
		}
		all = append(all, x)
	}
	return all, nil
}
