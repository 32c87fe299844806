"""Names of the operator toolchain: the type that an entry function belongs to, and the element types."""

from __future__ import annotations

import re

from agentkernel.dtypes import DType
from agentkernel.errors import ConfigError
from agentkernel.task import AttrValue

GE_TYPES = {
    DType.FLOAT16: "DT_FLOAT16", DType.BFLOAT16: "DT_BF16", DType.FLOAT32: "DT_FLOAT", DType.INT8: "DT_INT8",
    DType.UINT8: "DT_UINT8", DType.INT16: "DT_INT16", DType.UINT16: "DT_UINT16", DType.INT32: "DT_INT32",
    DType.UINT32: "DT_UINT32", DType.INT64: "DT_INT64", DType.BOOL: "DT_BOOL",
}  # fmt: skip
"""Element types as the host side spells them (`ge::DataType`)."""

ATTR_METHODS = {
    "float": "Float", "int": "Int", "bool": "Bool", "string": "String",
    "list_int": "ListInt", "list_float": "ListFloat", "list_bool": "ListBool",
}  # fmt: skip
"""Methods of `OpAttrDef` that give an attribute its type, by the type's name in a task."""


def literal(value: AttrValue) -> str:
    """An attribute's value in C++."""
    if isinstance(value, tuple):
        return "{" + ", ".join(map(literal, value)) + "}"
    if isinstance(value, str):
        escaped = value.encode("unicode_escape").decode("ascii")
        return '"' + escaped.replace('"', '\\"') + '"'
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def operator_name(entry: str) -> str:
    """Type of the operator whose kernel function is `entry`: `add_custom` is `AddCustom`.

    Raises:
        ConfigError: The toolchain would look for another function than `entry`.
    """
    name = "".join(word[:1].upper() + word[1:] for word in entry.split("_"))
    back = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    if back != entry:
        raise ConfigError(
            f"no operator type has the kernel function {entry!r}: {name} would have {back!r}",
            hint="rename the entry: words of letters and digits, each beginning with a letter, joined by underscores",
        )
    return name
