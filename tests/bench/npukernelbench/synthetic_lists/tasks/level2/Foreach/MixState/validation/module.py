import torch_npu  # noqa: F401
from torch import nn
from torch_npu.contrib import transfer_to_npu  # noqa: F401


class Model(nn.Module):
    def forward(self, tensors, gamma, state):
        return [*(one + one for one in tensors), state + (1 if gamma is None else gamma)]


class ModelNew(nn.Module):
    def forward(self, tensors, gamma, state):
        import kernel_gen_ops

        return kernel_gen_ops.mix_state(tensors, gamma, state)
