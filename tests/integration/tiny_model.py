"""A real model that is small enough to be made on the spot: about 200,000 random weights, no download.

Its answers are noise, which is all that a test of the way to a model needs.
"""

from __future__ import annotations

import sysconfig
from pathlib import Path

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|im_start|>", "<|im_end|>"]
VOCABULARY, CONTEXT, SEED = 1000, 2048, 1


def make_tiny_model(folder: Path) -> Path:
    """A Llama and its tokenizer in a folder, as `save_pretrained` writes them."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = _tokenizer()
    torch.manual_seed(SEED)
    config = LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=CONTEXT,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.eos_token_id,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer():  # type: ignore[no-untyped-def]
    """Byte-level pairs, learnt from the standard library's own sources."""
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    sources = sorted(str(path) for path in Path(sysconfig.get_path("stdlib")).glob("*.py"))[:60]
    pairs = ByteLevelBPETokenizer()
    pairs.train(sources, vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=pairs._tokenizer, eos_token=SPECIAL[1], pad_token=SPECIAL[1], chat_template=CHATML
    )
