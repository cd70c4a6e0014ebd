"""The judging station: projects made from runs, one decision a screen, blind, by keyboard."""
