package boot

import "syscall"

// forward listens on the gateway's port of the sandbox's own loopback interface
// and passes each connection on to the supervisor's unix socket. It runs until
// the process ends.
func (w *world) forward() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(w.job.GatewayPort), Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		return err
	}
	if err := syscall.Listen(fd, 64); err != nil {
		return err
	}
	target := "/proc/self/fd/" + itoa(w.gateway)
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
		n, err := retry(func() (int, error) { return syscall.Read(src, buf) })
		if err != nil || n == 0 || writeAll(dst, buf[:n]) != nil {
			_ = syscall.Shutdown(dst, syscall.SHUT_WR)
			_ = syscall.Shutdown(src, syscall.SHUT_RD)
			return
		}
	}
}
