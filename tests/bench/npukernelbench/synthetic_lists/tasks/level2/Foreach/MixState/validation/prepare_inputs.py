import torch


def get_inputs(param, device=None):
    dtype = getattr(torch, param["dtype"])
    tensors = [torch.rand(tuple(shape), dtype=dtype, device=device) for shape in eval(param["shapes"])]
    gamma = torch.rand((4,), device=device) if param["gamma"] in (True, "True") else None
    return tensors, gamma, torch.rand((4,), device=device)


def get_init_inputs(param, device=None):
    return []
