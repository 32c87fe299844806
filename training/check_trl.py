"""Whether TRL reads a harvest: `python -m agentkernel.training.check_trl DIR`, in an environment with the train extra.

Every kind of row is loaded through the data-set card, as a user would, and given to its trainer with a random Qwen3 of
a few thousand parameters for two steps on the CPU. Checked are the counts of report.json, that the trainer drops no
row, that the loss is finite, and that SFT learns the completion and nothing but it. It proves formats, no quality.
"""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

STEPS = 2
_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|pad|>"]
_CHATML = (
    "{%- for m in messages %}{{- '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)
# TRL turns on bfloat16 and checkpointing by default, also on a CPU, where both are slow
_CPU = {
    "use_cpu": True,
    "bf16": False,
    "activation_checkpointing": False,
    "dataloader_pin_memory": False,
    "max_steps": STEPS,
    "logging_steps": 1,
    "save_strategy": "no",
    "report_to": "none",
    "disable_tqdm": True,
    "seed": 0,
}


def check(folder: Path) -> list[str]:
    """Check every kind of row in a harvest; one line each.

    Raises:
        SystemExit: TRL does not read something; the message says what.
    """
    from datasets import load_dataset

    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        for kind, tally in report["tallies"].items():
            kept = {split: count for split, count in tally["kept"].items() if count}
            if not kept:
                continue
            loaded = load_dataset(str(folder), kind, cache_dir=scratch)
            counts = {split: len(loaded[split]) for split in loaded}
            _require(counts == kept, f"{kind}: {counts} rows were loaded, the report says {kept}")
            rows = loaded["train" if "train" in kept else "validation"]
            lines.append(f"{kind}: {counts}, {_train(kind, rows, scratch)}")
    return lines


def _train(kind: str, rows: Any, scratch: str) -> str:
    import trl

    tokenizer = _tokenizer(rows)
    # framing included, else TRL cuts the ends of the longest rows
    lengths = [len(tokenizer.apply_chat_template(_messages(row), return_dict=True)["input_ids"]) for row in rows]
    shared: dict[str, Any] = {**_CPU, "output_dir": scratch, "per_device_train_batch_size": 1}
    given: dict[str, Any] = {"model": _model(tokenizer), "train_dataset": rows, "processing_class": tokenizer}
    if kind == "grpo":
        shared |= {"per_device_train_batch_size": 2, "num_generations": 2, "max_completion_length": 8}
        trainer = trl.GRPOTrainer(args=trl.GRPOConfig(**shared), reward_funcs=_reward, **given)
    elif kind == "dpo":
        # by itself TRL would load the reference from the model's path, and this model has none
        given["ref_model"] = copy.deepcopy(given["model"])
        trainer = trl.DPOTrainer(args=trl.DPOConfig(**shared, max_length=max(lengths)), **given)
    else:
        trainer = trl.SFTTrainer(args=trl.SFTConfig(**shared, max_length=max(lengths)), **given)
        _check_mask(trainer, rows, tokenizer)
    _require(len(trainer.train_dataset) == len(rows), f"{kind}: the trainer kept {len(trainer.train_dataset)} rows")
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    _require(len(losses) == STEPS, f"{kind}: {len(losses)} steps were logged")
    _require(all(map(math.isfinite, losses)), f"{kind}: losses {losses}")
    return f"{type(trainer).__name__} ran {STEPS} steps, losses {losses}"


def _check_mask(trainer: Any, rows: Any, tokenizer: Any) -> None:
    """The tokens with a label are the completion and the end of the turn."""
    learnt = set()
    for batch in trainer.get_train_dataloader():
        for labels in batch["labels"]:
            learnt.add(tokenizer.decode(labels[labels != -100]).removesuffix("\n").removesuffix("<|im_end|>"))
    wanted = {row["completion"][0]["content"] for row in rows}
    example = "".join(sorted(learnt ^ wanted)[:1])
    _require(not example, f"the loss falls on other text than the completions, e.g. {example[:200]!r}")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(otherwise)


def _reward(task_json: Sequence[str], completions: Sequence[Any], **_: Any) -> list[float]:
    """Any reward will do; it gets the task's column, as a real one needs it."""
    return [float(len(json.loads(task)["name"]) % 3 + n) for n, task in enumerate(task_json) if completions[n]]


def _messages(row: dict[str, Any]) -> list[dict[str, str]]:
    return [message for name in ("prompt", "completion", "chosen", "rejected") for message in row.get(name, [])]


def _tokenizer(rows: Any) -> Any:
    """A byte-level BPE trained on the rows: no download."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=512, special_tokens=_SPECIAL, initial_alphabet=alphabet)
    bpe.train_from_iterator((m["content"] for row in rows for m in _messages(row)), trainer)
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bpe, eos_token="<|im_end|>", pad_token="<|pad|>", clean_up_tokenization_spaces=False
    )
    tokenizer.chat_template = _CHATML
    return tokenizer


def _model(tokenizer: Any) -> Any:
    from transformers import Qwen3Config, Qwen3ForCausalLM

    return Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=len(tokenizer),
            hidden_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=1,
            head_dim=16,
            intermediate_size=64,
            max_position_embeddings=32768,
            tie_word_embeddings=True,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
            bos_token_id=None,
        )
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the folder that the command line names."""
    parser = argparse.ArgumentParser(description="Check that TRL's loaders and trainers read a harvest.")
    parser.add_argument("folder", type=Path, help="folder that `agentkernel harvest` wrote")
    folder = parser.parse_args(arguments).folder
    if not (folder / "report.json").is_file():
        print(f"{folder} is no harvest: it has no report.json", file=sys.stderr)
        return 2
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    for line in check(folder):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
