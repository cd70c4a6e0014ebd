"""Train a tiny model of random weights on an export: python train_tiny_model.py FOLDER CONFIGURATION

FOLDER is an export of `benchwright export training --form standard`, CONFIGURATION one with the columns
`prompt, completion`, such as commit-sft. Needs trl and datasets; nothing is downloaded.
"""

from __future__ import annotations

import sys

import datasets
import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import SFTConfig, SFTTrainer

END, STEPS = "<end>", 10

folder, configuration = sys.argv[1:]
rows = datasets.load_dataset(folder, configuration, split="train")

pairs = ByteLevelBPETokenizer()
texts = (row["prompt"] + row["completion"] for row in rows)
pairs.train_from_iterator(texts, vocab_size=1000, special_tokens=[END], show_progress=False)
tokenizer = PreTrainedTokenizerFast(tokenizer_object=pairs._tokenizer, eos_token=END, pad_token=END)

torch.manual_seed(1)
config = LlamaConfig(
    vocab_size=len(tokenizer),
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=2,
    num_attention_heads=4,
    bos_token_id=None,
    eos_token_id=tokenizer.eos_token_id,
)
settings = SFTConfig(
    "tiny",
    max_steps=STEPS,
    learning_rate=0.01,
    max_length=512,
    logging_steps=1,
    save_strategy="no",
    use_cpu=True,
    bf16=False,
    report_to=[],
)
trainer = SFTTrainer(
    model=LlamaForCausalLM(config), args=settings, train_dataset=rows, processing_class=tokenizer
)
trainer.train()
trainer.save_model("tiny")
