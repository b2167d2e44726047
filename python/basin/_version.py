"""The version of the package, which is that of the library (BASIN_VERSION in basin.h)."""

__version__ = "0.1.0"
