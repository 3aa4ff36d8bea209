package record

import "io/fs"

// Mode is the mode of a tree entry as git writes it.
type Mode uint32

// The modes that a candidate's tree may hold. Deleted marks a removal.
const (
	Deleted    Mode = 0
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// Perm returns the permission bits a file of this mode gets in a checkout.
func (m Mode) Perm() fs.FileMode {
	if m == Executable {
		return 0o755
	}
	return 0o644
}

// Change is one path that differs from a base tree. Path is slash separated,
// relative, clean, and as bytes-in-string (git does not ask for UTF-8). Data is
// the new content, or the target of a symlink.
type Change struct {
	Path string `json:"path"`
	Mode Mode   `json:"mode"`
	Data []byte `json:"data,omitempty"`
}

// File is one entry of a tree.
type File struct {
	Path string
	Mode Mode
	Hash Hash
	Size int64 // -1 when it was not asked for
}

// FileDiff is one path in which two trees differ. A zero hash is absence.
type FileDiff struct {
	Path     string
	OldMode  Mode
	NewMode  Mode
	OldHash  Hash
	NewHash  Hash
	Added    int // lines; -1 = binary or not counted
	Removed  int
	OldExist bool
	NewExist bool
}
