"""Stand-ins for language models and their services: path to source. Answers depend on the question."""

from __future__ import annotations

# Every attribute is an object that can be called, indexed, entered and added to, and is empty.
ANYTHING = """
class Anything:
    def __init__(self, *args, **options):
        pass

    def __call__(self, *args, **options):
        return Anything()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __getitem__(self, key):
        return Anything()

    def __setitem__(self, key, value):
        pass

    def __iter__(self):
        return iter(())

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        return False

    def __bool__(self):
        return False

    def __add__(self, other):
        return self

    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __add__


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Anything()
"""
TORCH = {
    "torch/__init__.py": f"""{ANYTHING}

class cuda:
    @staticmethod
    def is_available():
        return False


class Tensor:
    def __init__(self, array):
        self.array = array


from_numpy = Tensor
""",
    "torch/backends/__init__.py": ANYTHING,
    "torch/backends/cudnn.py": ANYTHING,
    "torch/distributed.py": ANYTHING,
    "torch/multiprocessing.py": ANYTHING,
    "torch/nn/__init__.py": ANYTHING,
}
DOTENV = {"dotenv.py": "def load_dotenv(*args, **options):\n    return True\n"}

# Answers and times depend on the question and on the model's name.
VLLM = {
    **TORCH,
    "transformers.py": ANYTHING,
    "openai.py": ANYTHING,
    "vllm/__init__.py": """
from types import SimpleNamespace


def SamplingParams(**options):
    return options


class LLM:
    def __init__(self, model, **options):
        self.shift = len(model)
        self.llm_engine = SimpleNamespace(model_executor=None)

    def chat(self, messages, sampling_params, use_tqdm=False):
        asked = messages[-1]["content"]
        said = "The answer is " + "ABCD"[len(asked) * self.shift // 2 % 4]
        times = {"arrival_time": 0.0, "first_token_time": len(asked) / 8, "finished_time": float(len(asked))}
        return [
            SimpleNamespace(
                metrics=SimpleNamespace(**times),
                outputs=[SimpleNamespace(text=said, token_ids=list(said))],
                prompt_token_ids=list(asked),
            )
        ]
""",
    "vllm/distributed/__init__.py": ANYTHING,
    "vllm/distributed/parallel_state.py": ANYTHING,
}

ROUTING = {
    **TORCH,
    **DOTENV,
    "diffprivlib/__init__.py": "",
    "diffprivlib/mechanisms.py": ANYTHING,
    "sentence_transformers.py": """
import numpy
from types import SimpleNamespace


class SentenceTransformer:
    def __init__(self, path):
        pass

    def encode(self, text, **options):
        texts = [text] if isinstance(text, str) else text
        found = numpy.array([[each.count(letter) + 0.1 for letter in "aeiou"] for each in texts])
        return found[0] if isinstance(text, str) else found


class util:
    @staticmethod
    def cos_sim(a, b):
        value = float(numpy.dot(a, b) / numpy.linalg.norm(a) / numpy.linalg.norm(b))
        return SimpleNamespace(item=lambda: value)
""",
    "spacy.py": """
class Document:
    def __init__(self, text):
        self.text, self.ents = text, []

    def __iter__(self):
        return iter(())


def load(name):
    return Document
""",
    "openai.py": """
import time
from types import SimpleNamespace

time.time = lambda: 1.0  # a metric shows how long the service took, which differs from run to run


class OpenAI:
    def __init__(self, **options):
        self.chat = SimpleNamespace(completions=self)

    def create(self, *, messages, **options):
        message = SimpleNamespace(content="said: " + messages[-1]["content"])
        usage = SimpleNamespace(prompt_tokens=1, completion_tokens=2, total_tokens=3)
        return SimpleNamespace(choices=[SimpleNamespace(message=message)], usage=usage)
""",
    "transformers.py": """
class BatchEncoding(dict):
    def to(self, device):
        return self


class AutoTokenizer:
    @classmethod
    def from_pretrained(cls, *args, **options):
        return cls()

    def __call__(self, text, **options):
        return BatchEncoding(text=text)

    def decode(self, said, **options):
        return "edge: " + said


class AutoModelForCausalLM:
    device = "cpu"

    @classmethod
    def from_pretrained(cls, *args, **options):
        return cls()

    def generate(self, text, **options):
        return [text[:20]]


AutoModelForSequenceClassification = AutoModelForCausalLM


def pipeline(*args, **options):
    return lambda *texts, **more: [{"label": "LABEL_0", "score": 0.5}]
""",
}

POSTERS = {
    **DOTENV,
    "openai.py": """
import json
from types import SimpleNamespace


class OpenAI:
    def __init__(self, **options):
        self.chat = SimpleNamespace(completions=self)

    def create(self, *, messages, **options):
        said = json.dumps({"score": len(str(messages)) % 7 + 2.5})
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=said))])
""",
    "cv2.py": ANYTHING,
    "fitz.py": ANYTHING,
    "pdfplumber.py": ANYTHING,
    "PyPDF2.py": ANYTHING,
    "pptx/__init__.py": ANYTHING,
    "pptx/dml/__init__.py": "",
    "pptx/dml/color.py": ANYTHING,
    "pptx/enum/__init__.py": "",
    "pptx/enum/text.py": ANYTHING,
    "pptx/util.py": ANYTHING,
}
