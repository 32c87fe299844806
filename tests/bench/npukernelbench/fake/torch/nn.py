"""The base class of models."""


class Module:
    def __call__(self, *inputs):
        return self.forward(*inputs)
