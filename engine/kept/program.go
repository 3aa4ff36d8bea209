package kept

import (
	"fmt"
	"os"
)

// program tells this program from others and from its other versions: another may
// fold differently though its types lie in memory as those of this one.
func program() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d bytes of %d", info.Size(), info.ModTime().UnixNano())
}
