"""Scalar helpers, system variables and control registers."""

from __future__ import annotations

import numpy as np

from agentkernel.toolchains.simulator import SimulatorToolchain

from .harness import run

VALUES = {
    "GetSFFValue<1>(0x50)": 4,
    "GetSFFValue<0>(0xff)": 8,
    "GetSFFValue<1>(0)": -1,
    "GetBitCount<1>(0xf0f0)": 8,
    "GetBitCount<0>(~0ull)": 0,
    "CountLeadingZero(1)": 63,
    "CeilDivision(7, 2)": 4,
    "CeilDivision(7, 0)": 0,
    "AlignUp(33, 32)": 64,
    "DivCeil(33, 32)": 2,
    "GetDataBlockSizeInBytes()": 32,
    "GetSubBlockNum()": 1,
    "GetICachePreloadStatus()": 0,
    "GetSortLen<half>(32)": 256,
    "GetSortOffset<float>(8)": 64,
}


def test_values_of_scalar_calls(toolchain: SimulatorToolchain) -> None:
    calls = "\n".join(f"    z.SetValue({i}, static_cast<int32_t>({call}));" for i, call in enumerate(VALUES))
    done = run(calls, {}, {"z": ((len(VALUES),), "int32")}, toolchain=toolchain)
    assert done.completed and dict(zip(VALUES, done.outputs["z"].tolist(), strict=True)) == VALUES, done.diagnostics


def test_saturation_is_seen_in_both_registers(toolchain: SimulatorToolchain) -> None:
    body = """    z.SetValue(0, static_cast<int32_t>(GetCtrlSpr<48, 48>()));
    SetSaturationFlag<SaturationMode::FLOAT>(true); z.SetValue(1, static_cast<int32_t>(GetCtrlSpr<48, 48>()));
    z.SetValue(2, static_cast<int32_t>(GetSaturationFlag<SaturationMode::FLOAT>()));
    SetCtrlSpr<48, 48>(1); z.SetValue(3, static_cast<int32_t>(GetSaturationFlag<SaturationMode::CAST>()));"""
    done = run(body, {}, {"z": ((4,), "int32")}, toolchain=toolchain)
    assert done.completed and done.outputs["z"].tolist() == [1, 0, 1, 0], done.diagnostics


def test_atomic_configuration_and_workspace(toolchain: SimulatorToolchain) -> None:
    body = """    uint16_t type = 0, op = 9; SetStoreAtomicConfig<AtomicDtype::ATOMIC_BF16, AtomicOp::ATOMIC_SUM>();
    GetStoreAtomicConfig(type, op); SetAtomicNone(); z.SetValue(0, type); z.SetValue(1, op);
    SetSysWorkSpace(workspaceGm); z.SetValue(2, static_cast<int32_t>(GetSysWorkSpacePtr() == workspaceGm));
    SetSysWorkspaceForce(nullptr); z.SetValue(3, static_cast<int32_t>(GetSysWorkSpacePtr() == nullptr));
    LocalTensor<float> rest; z.SetValue(4, static_cast<int32_t>(PopStackBuffer<float, TPosition::VECCALC>(rest)));
    DataSyncBarrier<MemDsbT::ALL>();"""
    done = run(body, {}, {"z": ((5,), "int32")}, toolchain=toolchain)
    assert done.completed and done.outputs["z"].tolist() == [6, 0, 1, 1, 1], done.diagnostics


def test_async_runs_in_its_image_alone(toolchain: SimulatorToolchain) -> None:
    body = """    z.SetValue(0, 1); z.SetValue(1, 2);
    Async<EngineType::AIV, [](LocalTensor<int32_t> t, int32_t at) { t.SetValue(at, 7); }>(z, 0);
    Async<EngineType::AIC, [](LocalTensor<int32_t> t, int32_t at) { t.SetValue(at, 7); }>(z, 1);"""
    done = run(body, {}, {"z": ((2,), "int32")}, toolchain=toolchain)
    assert done.completed and np.array_equal(done.outputs["z"], [7, 2]), done.diagnostics
