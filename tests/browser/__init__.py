"""A package, so that a fixture can last as long as its tests: see `chromium` in conftest.py."""
