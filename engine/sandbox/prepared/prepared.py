"""A prepared interpreter: it loads modules once and sends copies of itself into sandboxes.

Arguments: which modules ("known", "all", or "beside" for those that lie beside the files, too), and the script and other files whose imports
are loaded. Descriptor 3 is a socket of packets to the supervisor. For each run it gets a
connection to the first process of a sandbox. A child takes that: it enters the sandbox's
namespaces, and its own child there gives up all rights and runs the script. This process
itself reads nothing that a run says.
"""


def main():
    import os
    import sys

    started = dict(os.environ)
    if sys.version_info < (3, 10):
        raise SystemExit("python is older than 3.10")

    import _signal
    import _socket
    import array
    import atexit
    import ctypes
    import gc
    import resource

    GO, HERE, ENDED, NOT = b"g", b"h", b"e", b"x"
    FILES = 9  # of a request: six namespaces, and the standard files
    # user, process, IPC, host name, control group, mount
    SPACES = (0x10000000, 0x20000000, 0x08000000, 0x04000000, 0x02000000, 0x00020000)
    KNOWN = {"numpy"}  # beside the standard library
    MUCH = 100_000  # pieces of memory: to look through more takes as long as to let go of them
    COLLECTED = 1 << 14  # of the flags of a type: its objects are among those that gc tells

    libc = ctypes.PyDLL(None, use_errno=True)
    control = _socket.socket(fileno=3)

    class Filter(ctypes.Structure):
        _fields_ = [("len", ctypes.c_ushort), ("code", ctypes.c_char_p)]

    long = ctypes.c_ulong
    capset_header = ctypes.create_string_buffer((0x20080522).to_bytes(4, sys.byteorder) + bytes(4), 8)
    capset_none = ctypes.create_string_buffer(24)

    def must(what, result):
        if result != 0:
            raise OSError(ctypes.get_errno(), "%s: %s" % (what, os.strerror(ctypes.get_errno())))

    def imports(files):
        """The names that the files import at their top level, as a child found them."""
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                import ast

                names = []
                for file in files:
                    try:
                        with open(file, "rb") as f:
                            body = ast.parse(f.read()).body
                    except (OSError, SyntaxError, ValueError):
                        continue
                    for node in body:
                        if isinstance(node, ast.Import):
                            names += [a.name for a in node.names]
                        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module != "__future__":
                            names += [node.module] + [node.module + "." + a.name for a in node.names if a.name != "*"]
                with os.fdopen(write, "w") as f:
                    f.write("\n".join(names))
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as f:
            names = f.read().split()
        os.waitpid(pid, 0)
        return names

    def lies_beside(name, dirs):
        """Whether a folder of the evaluator has a module of that name: it would come first."""
        top = name.partition(".")[0]
        return any(
            entry == top or entry.startswith(top + ".") for d in dirs for entry in (os.listdir(d) if os.path.isdir(d) else ())
        )

    def load(which, files):
        dirs = {os.path.dirname(os.path.realpath(f)) for f in files}
        if which == "beside":
            sys.path[0] = os.path.dirname(os.path.realpath(files[0]))
        for name in imports(files):
            top, _, rest = name.partition(".")
            if which != "beside" and lies_beside(name, dirs):
                continue
            if which == "known" and top not in sys.stdlib_module_names and top not in KNOWN:
                continue
            parent, _, last = name.rpartition(".")
            if rest and hasattr(sys.modules.get(parent), last):
                continue
            try:
                __import__(name)
            except ImportError:  # the run will say so, or it is no module
                pass
            except BaseException as e:
                return "%s cannot be loaded: %r" % (name, e)
        return ""

    def quietly(call, *args):
        """Call, and tell what was printed meanwhile."""
        path = os.environ.get("TMPDIR", "/tmp") + "/.atoll-printed"
        kept = os.dup(1), os.dup(2)
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
        os.unlink(path)
        os.dup2(file, 1)
        os.dup2(file, 2)
        try:
            said = call(*args)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for n in (0, 1):
                os.dup2(kept[n], n + 1)
                os.close(kept[n])
        printed = os.pread(file, 2000, 0).decode(errors="replace").strip()
        os.close(file)
        if printed and not said:
            said = "a module prints when it is loaded: " + printed
        return said

    def state():
        mask = os.umask(0o22)
        os.umask(mask)
        return (
            os.getcwd(),
            mask,
            [resource.getrlimit(i) for i in range(16)],
            [_signal.getsignal(i) for i in range(1, _signal.NSIG)],
            [_signal.getitimer(i) for i in range(3)],
            sorted(os.listdir("/proc/self/fd"), key=int)[:-1],
        )

    def unfit(before):
        """What a copy of this process would not have as one of its own has it."""
        pid = os.fork()  # threads that end before a fork, and begin anew after it, do no harm
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        if len(os.listdir("/proc/self/task")) != 1:
            return "a module starts threads when it is loaded"
        try:
            os.waitpid(-1, os.WNOHANG)
            return "a module starts processes when it is loaded"
        except ChildProcessError:
            pass
        if state() != before:
            return "a module changes the process when it is loaded: files, limits, signals, timers, or the working folder"
        with open("/proc/self/maps") as f:
            for line in f:
                if line.split()[1].endswith("s") and "w" in line.split()[1]:
                    return "a module shares memory when it is loaded"
        return ""

    def words(data):
        """The coding of the first process: a version, and then texts with their lengths."""
        at = 8

        def number():
            nonlocal at
            at += 8
            return int.from_bytes(data[at - 8 : at], "little")

        def text():
            nonlocal at
            n = number()
            at += n
            return data[at - n : at]

        return [text() for _ in range(number())], [text() for _ in range(number())], text(), text()

    def enter(connection):
        """Send a child into the sandbox, and tell how it ended. The child returns."""
        os.close(control.detach())
        conn = _socket.socket(fileno=connection)
        try:
            data, extra, _, _ = conn.recvmsg(128 << 10, 256)
            if not data:
                os._exit(0)
            fds = array.array("i")
            for _, _, part in extra:
                fds.frombytes(part[: len(part) - len(part) % fds.itemsize])
            if len(fds) != FILES:
                raise OSError("descriptors are missing")
            for fd, kind in zip(fds, SPACES):
                must("enter a namespace", libc.setns(fd, kind))
            pid = os.fork()
        except OSError as e:
            conn.send(NOT + str(e).encode())
            os._exit(1)
        if pid:
            for fd in fds:
                os.close(fd)
            for fd in range(3):
                os.close(fd)
            _, status, used = os.wait4(pid, 0)
            conn.send(
                b"%s %d %d %d %d" % (ENDED, status, used.ru_utime * 1e6, used.ru_stime * 1e6, used.ru_maxrss)
            )
            os._exit(0)
        try:
            args, env, cwd, code = words(data)
            for fd in fds[: len(SPACES)]:
                os.close(fd)
            for n, fd in enumerate(fds[len(SPACES) :]):
                os.dup2(fd, n)
                os.close(fd)
            os.setsid()
            must("die with the interpreter", libc.prctl(1, long(9), long(0), long(0), long(0)))
            must("set no_new_privs", libc.prctl(38, long(1), long(0), long(0), long(0)))
            cap = 0
            while libc.prctl(24, long(cap), long(0), long(0), long(0)) == 0:
                cap += 1
            must("clear ambient capabilities", libc.prctl(47, long(4), long(0), long(0), long(0)))
            must("drop capabilities", libc.capset(capset_header, capset_none))
            os.chdir(cwd)
            program = Filter(len(code) // 8, code)
            must("install the filter", libc.prctl(22, long(2), ctypes.byref(program), long(0), long(0)))
            conn.send(HERE)
            if conn.recv(1) != GO:
                os._exit(1)
            conn.close()
            return [os.fsdecode(a) for a in args], [os.fsdecode(e) for e in env]
        except OSError as e:
            conn.send(NOT + str(e).encode())
            os._exit(1)

    def renew(args, script, env):
        """Make this process what one is that was just started."""
        fresh = dict(e.partition("=")[::2] for e in env)
        for name, value in fresh.items():
            if started.get(name) != value:
                os.environ[name] = value
        at = args.index(script)
        sys.orig_argv = args
        sys.argv = args[at:]
        if not getattr(sys.flags, "safe_path", sys.flags.isolated):
            sys.path[0] = os.path.dirname(os.path.realpath(script))
        for folder in list(sys.path_importer_cache):
            if folder.startswith("/atoll/"):
                del sys.path_importer_cache[folder]
        if "logging" in sys.modules:
            import time

            logging = sys.modules["logging"]
            logging._startTime = time.time_ns() if isinstance(logging._startTime, int) else time.time()
        if "numpy.random.mtrand" in sys.modules:
            sys.modules["numpy.random.mtrand"].seed()

    def run(script):
        """Run the script as the interpreter would."""
        nonlocal status
        module = type(sys)("__main__")
        names = module.__dict__
        names["__builtins__"] = sys.modules["builtins"]
        names["__file__"] = script
        names["__cached__"] = None
        names["__loader__"] = sys.modules["_frozen_importlib_external"].SourceFileLoader("__main__", script)
        if sys.version_info < (3, 14):
            names["__annotations__"] = {}
        sys.modules["__main__"] = module
        try:
            with open(script, "rb") as f:
                source = f.read()
        except OSError as e:
            sys.stderr.write("%s: can't open file %r: [Errno %d] %s\n" % (sys.executable, script, e.errno, e.strerror))
            raise SystemExit(2)
        try:
            exec(compile(source, script, "exec", dont_inherit=True), names)
            status = 0
        except SystemExit as e:
            code = 0 if e.code is None else e.code
            if type(code) is int and 0 <= code < 256:
                status = code
            raise
        except BaseException as e:
            trace = e.__traceback__.tb_next
            sys.excepthook(type(e), e.with_traceback(trace), trace)
            if isinstance(e, KeyboardInterrupt):  # the interpreter ends by a signal then
                sys.excepthook = lambda *_: None
                raise
            status = 1
        if status:
            raise SystemExit(status)

    def noticing():
        """How many of the objects that gc tells, which are those that were made since it froze
        others, would have code run when they go."""
        at = type.__getattribute__
        kinds, count = {}, {}
        for o in gc.get_objects():
            kind = type(o)
            if issubclass(kind, type) and not at(o, "__flags__") & COLLECTED:
                kind = o  # gc tells none of its objects: there may be some
            kinds[id(kind)] = kind
            count[id(kind)] = count.get(id(kind), 0) + 1
        return sum(count[i] for i in kinds if any("__del__" in at(k, "__dict__") for k in at(kinds[i], "__mro__")))

    def end():
        """The last thing that an interpreter calls at its end. To take apart what was loaded
        ahead is most of what a small run costs: where nobody would notice, that is left out."""
        much = sys.getallocatedblocks() - held > MUCH
        if status is None or not settled or much or len(sys._current_frames()) > 1 or gc.callbacks or gc.get_debug() or noticing():
            gc.unfreeze()
            return
        try:
            for file in (sys.stdout, sys.stderr):
                if file is not None and not file.closed:
                    file.flush()
        except BaseException:  # the interpreter will meet it, too, and say so
            return
        libc.exit(status)

    which, files = sys.argv[1], sys.argv[2:]
    script = files[0]
    before, usual, status, held = state(), noticing(), None, 0
    first = atexit._ncallbacks() == 0
    atexit.register(end)
    compile("", "", "exec")  # the first call makes the classes of a syntax tree, which takes 1 ms
    why = quietly(load, which, files) or unfit(before)
    if why:
        control.send(NOT + why.encode())
        return None
    gc.collect()
    settled, held = first and noticing() == usual, sys.getallocatedblocks()
    gc.freeze()
    control.send(HERE)
    while True:
        data, extra, _, _ = control.recvmsg(8, 64)
        if not data:
            os._exit(0)
        connection = int.from_bytes(extra[0][2][:4], sys.byteorder)
        if os.fork() == 0:
            args, env = enter(connection)
            renew(args, script, env)
            return run, script
        os.close(connection)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


copy = main()
if copy:
    copy[0](copy[1])
