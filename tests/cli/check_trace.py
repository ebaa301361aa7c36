#!/usr/bin/env python3
"""Traces programs on the stand-in driver, for every way to find its functions.

usage: check_trace.py TMAP_COMMAND CALLER LINKED_CALLER EXPORTING_CALLER WEAK_CALLER REFUSING_DRIVER STANDIN STANDIN_V1 STANDIN_VERSIONED TRACE_LIBRARY SOURCE_DIR

Each program must behave as without a trace, and the trace must have its calls. The program that uses the CUDA runtime
is built where the toolkit is installed, and its look-ups are compared; the test prints what it skips.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import json_schema  # noqa: E402


tmap, caller, linked, exporting, weak, refuse, standin, standin_v1, standin_versioned, preload, root = (pathlib.Path(word).resolve() for word in sys.argv[1:12])
problems = []
results = json.loads((root / "specs/output.schema.json").read_text())

# argv: the library, the mode of opening it. A map of f16, 4096 x 8192, twice.
PYTHON_CALLER = """
import ctypes, sys
driver = ctypes.CDLL(sys.argv[1], mode=getattr(ctypes, sys.argv[2]))
context = ctypes.c_void_p()
print(driver.cuInit(0), driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0), driver.cuCtxSetCurrent(context))
room = ctypes.create_string_buffer(256)
tensor_map = ctypes.c_void_p((ctypes.addressof(room) + 63) // 64 * 64)
found, status = ctypes.c_void_p(), ctypes.c_int()
print(driver.cuGetProcAddress_v2(b"cuTensorMapEncodeTiled", ctypes.byref(found), 12000, ctypes.c_uint64(0), ctypes.byref(status)))
encode = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int, ctypes.c_uint32, ctypes.c_void_p, *[ctypes.c_void_p] * 4, *[ctypes.c_int] * 4)
u64, u32 = ctypes.c_uint64 * 2, ctypes.c_uint32 * 2
for call in encode(found.value), encode(ctypes.cast(driver.cuTensorMapEncodeTiled, ctypes.c_void_p).value):
    print(call(tensor_map, 6, 2, 0x10000, u64(4096, 8192), u64(8192, 0), u32(64, 128), u32(1, 1), 0, 3, 2, 0))
"""


def run(folder, *words, **environment):
    return subprocess.run([str(w) for w in words], cwd=folder, capture_output=True, text=True,
                          env={**os.environ, "LD_LIBRARY_PATH": str(standin.parent), **environment})


def check(condition, what):
    if not condition:
        problems.append(what)


def traced(folder, *program, **environment):
    """Runs the program alone and traced: the status and output must be equal. Returns the calls and the spec's text."""
    alone = run(folder, *program, **environment)
    spec = folder / "maps.yaml"
    spec.unlink(missing_ok=True)
    done = run(folder, tmap, "trace", "--json", "-o", spec, *program, **environment)
    head, _, tail = done.stdout.partition("{\n")
    status = alone.returncode if alone.returncode >= 0 else 128 - alone.returncode
    what = " ".join(str(word).rsplit("/", 1)[-1] for word in program)
    check(done.returncode == status, f"{what}: exit {done.returncode}, not {status}\n{done.stderr}")
    check(head == alone.stdout, f"{what}: printed {head!r}, not {alone.stdout!r}")
    check(alone.stderr in done.stderr, f"{what}: wrote {done.stderr!r}")
    result = json.loads("{" + tail) if tail else {"maps": [], "calls": -1}
    fault = json_schema.problem(result, {"$ref": "#/definitions/trace"}, results) if tail else None
    check(not fault, f"{what}: does not match specs/output.schema.json: {fault}")
    return result, spec.read_text() if spec.exists() else ""


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    ways = {"dlsym": (caller, standin), "next": (linked, standin), "linked": (linked, standin),
            "proc1": (caller, standin_v1), "proc2": (caller, standin), "default": (caller, standin),
            "version": (caller, standin_versioned), "local-dlsym": (caller, standin), "local-version": (caller, standin_versioned),
            "local-versioned-proc2": (caller, standin_versioned),
            "local-proc1": (caller, standin_v1), "local-proc2": (caller, standin), "local-proc2-flags": (caller, standin),
            "local-self": (caller, standin), "deep-dlsym": (caller, standin), "deep-proc2": (caller, standin),
            "deep-self": (caller, standin), "noload-local-proc2": (caller, standin), "base-dlsym": (caller, standin), "space-dlsym": (caller, standin),
            "space-proc2": (caller, standin), "local-dlsym ": (exporting, standin), "space-self": (caller, standin)}
    for how, (program, library) in ways.items():
        generous = {"STANDIN_GENEROUS": "1"} if "self" in how else {} # the stand-in then finds cuGetProcAddress, too
        result, spec = traced(folder, program, how, "good", library, **generous)
        check(result.get("loaded"), f"{how}: not loaded")
        check(result["unseen"] == [], f"{how}: {result['unseen']}")
        check(result["calls"] == 2 and len(result["maps"]) == 1, f"{how}: {result['calls']} calls")
        for one in result["maps"]:
            check(one["count"] == 2 and one["result"] == "CUDA_SUCCESS" and one["in_spec"], f"{how}: {one}")
            check(one["module"].endswith(program.name), f"{how}: called from {one['module']}")
        for words in ("type: f16", "dims: [4096, 8192]", "box: [64, 128]", "swizzle: 128B", "2 times"):
            check(words in spec, f"{how}: the spec lacks {words}:\n{spec}")
        check(run(folder, tmap, "check", folder / "maps.yaml").returncode == 0, f"{how}: the spec has errors")

    # A symbol missing in the global scope is also missing under a trace; a name without a slash is searched in the
    # caller's DT_RUNPATH (the linked program has one).
    traced(folder, caller, "local-default", "absent", standin)
    for variable in ("STANDIN_MISSING", "STANDIN_NONE"):
        for how, library in (("proc1", standin_v1), ("proc2", standin)):
            traced(folder, caller, how, "good", library, **{variable: "cuTensorMapEncodeTiled"})
    traced(folder, linked, "dlsym", "good", standin.name, LD_LIBRARY_PATH="")
    result, _ = traced(folder, caller, "local-dlsym", "absent", "libdl.so.2")
    done = run(folder, tmap, "trace", weak)
    check(done.stdout.split() == ["500"] * 6, f"no driver: {done}") # CUDA_ERROR_NOT_FOUND

    # Null pointers in every call, with a driver that reads no argument.
    done = run(folder, tmap, "trace", "--json", "-o", "nulls.yaml", weak, refuse)
    head, _, tail = done.stdout.partition("{\n")
    result = json.loads("{" + tail)
    check(head.split() == ["1"] * 4 + ["500"] * 2 and result["failed"] == 4 and len(result["maps"]) == 3, f"nulls: {done}")
    check(all(one["symbol"] == "main" and not one["in_spec"] for one in result["maps"]), f"nulls: {result}")

    # tmap names a library that it cannot trace; the driver itself (libcuda.so.1) makes no calls.
    other = folder / "other.so"
    shutil.copy(standin, other)
    for how, flag, words in (("deep-dlsym", "RTLD_DEEPBIND", "opened with RTLD_DEEPBIND"), ("space-dlsym", "dlmopen", "opened by dlmopen")):
        result, _ = traced(folder, caller, how, "good", other)
        check(result["unseen"] == [{"library": str(other), "how": flag}], f"{how}: {result['unseen']}")
        done = run(folder, tmap, "trace", caller, how, "good", other)
        check(f"{other} was {words}" in done.stderr, f"{how}: {done.stderr}")

    # A program of another language, which has dlopen and dlsym from a library.
    (folder / "call.py").write_text(PYTHON_CALLER)
    for mode in ("RTLD_LOCAL", "RTLD_GLOBAL"):
        result, spec = traced(folder, sys.executable, folder / "call.py", standin, mode)
        check(result["calls"] == 2 and "box: [64, 128]" in spec, f"ctypes {mode}: {result}\n{spec}")

    # tmap reports a program that loads no library.
    (folder / "static.c").write_text("int main(void) { return 5; }\n")
    if run(folder, "cc", "-static", folder / "static.c", "-o", folder / "static").returncode == 0:
        done = run(folder, tmap, "trace", folder / "static")
        check(done.returncode == 5 and "linked statically" in done.stderr, f"static: {done}")
    else:
        print("skipped: a program that is linked statically, which cannot be built here")
    check("linked statically" not in run(folder, tmap, "trace", "true").stderr, "a program without calls is not static")

    # LD_PRELOAD splits names at spaces and colons, and replaces $LIB: the library is loaded from such folders, too.
    odd = folder / "a b:c$LIB"
    odd.mkdir()
    shutil.copy(preload, odd)
    for how in ({"TMAP_TRACE_LIBRARY": str(odd / preload.name)}, {"TMAP_TRACE_LIBRARY": f"{odd.name}/{preload.name}", "TMPDIR": str(odd)}):
        done = run(folder, tmap, "trace", "--json", caller, "dlsym", "good", standin, **how)
        result = json.loads("{" + done.stdout.partition("{\n")[2])
        check(result["loaded"] and result["calls"] == 2 and "ld.so" not in done.stderr, f"{how}: {done}")
        links = [link for link in pathlib.Path("/tmp").glob("tmap-trace-*.so") if os.path.lexists(link) and str(odd) in os.path.realpath(link)]
        check(links == [], f"{how}: {links} remains")

    # A closed stream is also closed for the program.
    for place in ((), (tmap, "trace", "-o", "maps.yaml")):
        run(folder, "sh", "-c", '"$@" 2>&-', "sh", *place, "sh", "-c", "ls -l /proc/$$/fd > seen")
        seen = (folder / "seen").read_text()
        check(" 1 -> " in seen and " 2 -> " not in seen, f"closed stderr: {seen}")

    # The library alone: no file for the records, a file that cannot be opened, a full disk; a caller with a long path.
    deep = folder / ("a" * 120) / ("b" * 120)
    deep.mkdir(parents=True)
    shutil.copy(caller, deep / "caller")
    shutil.copymode(caller, deep / "caller")
    alone = run(folder, deep / "caller", "dlsym", "good", standin)
    for records in ({}, {"TMAP_TRACE_FILE": "/nonexistent/records"}, {"TMAP_TRACE_FILE": "/dev/full"}):
        done = run(folder, deep / "caller", "dlsym", "good", standin, LD_PRELOAD=str(preload), **records)
        check((done.returncode, done.stdout, done.stderr) == (alone.returncode, alone.stdout, alone.stderr), f"{records}: {done}")
    result, _ = traced(folder, deep / "caller", "dlsym", "good", standin)
    check([one["module"] for one in result["maps"]] == [str(deep / "caller")[-159:]], f"a long path: {result}")
    result, _ = traced(folder, caller, "dlsym", "cleared", standin)
    check(result["calls"] == 0 and result["loaded"], f"an environment that is cleared: {result}")

    # Folders and files with wrong properties.
    for place, words in (("", "0 failed"), ("/nonexistent", "cannot make a file in /nonexistent"), ("/tmp/" + "x/" * 3000, "File name too long")):
        done = run(folder, tmap, "trace", "true", TMPDIR=place)
        check(done.returncode == (0 if place == "" else 3) and words in done.stderr, f"TMPDIR {place[:20]}: {done.stderr}")
    for script, code, words in (("rm $TMAP_TRACE_FILE", 3, "tmap-trace-"), ("printf x >> $TMAP_TRACE_FILE", 0, "is truncated"),
                                ("head -c 5000 /dev/zero >> $TMAP_TRACE_FILE", 5, "another build")):
        done = run(folder, tmap, "trace", "sh", "-c", script)
        check(done.returncode == code and words in done.stderr, f"{script}: {done}")
    check(run(folder, tmap, "trace", "sh", "-c", "rm $TMAP_TRACE_FILE; exit 4").returncode == 4, "the program's status comes first")
    check("0 failed" in run(folder, tmap, "trace", "true", TMAP_TRACE_LIBRARY="", LD_PRELOAD="").stderr, "empty variables")
    check("2 tensor-map calls" in run(folder, tmap, "trace", caller, "dlsym", "good", standin, LD_PRELOAD=str(preload)).stderr, "preloaded twice")
    check(run(folder, tmap, "trace", "true", LD_PRELOAD="libc.so.6:" * 2000).returncode == 126, "a long LD_PRELOAD")
    for words, code in ((["--", "sh", "-c", "exit 3"], 3), (["--"], 2), (["-o"], 2), (["--wrong", "true"], 2)):
        check(run(folder, tmap, "trace", *words).returncode == code, f"trace {words}")
    shutil.copy(tmap, folder / "tmap")
    done = run(folder, folder / "tmap", "trace", "true", LD_LIBRARY_PATH=os.environ.get("LD_LIBRARY_PATH", ""))
    check(done.returncode == 4 and "TMAP_TRACE_LIBRARY" in done.stderr, f"the library is not next to the command: {done}")
    lines = folder / "two\nlines"
    lines.mkdir()
    shutil.copy(caller, lines / "caller")
    result, spec = traced(folder, lines / "caller", "dlsym", "good", standin)
    check("two?lines/caller" in spec, f"a path of two lines: {spec}")

    # A result from an earlier kernel is not about the map; tmap still judges the map.
    for code, name, hint in ((700, "ILLEGAL_ADDRESS", "compute-sanitizer"), (715, "ILLEGAL_INSTRUCTION", "CUDA_LAUNCH_BLOCKING=1"),
                             (719, "LAUNCH_FAILED", "an earlier kernel failed"), (801, "NOT_SUPPORTED", "compute capability 9.0"),
                             (999, "UNKNOWN", "compute-sanitizer")):
        result, spec = traced(folder, caller, "dlsym", "bad", standin, STANDIN_FAIL=f"cuTensorMapEncodeTiled={code}")
        first = result["maps"][0]
        check(first["result"] == f"CUDA_ERROR_{name}" and hint in first["hint"] and "box-inner-span" in first["reason"], f"{code}: {first}")
        done = run(folder, tmap, "trace", caller, "dlsym", "good", standin, STANDIN_FAIL=f"cuTensorMapEncodeTiled={code}")
        check(hint in done.stderr and "tmap's rules allow this map" in done.stderr, f"{code}: {done.stderr}")
        check(("an earlier kernel failed" in done.stderr) == (code in (700, 715, 719)), f"{code}: {done.stderr}")

    result, spec = traced(folder, caller, "dlsym", "bad", standin)
    check(all(one["hint"] is None for one in result["maps"]), f"bad: {result}")
    rules = ("box-inner-span", "address-align")
    check(result["failed"] == 2 and all(rule in one["reason"] for rule, one in zip(rules, result["maps"])), f"bad: {result}")
    done = run(folder, tmap, "trace", caller, "dlsym", "bad", standin)
    check("CUDA_ERROR_INVALID_VALUE" in done.stderr and "[box-inner-span]" in done.stderr, f"bad: {done.stderr}")
    check((folder / "tmap-trace.yaml").exists(), "bad: no tmap-trace.yaml")

    # Objects of cuda.bindings 13.5.0 are at 16, 32 or 48 bytes past a multiple of 64: the rule that explains the failure
    # comes first; the alignment is a warning of the call.
    fails = "cuTensorMapEncodeTiled=1,cuTensorMapEncodeIm2col=1"
    result, spec = traced(folder, caller, "dlsym", "misaligned", standin, STANDIN_FAIL=fails)
    wide, *allowed = (one["reason"].splitlines() for one in result["maps"])
    check("[box-inner-span]" in wide[0] and wide[1] == "warnings:" and "[tensor-map-align]" in wide[2], f"misaligned: {wide}")
    for lines in allowed:
        check(lines[0] == "tmap's rules allow this map; warnings:" and "tensorMap is 16 B past a multiple of 64 B" in lines[1] and len(lines) == 2,
              f"misaligned: {lines}")
    check(len(allowed) == 2 and "address: 0x10000" in spec, f"misaligned: {result}")

    # tmap reports an output that cannot be written before the program runs, and does not name a spec that was not
    # written.
    done = run(folder, tmap, "trace", "-o", "nowhere/maps.yaml", "touch", "ran")
    check(done.returncode == 3 and not (folder / "ran").exists(), f"unwritable: {done.returncode} {done.stderr}")
    done = run(folder, tmap, "trace", "-o", "lost/maps.yaml", "true")
    check(done.returncode == 3, f"unwritable: {done.returncode} {done.stderr}")
    done = run(folder, tmap, "trace", "--json", "true")
    check(json.loads(done.stdout)["spec"] is None, f"no maps: {done.stdout}")
    (folder / "lost").mkdir()
    done = run(folder, tmap, "trace", "-o", "lost/maps.yaml", "sh", "-c", f"rmdir lost; {caller} dlsym bad {standin}")
    check(done.returncode == 3 and "[box-inner-span]" in done.stderr and "2 different maps\n" in done.stderr, f"lost: {done.returncode} {done.stderr}")
    # Temporary files are in TMPDIR, if LD_PRELOAD accepts its path, and are removed when the command is ended.
    way = tempfile.mkdtemp(dir="/tmp")
    waiting = subprocess.Popen([str(tmap), "trace", "sh", "-c", "echo runs; exec sleep 5"], cwd=folder, text=True,
                               stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": way})
    check(waiting.stdout.readline() == "runs\n" and len(os.listdir(way)) == 1, "no file in TMPDIR")
    waiting.terminate()
    check(waiting.wait() == -15 and not os.listdir(way), "a file remains after SIGTERM")
    shutil.rmtree(way)

    result, spec = traced(folder, caller, "dlsym", "wild", standin)
    check(len(result["maps"]) == 2 and not any(one["in_spec"] for one in result["maps"]), f"wild: {result}")
    check("tensorDataType 99" in spec and "tensorRank 1000000" in spec, f"wild: {spec}")
    result, spec = traced(folder, caller, "dlsym", "im2col", standin)
    check("mode: im2col" in spec and "lower_corner: [-1, -1]" in spec and "pixels_per_column: 128" in spec, f"im2col: {spec}")
    result, spec = traced(folder, caller, "dlsym", "many", standin)
    check(result["failed"] == 100 and len(result["maps"]) == 100, f"many: {result['calls']}")
    result, spec = traced(folder, linked, "linked", "im2col", standin)
    check(result["calls"] == 1, f"linked im2col: {result}")
    result, spec = traced(folder, caller, "dlsym", "wide", standin, STANDIN_CC="100")
    check("mode: im2col_w\n" in spec and "mode: im2col_w128" in spec and "lower_corner: [-1" in spec, f"wide: {spec}")
    result, spec = traced(folder, caller, "proc2", "replace", standin)
    check(result["addresses_replaced"] == 1 and not result["maps"], f"replace: {result}")
    result, spec = traced(folder, caller, "dlsym", "class", standin, STANDIN_VERSION="13050")
    said = sorted((row["allocation_class"], row["result"], row["reason"] and "[allocation-class-code]" in row["reason"])
                  for row in result["classes"])
    check(said == [("9", "CUDA_ERROR_INVALID_VALUE", True), ("small", "CUDA_SUCCESS", None)], f"class: {result}")
    check(result["calls"] == 2 and result["failed"] == 1 and not result["maps"], f"class: {result}")
    result, spec = traced(folder, caller, "dlsym", "threads", standin)
    check(result["calls"] == 400 and len(result["maps"]) == 1, f"threads: {result['calls']} calls")
    result, spec = traced(folder, caller, "dlsym", "fork", standin)
    check(result["calls"] == 2 and len(result["maps"]) == 1, f"fork: {result}")
    result, spec = traced(folder, caller, "dlsym", "exec", standin)
    check(result["calls"] == 2, f"exec: {result}")
    result, spec = traced(folder, caller, "dlsym", "abort", standin)
    check(result["exit_status"] == 134 and result["calls"] == 1, f"abort: {result}")
    result, spec = traced(folder, caller, "dlsym", "good", standin, "42")
    check(result["exit_status"] == 42, f"status: {result}")
    result, spec = traced(folder, "/bin/echo", "-o", "--json")
    check(result["calls"] == 0, f"echo: {result}")
    check(run(folder, tmap, "trace", "/nonexistent/program").returncode == 127, "a missing program")
    check(run(folder, tmap, "trace", folder).returncode == 126, "a program that cannot be run")
    check(run(folder, tmap, "trace").returncode == 2, "no program")
    done = run(folder, tmap, "trace", "/bin/true", TMAP_TRACE_LIBRARY="/nonexistent.so")
    check(done.returncode == 0, f"a missing library: {done.returncode} {done.stderr}")

    cuda = next((pathlib.Path(p) for p in ("/usr/local/cuda", "/opt/cuda") if os.path.exists(p + "/include/cuda_runtime_api.h")), None)
    if cuda:
        lib = next((p for p in (cuda / "lib64", cuda / "targets/x86_64-linux/lib", cuda / "lib") if (p / "libcudart_static.a").exists()), None)
    for kind in ("static", "shared") if cuda and lib else ():
        program = folder / f"runtime_{kind}"
        library = "-lcudart_static" if kind == "static" else "-lcudart"
        built = run(folder, "gcc", root / "tests/trace/runtime.c", "-isystem", cuda / "include", f"-L{lib}", f"-Wl,-rpath,{lib}", library, "-lpthread", "-ldl", "-lrt", "-o", program)
        check(built.returncode == 0, f"runtime {kind}: {built.stderr[:500]}")
        if built.returncode == 0:
            # The runtime checks the integrity of its driver, which no stand-in passes; before that it looks up every
            # call by dlsym and cuGetProcAddress. These look-ups must be the same, and must pass through the wrappers.
            who = "runtime_static" if kind == "static" else "libcudart"
            done = run(folder, program, STANDIN_GENEROUS="1", LD_PRELOAD=str(preload), LD_DEBUG="bindings")
            bound = [line for line in done.stderr.splitlines() if who in line.split(" to ")[0] and "libtmap-trace.so" in line.split(" to ")[-1]]
            check(any("`dlsym'" in line for line in bound) and any("`dlopen'" in line for line in bound), f"runtime {kind}: {bound}")
            logs = [folder / f"{kind}.{i}" for i in range(2)]
            alone = run(folder, program, STANDIN_GENEROUS="1", STANDIN_LOG=str(logs[0]))
            done = run(folder, tmap, "trace", program, STANDIN_GENEROUS="1", STANDIN_LOG=str(logs[1]))
            check((done.returncode, done.stdout) == (alone.returncode, alone.stdout), f"runtime {kind}: {done}")
            texts = [log.read_text() if log.exists() else "" for log in logs]
            check(texts[0] == texts[1] and texts[0].count("cuGetProcAddress") > 100, f"runtime {kind}: other look-ups")
    print("the look-ups of the CUDA runtime, static and shared, are the same" if cuda and lib else "skipped: the program on the CUDA runtime, which is not installed")
print("\n".join(problems) or "every program behaved as without a trace, and its calls are in the trace")
sys.exit(1 if problems else 0)
