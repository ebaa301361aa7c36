"""Runs these tests with pytest on a build of the library.

usage: run.py EXTENSION ORACLE DRIVER CC [PYTEST_ARGUMENT…]
EXTENSION: libtmap/_native.abi3.so in a folder with the package; ORACLE: the reference implementation as a library;
DRIVER: a libcuda.so.1 for cuda.core; CC: the compiler. If TMAP_SANITIZE is set, the compiler gives the path of the
runtime of its sanitizers.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

extension, oracle, driver, compiler = sys.argv[1:5]
here = pathlib.Path(__file__).resolve().parent
env = dict(os.environ, PYTHONPATH=str(pathlib.Path(extension).parent.parent), TMAP_ORACLE=oracle, TMAP_DRIVER=driver,
           PYTEST_DISABLE_PLUGIN_AUTOLOAD="1", PYTHONDONTWRITEBYTECODE="1")
if os.environ.get("TMAP_SANITIZE"):
    runtime = subprocess.run([compiler, "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
    env |= {"LD_PRELOAD": runtime.stdout.strip(), "ASAN_OPTIONS": "detect_leaks=0"}
    # Python and NumPy are not built with a sanitizer: the sanitizer checks only memory of tmap and of malloc.
plugins = ["-p", "no:cacheprovider", "-p", "_hypothesis_pytestplugin", "-p", "libtmap.pytest_plugin"]
command = [sys.executable, "-m", "pytest", "-q", *plugins, "--rootdir", str(here.parent), str(here), *sys.argv[5:]]
with tempfile.TemporaryDirectory() as work:
    env["HYPOTHESIS_STORAGE_DIRECTORY"] = work
    status = subprocess.run(command, env=env, cwd=here).returncode
sys.exit(status)
