"""Answers are read as models give them; what cannot be read says why."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentkernel.diagnostic import Level
from agentkernel.extract import extract
from agentkernel.kernel import Kernel
from agentkernel.task import Case, Path, Reference, Task, TensorSpec
from agentkernel.trajectory import Completion

ENTRY = "negate_demo"
SIGNATURE = f'extern "C" __global__ __aicore__ void {ENTRY}(GM_ADDR x, GM_ADDR y, GM_ADDR workspace)'
CODE = f'#include "kernel_operator.h"\nusing namespace AscendC;\n{SIGNATURE}\n{{\n    Muls(b, a, -1.0f, 512);\n}}\n'
DRAFT = CODE.replace("-1.0f", "+1.0f")
MAIN = f"op_kernel/{ENTRY}.cpp"
FULL = (
    "Plan: one field in the tiling struct.\n</think>\n"
    "================== op_host/negate_demo_tiling.h ==================\n```cpp\n// tiling header\n```\n"
    "================== op_host/negate_demo.cpp ==================\n```cpp\n// host source\n```\n"
    "================== op_kernel/negate_demo.cpp ==================\n```cpp\n// kernel source\n```\n"
)
FULL_FILES = {
    "op_host/negate_demo_tiling.h": "// tiling header\n",
    "op_host/negate_demo.cpp": "// host source\n",
    "op_kernel/negate_demo.cpp": "// kernel source\n",
}


def make_task(path: Path = Path.DEVICE) -> Task:
    tensor = {"dtype": "float16", "shape": (48, 512)}
    return Task(
        name="negate",
        description="y = -x",
        level="L1",
        entry=ENTRY,
        inputs=(TensorSpec(name="x", **tensor),),
        outputs=(TensorSpec(name="y", **tensor),),
        cases=(Case(name="one"),),
        reference=Reference(formula="y = -x"),
        path=path,
        shape_mode="static",
    )


def kernel_of(text: str, path: Path = Path.DEVICE, **fields: object) -> Kernel:
    result = extract(Completion(text=text, **fields), make_task(path))
    assert isinstance(result, Kernel), result
    return result


def code_of(text: str, path: Path = Path.DEVICE, **fields: object) -> str:
    result = extract(Completion(text=text, **fields), make_task(path))
    assert isinstance(result, tuple), result
    (diagnostic,) = result
    assert diagnostic.level is Level.FORMAT
    assert diagnostic.is_error
    return diagnostic.code


@pytest.mark.parametrize("label", ["cpp", "c++", "", "C++", "cc", "ascendc"])
def test_one_fenced_block_is_the_kernel_whatever_its_label(label: str) -> None:
    kernel = kernel_of(f"Here it is.\n\n```{label}\n{CODE}```\nIt negates.")
    assert kernel == Kernel(files={MAIN: CODE}, entry=ENTRY)


def test_a_longer_fence_may_hold_a_shorter_one_and_tildes_are_fences() -> None:
    inner = CODE.replace("using", "// ```\nusing")
    assert kernel_of(f"````cpp\n{inner}````").files[MAIN] == inner
    assert kernel_of(f"~~~cpp\n{CODE}~~~").files[MAIN] == CODE


def test_a_fence_inside_a_list_item_loses_the_indentation_of_the_item() -> None:
    indented = "".join(f"   {line}\n" for line in CODE.splitlines())
    assert kernel_of(f"1. The kernel:\n\n   ```cpp\n{indented}   ```\n").files[MAIN] == CODE


@pytest.mark.parametrize(
    "inside",
    [
        f"```cpp\n{CODE}```",
        f"```c++\n{CODE}```",
        f"```\n{CODE}```",
        CODE,
        f"```cpp\n{CODE}",
        f"\n\n```cpp\n{CODE}```\n\n",
    ],
    ids=["cpp", "c++", "unlabelled", "raw", "fence-not-closed", "spaced"],
)
def test_a_kernel_impl_block_is_taken_with_or_without_a_fence(inside: str) -> None:
    assert kernel_of(f"Each core handles one row.\n<kernel_impl>\n{inside}\n</kernel_impl>\n").files == {MAIN: CODE}


def test_kernel_impl_wins_over_other_blocks_and_over_its_mention_in_prose() -> None:
    text = f"I will use <kernel_impl>.\n```cpp\n{DRAFT}```\n<kernel_impl>\n```cpp\n{CODE}```\n</kernel_impl>"
    assert kernel_of(text).files == {MAIN: CODE}
    quoted = f"As asked, inside <kernel_impl> and </kernel_impl>:\n<kernel_impl>\n{CODE}</kernel_impl>"
    assert kernel_of(quoted).files == {MAIN: CODE}


@pytest.mark.parametrize(
    "reasoning",
    [
        f"<think>\nFirst <kernel_impl>\n```cpp\n{DRAFT}```\n</kernel_impl>\n</think>\n",
        f"First <kernel_impl>\n```cpp\n{DRAFT}```\n</kernel_impl>\n</think>\n",
        f"<think>```cpp\n{DRAFT}```</think>\n<think>again\n```cpp\n{DRAFT}```</think>\n",
        f"<think>a <think>b</think>\n```cpp\n{DRAFT}```\n</think>\n",
    ],
    ids=["both-tags", "opening-absent", "twice", "nested"],
)
def test_a_draft_inside_the_reasoning_is_never_the_answer(reasoning: str) -> None:
    assert kernel_of(f"{reasoning}<kernel_impl>\n```cpp\n{CODE}```\n</kernel_impl>").files == {MAIN: CODE}
    assert kernel_of(f"{reasoning}```cpp\n{CODE}```").files == {MAIN: CODE}
    assert code_of(reasoning) == "empty-answer"


def test_reasoning_that_is_never_closed_hides_what_follows() -> None:
    assert code_of(f"<think>\n```cpp\n{DRAFT}```") == "empty-answer"
    assert code_of(f"<think>\n```cpp\n{DRAFT}```", finish_reason="length") == "truncated-answer"
    assert kernel_of(f"```cpp\n{CODE}```\n<think>was that right?").files == {MAIN: CODE}


def test_reasoning_in_its_own_field_is_no_answer() -> None:
    assert code_of("", reasoning=f"```cpp\n{DRAFT}```") == "empty-answer"
    assert kernel_of(f"```cpp\n{CODE}```", reasoning=f"```cpp\n{DRAFT}```").files == {MAIN: CODE}


def test_the_block_with_the_entry_is_taken_among_several() -> None:
    text = f"Use\n```cpp\nDataCopyPad(a, b, p);\n```\nso\n```cpp\n{CODE}```\nand\n```bash\nmake\n```"
    assert kernel_of(text).files == {MAIN: CODE}
    assert kernel_of(f"```cpp\n{CODE}```\nOnce more:\n```cpp\n{CODE}```").files == {MAIN: CODE}


def test_two_different_kernels_are_ambiguous() -> None:
    assert code_of(f"```cpp\n{CODE}```\nor\n```cpp\n{DRAFT}```") == "ambiguous-code"
    both = f"<kernel_impl>{CODE}</kernel_impl>\n<kernel_impl>{DRAFT}</kernel_impl>"
    assert code_of(both) == "ambiguous-code"
    assert code_of("```cpp\nint a;\n```\n```cpp\nint b;\n```") == "ambiguous-code"


def test_a_single_block_without_the_entry_is_left_to_the_check() -> None:
    assert kernel_of("```cpp\nint main() {}\n```").files == {MAIN: "int main() {}\n"}


def test_bare_source_is_an_answer_and_prose_is_not() -> None:
    assert kernel_of(CODE).files == {MAIN: CODE}
    assert code_of(f"The kernel {ENTRY} uses __aicore__ and Muls.") == "no-code-block"
    assert code_of("```python\nprint(1)\n```") == "no-code-block"


@pytest.mark.parametrize("text", ["", "  \n\n", "```cpp\n```", "```cpp\n\n\n```", "<kernel_impl>\n</kernel_impl>"])
def test_nothing_is_an_empty_answer(text: str) -> None:
    assert code_of(text) == "empty-answer"


@pytest.mark.parametrize(
    ("text", "finish_reason"),
    [
        (f"```cpp\n{CODE}```", "length"),
        (f"```cpp\n{CODE[:80]}", "stop"),
        (f"<kernel_impl>\n```cpp\n{CODE}```", "stop"),
        (f"<kernel_impl>\n```cpp\n{CODE[:90]}", "length"),
        ("Each core handles", "length"),
    ],
)
def test_an_answer_cut_short_is_truncated(text: str, finish_reason: str) -> None:
    assert code_of(text, finish_reason=finish_reason) == "truncated-answer"


def test_a_refusal_is_named_with_its_reason() -> None:
    (diagnostic,) = extract(Completion(text="cannot compose: sort", finish_reason="refusal"), make_task())
    assert diagnostic.code == "refused"
    assert "cannot compose: sort" in diagnostic.message


def test_full_answers_are_one_file_a_heading() -> None:
    assert kernel_of(FULL, Path.FULL).files == FULL_FILES


def test_full_answers_survive_crlf_and_miscounted_rules() -> None:
    assert kernel_of(FULL.replace("\n", "\r\n"), Path.FULL).files == FULL_FILES
    assert kernel_of(FULL.replace("==================", "====="), Path.FULL).files == FULL_FILES
    unfenced = FULL.replace("```cpp\n", "").replace("```\n", "")
    assert kernel_of(unfenced, Path.FULL).files == FULL_FILES
    unclosed = FULL.replace("```\n====", "\n====")
    assert kernel_of(unclosed, Path.FULL).files == FULL_FILES


def test_a_full_answer_without_a_host_side_lacks_files() -> None:
    (diagnostic,) = extract(Completion(text=f"```cpp\n{CODE}```"), make_task(Path.FULL))
    assert diagnostic.code == "missing-file"
    assert "op_host/" in diagnostic.message


@pytest.mark.parametrize(
    "text",
    [
        f"```cpp op_kernel/a.cpp\n{CODE}```\n```cpp op_kernel/a.h\n// a\n```",
        f"```cpp:op_kernel/a.cpp\n{CODE}```\n```cpp:op_kernel/a.h\n// a\n```",
        f'```cpp title="op_kernel/a.cpp"\n{CODE}```\n```cpp title="op_kernel/a.h"\n// a\n```',
        f"**op_kernel/a.cpp**\n\n```cpp\n{CODE}```\n### File: `op_kernel/a.h`\n```cpp\n// a\n```",
        f"```cpp\n// file: op_kernel/a.cpp\n{CODE}\n// file: op_kernel/a.h\n// a\n```",
        f"```cpp\n// op_kernel/a.cpp\n{CODE}```\n```cpp\n// op_kernel/a.h\n// a\n```",
        f"<kernel_impl>\n==== op_kernel/a.cpp ====\n```cpp\n{CODE}```\n==== op_kernel/a.h ====\n// a\n</kernel_impl>",
    ],
    ids=["info", "colon", "title", "caption", "file-lines", "bare-path-lines", "inside-kernel-impl"],
)
def test_files_are_named_in_every_common_way(text: str) -> None:
    kernel = kernel_of(text)
    assert kernel.files == {"op_kernel/a.cpp": CODE, "op_kernel/a.h": "// a\n"}
    assert kernel.main_file == "op_kernel/a.cpp"


def test_a_named_header_beside_an_unnamed_kernel_keeps_both() -> None:
    kernel = kernel_of(f"`op_kernel/a.h`\n```cpp\n// a\n```\nand the kernel\n```cpp\n{CODE}```")
    assert kernel.files == {MAIN: CODE, "op_kernel/a.h": "// a\n"}


def test_paths_that_leave_the_kernel_are_refused() -> None:
    assert code_of(f"```cpp\n// file: ../../etc/x.cpp\n{CODE}```") == "bad-path"
    assert code_of(f"```cpp\n// file: /tmp/x.cpp\n{CODE}```") == "bad-path"


def test_one_path_with_two_contents_is_ambiguous() -> None:
    assert code_of(f"```cpp a.cpp\n{CODE}```\n```cpp a.cpp\n{DRAFT}```") == "ambiguous-code"


PIECES = ["`", "```", "~~~", "=====", "<", "/", "..", "\n", "\r", " ", "a.cpp", "// file: ", "#", "x", CODE]
TAGS = ["<think>", "</think>", "<kernel_impl>", "</kernel_impl>"]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES + TAGS)).map("".join))
def test_every_text_gives_a_kernel_or_a_finding(text: str) -> None:
    result = extract(Completion(text=text), make_task())
    assert isinstance(result, Kernel) or (result and all(d.level is Level.FORMAT for d in result))
    if isinstance(result, Kernel):
        assert "".join(result.files.values()).strip()
