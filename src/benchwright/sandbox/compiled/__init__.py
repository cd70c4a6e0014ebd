"""The zygote's loop in C, what was built of it, and how: `python -m benchwright.sandbox.compiled.build`."""
