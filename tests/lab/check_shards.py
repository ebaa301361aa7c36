#!/usr/bin/env python3
"""Runs several processes as launchers do, merges their recordings, and compares the result with one run.

    check_shards.py TMAP_COMMAND ORACLE_DEVICE LIBCUDA

LIBCUDA is the stand-in driver. The variables of launchers replace the launchers: those of srun and of job arrays of Slurm
(srun(1), sbatch(1)), of Open MPI's mpirun, and of Hydra (MPICH, Intel MPI). With TMAP_LONG mpirun itself is run, where it
is installed.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

command, oracle, standin = (str(pathlib.Path(a).resolve()) for a in sys.argv[1:4])
DATE = ["--date", "2026-01-01"]
N = 8
LAUNCHER_PARTS = ("SLURM", "OMPI", "PMI", "MPI_", "CUDA_VISIBLE", "TMAP_LIBCUDA")
plain = {k: v for k, v in os.environ.items() if not k.startswith(LAUNCHER_PARTS)}
failures = 0

SPEC = """tmap: 1
tensors:
  t: {type: u8, dims: [1024, 256], box: [64, 16]}
  s: {type: f16, dims: [512, 64], box: [64, 16], swizzle: 128B}
copies:
""" + "".join(f"  c{i}: {{tensor: {'ts'[i % 2]}, op: {('load', 'store')[i % 3 == 0]}, at: [{64 * (i % 4)}, {i}], shared: 0}}\n"
              for i in range(29))

LAUNCHERS = {
    "slurm": lambda i: {"SLURM_PROCID": i, "SLURM_NTASKS": N, "SLURM_LOCALID": i % 4},
    "step": lambda i: {"SLURM_PROCID": i, "SLURM_NTASKS": 64, "SLURM_STEP_NUM_TASKS": N, "SLURM_STEP_ID": 0, "SLURM_JOB_ID": 7},
    "openmpi": lambda i: {"OMPI_COMM_WORLD_RANK": i, "OMPI_COMM_WORLD_SIZE": N, "OMPI_COMM_WORLD_LOCAL_RANK": i % 4,
                          "SLURM_PROCID": i // 4, "SLURM_NTASKS": 2},
    "hydra": lambda i: {"PMI_RANK": i, "PMI_SIZE": N, "MPI_LOCALRANKID": i % 4},
    "cray": lambda i: {"PMI_RANK": i, "PMI_SIZE": N, "PMI_LOCAL_RANK": i % 4},
    "array": lambda i: {"SLURM_JOB_ID": 9, "SLURM_PROCID": 0, "SLURM_NTASKS": 1, "SLURM_ARRAY_TASK_ID": 5 + 3 * i,
                        "SLURM_ARRAY_TASK_MIN": 5, "SLURM_ARRAY_TASK_MAX": 5 + 3 * (N - 1), "SLURM_ARRAY_TASK_STEP": 3,
                        "SLURM_ARRAY_TASK_COUNT": N},
    "array of steps": lambda i: {"SLURM_JOB_ID": 9, "SLURM_STEP_ID": 0, "SLURM_PROCID": i % 4, "SLURM_NTASKS": 4,
                                 "SLURM_ARRAY_TASK_ID": 1 + i // 4, "SLURM_ARRAY_TASK_MIN": 1, "SLURM_ARRAY_TASK_MAX": 2,
                                 "SLURM_ARRAY_TASK_STEP": 1, "SLURM_ARRAY_TASK_COUNT": 2},
}

# The runs: arguments, and whether the merged file is equal to that of a single run byte for byte, or except for the
# order.
RUNS = {
    "fuzz": (["fuzz", "--device", oracle, "--cases", str(N * 1024), "--modes", "replace", *DATE], True),
    "verify": (["verify", "--device", oracle, "spec.yaml", *DATE], False),
    "copies": (["capture", "copies", "--device", oracle, "spec.yaml", *DATE], False),
    "descriptors": (["capture", "descriptors", "spec.yaml", "--random", "500", *DATE], False),
}


def complain(text):
    global failures
    failures += 1
    print(f"FAIL {text}")


def start(arguments, variables, folder):
    environment = dict(plain, TMAP_LIBCUDA=standin, **{k: str(v) for k, v in variables.items()})
    return subprocess.Popen([command, *arguments], cwd=folder, env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE)


def finish(run, status=0):
    out, said = run.communicate(timeout=120)
    if run.returncode != status:
        complain(f"{run.args}: exit status {run.returncode}, not {status}\n{out}{said}")
    return said


def lines(path, exact):
    """Replaces addresses of memory of the driver's process, which differ between processes."""
    text = re.sub(r"(address: )0x[0-9a-f]+(?=.*memory: host)", r"\1here", path.read_text())
    text = re.sub(r"^.*id: .size/host/.*$", lambda m: re.sub(r", bytes: .*", "", m[0]), text, flags=re.M)
    return text if exact else sorted(text.splitlines())


def compare(name, launcher, folder, one):
    parts = sorted(folder.glob("part.yaml.*"), key=lambda p: int(p.suffix[1:]))
    if [p.name for p in parts] != [f"part.yaml.{i}" for i in range(N)]:
        return complain(f"{name}, {launcher}: files {parts}")
    merged = folder / "merged.yaml"
    finish(start(["merge", *map(str, parts), "-o", str(merged)], {}, folder))
    exact = RUNS[name][1]
    if merged.exists() and lines(merged, exact) != lines(one, exact):
        complain(f"{name}, {launcher}: the merged recording is not that of one run")
    for part in (*parts, merged):
        part.unlink(missing_ok=True)


def run_launched(name, launcher, folder, one):
    runs = [start([*RUNS[name][0], "-o", "part.yaml"], LAUNCHERS[launcher](i), folder) for i in range(N)]
    for i, run in enumerate(runs):
        said = finish(run)
        if f"part {i} of {N} (counted from 0)" not in said or "part.yaml." not in said:
            complain(f"{name}, {launcher}: process {i} does not report its part: {said}")
    compare(name, launcher, folder, one)


def check_devices(folder):
    """A stand-in has one GPU, so the messages show which GPU was selected; only GPU 0 can be opened."""
    none, eight = {}, {"CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7"}
    rows = [
        ({"SLURM_LOCALID": 3, **eight}, "cuda,device=3"),
        ({"SLURM_LOCALID": 9, **eight}, "cuda,device=1"),
        ({"SLURM_LOCALID": 3, "CUDA_VISIBLE_DEVICES": "5"}, "cuda,device=0"),
        ({"SLURM_LOCALID": 3, "CUDA_VISIBLE_DEVICES": "MIG-a,MIG-b"}, "cuda,device=0"),
        ({"SLURM_LOCALID": 3, **none}, "cuda,device=3"),
        ({**none}, "cuda"),
    ]
    for variables, device in rows:
        run = start(["verify", "spec.yaml"], {"SLURM_PROCID": 1, "SLURM_NTASKS": 2, **variables}, folder)
        said = finish(run, 4 if device[-1] in "13" else 0)
        if (f", on device {device};" not in said) if device != "cuda" else "on device" in said:
            complain(f"{variables}: not {device}: {said}")
    said = finish(start(["verify", "spec.yaml", "--device", oracle],
                        {"SLURM_PROCID": 1, "SLURM_NTASKS": 2, "SLURM_LOCALID": 1}, folder))
    if f", on device {oracle};" not in said:
        complain(f"--device does not take precedence: {said}")


def check_not_sharded(folder):
    """One task, a batch script, a --shard that takes precedence, and an array that cannot be counted."""
    rows = [
        ({"SLURM_PROCID": 0, "SLURM_NTASKS": 1}, [], 0),
        ({"SLURM_PROCID": 0, "SLURM_NTASKS": 8, "SLURM_JOB_ID": 5}, [], 0),
        ({"SLURM_ARRAY_TASK_ID": 4, "SLURM_ARRAY_TASK_MIN": 4, "SLURM_ARRAY_TASK_MAX": 4, "SLURM_ARRAY_TASK_COUNT": 1}, [], 0),
        ({"SLURM_PROCID": 0, "SLURM_NTASKS": 8, "SLURM_STEP_NUM_TASKS": 1, "SLURM_STEP_ID": 2, "SLURM_JOB_ID": 5}, [], 0),
        ({"SLURM_PROCID": 9, "SLURM_NTASKS": 8}, [], 0),
        ({"SLURM_PROCID": 1, "SLURM_NTASKS": 8}, ["--shard", "0/1"], 0),
        ({"SLURM_ARRAY_TASK_ID": 3, "SLURM_ARRAY_TASK_MIN": 1, "SLURM_ARRAY_TASK_MAX": 20, "SLURM_ARRAY_TASK_STEP": 1,
          "SLURM_ARRAY_TASK_COUNT": 3}, [], 2),
    ]
    for variables, more, status in rows:
        run = start(["verify", "--device", oracle, "spec.yaml", *more], variables, folder)
        out, said = run.communicate()
        whole = "29 agree" in out and said == ""
        if run.returncode != status or (status == 0 and not whole) or (status == 2 and "evenly spaced" not in said):
            complain(f"{variables} {more}: {run.returncode} {out[-200:]}{said}")


def check_mpirun(folder, one):
    mpirun = shutil.which("mpirun")
    if not os.environ.get("TMAP_LONG"):
        return
    if mpirun is None:
        print("mpirun is not run: it is not installed (openmpi-bin)")
        return
    global N
    N = 4
    subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(N), command, *RUNS["fuzz"][0], "-o", "part.yaml"],
                   cwd=folder, env=plain, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    compare("fuzz", "mpirun", folder, one)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "spec.yaml").write_text(SPEC)
        ones = {}
        for name, (arguments, _) in RUNS.items():
            ones[name] = folder / f"one_{name}.yaml"
            finish(start([*arguments, "-o", str(ones[name])], {}, folder))
        for launcher in LAUNCHERS: # each launcher with a quick run, and each run with one launcher
            run_launched("verify", launcher, folder, ones["verify"])
        for name in ("fuzz", "copies", "descriptors"):
            run_launched(name, "slurm", folder, ones[name])
        check_devices(folder)
        check_not_sharded(folder)
        check_mpirun(folder, ones["fuzz"])
    print(f"shards: {failures} failures")
    sys.exit(1 if failures else 0)


main()
