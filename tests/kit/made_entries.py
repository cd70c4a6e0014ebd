"""Small entries of AICoderEval for text, images and speech: sound ones, and ones with typical faults."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

TEXT: dict[str, Any] = {
    "task_id": "task_0001",
    "domain": "NLP",
    "description": "Classify an English review as positive or negative by the words it holds.",
    "model": "made/word-list-sentiment",
    "model_description": "Two lists of words; a share of each gives the score.",
    "libraries": [],
    "imports": ["import re", "from typing import Dict"],
    "signature": "def classify_text(text: str, threshold: float = 0.5) -> Dict[str, float]:",
    "docstring": (
        "Classify a review.\n\nArgs:\n    text: The review.\n    threshold: The least share of positive words.\n\n"
        "Returns:\n    The label, POSITIVE or NEGATIVE, with the share of words that speak for it.\n\n"
        "Raises:\n    ValueError: If the text is empty, or none of its words is known.\n"
    ),
    "implementation": (
        "    good, bad = {'great', 'good', 'fine', 'lovely'}, {'terrible', 'boring', 'bad', 'poor'}\n"
        "    words = re.findall(r'[a-z]+', text.lower())\n"
        "    known = [word for word in words if word in good or word in bad]\n"
        "    if not known:\n"
        "        raise ValueError('no known word in the text')\n"
        "    share = sum(word in good for word in known) / len(known)\n"
        "    if share >= threshold:\n"
        "        return {'POSITIVE': share}\n"
        "    return {'NEGATIVE': 1 - share}\n"
    ),
    "cases": [
        {
            "name": "a good product",
            "level": "normal",
            "input": {"args": ["This is a great product, good and fine, if boring!"]},
            "expected": {"value": {"POSITIVE": 0.75}, "abs_tol": 1e-6},
            "description": "Three words of four are positive.",
        },
        {
            "name": "nothing in it",
            "level": "edge_case",
            "input": {"args": [""]},
            "expected": {"raises": "ValueError"},
        },
        {
            "name": "a bad film",
            "level": "correctness",
            "input": {"args": ["The film was terrible and boring."]},
            "expected": {"value": {"NEGATIVE": 1.0}, "abs_tol": 1e-6},
        },
        {
            "name": "the threshold counts",
            "level": "correctness",
            "input": {"args": ["good, great, bad"], "kwargs": {"threshold": 0.9}},
            "expected": {"properties": {"keys": ["NEGATIVE"], "range": [0.3, 0.4]}},
        },
    ],
    "created": "2026-01-01",
    "status": "pending",
}

IMAGE: dict[str, Any] = {
    "task_id": "task_0002",
    "domain": "CV",
    "description": "Say which of three colours fills most of a PPM picture.",
    "libraries": [],
    "imports": ["import os", "from typing import Dict"],
    "signature": "def classify_image(image_path: str) -> Dict[str, float]:",
    "docstring": (
        "Find the strongest colour of a binary PPM picture.\n\nArgs:\n    image_path: Path of the picture.\n\n"
        "Returns:\n    The name of the channel with the largest mean, red, green or blue, with that mean from 0 to 1."
        "\n\nRaises:\n    FileNotFoundError: If there is no such file.\n    ValueError: If it is no binary PPM.\n"
    ),
    "implementation": (
        "    if not os.path.exists(image_path):\n"
        "        raise FileNotFoundError(f'Image not found: {image_path}')\n"
        "    with open(image_path, 'rb') as file:\n"
        "        content = file.read()\n"
        "    if not content.startswith(b'P6'):\n"
        "        raise ValueError('not a binary PPM')\n"
        "    pixels = content.split(b'\\n255\\n', 1)[1]\n"
        "    means = {name: sum(pixels[at::3]) / (len(pixels) // 3) / 255\n"
        "             for at, name in enumerate(('red', 'green', 'blue'))}\n"
        "    best = max(means, key=means.get)\n"
        "    return {best: means[best]}\n"
    ),
    "cases": [
        {
            "name": "all red",
            "level": "normal",
            "input": {
                "args": [{"$file": "red.ppm"}],
                "files": {
                    "red.ppm": {
                        "kind": "image",
                        "width": 8,
                        "height": 8,
                        "format": "ppm",
                        "colour": [255, 0, 0],
                    }
                },
            },
            "expected": {"value": {"red": 1.0}, "abs_tol": 1e-6},
        },
        {
            "name": "no file",
            "level": "edge_case",
            "input": {"args": ["nonexistent.ppm"]},
            "expected": {"raises": "FileNotFoundError"},
        },
        {
            "name": "no picture",
            "level": "edge_case",
            "input": {
                "args": [{"$file": "text.ppm"}],
                "files": {"text.ppm": {"kind": "text", "text": "hello"}},
            },
            "expected": {"raises": "ValueError"},
        },
        {
            "name": "a blue disc on black",
            "level": "correctness",
            "input": {
                "args": [{"$file": "disc.ppm"}],
                "files": {
                    "disc.ppm": {
                        "kind": "image",
                        "width": 16,
                        "height": 16,
                        "format": "ppm",
                        "pattern": "disc",
                        "colour": [0, 10, 250],
                        "background": [0, 0, 0],
                    }
                },
            },
            "expected": {"properties": {"keys": ["blue"], "range": [0.1, 0.4]}},
        },
    ],
}

SPEECH: dict[str, Any] = {
    "task_id": "task_0003",
    "domain": "Audio",
    "description": "Transcribe a recording of one tone by the frequency that it has.",
    "libraries": [],
    "imports": ["import os", "import struct", "import wave"],
    "signature": "def transcribe_audio(audio_path: str) -> str:",
    "docstring": (
        "Transcribe a WAV recording of one tone.\n\nArgs:\n    audio_path: Path of the recording.\n\n"
        "Returns:\n    LOW below 300 Hz, HIGH from 300 Hz on, or an empty text for silence.\n\n"
        "Raises:\n    FileNotFoundError: If there is no such file.\n    RuntimeError: If it is no recording.\n"
    ),
    "implementation": (
        "    if not os.path.exists(audio_path):\n"
        "        raise FileNotFoundError(f'Audio file not found: {audio_path}')\n"
        "    try:\n"
        "        with wave.open(audio_path, 'rb') as file:\n"
        "            rate, frames = file.getframerate(), file.readframes(file.getnframes())\n"
        "    except (wave.Error, EOFError) as error:\n"
        "        raise RuntimeError(f'Transcription failed: {error}')\n"
        "    samples = struct.unpack(f'<{len(frames) // 2}h', frames)\n"
        "    if not any(samples):\n"
        "        return ''\n"
        "    crossings = sum(one < 0 <= other for one, other in zip(samples, samples[1:]))\n"
        "    return 'LOW' if crossings * rate / len(samples) < 300 else 'HIGH'\n"
    ),
    "cases": [
        {
            "name": "a high tone",
            "level": "normal",
            "input": {
                "args": [{"$file": "tone.wav"}],
                "files": {"tone.wav": {"kind": "audio", "seconds": 0.1, "rate": 8000, "frequency": 880.0}},
            },
            "expected": {"value": "HIGH"},
        },
        {
            "name": "no recording",
            "level": "edge_case",
            "input": {
                "args": [{"$file": "broken.wav"}],
                "files": {"broken.wav": {"kind": "bytes", "hex": "52494646"}},
            },
            "expected": {"raises": "RuntimeError"},
        },
        {
            "name": "a low tone",
            "level": "correctness",
            "input": {
                "args": [{"$file": "low.wav"}],
                "files": {"low.wav": {"kind": "audio", "seconds": 0.1, "rate": 8000, "frequency": 120.0}},
            },
            "expected": {"value": "LOW"},
        },
        {
            "name": "silence",
            "level": "correctness",
            "input": {
                "args": [{"$file": "still.wav"}],
                "files": {"still.wav": {"kind": "audio", "seconds": 0.1, "rate": 8000, "wave": "silence"}},
            },
            "expected": {"value": ""},
        },
    ],
}

SOUND = (TEXT, IMAGE, SPEECH)


def changed(row: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a copy of a row with other fields."""
    return {**deepcopy(row), **fields}


def with_case(row: dict[str, Any], number: int, **fields: Any) -> dict[str, Any]:
    """Return a copy of a row with other fields in one of its cases."""
    made = deepcopy(row)
    made["cases"][number].update(fields)
    return made


def write_entries(path: Path, *rows: dict[str, Any]) -> Path:
    """Write the file of these rows; of the three sound ones by default."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows or SOUND), encoding="utf-8")
    return path
