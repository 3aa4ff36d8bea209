package boot

import (
	"strconv"
	"syscall"
	"unsafe"

	"atoll/engine/sandbox/boot/kernel"
)

// forward listens on a port of the sandbox's own loopback interface and passes each
// connection on to the supervisor's unix socket, which gateway names. It runs until
// the process ends.
func forward(port, gateway int) error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := syscall.Listen(fd, 64); err != nil {
		return err
	}
	target := "/proc/self/fd/" + strconv.Itoa(gateway)
	slots := make(chan struct{}, 64)
	go func() {
		for {
			conn, _, err := syscall.Accept4(fd, syscall.SOCK_CLOEXEC)
			if err == syscall.EINTR || err == syscall.ECONNABORTED {
				continue
			}
			if err != nil {
				return
			}
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				relay(conn, target)
			}()
		}
	}()
	return nil
}

// relay joins an accepted connection and the unix socket until both directions
// have ended.
func relay(conn int, target string) {
	defer syscall.Close(conn)
	out, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(out)
	if err := syscall.Connect(out, &syscall.SockaddrUnix{Name: target}); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		pump(out, conn)
		close(done)
	}()
	pump(conn, out)
	<-done
}

// pump copies from one socket to the other and passes the end on.
func pump(dst, src int) {
	buf := make([]byte, 32<<10)
	for {
		n, err := kernel.Retry(func() (int, error) { return syscall.Read(src, buf) })
		if err != nil || n == 0 || kernel.WriteAll(dst, buf[:n]) != nil {
			_ = syscall.Shutdown(dst, syscall.SHUT_WR)
			_ = syscall.Shutdown(src, syscall.SHUT_RD)
			return
		}
	}
}

// loopback brings up lo of a network namespace, unless it is up: who did that may have
// had rights over it that this process lacks.
func loopback() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	req := struct {
		name  [16]byte
		flags uint16
		_     [22]byte
	}{}
	copy(req.name[:], "lo")
	ask := func(request uintptr) error {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(&req))); e != 0 {
			return e
		}
		return nil
	}
	if err := ask(syscall.SIOCGIFFLAGS); err != nil || req.flags&syscall.IFF_UP != 0 {
		return err
	}
	req.flags = syscall.IFF_UP | syscall.IFF_RUNNING
	return ask(syscall.SIOCSIFFLAGS)
}
