"""Makes small stand-ins for models. Its text runs in the sandbox, in the torch profile; nothing imports it.

A stand-in has the architecture of a class of models, random weights and a few kilobytes: what it says means
nothing, but it says different things for different inputs. Of each model two are made that disagree, A and B.
The same requests give the same bytes.
"""

# ruff: noqa: PLC0415 (what it imports is in the profile alone)
from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Files = dict[str, bytes]
Say = Callable[[Any], Hashable]  # what a stand-in gives for one input, as far as it must vary
StandIn = tuple[Callable[[str], None], Say, list[Any]]  # how it is saved, what it gives, probes

SEEDS = 400
STD = 0.6
HIDDEN = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32}
_MASKED = ["input_ids", "attention_mask"]
FAMILIES: list[tuple[str, str, dict[str, int], list[str]]] = [  # part of an id, its classes, config, inputs
    ("distilbert", "DistilBert", {"dim": 16, "n_layers": 1, "n_heads": 2, "hidden_dim": 32}, _MASKED),
    ("roberta", "Roberta", HIDDEN, _MASKED),
    ("", "Bert", HIDDEN, ["input_ids", "token_type_ids", "attention_mask"]),
]
_KNOWN = """
the a an is was i you it this that not no very good great best love like bad worst terrible hate movie film
product service happy sad in on at of to and or but with from john mary paris london google works lives
"""
WORDS = tuple(_KNOWN.split())
TEXTS = [
    "I love this movie, it is great",
    "The worst service, I hate it",
    "this product is not very good",
    "John works at Google in London",
    "Mary lives in Paris",
    "a very happy film",
    "terrible and sad",
]
QUESTIONS = [
    ("Where does John work?", "John works at Google in London"),
    ("Who lives in Paris?", "Mary lives in Paris and John lives in London"),
    ("What is good?", "The film is good but the service was bad"),
]


def build(request: dict[str, Any]) -> dict[str, Any]:
    """Two stand-ins for `id`, of a `kind` of KINDS: {"A": {path: content}, "B": …, "seeds": […]}.

    `inputs` are groups of what programs will give to the model, one group a task; in each, as over the probes
    of the kind, one stand-in's outputs vary and the two disagree. `labels` replace those of the kind.
    Raises ValueError for an unknown kind, and where no seeds give such outputs.
    """
    make = KINDS.get(request["kind"])
    if make is None:
        raise ValueError(f"no stand-in can be made for {request['kind']!r}")
    made: dict[str, Any] = {"seeds": []}
    first: list[list[Hashable]] = []
    for seed in range(SEEDS):
        save, say, probes = make(seed, request)
        said = [list(map(say, group)) for group in (probes, *_fitting(request.get("inputs", []), probes))]
        if not all(map(_varies, said)) or (first and not all(map(_disagree, first, said))):
            continue
        made["B" if first else "A"] = _files(request["id"], save)
        made["seeds"].append(seed)
        if first:
            return made
        first = said
    raise ValueError(f"no two of {SEEDS} stand-ins for {request['id']} vary on its inputs and disagree")


def _fitting(groups: Sequence[Sequence[Any]], probes: Sequence[Any]) -> list[list[Any]]:
    """Of each group what is of the probes' kind: texts for a model of texts, pairs for one of questions."""
    kind = type(probes[0])
    given = ([tuple(each) if isinstance(each, list) else each for each in group] for group in groups)
    fitting = (list(dict.fromkeys(each for each in group if isinstance(each, kind))) for group in given)
    return [group for group in fitting if group]


def _varies(said: Sequence[Hashable]) -> bool:
    return len(said) < 2 or len(set(said)) > 1


def _disagree(one: Sequence[Hashable], other: Sequence[Hashable]) -> bool:
    """On every second input at least, so that an answer which knows one by heart fails on the other."""
    return 2 * sum(left != right for left, right in zip(one, other, strict=True)) >= len(one)


def _files(name: str, save: Callable[[str], None]) -> Files:
    """What a download of it would leave: the hub's cache, or a repository of torch.hub."""
    with tempfile.TemporaryDirectory() as folder:
        save(folder)
        found = {each: _content(os.path.join(folder, each)) for each in sorted(os.listdir(folder))}
    if list(found) == ["hubconf.py"]:
        return {f"torch/hub/{hub_folder(name)}/hubconf.py": found["hubconf.py"]}
    # As a revision stands 40 digits that follow from the content.
    text = b"".join(each.encode() + b"\0" + content for each, content in found.items())
    revision = hashlib.sha1(text, usedforsecurity=False).hexdigest()
    base = f"hub/models--{name.replace('/', '--')}"
    snapshot = {f"{base}/snapshots/{revision}/{each}": content for each, content in found.items()}
    return {f"{base}/refs/main": revision.encode(), **snapshot}


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def hub_folder(name: str) -> str:
    """OWNER/REPOSITORY[:REF][#ENTRY] as torch.hub names its folder."""
    repository, _, ref = name.partition("#")[0].partition(":")
    return f"{repository}/{ref or 'main'}".replace("/", "_")


def _drawn(model: Any, seed: int) -> Any:
    """The model with weights from one generator, in the order of its parameters.

    Offsets and norms keep what they begin with, all zeros or all ones: drawn, they would outweigh the input.
    """
    import torch

    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 or len(parameter.unique()) > 1:
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * STD)
    return model.eval()


def _words(request: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Words that are one token each, and the characters that all others are spelt with."""
    import re

    given = [text for group in request.get("inputs", []) for each in group for text in _texts(each)]
    words = {*WORDS, *(word for text in given for word in re.findall(r"\w+", text))}
    chars = {*map(chr, range(33, 127)), *(char for text in given for char in text if not char.isspace())}
    return sorted(words), sorted(chars)


def _texts(value: Any) -> list[str]:
    parts = value if isinstance(value, list) else [value]
    return [part.lower() for part in parts if isinstance(part, str)]


def _word_tokenizer(request: dict[str, Any], special: dict[str, str], **options: Any) -> Any:
    """A tokenizer to which any text is words and characters."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    words, chars = _words(request)
    tokens = list(dict.fromkeys([*special.values(), *words, *chars, *(f"##{char}" for char in chars)]))
    vocabulary = {token: at for at, token in enumerate(tokens)}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token=special["unk"]))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    names = {f"{name}_token": token for name, token in special.items()}
    return PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=512, **names, **options)


def _labels(request: dict[str, Any], usual: Sequence[str]) -> dict[str, Any]:
    labels = request.get("labels") or usual
    return {"id2label": dict(enumerate(labels)), "label2id": {label: at for at, label in enumerate(labels)}}


def _family(name: str) -> tuple[str, dict[str, int], list[str]]:
    return next((family, sizes, takes) for part, family, sizes, takes in FAMILIES if part in name.lower())


def _bert(seed: int, request: dict[str, Any], head: str, labels: Sequence[str] = ()) -> tuple[Any, Any]:
    """A model of the family that the id names, BERT's if none, and its tokenizer."""
    import transformers
    from tokenizers import processors

    family, sizes, takes = _family(request["id"])
    special = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    tokenizer = _word_tokenizer(request, special, model_input_names=takes)
    tokenizer.backend_tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    named = _labels(request, labels) if labels else {}
    config = getattr(transformers, f"{family}Config")(
        vocab_size=len(tokenizer), max_position_embeddings=514, pad_token_id=0, **sizes, **named
    )
    return _drawn(getattr(transformers, family + head)(config), seed), tokenizer


def _saving(*parts: Any) -> Callable[[str], None]:
    def save(folder: str) -> None:
        for part in parts:
            part.save_pretrained(folder)

    return save


def _run(model: Any, tokenizer: Any, *texts: str) -> Any:
    import torch

    with torch.no_grad():
        return model(**tokenizer(*texts, return_tensors="pt", truncation=True))


def _text_classification(seed: int, request: dict[str, Any]) -> StandIn:
    model, tokenizer = _bert(seed, request, "ForSequenceClassification", ("NEGATIVE", "POSITIVE"))

    def say(text: str) -> Hashable:
        return int(_run(model, tokenizer, text).logits.argmax())

    return _saving(model, tokenizer), say, TEXTS


def _token_classification(seed: int, request: dict[str, Any]) -> StandIn:
    usual = ("O", "B-PER", "I-PER", "B-ORG", "I-ORG", "B-LOC", "I-LOC")
    model, tokenizer = _bert(seed, request, "ForTokenClassification", usual)

    def say(text: str) -> Hashable:
        tags = tuple(_run(model, tokenizer, text).logits[0].argmax(-1).tolist()[1:-1])
        return tags if len(set(tags)) > 1 else 0  # one tag for all words counts as nothing found

    return _saving(model, tokenizer), say, TEXTS


def _feature_extraction(seed: int, request: dict[str, Any]) -> StandIn:
    model, tokenizer = _bert(seed, request, "Model")

    def say(text: str) -> Hashable:
        found = _run(model, tokenizer, text).last_hidden_state.mean(1)[0]
        return tuple(round(value, 1) for value in (found / found.norm()).tolist())

    return _saving(model, tokenizer), say, TEXTS


def _question_answering(seed: int, request: dict[str, Any]) -> StandIn:
    model, tokenizer = _bert(seed, request, "ForQuestionAnswering")

    def say(pair: tuple[str, str]) -> Hashable:
        found = _run(model, tokenizer, *pair)
        start = len(tokenizer(pair[0])["input_ids"])
        return tuple(int(each[0, start:-1].argmax()) for each in (found.start_logits, found.end_logits))

    return _saving(model, tokenizer), say, QUESTIONS


def _text_generation(seed: int, request: dict[str, Any]) -> StandIn:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    end = "<|endoftext|>"
    tokenizer = _word_tokenizer(request, {"bos": end, "eos": end, "unk": end}, model_input_names=_MASKED)
    sizes = {"n_positions": 512, "n_embd": 16, "n_layer": 1, "n_head": 2}
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=0, eos_token_id=0, **sizes)
    model = _drawn(GPT2LMHeadModel(config), seed)

    def say(text: str) -> Hashable:
        ids = tokenizer(text, return_tensors="pt")
        with torch.no_grad():
            found = model.generate(**ids, max_new_tokens=8, do_sample=False, pad_token_id=0)
        return tuple(found[0, ids["input_ids"].shape[1] :].tolist())

    return _saving(model, tokenizer), say, TEXTS


def _image_classification(seed: int, request: dict[str, Any]) -> StandIn:
    import io

    import torch
    from PIL import Image
    from transformers import ViTConfig, ViTForImageClassification
    from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

    usual = ("tench", "tabby cat", "golden retriever", "sports car", "banana")
    config = ViTConfig(image_size=32, patch_size=8, **HIDDEN, **_labels(request, usual))
    model = _drawn(ViTForImageClassification(config), seed)
    processor = ViTImageProcessorPil(size={"height": 32, "width": 32})

    def say(content: bytes) -> Hashable:
        pixels = processor(images=Image.open(io.BytesIO(content)).convert("RGB"), return_tensors="pt")
        with torch.no_grad():
            return int(model(**pixels).logits.argmax())

    return _saving(model, processor), say, _images()


def _images() -> list[bytes]:
    """Plain colours and slopes, as PNG files."""
    import io

    from PIL import Image

    colours = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (200, 180, 40)]
    made = [Image.new("RGB", (32, 32), colour) for colour in colours]
    made += [Image.linear_gradient("L").convert("RGB").rotate(turn) for turn in (0, 90)]
    contents = []
    for image in made:
        file = io.BytesIO()
        image.save(file, "PNG")
        contents.append(file.getvalue())
    return contents


def _audio_classification(seed: int, request: dict[str, Any]) -> StandIn:
    import math

    import torch
    from transformers import Wav2Vec2Config, Wav2Vec2FeatureExtractor, Wav2Vec2ForSequenceClassification

    layers = {"conv_dim": (16, 16), "conv_stride": (20, 16), "conv_kernel": (20, 16)}
    sizes = {"num_feat_extract_layers": 2, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2}
    named = _labels(request, ("speech", "music", "noise"))
    config = Wav2Vec2Config(classifier_proj_size=16, **HIDDEN, **layers, **sizes, **named)
    model = _drawn(Wav2Vec2ForSequenceClassification(config), seed)
    extractor = Wav2Vec2FeatureExtractor()
    tones = [
        tuple(math.sin(2 * math.pi * pitch * at / 16000) * loud for at in range(3200))
        for pitch in (110, 440, 1760, 3000)
        for loud in (0.2, 0.9)
    ]

    def say(sound: tuple[float, ...]) -> Hashable:
        with torch.no_grad():
            return int(
                model(**extractor(list(sound), sampling_rate=16000, return_tensors="pt")).logits.argmax()
            )

    return _saving(model, extractor), say, tones


_HUBCONF = '''"""A stand-in for a repository of torch.hub: a small network with random weights."""

dependencies = ["torch"]


def _network():
    import torch

    generator = torch.Generator().manual_seed({seed})
    layers = (torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(48, 1000))
    network = torch.nn.Sequential(*layers)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return network


'''
_HUB_ENTRY = '''

def {entry}(pretrained=False, progress=True, weights=None, **options):
    """A network from images of three channels to 1,000 classes."""
    return _network()
'''


def _torch_hub(seed: int, request: dict[str, Any]) -> StandIn:
    import torch

    entries = request["id"].partition("#")[2].split(",")
    if not all(map(str.isidentifier, entries)):
        raise ValueError(f"{request['id']!r} names no entry point: OWNER/REPOSITORY:REF#ENTRY")
    text = _HUBCONF.replace("{seed}", str(seed)) + "".join(
        _HUB_ENTRY.replace("{entry}", each) for each in entries
    )
    defined: dict[str, Any] = {}
    exec(text, defined)
    network = defined[entries[0]]()

    def say(probe: int) -> Hashable:
        image = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(probe))
        with torch.no_grad():
            return int(network(image).argmax())

    def save(folder: str) -> None:
        with open(os.path.join(folder, "hubconf.py"), "w", encoding="utf-8") as file:
            file.write(text)

    return save, say, list(range(6))


KINDS: dict[str, Callable[[int, dict[str, Any]], StandIn]] = {
    "text-classification": _text_classification,
    "token-classification": _token_classification,
    "feature-extraction": _feature_extraction,
    "question-answering": _question_answering,
    "text-generation": _text_generation,
    "image-classification": _image_classification,
    "audio-classification": _audio_classification,
    "torch-hub": _torch_hub,
}
