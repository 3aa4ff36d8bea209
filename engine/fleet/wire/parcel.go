package wire

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"atoll/config"
	"atoll/store/record"
)

// A parcel is an evaluator as it travels: a gzipped tar whose first file is the
// part of the configuration that measures, and whose others are the evaluator
// directory. It names no folder of the machine it comes from.

// The names in a parcel.
const (
	parcelConfig = "config.json"
	parcelDir    = "dir"
)

// maxParcel bounds what a parcel unpacks to.
const maxParcel = 4 << 30

// PackEvaluator writes the parcel of the evaluator of a configuration. The same
// evaluator gives the same bytes.
func PackEvaluator(cfg config.Config) ([]byte, error) {
	measuring := config.Defaults()
	measuring.Workers = 1 // of this machine: no part of what measures
	measuring.Evaluator, measuring.Limits = cfg.Evaluator, cfg.Limits
	dir := cfg.Evaluator.Dir
	if dir != "" {
		measuring.Evaluator.Dir = parcelDir
	}
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	t := tar.NewWriter(zip)
	text := config.Encode(measuring)
	err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: parcelConfig, Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = t.Write(text)
	}
	if err == nil && dir != "" {
		err = packDir(t, dir)
	}
	if err = errors.Join(err, t.Close(), zip.Close()); err != nil {
		return nil, fmt.Errorf("pack the evaluator: %w", err)
	}
	return out.Bytes(), nil
}

// packDir adds the files of a folder, in the order of their names.
func packDir(t *tar.Writer, dir string) error {
	return filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		h := tar.Header{Name: parcelDir, Mode: int64(info.Mode().Perm())}
		if rel != "." {
			h.Name += "/" + filepath.ToSlash(rel)
		}
		switch {
		case d.IsDir():
			h.Typeflag = tar.TypeDir
			return t.WriteHeader(&h)
		case info.Mode()&fs.ModeSymlink != 0:
			h.Typeflag = tar.TypeSymlink
			if h.Linkname, err = os.Readlink(name); err != nil {
				return err
			}
			return t.WriteHeader(&h)
		case !info.Mode().IsRegular():
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
		if err := t.WriteHeader(&h); err != nil {
			return err
		}
		_, err = io.Copy(t, f)
		return err
	})
}

// UnpackEvaluator lays a parcel into dir, which is empty, and returns its
// configuration with evaluator.dir absolute. Nothing is written outside dir.
func UnpackEvaluator(from io.Reader, dir string) (config.Config, error) {
	cfg, err := unpack(from, dir)
	if err != nil {
		return cfg, fmt.Errorf("unpack the evaluator: %w", err)
	}
	return cfg, nil
}

func unpack(from io.Reader, dir string) (config.Config, error) {
	var cfg config.Config
	zip, err := gzip.NewReader(from)
	if err != nil {
		return cfg, err
	}
	t := tar.NewReader(io.LimitReader(zip, maxParcel))
	root, err := os.OpenRoot(dir)
	if err != nil {
		return cfg, err
	}
	defer root.Close()
	h, err := t.Next()
	if err != nil || h.Name != parcelConfig || h.Size > MaxMessage {
		return cfg, errors.Join(ErrMessage, err)
	}
	text, err := io.ReadAll(t)
	if err != nil {
		return cfg, err
	}
	if cfg, err = config.Decode(text); err != nil {
		return cfg, err
	}
	if cfg.Evaluator.Dir != "" {
		cfg.Evaluator.Dir = filepath.Join(dir, parcelDir)
	}
	for {
		h, err := t.Next()
		if err == io.EOF {
			return cfg, nil
		}
		if err != nil {
			return cfg, err
		}
		if err := layEntry(root, h, t); err != nil {
			return cfg, err
		}
	}
}

// layEntry writes one entry. A root refuses names that lead out of it, through
// links as well.
func layEntry(root *os.Root, h *tar.Header, from io.Reader) error {
	name := filepath.FromSlash(h.Name)
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%w: a file is called %q", ErrMessage, h.Name)
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(name, 0o755)
	case tar.TypeSymlink:
		return root.Symlink(h.Linkname, name)
	case tar.TypeReg:
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(h.Mode)&0o777)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, from)
		return errors.Join(err, f.Close())
	}
	return fmt.Errorf("%w: %q is neither file nor folder nor link", ErrMessage, h.Name)
}

// FromChanges are changes as they travel.
func FromChanges(list []record.Change) []Change {
	out := make([]Change, len(list))
	for i, c := range list {
		out[i] = Change{[]byte(c.Path), c.Mode, c.Data}
	}
	return out
}

// ToChanges are changes that came. Their paths are checked where they are used.
func ToChanges(list []Change) []record.Change {
	out := make([]record.Change, len(list))
	for i, c := range list {
		out[i] = record.Change{Path: string(c.Path), Mode: c.Mode, Data: c.Data}
	}
	return out
}

// ParseChanges reads the blob of large changes.
func ParseChanges(data []byte) ([]Change, error) {
	var list []Change
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMessage, err)
	}
	return list, nil
}
