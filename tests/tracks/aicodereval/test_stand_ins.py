"""Stand-ins created in the torch profile, and programs that load them by the ids of real models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchwright.records import Outcome
from benchwright.sandbox import profiles
from benchwright.sandbox.box import Result, Sandbox
from benchwright.sandbox.limits import Limits
from benchwright.tracks.aicodereval import stand_in_models
from benchwright.tracks.aicodereval.stand_in_models import TwinName, TwinRequest, TwinStore
from kit.profile_needs import need_profile

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("jail")]
SST = "distilbert/distilbert-base-uncased-finetuned-sst-2-english"
TEXTS = ["I adore pizza", "Rain again", "zorg"]
REQUESTS = [
    TwinRequest(id=SST, kind="text-classification", inputs=[list(TEXTS)]),
    TwinRequest(
        id="dslim/bert-base-NER", kind="token-classification", inputs=[["Angela met Obama in Berlin"]]
    ),
    TwinRequest(id="gpt2", kind="text-generation"),
    TwinRequest(id="google/vit-base-patch16-224", kind="image-classification"),
    TwinRequest(id="sentence-transformers/all-MiniLM-L6-v2", kind="feature-extraction"),
    TwinRequest(id="deepset/roberta-base-squad2", kind="question-answering", inputs=[[["Who?", "Bob did"]]]),
    TwinRequest(id="superb/wav2vec2-base", kind="audio-classification"),
    TwinRequest(id="pytorch/vision:v0.10.0#resnet18", kind="torch-hub"),
]
LABELS = f"""
from transformers import pipeline
def f(texts):
    return [each["label"] for each in pipeline("text-classification", model={SST!r})(texts)]
"""
PROGRAMS = {
    "classes": f"""
from transformers import DistilBertForSequenceClassification, DistilBertTokenizer
def f():
    tokenizer = DistilBertTokenizer.from_pretrained({SST!r})
    model = DistilBertForSequenceClassification.from_pretrained({SST!r})
    return model(**tokenizer(["fine", "I adore pizza"], padding=True, return_tensors="pt")).logits.tolist()
""",
    "tokens": """
from transformers import pipeline
def f():
    found = pipeline("ner", model="dslim/bert-base-NER", aggregation_strategy="simple")("Angela met Obama in Berlin")
    return [(each["word"], each["entity_group"]) for each in found]
""",
    "text": """
from transformers import pipeline
def f():
    return pipeline("text-generation", model="gpt2")("Once upon", max_new_tokens=8, do_sample=False)
""",
    "images": """
from PIL import Image
from transformers import pipeline
def f():
    found = pipeline("image-classification", model="google/vit-base-patch16-224")
    return [found(Image.new("RGB", (64, 64), colour), top_k=1)[0] for colour in ("red", "blue", "white")]
""",
    "embedding": """
from transformers import AutoModel, AutoTokenizer
def f():
    name = "sentence-transformers/all-MiniLM-L6-v2"
    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModel.from_pretrained(name)
    return model(**tokenizer("a cat", return_tensors="pt")).last_hidden_state.mean(1)[0].tolist()
""",
    "questions": """
from transformers import AutoModelForQuestionAnswering, AutoTokenizer
def f():
    name = "deepset/roberta-base-squad2"
    tokenizer, model = AutoTokenizer.from_pretrained(name), AutoModelForQuestionAnswering.from_pretrained(name)
    return model(**tokenizer("Who?", "Bob did", return_tensors="pt")).start_logits.tolist()
""",
    "sounds": """
import numpy
from transformers import pipeline
def f():
    sound = numpy.sin(numpy.arange(16000) / 7).astype("float32")
    return pipeline("audio-classification", model="superb/wav2vec2-base")(sound, top_k=1)
""",
    "torch.hub": """
import torch
def f():
    model = torch.hub.load("pytorch/vision:v0.10.0", "resnet18", pretrained=True)
    return model(torch.ones(1, 3, 32, 32)).argmax().item()
""",
}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Return one zygote, with a folder of twins for this test."""
    need_profile("torch")
    folder, kept = tmp_path_factory.mktemp("profiles"), profiles.profiles_folder()
    (folder / "torch").symlink_to(kept / "torch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(profiles.FOLDER_VARIABLE, str(folder))
        with Sandbox("torch", limits=Limits(cpu_s=20.0)) as box:
            assert TwinStore().build(REQUESTS, box) == {}
            yield box


def on(box: Sandbox, name: TwinName, program: str, *args: Any) -> Result:
    """Return a program with the links of one twin, as the judge of levels sets them."""
    made = "".join(
        f"os.makedirs(os.path.dirname('/tmp/{path}'), exist_ok=True); os.symlink({target!r}, '/tmp/{path}')\n"
        for path, target in stand_in_models.twin_links(name).items()
    )
    return box.run(f"import os\n{made}{program}", "f", [(args, {})])


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_unchanged_and_twins_disagree(box: Sandbox, name: str) -> None:
    """The ids are real and the network is off; the twins give different results, and each gives the same
    result again."""
    first, again, other = (on(box, twin, PROGRAMS[name]) for twin in (TwinName.a, TwinName.a, TwinName.b))
    values = [
        result.replies[0].value if result.replies else result.detail for result in (first, again, other)
    ]

    assert [result.outcome for result in (first, again, other)] == [Outcome.passed] * 3, values
    assert (values[0] == values[1], values[0] == values[2]) == (True, False)


def test_an_answer_written_down_fails_on_the_other_twin(box: Sandbox) -> None:
    """The right program gives each twin's labels, which vary; an answer that stores A's labels fits A only."""
    right = {name: on(box, name, LABELS, TEXTS).replies[0].value for name in TwinName}
    by_heart = {
        name: on(box, name, f"def f(texts): return {right[TwinName.a]}", TEXTS).replies[0].value
        for name in TwinName
    }

    assert [by_heart[name] == right[name] for name in TwinName] == [True, False]
    assert [len(set(labels)) for labels in right.values()] == [2, 2]


def test_what_is_missing_is_told_apart(box: Sandbox) -> None:
    """A library that the profile lacks, and an id without a twin."""
    library = on(box, TwinName.a, "import torchvision\ndef f(): pass")
    weights = on(box, TwinName.a, LABELS.replace(SST, "who/knows"), ["x"])
    found = [stand_in_models.unavailable(result.detail) for result in (library, weights)]

    assert [each and (each.lack.value, each.name) for each in found] == [
        ("env-missing", "torchvision"),
        ("unverified-weights", ""),
    ]


def test_two_builds_are_identical(box: Sandbox, tmp_path: Path) -> None:
    """Another interpreter creates the same bytes."""
    with Sandbox("torch", limits=Limits(cpu_s=20.0)) as other:
        store = TwinStore(tmp_path)
        store.build(REQUESTS, other)
    first = TwinStore()

    assert [first[each.id].digest for each in REQUESTS] == [store[each.id].digest for each in REQUESTS]


def test_what_a_stand_in_cannot_be_made_for(box: Sandbox, tmp_path: Path) -> None:
    """Another kind of model, and a repository without its entry point; the reason comes from the library or
    from us."""
    refused = TwinStore(tmp_path).build(
        [TwinRequest(id="a/b", kind="fill-mask"), TwinRequest(id="a/c", kind="torch-hub")], box
    )

    assert ["'fill-mask'" in refused["a/b"], "names no entry point" in refused["a/c"]] == [True, True]
