import time

import torch


def get_inputs(param, device=None):
    if param["mode"] == "hang":
        time.sleep(600)
    return (torch.rand(tuple(eval(param["shape"])), dtype=getattr(torch, param["dtype"]), device=device),)


def get_init_inputs(param, device=None):
    return []
