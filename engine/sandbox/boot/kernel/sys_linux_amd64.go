package kernel

const (
	sysFstatat   = 262
	SysSetns     = 308
	SysPrlimit64 = 302
	SysSeccomp   = 317
	SysCopyRange = 326
)
