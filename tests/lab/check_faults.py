"""Plants failures of a driver at every call and in every kind of copy, and checks what the commands report.

usage: check_faults.py TMAP_COMMAND STANDIN_LIBCUDA VIRTUAL_TIME

After every failure each copy that did not fault has its verdict, the faulting copy is named with its CUresult, the exit
status is that of findings, and `tmap replay` reads the recording. Time is virtual (tests/standin/virtual_time.c). With
TMAP_LONG the test plants all failures, otherwise every third one of each kind.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fixtures"))
import harness  # noqa: E402

TENSORS = """tmap: 1
tensors:
""" + "".join(f"  t{rank}: {{type: u32, dims: [{', '.join(['8'] * rank)}], box: [{', '.join(['4'] * rank)}]}}\n"
              for rank in range(1, 6)) + """  image: {mode: im2col, type: u32, dims: [8, 8, 8, 2], lower_corner: [0, 0],
    upper_corner: [0, 0], channels_per_pixel: 4, pixels_per_column: 8}
"""
# Each copy has its own launch. The last two break a rule and fault on every GPU.
COPIES = {
    "load_1": "{tensor: t1, op: load, at: [0], shared: 0x400}",
    "load_2": "{tensor: t2, op: load, at: [4, 0], shared: 0x400}",
    "store_2": "{tensor: t2, op: store, at: [0, 4], shared: 0x400}",
    "load_3": "{tensor: t3, op: load, at: [0, 4, 0], shared: 0x400}",
    "multicast_2": "{tensor: t2, op: load, at: [0, 0], shared: 0x400, dst: cluster, cta_mask: 0x3}",
    "reduce_add_3": "{tensor: t3, op: reduce_add, at: [0, 0, 4], shared: 0x400}",
    "pixels_4": "{tensor: image, op: load, at: [0, 0, 0, 0], shared: 0x400}",
    "store_4": "{tensor: t4, op: store, at: [0, 0, 0, 4], shared: 0x400}",
    "prefetch_2": "{tensor: t2, op: prefetch, at: [0, 0]}",
    "load_5": "{tensor: t5, op: load, at: [0, 0, 0, 0, 4], shared: 0x400}",
    "odd_first": "{tensor: t2, op: load, at: [1, 0], shared: 0x400, expect: {rule: copy-inner-align}}",
    "odd_second": "{tensor: t3, op: load, at: [1, 0, 0], shared: 0x400, expect: {rule: copy-inner-align}}",
}
# A selector of the stand-in and the copy that it selects: of the first, a middle and the last launch.
SELECTED = {"rank1": "load_1", "reduce_add": "reduce_add_3", "tile_load_multicast": "multicast_2", "im2col": "pixels_4",
            "rank5": "load_5"}
RANDOM_COPIES = 2048 if harness.LONG else 1024
STICKY = (700, 702, 714, 715, 716, 717, 718, 719, 721, 999)
CALLS = ("cuMemAlloc_v2", "cuMemHostAlloc", "cuMemHostGetDevicePointer_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
         "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernelEx", "cuStreamQuery")
OF_A_GROUP = ("cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncSetAttribute", "cuLaunchKernelEx")
NAMES = {1: "INVALID_VALUE", 2: "OUT_OF_MEMORY", 209: "NO_BINARY_FOR_GPU", 218: "INVALID_PTX",
         222: "UNSUPPORTED_PTX_VERSION", 500: "NOT_FOUND", 700: "ILLEGAL_ADDRESS", 701: "LAUNCH_OUT_OF_RESOURCES",
         702: "LAUNCH_TIMEOUT", 714: "HARDWARE_STACK_ERROR", 715: "ILLEGAL_INSTRUCTION", 716: "MISALIGNED_ADDRESS",
         717: "INVALID_ADDRESS_SPACE", 718: "INVALID_PC", 719: "LAUNCH_FAILED", 721: "TENSOR_MEMORY_LEAK", 912: "INVALID_CLUSTER_SIZE",
         999: "UNKNOWN"}



class World:
    """The folder and the environment in which commands run."""

    def __init__(self, tmap, standin, virtual_time, folder):
        self.tmap, self.folder = tmap, folder
        self.spec = folder / "copies.yaml"
        self.spec.write_text(TENSORS + "copies:\n" + "".join(f"  {name}: {text}\n" for name, text in COPIES.items()))
        self.settings = dict(os.environ, TMAP_LIBCUDA=standin, STANDIN_AS_DRIVER="580", LD_PRELOAD=virtual_time,
                             ASAN_OPTIONS="verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", ""))

    def run(self, *words, **settings):
        return harness.run(self.tmap, *map(str, words), env=dict(self.settings, **settings), cwd=self.folder)


class Case:
    """One planted failure; `wrong` lists the claims about it that do not hold."""

    def __init__(self, world, name):
        self.world, self.name, self.wrong = world, name, []
        self.recording = world.folder / (re.sub(r"\W+", "_", name) + ".yaml")

    def hold(self, claim, text):
        if not claim:
            self.wrong.append(f"{self.name}: {text}")

    def replays(self):
        """`tmap replay` reads the recording. Returns the results by copy."""
        run = self.world.run("replay", self.recording, "--json")
        self.hold(run.returncode in (0, 1), f"the recording does not read back: {run.stderr.strip()}")
        text = self.recording.read_text() if self.recording.exists() else ""
        return dict(re.findall(r'- \{copy: "?(?:copies\.yaml/)?(\w+)"?.*?end: (\w+)', text))

    def verify(self, command=("verify",), **settings):
        run = self.world.run(*command, self.world.spec, "-o", self.recording, "--json", **settings)
        self.hold(run.returncode in (0, 1), f"exit status {run.returncode}: {run.stderr.strip()}")
        try:
            report = json.loads(run.stdout)
        except ValueError:
            self.hold(False, f"no report: {run.stdout[:200]} {run.stderr[:300]}")
            return run, {}, {}
        return run, {one["copy"]: one for one in report["copies"]}, report

    def all_agree_but(self, copies, named, error):
        """Every copy has its verdict. All agree except those of `named`, whose text has the error."""
        self.hold(set(copies) == set(COPIES), f"copies without a verdict: {sorted(set(COPIES) - set(copies))}")
        for name, one in copies.items():
            if name in named:
                self.hold(one["verdict"] != "agrees", f"{name} agrees")
                said = f"{one['error']} {one['text']}"
                self.hold(error in said, f"{name} does not name {error}: {said}")
            else:
                self.hold(one["verdict"] == "agrees", f"{name} {one['verdict']}: {one['text']}")


def persistent_fault(case, code, selector, lag):
    """The kernel of one copy faults each time that it runs."""
    named = {SELECTED[selector]} | ({"load_1"} if selector == "rank1" else set())
    run, copies, _ = case.verify(STANDIN_FAIL=f"job={code}@{selector}", STANDIN_LAG=str(lag))
    error = "CUDA_ERROR_LAUNCH_TIMEOUT" if code == "never" else "CUDA_ERROR_" + NAMES.get(code, "UNKNOWN")
    case.all_agree_but(copies, named, error)
    case.hold(run.returncode == 1, f"exit status {run.returncode}")
    ends = case.replays()
    case.hold(set(ends) == set(COPIES), f"results missing in the recording: {sorted(set(COPIES) - set(ends))}")
    case.hold(all(ends.get(name) == error for name in named), f"recorded {[ends.get(name) for name in named]}")


def timeout(case, selector):
    """One copy never completes; its kernel ends."""
    run, copies, _ = case.verify(STANDIN_FAIL=f"job=timeout@{selector}")
    case.hold(set(copies) == set(COPIES), "copies without a verdict")
    for name, one in copies.items():
        late = name == SELECTED[selector]
        case.hold(one["verdict"] == ("differs" if late else "agrees"), f"{name} {one['verdict']}: {one['text']}")
        case.hold(not late or one["end"] == "timeout", f"{name} ended {one['end']}")
    case.hold(run.returncode == 1 and len(case.replays()) == len(COPIES), "exit status or recording")


def refused_group(case, call, code, selector):
    """The driver refuses one launch each time: only the copies of this launch do not run."""
    run, copies, report = case.verify(STANDIN_FAIL=f"{call}={code}@{selector}")
    case.all_agree_but(copies, {SELECTED[selector]}, "CUDA_ERROR_" + NAMES[code])
    case.hold(run.returncode == 1 and report.get("failed") == 1, f"exit status {run.returncode}, failed {report.get('failed')}")
    case.hold(set(case.replays()) == set(COPIES) - {SELECTED[selector]}, "the recording lacks results")


def once(case, call, number, code):
    """Call N of the run fails once: only the copies that depend on this call are lost."""
    state = case.recording.with_suffix(".state")
    run, copies, report = case.verify(STANDIN_FAIL=f"{call}={code}:{number}", STANDIN_STATE=str(state))
    case.hold(set(copies) == set(COPIES), "copies without a verdict")
    bad = {name: one for name, one in copies.items() if one["verdict"] != "agrees"}
    transient = code in ("hang", "die", 719)
    error = {"hang": "CUDA_ERROR_LAUNCH_TIMEOUT", "die": "CUDA_ERROR_UNKNOWN"}.get(code) or "CUDA_ERROR_" + NAMES[code]
    for name, one in bad.items():
        case.hold(error in f"{one['error']} {one['text']}", f"{name}: {one['text']}")
        alone = name.startswith("odd") or (call in OF_A_GROUP and not transient)
        case.hold(alone, f"{name} {one['verdict']}: {one['text']}")
    case.hold(len(bad) <= 1, f"more than one copy is lost: {sorted(bad)}")
    # The last queries are those of copies that fault by themselves.
    in_batch = call.startswith("cuMemcpy") or call in OF_A_GROUP or (call == "cuStreamQuery" and number == 1)
    case.hold(not (transient and in_batch) or bad or report.get("lost_faults"), "the fault is not reported")
    case.hold(run.returncode == (1 if bad or report.get("lost_faults") else 0), f"exit status {run.returncode}")
    case.replays()


def once_alone(case, call):
    """A copy that runs alone is also tried again."""
    run, copies, _ = case.verify(("verify", "--copy", "load_2"), STANDIN_FAIL=f"{call}=1:1",
                                 STANDIN_STATE=str(case.recording.with_suffix(".state")))
    case.hold(run.returncode == 0 and copies["load_2"]["verdict"] == "agrees", f"exit status {run.returncode}")


def older_driver(case, version):
    """A driver of an older CUDA release compiles each kernel that requires no newer PTX."""
    run, copies, _ = case.verify(STANDIN_VERSION=str(version))
    case.all_agree_but(copies, set(), "")
    case.hold(run.returncode == 0, f"exit status {run.returncode}")
    run, copies, _ = case.verify(STANDIN_VERSION="12020")
    case.hold(all("PTX 8.3" in (one["text"] or "") for one in copies.values()), "the report has no reason for a driver of CUDA 12.2")


def random_copies(case, planted, selector, error, runs):
    """Blocks of random copies: those of one operation or form fail."""
    command = ("fuzz", "--cases", str(RANDOM_COPIES), "--json")
    clean = json.loads(case.world.run(*command).stdout)
    run = case.world.run(*command, "-o", case.recording, STANDIN_FAIL=f"{planted}@{selector}")
    case.hold(run.returncode == 1, f"exit status {run.returncode}: {run.stderr.strip()}")
    report, failing = json.loads(run.stdout), clean["operations"][selector]
    case.hold(failing > 0 and clean["differing"] == 0, "the run without failures reports nothing")
    case.hold(report["differing"] == (failing if runs else 0), f"{report['differing']} of {failing} differ")
    case.hold(report["not_run"] == (0 if runs else failing), f"{report['not_run']} of {failing} were not run")
    case.hold(report["cases"] == clean["cases"] - report["not_run"], f"{report['cases']} cases")
    case.hold(error in run.stdout, f"no {error} in the report")
    case.replays()


def descriptors(case, code, number):
    """A driver that fails while descriptors are recorded."""
    state = case.recording.with_suffix(".state")
    run = case.world.run("capture", "descriptors", case.world.spec, "--random", "20", "-o", case.recording,
                         STANDIN_FAIL=f"cuTensorMapEncodeTiled={code}:{number}", STANDIN_STATE=str(state))
    ends_well = code != 999  # by cuda.h this code does not lose the context: only this call returns it
    rest_agrees = "descriptors: " in run.stderr and " agree, 0 differ; verdicts: " in run.stderr and " agree, 0 differ\n" in run.stderr
    case.hold(run.returncode == 0 and rest_agrees if ends_well else run.returncode == 1,
              f"exit status {run.returncode}: {run.stderr.strip()[:300]}")
    case.hold(("CUDA_ERROR" in case.recording.read_text()) or ends_well, "the failure is not recorded")
    case.replays()


def first_opening(case, call, code):
    """No device at all: exit status 4 and the reason."""
    run = case.world.run("verify", case.world.spec, STANDIN_FAIL=f"{call}={code}")
    case.hold(run.returncode == 4 and call in run.stderr, f"exit status {run.returncode}: {run.stderr.strip()}")


def slow_start(case):
    """The time limit of copies does not include the seconds of cuInit and of the JIT compiler."""
    run, copies, _ = case.verify(STANDIN_INIT_MS="20000", STANDIN_CONTEXT_MS="5000", STANDIN_JIT_MS="30000")
    case.all_agree_but(copies, set(), "")
    case.hold(run.returncode == 0, f"exit status {run.returncode}")


def order(case):
    """Copies that break a rule run last, each in its own process. Only the rank of a copy is compiled."""
    log = case.recording.with_suffix(".log")
    case.verify(STANDIN_LOG=str(log))
    processes = [part.count("cuLaunchKernelEx ") for part in log.read_text().split("cuInit ")[1:]]
    case.hold(processes == [len(COPIES) - 2 + 1, 1], f"launches by process: {processes}")
    entries = set(re.findall(r"cuModuleLoadDataEx .*entries=(\d+)", log.read_text()))
    case.hold(entries == {"1"}, f"entries by module: {sorted(entries)}")


def largest_box(case):
    """With the barriers and its guards the largest box fits in the 227 KiB that a block may have."""
    case.world.folder.joinpath("large.yaml").write_text("""tmap: 1
tensors: {t: {type: u8, dims: [256, 128, 8], box: [256, 128, 7]}}
copies:
  load: {tensor: t, op: load, at: [0, 0, 1], shared: 0x400}
  store: {tensor: t, op: store, at: [0, 0, 0], shared: 0x400}
""")
    run = case.world.run("verify", "large.yaml")
    case.hold("2 agree, 0 differ, 0 skipped" in run.stdout, run.stdout + run.stderr)


def left_out(case):
    """Without the copies that break a rule no context is lost."""
    log = case.recording.with_suffix(".log")
    run, copies, report = case.verify(("verify", "--no-faults"), STANDIN_LOG=str(log))
    case.hold(run.returncode == 0 and report.get("left_out") == 2, f"{report.get('left_out')} left out, exit status {run.returncode}")
    case.hold(log.read_text().count("cuInit ") == 1, "more than one process")
    case.hold(all(one["verdict"] == "agrees" or name.startswith("odd") for name, one in copies.items()), "a copy differs")


def times_of_calls(world):
    """The number of calls of each function in a run without failures."""
    log = world.folder / "calls.log"
    run = world.run("verify", world.spec, STANDIN_LOG=str(log))
    if run.returncode != 0:
        sys.exit(f"check_faults: the run without failures fails: {run.stdout}{run.stderr}")
    calls = [line.split(" ", 1)[0] for line in log.read_text().splitlines()]
    return {call: calls.count(call) for call in CALLS}


def cases(times):
    for number, code in enumerate((*STICKY, "never", "die")):
        for selector in SELECTED if code in (700, 719, "never") else [list(SELECTED)[number % len(SELECTED)]]:
            yield persistent_fault, code, selector, number % 4
    for selector in ("rank5", "reduce_add", "im2col"):
        yield timeout, selector
    for call, codes in {"cuModuleLoadDataEx": (2, 209, 218, 222), "cuModuleGetFunction": (500,), "cuFuncSetAttribute": (1,),
                        "cuLaunchKernelEx": (1, 2, 701, 912)}.items():
        for number, code in enumerate(codes):
            for selector in ("reduce_add", "im2col", "tile_load_multicast") if number == 0 else ("reduce_add",):
                yield refused_group, call, code, selector
    for i, (call, most) in enumerate(times.items()):
        numbers = sorted({1, (most + 1) // 2, most})
        for (j, number), (k, code) in itertools.product(enumerate(numbers), enumerate((1, 719, "hang", "die"))):
            # Each pair of call, number and code; with TMAP_LONG all three together.
            if harness.LONG or len(numbers) < 3 or (i + j + k) % 3 == 0:
                yield once, call, number, code
    for call in ("cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuStreamQuery"):
        yield once_alone, call
    yield older_driver, 12030
    yield slow_start,
    yield order,
    yield largest_box,
    yield left_out,
    yield random_copies, "job=715", "reduce_xor", "CUDA_ERROR_ILLEGAL_INSTRUCTION", True
    yield random_copies, "cuLaunchKernelEx=912", "reduce_xor", "CUDA_ERROR_INVALID_CLUSTER_SIZE", False
    for code in (719, 999, "hang", "die"):
        yield descriptors, code, 40
    for call in ("cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain"):
        yield first_opening, call, 999


def every_third(rows):
    """Returns every third row of each check."""
    ordered = sorted(rows, key=lambda row: row[0].__name__)
    return [row for _, group in itertools.groupby(ordered, key=lambda row: row[0]) for row in list(group)[::3]]


def run_case(world, row):
    check, *arguments = row
    case = Case(world, " ".join([check.__name__, *map(str, arguments)]))
    try:
        check(case, *arguments)
    except (subprocess.TimeoutExpired, ValueError, KeyError, OSError) as error:
        case.hold(False, f"{type(error).__name__}: {error}")
    return case.wrong


def main(words):
    if len(words) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        world = World(*map(os.path.abspath, words[:3]), pathlib.Path(folder))
        rows = [row for row in cases(times_of_calls(world)) if len(words) == 3 or words[3] in " ".join(map(str, row))]
        if not harness.LONG and len(words) == 3:
            rows = every_third(rows)
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            wrong = [text for texts in pool.map(lambda row: run_case(world, row), rows) for text in texts]
        left = [path.name for path in world.folder.iterdir() if path.suffix not in (".yaml", ".state", ".log")]
    wrong += [f"remaining files: {left}"] if left else []
    harness.end(wrong, f"{len(rows)} planted failures, each loses only the copies that failed")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
