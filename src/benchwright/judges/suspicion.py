"""Placeholder until written."""


def suspect(program: str) -> str:
    return ""
