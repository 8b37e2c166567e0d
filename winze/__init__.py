"""Winze turns a web site into a table of data and keeps that table true."""
