package tree

import (
	"syscall"

	"atoll/engine/sandbox/boot/kernel"
	"atoll/engine/sandbox/boot/text"
)

// Missing reports an error that means the file does not exist.
func Missing(err error) bool {
	for err != nil {
		if err == syscall.ENOENT {
			return true
		}
		s, ok := err.(*kernel.StepError)
		if !ok {
			return false
		}
		err = s.Err
	}
	return false
}

// Within reports that path is dir or lies in it.
func Within(path, dir string) bool {
	return path == dir || text.Begins(path, dir+"/")
}

// Parent returns the path without its last part.
func Parent(path string) string {
	i := text.LastIndex(path, '/')
	if i <= 0 {
		return "/"
	}
	return path[:i]
}
