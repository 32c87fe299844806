"""Copies between global memory and local tensors, with their tails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.style import Copies
from agentkernel.composer.tiling import BLOCK_BYTES


@dataclass(frozen=True)
class Transfer:
    """One copy."""

    local: str
    gm: str
    """Global tensor with its offset."""
    count: str
    """Elements, per row where there are several."""
    ctype: str
    label: str
    """Name of the tensor in the task."""
    rows: str = ""
    """Number of rows, each padded to a whole number of blocks in local memory; empty for one piece."""


class Copier:
    """Writes copies in the style.

    Args:
        context: Names and helpers.
        aligned: Whether every copy is known to be a whole number of 32-byte blocks.
    """

    def __init__(self, context: Context, *, aligned: bool) -> None:
        self._c = context
        self._aligned = aligned

    def load(self, code: Code, it: Transfer) -> None:
        """Global memory to local memory."""
        plain = f"{self._c.q('DataCopy')}({it.local}, {it.gm}, {it.count});"
        self._write(code, it, plain, self._padded_load, self._load_helper)

    def store(self, code: Code, it: Transfer) -> None:
        """Local memory to global memory, without padding."""
        plain = f"{self._c.q('DataCopy')}({it.gm}, {it.local}, {it.count});"
        self._write(code, it, plain, self._padded_store, self._store_helper)

    def _write(
        self,
        code: Code,
        it: Transfer,
        plain: str,
        padded: Callable[[Code, Transfer], None],
        helper: Callable[[Transfer], str],
    ) -> None:
        if it.rows:
            padded(code, it)
        elif self._aligned:
            code.add(plain)
        elif self._c.style.copies is Copies.HELPER:
            code.add(helper(it))
        elif self._c.style.copies is Copies.BRANCH and it.count != "1":
            with code.block(f"if ({it.count} * sizeof({it.ctype}) % {BLOCK_BYTES} == 0)", "} else {"):
                code.add(plain)
            inner = Code()
            padded(inner, it)
            code.add(*("    " + line for line in inner.lines), "}")
        else:
            padded(code, it)

    def _params(self, code: Code, it: Transfer) -> str:
        c = self._c
        name = c.names.get(f"copy params {it.label}", f"{it.label}Params")
        size = f"sizeof({it.ctype})" if it.count == "1" else f"{it.count} * sizeof({it.ctype})"
        blocks = f"static_cast<uint16_t>({it.rows})" if it.rows else "1"
        code.add(f"{c.q('DataCopyExtParams')} {name}{{{blocks}, static_cast<uint32_t>({size}), 0, 0, 0}};")
        return name

    def _padded_load(self, code: Code, it: Transfer) -> None:
        c = self._c
        params = self._params(code, it)
        pad = c.names.get(f"pad params {it.label}", f"{it.label}Pad")
        code.add(f"{c.q('DataCopyPadExtParams')}<{it.ctype}> {pad}{{false, 0, 0, 0}};")
        code.add(f"{c.q('DataCopyPad')}({it.local}, {it.gm}, {params}, {pad});")

    def _padded_store(self, code: Code, it: Transfer) -> None:
        params = self._params(code, it)
        code.add(f"{self._c.q('DataCopyPad')}({it.gm}, {it.local}, {params});")

    def _load_helper(self, it: Transfer) -> str:
        q, name = self._c.q, self._c.names.variable("CopyToLocal")
        pad = f"{q('DataCopyPadExtParams')}<T> pad{{false, 0, 0, 0}};"
        tail = [pad, f"{q('DataCopyPad')}(dst, src, params, pad);"]
        self._helper(name, f"{q('LocalTensor')}<T>", f"{q('GlobalTensor')}<T>", tail)
        return f"{name}({it.local}, {it.gm}, {it.count});"

    def _store_helper(self, it: Transfer) -> str:
        q, name = self._c.q, self._c.names.variable("CopyToGlobal")
        self._helper(
            name, f"{q('GlobalTensor')}<T>", f"{q('LocalTensor')}<T>", [f"{q('DataCopyPad')}(dst, src, params);"]
        )
        return f"{name}({it.gm}, {it.local}, {it.count});"

    def _helper(self, name: str, dst: str, src: str, tail: list[str]) -> None:
        c, code, body = self._c, Code(), Code()
        with body.block(f"if (count * sizeof(T) % {BLOCK_BYTES} == 0)"):
            body.add(f"{c.q('DataCopy')}(dst, src, count);", "return;")
        body.add(f"{c.q('DataCopyExtParams')} params{{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}};", *tail)
        code.add(*c.comment("Whole blocks with DataCopy, anything else with DataCopyPad"))
        code.add("template <typename T>")
        code.add(f"__aicore__ inline void {name}(const {dst}& dst, const {src}& src, uint32_t count)", "{")
        code.add(*("    " + line for line in body.lines), "}")
        c.helper(name, code)
