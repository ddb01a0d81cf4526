"""Imported by the Python of this folder for what it does: a reader that has enough of their output (head) ends them without a
word, as it ends other tools, where Python would print a traceback."""
import signal

signal.signal(signal.SIGPIPE, signal.SIG_DFL)
