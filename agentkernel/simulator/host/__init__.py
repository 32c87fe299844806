"""The host side of operators: op_host sources compile and run here, as they are.

`HostSimulator` builds the host code of one operator (its definition, tiling and inference functions), says what it
defines, and runs its tiling for a call. What it finds wrong is diagnostics of level `host`.
"""

from agentkernel.simulator.host.calls import (
    AttributeValue,
    DtypeOutcome,
    HostTensor,
    OperatorCall,
    Platform,
    ShapeOutcome,
    TilingOutcome,
)
from agentkernel.simulator.host.columns import Column, columns_of, match_column
from agentkernel.simulator.host.description import (
    Attribute,
    Config,
    HostDescription,
    OpDescription,
    Parameter,
    TilingClass,
    TilingField,
)
from agentkernel.simulator.host.headers import tiling_header
from agentkernel.simulator.host.simulator import HostBuild, HostSimulator

__all__ = [
    "Attribute",
    "AttributeValue",
    "Column",
    "Config",
    "DtypeOutcome",
    "HostBuild",
    "HostDescription",
    "HostSimulator",
    "HostTensor",
    "OpDescription",
    "OperatorCall",
    "Parameter",
    "Platform",
    "ShapeOutcome",
    "TilingClass",
    "TilingField",
    "TilingOutcome",
    "columns_of",
    "match_column",
    "tiling_header",
]
