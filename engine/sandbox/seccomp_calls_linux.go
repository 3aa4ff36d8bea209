package sandbox

import "golang.org/x/sys/unix"

// allowed are the system calls that programs need: those that the default profile of
// Docker's container engine lets through without a capability, which is the list
// that most programs were tried with, and the memory policy of a process's own. Left
// out are what moves the clock, tells of mounts outside, names a file by a handle, or
// has a pipe hold memory that no process does.
// Some are let through by their arguments alone, see rules.
var allowed = []int{
	// Processes and threads.
	unix.SYS_CAPGET, unix.SYS_CAPSET, unix.SYS_CLONE, unix.SYS_EXECVE, unix.SYS_EXECVEAT, unix.SYS_EXIT,
	unix.SYS_EXIT_GROUP, unix.SYS_FUTEX, unix.SYS_FUTEX_REQUEUE, unix.SYS_FUTEX_WAIT, unix.SYS_FUTEX_WAITV,
	unix.SYS_FUTEX_WAKE, unix.SYS_GETCPU, unix.SYS_GETPGID, unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETPRIORITY,
	unix.SYS_GETRLIMIT, unix.SYS_GETRUSAGE, unix.SYS_GETSID, unix.SYS_GETTID, unix.SYS_GET_ROBUST_LIST,
	unix.SYS_IOPRIO_GET, unix.SYS_IOPRIO_SET, unix.SYS_KILL, unix.SYS_LANDLOCK_ADD_RULE,
	unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_MEMBARRIER, unix.SYS_PERSONALITY,
	unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PRCTL, unix.SYS_PRLIMIT64, unix.SYS_PROCESS_MRELEASE,
	unix.SYS_RESTART_SYSCALL, unix.SYS_RSEQ, unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETATTR,
	unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX,
	unix.SYS_SCHED_GET_PRIORITY_MIN, unix.SYS_SCHED_RR_GET_INTERVAL, unix.SYS_SCHED_SETAFFINITY,
	unix.SYS_SCHED_SETATTR, unix.SYS_SCHED_SETPARAM, unix.SYS_SCHED_SETSCHEDULER, unix.SYS_SCHED_YIELD,
	unix.SYS_SECCOMP, unix.SYS_SETPGID, unix.SYS_SETPRIORITY, unix.SYS_SETRLIMIT, unix.SYS_SETSID,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_TGKILL, unix.SYS_TIMES, unix.SYS_TKILL,
	unix.SYS_WAIT4, unix.SYS_WAITID,
	// Users.
	unix.SYS_GETEGID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETGROUPS, unix.SYS_GETRESGID, unix.SYS_GETRESUID,
	unix.SYS_GETUID, unix.SYS_SETFSGID, unix.SYS_SETFSUID, unix.SYS_SETGID, unix.SYS_SETGROUPS, unix.SYS_SETREGID,
	unix.SYS_SETRESGID, unix.SYS_SETRESUID, unix.SYS_SETREUID, unix.SYS_SETUID,
	// Signals.
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGQUEUEINFO,
	unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGTIMEDWAIT, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_SIGALTSTACK, unix.SYS_SIGNALFD4,
	// Memory.
	unix.SYS_BRK, unix.SYS_CACHESTAT, unix.SYS_GET_MEMPOLICY, unix.SYS_MADVISE, unix.SYS_MAP_SHADOW_STACK,
	unix.SYS_MBIND, unix.SYS_MINCORE, unix.SYS_MLOCK, unix.SYS_MLOCK2, unix.SYS_MLOCKALL, unix.SYS_MMAP,
	unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MSEAL, unix.SYS_MSYNC, unix.SYS_MUNLOCK, unix.SYS_MUNLOCKALL,
	unix.SYS_MUNMAP, unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_FREE, unix.SYS_PKEY_MPROTECT, unix.SYS_REMAP_FILE_PAGES,
	unix.SYS_SET_MEMPOLICY, unix.SYS_SET_MEMPOLICY_HOME_NODE,
	// Time.
	unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETITIMER,
	unix.SYS_GETTIMEOFDAY, unix.SYS_NANOSLEEP, unix.SYS_SETITIMER, unix.SYS_TIMERFD_CREATE,
	unix.SYS_TIMERFD_GETTIME, unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_DELETE,
	unix.SYS_TIMER_GETOVERRUN, unix.SYS_TIMER_GETTIME, unix.SYS_TIMER_SETTIME,
	// Sockets and what passes between processes.
	unix.SYS_ACCEPT, unix.SYS_ACCEPT4, unix.SYS_BIND, unix.SYS_CONNECT, unix.SYS_EVENTFD2, unix.SYS_GETPEERNAME,
	unix.SYS_GETSOCKNAME, unix.SYS_GETSOCKOPT, unix.SYS_LISTEN, unix.SYS_MQ_GETSETATTR, unix.SYS_MQ_NOTIFY,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_UNLINK, unix.SYS_MSGCTL,
	unix.SYS_MSGGET, unix.SYS_MSGRCV, unix.SYS_MSGSND, unix.SYS_PIPE2, unix.SYS_RECVFROM, unix.SYS_RECVMMSG,
	unix.SYS_RECVMSG, unix.SYS_SEMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SENDMMSG,
	unix.SYS_SENDMSG, unix.SYS_SENDTO, unix.SYS_SETSOCKOPT, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT,
	unix.SYS_SHMGET, unix.SYS_SHUTDOWN, unix.SYS_SOCKET, unix.SYS_SOCKETPAIR,
	// Waiting for files.
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EPOLL_PWAIT2,
	unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_RM_WATCH, unix.SYS_IO_CANCEL,
	unix.SYS_IO_DESTROY, unix.SYS_IO_GETEVENTS, unix.SYS_IO_PGETEVENTS, unix.SYS_IO_SETUP, unix.SYS_IO_SUBMIT,
	unix.SYS_PPOLL, unix.SYS_PSELECT6,
	// Files.
	unix.SYS_CHDIR, unix.SYS_CLOSE, unix.SYS_CLOSE_RANGE, unix.SYS_COPY_FILE_RANGE, unix.SYS_DUP, unix.SYS_DUP3,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_FADVISE64, unix.SYS_FALLOCATE, unix.SYS_FCHDIR,
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_FCNTL,
	unix.SYS_FDATASYNC, unix.SYS_FGETXATTR, unix.SYS_FLISTXATTR, unix.SYS_FLOCK, unix.SYS_FREMOVEXATTR,
	unix.SYS_FSETXATTR, unix.SYS_FSTAT, unix.SYS_FSTATFS, unix.SYS_FSYNC, unix.SYS_FTRUNCATE, unix.SYS_GETCWD,
	unix.SYS_GETDENTS64, unix.SYS_GETRANDOM, unix.SYS_GETXATTR, unix.SYS_GETXATTRAT, unix.SYS_IOCTL,
	unix.SYS_LGETXATTR, unix.SYS_LINKAT, unix.SYS_LISTXATTR, unix.SYS_LISTXATTRAT, unix.SYS_LLISTXATTR,
	unix.SYS_LREMOVEXATTR, unix.SYS_LSEEK, unix.SYS_LSETXATTR, unix.SYS_MKDIRAT, unix.SYS_MKNODAT,
	unix.SYS_NEWFSTATAT, unix.SYS_OPENAT, unix.SYS_OPENAT2, unix.SYS_PREAD64, unix.SYS_PREADV, unix.SYS_PREADV2,
	unix.SYS_PWRITE64, unix.SYS_PWRITEV, unix.SYS_PWRITEV2, unix.SYS_READ, unix.SYS_READAHEAD, unix.SYS_READLINKAT,
	unix.SYS_READV, unix.SYS_REMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2,
	unix.SYS_SENDFILE, unix.SYS_SETXATTR, unix.SYS_SETXATTRAT, unix.SYS_SPLICE, unix.SYS_STATFS, unix.SYS_STATX,
	unix.SYS_SYMLINKAT, unix.SYS_SYNC, unix.SYS_SYNCFS, unix.SYS_SYNC_FILE_RANGE, unix.SYS_SYSINFO, unix.SYS_TEE,
	unix.SYS_TRUNCATE, unix.SYS_UMASK, unix.SYS_UNAME, unix.SYS_UNLINKAT, unix.SYS_UTIMENSAT,
	unix.SYS_WRITE, unix.SYS_WRITEV,
}

// refused answer EPERM: programs ask for them and understand that. What is neither
// here nor above does not exist, as on an older kernel: libraries then do without.
var refused = []int{
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK,
	unix.SYS_MOUNT_SETATTR, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP,
	unix.SYS_PIDFD_GETFD, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_KEYCTL, unix.SYS_ADD_KEY,
	unix.SYS_REQUEST_KEY, unix.SYS_USERFAULTFD, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER,
	unix.SYS_IO_URING_REGISTER, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE,
	unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_REBOOT, unix.SYS_ACCT,
	unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_ADJTIMEX, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_VHANGUP, unix.SYS_NAME_TO_HANDLE_AT,
	unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_PROCESS_MADVISE, unix.SYS_MOVE_PAGES,
	unix.SYS_MIGRATE_PAGES, unix.SYS_LOOKUP_DCOOKIE,
}

// ipc are the ways to other processes, and memory that no process holds, that only a
// namespace of one's own closes; without one, and for candidate code, they are shut.
var ipc = []int{
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL,
	unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
	unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
	unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY,
	unix.SYS_MQ_GETSETATTR,
}

// watches tell of what is opened and made in folders, also in those that Landlock does
// not let a command list, and ends of the end of any process: on rung 2 there are none,
// but for the first where a [Spec] asks for it. Programs then look again and again, or
// wait for their children.
var (
	watches = []int{unix.SYS_INOTIFY_INIT1, unix.SYS_INOTIFY_ADD_WATCH, unix.SYS_INOTIFY_RM_WATCH}
	ends    = []int{unix.SYS_PIDFD_OPEN}
)

// modes, owners and attributes of files are what Landlock leaves open on all that the
// same user owns: on rung 2 they stay as they are.
var (
	changesMode  = []int{unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2}
	changesOwner = []int{unix.SYS_FCHOWN, unix.SYS_FCHOWNAT}
	changesAttr  = []int{
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	}
)
