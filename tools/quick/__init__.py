"""`./run quick`: style, types, layers and the tests that a change reaches, within a minute."""
