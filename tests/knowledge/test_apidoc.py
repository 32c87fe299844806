"""The table of supported APIs says what the index and the simulator's headers say."""

from __future__ import annotations

from pathlib import Path

from agentkernel.knowledge.apidoc import simulated_names, simulator_headers, support_table
from agentkernel.knowledge.index import load_index

HEADER = """
#define AK_UNARY(Api) AK_API void Api(int x) {}
AK_UNARY(Exp)
AK_UNARY(Ln)
#undef AK_UNARY
template <typename T>
AK_API void DataCopy(const LocalTensor<T>& dst,
                     const SliceInfo* slices) {
  akrt_unsupported("DataCopy(slice)", AK_SITE);
  Helper(1);  // Sqrt( is only mentioned
}
inline int64_t GetBlockIdx() { return akrt_block_idx(); }
AK_API void Mmad(int x) { akrt_unsupported("Mmad", AK_SITE); }
AK_API void SyncAll() AK_STOP("SyncAll")
AK_IB(IBSet, "IBSet")
AK_FORM(Transpose, "Transpose (with tiling)")
#define GET_TILING_DATA(name, pointer) auto name = pointer
"""


def test_definitions_and_macros_are_told_from_mentions() -> None:
    names, missing = simulated_names({"one.h": HEADER})
    assert {"Exp", "Ln", "DataCopy", "GetBlockIdx", "GET_TILING_DATA", "Mmad"} <= names
    assert not {"Helper", "Sqrt"} & names
    stopping = {"SyncAll": ("",), "IBSet": ("",), "Transpose": ("with tiling",)}
    assert missing == {"DataCopy": ("slice",), "Mmad": ("",), **stopping}


def test_the_states_of_names() -> None:
    table = support_table(load_index(), {"one.h": HEADER})
    assert "| `Exp` | count, mask | half, float | simulated |" in table
    assert "partly (not slice) |" in next(line for line in table.splitlines() if line.startswith("| `DataCopy` "))
    assert next(line for line in table.splitlines() if line.startswith("| `Mmad` ")).endswith("| known |")
    assert "| `Sqrt` | count, mask | half, float | known |" in table
    assert "other chips: Adds(dst, src, -scalar, count)" in table


def test_the_committed_table_is_up_to_date() -> None:
    document = Path(__file__).parents[2] / "docs" / "api-support.md"
    expected = support_table(load_index(), simulator_headers())
    assert document.read_text(encoding="utf-8") == expected, (
        "run `python -m agentkernel.knowledge.apidoc docs/api-support.md`"
    )
