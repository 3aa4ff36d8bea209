package eval

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// SumDir returns a SHA-256 over the names and contents of a folder, and over which
// files are programs: what of it a copy has to share.
func SumDir(dir string) (string, error) {
	return sumDir(dir, func(info fs.FileInfo) string {
		return fmt.Sprintf("%s %v", info.Mode().Type(), !info.IsDir() && info.Mode()&0o100 > 0)
	})
}

// SumModes is [SumDir] that tells folders apart whose modes differ in any way.
func SumModes(dir string) (string, error) {
	return sumDir(dir, func(info fs.FileInfo) string { return fmt.Sprintf("%o", info.Mode()) })
}

func sumDir(dir string, told func(fs.FileInfo) string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %s\n", rel, told(info))
		if !info.Mode().IsRegular() {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(h, f)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
