"""Winze turns a web site into a table of data and keeps that table true."""

from importlib.metadata import version

__version__ = version("winze")
