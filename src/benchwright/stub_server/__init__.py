"""An OpenAI-compatible server with scripted answers and every fault a real one has shown, for tests.

    with StubServer(faults=["429:first=1"]) as server:
        …  # point a client at server.base_url

Answers are a function of model, prompt, seed and temperature, and faults come by a schedule, never by
chance, so a test that fails once fails again.
"""

from benchwright.stub_server.behaviour import KINDS, Fault, Script, ScriptRow
from benchwright.stub_server.server import StubServer

__all__ = ["KINDS", "Fault", "Script", "ScriptRow", "StubServer"]
