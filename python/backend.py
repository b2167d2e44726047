"""Builds wheels of the package (PEP 517 and 660) with make and the standard library alone.

The library is built by `make`, unless BASIN_LIBRARY names one that is there already. A thin wheel
needs the Debian packages that it is linked with; with BASIN_WHOLE=1 they are inside. Wheels have
fixed dates, so that the same library gives the same bytes; so have sources (SOURCE_DATE_EPOCH, or
the first day of 2026).
"""

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(HERE)
NEEDS = ["numpy>=1.20"]
EXTRAS = {"sklearn": ["scikit-learn>=1.1"]}


def version():
    with open(os.path.join(HERE, "basin", "_version.py")) as f:
        return re.search(r'__version__ = "(.+)"', f.read())[1]


def metadata():
    text = "Metadata-Version: 2.1\nName: basin\nVersion: " + version() + "\n"
    text += "Summary: Structured prediction with energy networks\n"
    text += "License: MIT\nRequires-Python: >=3.9\n"
    text += "".join(f"Requires-Dist: {need}\n" for need in NEEDS)
    for extra, needs in EXTRAS.items():
        text += f"Provides-Extra: {extra}\n"
        text += "".join(f"Requires-Dist: {need}; extra == '{extra}'\n" for need in needs)
    text += "Description-Content-Type: text/markdown\n\n"
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as f:
        return text + f.read()


def tag():
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    if whole() and platform.startswith("linux"):
        libc = os.confstr("CS_GNU_LIBC_VERSION").split()[-1].replace(".", "_")
        platform = platform.replace("linux", "manylinux_" + libc, 1)
    return "py3-none-" + platform


def whole():
    return os.environ.get("BASIN_WHOLE", "") not in ("", "0")


def stripped(path):
    """The bytes of a program without what only debuggers need, which names folders of the build,
    and without the checksum over that."""
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        shutil.copy(path, copy)
        if shutil.which("strip"):
            without = ["--strip-unneeded", "--remove-section=.note.gnu.build-id"]
            subprocess.run(["strip", *without, copy], check=True)
        with open(copy, "rb") as f:
            return f.read()


def programs():
    """What make builds: names in the wheel and bytes."""
    named = os.environ.get("BASIN_LIBRARY")
    if named:
        return {"basin/libbasin.so": stripped(named)}
    folder = os.environ.get("B", "build")
    goal = f"{folder}/whole/libbasin.so" if whole() else "all"
    make = [] if "MAKELEVEL" in os.environ else ["make", "-C", TOP, f"B={folder}", goal]
    if make and subprocess.run(make, stdout=sys.stderr).returncode:
        raise SystemExit(
            "basin: make failed. Debian packages that are missing are installed by `make deps`; "
            "BASIN_LIBRARY=/path/to/libbasin.so uses a library that is built already."
        )
    folder = os.path.join(TOP, folder)
    if whole():
        with open(os.path.join(folder, "whole", "libs")) as f:
            libraries = f.read().split()
        found = {"basin/libbasin.so": stripped(os.path.join(folder, "whole", "libbasin.so"))}
        for library in libraries:
            name = os.path.basename(library)
            name = "libbasin-openblas.so.0" if name.startswith("libopenblas") else name
            with open(library, "rb") as f:
                found[f"basin/libs/{name}"] = f.read()
        return found
    return {
        "basin/libbasin.so": stripped(os.path.join(folder, "libbasin.so")),
        f"basin-{version()}.data/scripts/basin": stripped(os.path.join(folder, "basin")),
    }


def modules():
    folder = os.path.join(HERE, "basin")
    names = [n for n in os.listdir(folder) if n.endswith(".py") or n == "py.typed"]
    found = {}
    for name in names:
        with open(os.path.join(folder, name), "rb") as f:
            found[f"basin/{name}"] = f.read()
    return found


def licence():
    with open(os.path.join(TOP, "LICENSE"), "rb") as f:
        return f.read()


def write(directory, files, wheel_tag):
    info = f"basin-{version()}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/LICENSE"] = licence()
    files[
        f"{info}/WHEEL"
    ] = f"Wheel-Version: 1.0\nGenerator: basin\nRoot-Is-Purelib: false\nTag: {wheel_tag}\n".encode()
    record = ""
    for name in sorted(files):
        digest = (
            base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        )
        record += f"{name},sha256={digest},{len(files[name])}\n"
    record += f"{info}/RECORD,,\n"
    wheel = f"basin-{version()}-{wheel_tag}.whl"
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as z:
        for name in [*sorted(files), f"{info}/RECORD"]:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            executable = ".so" in name or "/scripts/" in name
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.create_system = 3
            z.writestr(entry, record if name.endswith("/RECORD") else files[name])
    return wheel


# ---- the hooks ----


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write(wheel_directory, {**modules(), **programs()}, tag())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The modules stay in the tree, which finds the library in its build folder."""
    if not os.environ.get("BASIN_LIBRARY"):
        programs()
    return write(wheel_directory, {"basin.pth": (HERE + "\n").encode()}, tag())


def build_sdist(sdist_directory, config_settings=None):
    """All that git knows, or all but what is built, with fixed dates and owners."""
    name = f"basin-{version()}"
    listed = b""
    if shutil.which("git"):
        listed = subprocess.run(["git", "-C", TOP, "ls-files", "-z"], capture_output=True).stdout
    if listed:
        names = listed.decode().split("\0")
        files = [f for f in names if f and os.path.isfile(os.path.join(TOP, f))]
    else:
        files = []
        for folder, folders, names in os.walk(TOP):
            folders[:] = [f for f in folders if f not in ("build", ".git", "__pycache__")]
            files += [os.path.relpath(os.path.join(folder, n), TOP) for n in names]
    path = os.path.join(sdist_directory, f"{name}.tar.gz")

    date = int(os.environ.get("SOURCE_DATE_EPOCH", 1767225600))

    def plain(entry):
        entry.uid = entry.gid = 0
        entry.mtime = date
        entry.uname = entry.gname = "root"
        entry.mode = 0o755 if entry.mode & 0o100 else 0o644
        return entry

    with tempfile.TemporaryDirectory() as folder:
        info = os.path.join(folder, "PKG-INFO")
        with open(info, "w", encoding="utf-8") as f:
            f.write(metadata())
        import gzip

        with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, 0) as packed:
            with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as tar:
                for file in sorted(files):
                    tar.add(os.path.join(TOP, file), f"{name}/{file}", filter=plain)
                tar.add(info, f"{name}/PKG-INFO", filter=plain)
    return os.path.basename(path)
