"""CUDA toolkits of the package index: the release, the PTX ISA that its ptxas accepts, its ptxas and its cuda.h.

PTX ISA, "Release Notes", table "PTX Release History"; of 13.5 the version that its ptxas accepts. There is no toolkit
12.7. Releases 12.1 and 13.1 to 13.4 accept their PTX ISA, too, but are not fetched. A release without a header here
added nothing that `tmap generate` writes.
"""
import os
import shutil

import wheels

# The PTX ISA of each release.
PTX = {(12, 0): (8, 0), (12, 1): (8, 1), (12, 2): (8, 2), (12, 3): (8, 3), (12, 4): (8, 4), (12, 5): (8, 5),
       (12, 6): (8, 5), (12, 8): (8, 7), (12, 9): (8, 8), (13, 0): (9, 0), (13, 1): (9, 1), (13, 2): (9, 2),
       (13, 3): (9, 3), (13, 4): (9, 4), (13, 5): (9, 5)}
# The fetched releases: package of ptxas and its version, package of cuda.h and its version.
NVCC_12, NVCC, HEADER_12, HEADER = ("nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc", "nvidia-cuda-runtime-cu12",
                                    "nvidia-cuda-runtime")
RELEASES = {
    (12, 0): ((NVCC_12, "12.0.140"), (HEADER_12, "12.0.146")),
    (12, 2): ((NVCC_12, "12.2.140"), None),
    (12, 3): ((NVCC_12, "12.3.107"), None),
    (12, 4): ((NVCC_12, "12.4.131"), (HEADER_12, "12.4.127")),
    (12, 5): ((NVCC_12, "12.5.82"), None),
    (12, 6): ((NVCC_12, "12.6.85"), (HEADER_12, "12.6.77")),
    (12, 8): ((NVCC_12, "12.8.93"), (HEADER_12, "12.8.90")),
    (12, 9): ((NVCC_12, "12.9.86"), None),
    (13, 0): ((NVCC, "13.0.88"), None),
    (13, 5): ((NVCC, "13.5.37"), (HEADER, "13.5.37")),
}
# The lowest PTX ISA of each target (its release notes, section "PTX ISA version and target"; the ptxas above agree).
TARGETS = {"sm_90": (7, 8), "sm_90a": (8, 0), "sm_100": (8, 6), "sm_100a": (8, 6), "sm_120": (8, 7), "sm_120a": (8, 7),
           **{target: (8, 8) for target in ("sm_100f", "sm_103", "sm_103a", "sm_103f", "sm_120f", "sm_121", "sm_121a",
                                            "sm_121f")},
           **{target: (9, 0) for target in ("sm_110", "sm_110a", "sm_110f")},
           **{target: (9, 4) for target in ("sm_107", "sm_107a", "sm_107f")}}


def found(package, name):
    """Returns the only file of this name in a package."""
    paths = [path for path in wheels.fetch(*package).rglob(name) if path.is_file()]
    if len(paths) != 1:
        raise wheels.Unavailable(f"{package}: {len(paths)} files {name}")
    return paths[0]


def ptxas(release):
    return found(RELEASES[release][0], "ptxas")


def nvcc():
    """Returns the newest nvcc. pip installs its packages into one folder; here links make this folder."""
    _, version = RELEASES[max(RELEASES)][0]
    place = wheels.FOLDER / f"nvcc-{version}"
    for name in (NVCC, "nvidia-cuda-crt", "nvidia-nvvm", HEADER):
        shutil.copytree(wheels.fetch(name, version), place, dirs_exist_ok=True, copy_function=link)
    return place / "nvidia/cu13/bin/nvcc"


def link(source, target):
    if not os.path.exists(target):
        os.link(source, target)


def headers():
    """Returns the folder of cuda.h for each release."""
    return {release: found(row[1], "cuda.h").parent for release, row in RELEASES.items() if row[1]}


def text(version):
    return ".".join(map(str, version))


def version_of(text_of_version):
    return tuple(map(int, text_of_version.split(".")))
