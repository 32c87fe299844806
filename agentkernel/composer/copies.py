"""Copies between global memory and local tensors, with their tails."""

from __future__ import annotations

from agentkernel.composer.code import Code
from agentkernel.composer.context import Context
from agentkernel.composer.style import Copies
from agentkernel.composer.tiling import BLOCK_BYTES


class Copier:
    """Writes copies in the style.

    Args:
        context: Names and helpers.
        aligned: Whether every copy is known to be a whole number of 32-byte blocks.
    """

    def __init__(self, context: Context, *, aligned: bool) -> None:
        self._c = context
        self._aligned = aligned

    def load(self, code: Code, local: str, gm: str, count: str, ctype: str, label: str) -> None:
        """`count` elements from a global tensor (with its offset) to a local one."""
        c = self._c
        if self._aligned:
            code.add(f"{c.q('DataCopy')}({local}, {gm}, {count});")
        elif c.style.copies is Copies.HELPER:
            self._load_helper()
            code.add(f"{c.names.variable('CopyToLocal')}({local}, {gm}, {count});")
        elif c.style.copies is Copies.BRANCH and count != "1":
            with code.block(f"if ({count} * sizeof({ctype}) % {BLOCK_BYTES} == 0)", "} else {"):
                code.add(f"{c.q('DataCopy')}({local}, {gm}, {count});")
            inner = Code()
            self._padded_load(inner, local, gm, count, ctype, label)
            code.add(*("    " + line for line in inner.lines), "}")
        else:
            self._padded_load(code, local, gm, count, ctype, label)

    def load_rows(self, code: Code, local: str, gm: str, rows: str, length: str, ctype: str, label: str) -> None:
        """Several rows, each padded to a whole number of blocks."""
        self._padded_load(code, local, gm, length, ctype, label, rows)

    def store(self, code: Code, gm: str, local: str, count: str, ctype: str, label: str) -> None:
        """`count` elements from a local tensor to a global one (with its offset)."""
        c = self._c
        if self._aligned:
            code.add(f"{c.q('DataCopy')}({gm}, {local}, {count});")
        elif c.style.copies is Copies.HELPER:
            self._store_helper()
            code.add(f"{c.names.variable('CopyToGlobal')}({gm}, {local}, {count});")
        elif c.style.copies is Copies.BRANCH and count != "1":
            with code.block(f"if ({count} * sizeof({ctype}) % {BLOCK_BYTES} == 0)", "} else {"):
                code.add(f"{c.q('DataCopy')}({gm}, {local}, {count});")
            inner = Code()
            self._padded_store(inner, gm, local, count, ctype, label)
            code.add(*("    " + line for line in inner.lines), "}")
        else:
            self._padded_store(code, gm, local, count, ctype, label)

    def store_rows(self, code: Code, gm: str, local: str, rows: str, length: str, ctype: str, label: str) -> None:
        """Several rows of a padded tile, without their padding."""
        self._padded_store(code, gm, local, length, ctype, label, rows)

    def _params(self, code: Code, label: str, count: str, ctype: str, rows: str) -> str:
        c = self._c
        name = c.names.get(f"copy params {label}", f"{label}Params")
        size = f"sizeof({ctype})" if count == "1" else f"{count} * sizeof({ctype})"
        blocks = "1" if rows == "1" else f"static_cast<uint16_t>({rows})"
        code.add(f"{c.q('DataCopyExtParams')} {name}{{{blocks}, static_cast<uint32_t>({size}), 0, 0, 0}};")
        return name

    def _padded_load(
        self, code: Code, local: str, gm: str, count: str, ctype: str, label: str, rows: str = "1"
    ) -> None:
        c = self._c
        params = self._params(code, label, count, ctype, rows)
        pad = c.names.get(f"pad params {label}", f"{label}Pad")
        code.add(f"{c.q('DataCopyPadExtParams')}<{ctype}> {pad}{{false, 0, 0, 0}};")
        code.add(f"{c.q('DataCopyPad')}({local}, {gm}, {params}, {pad});")

    def _padded_store(
        self, code: Code, gm: str, local: str, count: str, ctype: str, label: str, rows: str = "1"
    ) -> None:
        params = self._params(code, label, count, ctype, rows)
        code.add(f"{self._c.q('DataCopyPad')}({gm}, {local}, {params});")

    def _load_helper(self) -> None:
        c = self._c
        name = c.names.variable("CopyToLocal")
        code = Code()
        code.add(*c.comment("Copies whole blocks with DataCopy, anything else with DataCopyPad"))
        code.add("template <typename T>")
        head = (
            f"__aicore__ inline void {name}(const {c.q('LocalTensor')}<T>& dst, "
            f"const {c.q('GlobalTensor')}<T>& src, uint32_t count)"
        )
        code.add(head, "{")
        inner = Code()
        with inner.block(f"if (count * sizeof(T) % {BLOCK_BYTES} == 0)"):
            inner.add(f"{c.q('DataCopy')}(dst, src, count);", "return;")
        inner.add(f"{c.q('DataCopyExtParams')} params{{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}};")
        inner.add(f"{c.q('DataCopyPadExtParams')}<T> pad{{false, 0, 0, 0}};")
        inner.add(f"{c.q('DataCopyPad')}(dst, src, params, pad);")
        code.add(*("    " + line for line in inner.lines), "}")
        c.helper(name, code)

    def _store_helper(self) -> None:
        c = self._c
        name = c.names.variable("CopyToGlobal")
        code = Code()
        code.add("template <typename T>")
        head = (
            f"__aicore__ inline void {name}(const {c.q('GlobalTensor')}<T>& dst, "
            f"const {c.q('LocalTensor')}<T>& src, uint32_t count)"
        )
        code.add(head, "{")
        inner = Code()
        with inner.block(f"if (count * sizeof(T) % {BLOCK_BYTES} == 0)"):
            inner.add(f"{c.q('DataCopy')}(dst, src, count);", "return;")
        inner.add(f"{c.q('DataCopyExtParams')} params{{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0}};")
        inner.add(f"{c.q('DataCopyPad')}(dst, src, params);")
        code.add(*("    " + line for line in inner.lines), "}")
        c.helper(name, code)
