package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"atoll/engine/sandbox/boot/wire"

	"golang.org/x/sys/unix"
)

// system is what of this machine every sandbox sees, found once.
type system struct {
	mounts []wire.Mount
	links  []wire.Pair
	texts  []wire.File
	// secrets are files with keys that lie in the mounts and are not shown.
	secrets []string
}

// roots are the folders of the system that programs need; each is bound
// read-only, or laid as the symlink that it is.
var roots = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"}

// etc are the files of /etc that programs need and that tell nothing of people.
// Folders of certificates are named one by one: private keys lie beside them,
// and a command that root starts could read those.
var etc = []string{
	"/etc/ssl/certs", "/etc/ssl/cert.pem", "/etc/ssl/openssl.cnf", "/etc/ca-certificates",
	"/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/pki/tls/cert.pem", "/etc/pki/tls/openssl.cnf", "/etc/crypto-policies",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime", "/etc/mime.types",
	"/etc/services", "/etc/protocols", "/etc/java-17-openjdk", "/etc/java-21-openjdk",
}

// deviceNodes are bound from the host: nodes cannot be made in a user namespace.
var deviceNodes = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// The user inside. Outside it is the one who runs atoll, root included.
const (
	insideID   = 1000
	insideName = "atoll"
)

// findSystem looks at what is there.
func findSystem() system {
	var s system
	for _, path := range append(append([]string(nil), roots...), etc...) {
		fi, err := os.Lstat(path)
		if err != nil {
			continue
		}
		if fi.Mode()&os.ModeSymlink != 0 {
			if target, err := os.Readlink(path); err == nil {
				s.links = append(s.links, wire.Pair{A: path, B: target})
				continue
			}
		}
		s.mounts = append(s.mounts, wire.Mount{Host: path, At: path, Optional: true})
	}
	s.secrets = secretsIn(&s)
	for _, path := range deviceNodes {
		s.mounts = append(s.mounts, wire.Mount{Host: path, At: path, Write: true, Device: true, Optional: true})
	}
	s.links = append(s.links, wire.Pair{A: "/dev/fd", B: "/proc/self/fd"}, wire.Pair{A: "/dev/stdin", B: "/proc/self/fd/0"},
		wire.Pair{A: "/dev/stdout", B: "/proc/self/fd/1"}, wire.Pair{A: "/dev/stderr", B: "/proc/self/fd/2"},
		wire.Pair{A: "/var/tmp", B: "/tmp"})
	s.texts = []wire.File{
		text("/etc/passwd", fmt.Sprintf("%s:x:%d:%d::%s:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n", insideName, insideID, insideID, HomeDir)),
		text("/etc/group", fmt.Sprintf("%s:x:%d:\nnogroup:x:65534:\n", insideName, insideID)),
		text("/etc/hosts", "127.0.0.1 localhost atoll\n::1 localhost\n"),
		text("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"),
		text("/etc/hostname", "atoll\n"),
	}
	return s
}

func text(path, data string) wire.File {
	return wire.File{Path: path, Mode: 0o444, Data: []byte(data)}
}

// facts are what the kernel gives, found once.
type facts struct {
	root      bool
	abi       int   // of Landlock; 0 = none
	procLimit bool  // RLIMIT_NPROC is counted by user namespace
	nice      int64 // of this process, as the kernel counts: 20 is nice 0
	slack     int64 // nanoseconds by which timers may be late; 0 = unknown
	pidMax    bool  // pid_max is a setting of the process namespace, no longer of the machine
}

func findFacts() facts {
	f := facts{root: os.Getuid() == 0, nice: 20}
	n, _, e := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1)
	if e == 0 {
		f.abi = int(n)
	}
	if nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		f.nice = int64(nice) // the system call returns 20 - nice
	}
	if slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0); err == nil {
		f.slack = int64(slack)
	}
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		major, minor := release(unix.ByteSliceToString(u.Release[:]))
		f.procLimit = !f.root && (major > 5 || major == 5 && minor >= 14)
		f.pidMax = major > 6 || major == 6 && minor >= 14
	}
	return f
}

// release reads the first two numbers of "6.18.44-generic".
func release(s string) (major, minor int) {
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 2 {
		return 0, 0
	}
	major, _ = strconv.Atoi(parts[0])
	minor, _ = strconv.Atoi(strings.TrimRight(parts[1], "-abcdefghijklmnopqrstuvwxyz+"))
	return major, minor
}

// readable is what rung 2 may read of the host besides the mounts.
func (s *system) readable() []wire.Mount {
	var list []wire.Mount
	for _, m := range s.mounts {
		list = append(list, around(m, s.secrets)...)
	}
	for _, l := range s.links { // Landlock follows the link when the rule is made
		if strings.HasPrefix(l.A, "/dev/") || l.A == "/var/tmp" {
			continue
		}
		if real, err := filepath.EvalSymlinks(l.A); err == nil {
			list = append(list, around(wire.Mount{Host: real, At: real, Optional: true}, s.secrets)...)
		}
	}
	for _, path := range []string{"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf", "/etc/resolv.conf"} {
		list = append(list, wire.Mount{Host: path, At: path, Optional: true})
	}
	return list
}

// covered reports that path is already part of what every sandbox sees.
func (s *system) covered(path string) bool {
	for _, m := range s.mounts {
		if inside(path, m.At) {
			return true
		}
	}
	for _, l := range s.links { // such as /bin: it leads into a mount
		if inside(path, l.A) {
			return true
		}
	}
	return false
}

// clean checks an absolute path of a Mount.
func clean(path string) error {
	if !filepath.IsAbs(path) || filepath.Clean(path) != path || strings.IndexByte(path, 0) >= 0 {
		return fmt.Errorf("%w: %q is not a clean absolute path", ErrSpec, path)
	}
	return nil
}
