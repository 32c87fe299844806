"""Identifiers of the generated code, spelled in the style and never twice."""

from __future__ import annotations

import re

from agentkernel.composer.style import Naming

_KEYWORDS = frozenset(
    {"auto", "bool", "break", "case", "char", "class", "const", "default", "do", "double", "else", "enum", "float"}
    | {"for", "half", "if", "int", "long", "namespace", "new", "operator", "private", "public", "return", "short"}
    | {"signed", "static", "struct", "switch", "template", "this", "union", "unsigned", "using", "void", "while"}
)


def capital(name: str) -> str:
    """With a capital first letter."""
    return name[:1].upper() + name[1:]


def camel(words: str) -> str:
    """Words as one lower camel case identifier."""
    parts = re.findall(r"[A-Za-z0-9]+", words)
    joined = "".join([parts[0][:1].lower() + parts[0][1:], *map(capital, parts[1:])]) if parts else "value"
    return joined if not joined[0].isdigit() else "v" + joined


def snake(name: str) -> str:
    """Camel case with underscores instead."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def member(naming: Naming, name: str) -> str:
    """A class member: `m` before a name begins a new word of it."""
    return naming.member.format(capital(name) if naming.member == "m{}" else name)


class Names:
    """Hands out identifiers.

    Args:
        naming: How they are spelled.
        taken: Names of the task: tensors, sizes, attributes, the entry.
    """

    def __init__(self, naming: Naming, taken: set[str]) -> None:
        self._naming = naming
        self._taken = set(taken) | _KEYWORDS
        self._given: dict[str, str] = {}

    def get(self, key: str, wanted: str) -> str:
        """The identifier of a thing: the wanted one, with a number where that is taken."""
        if key not in self._given:
            wanted = snake(wanted) if self._naming.snake else wanted
            name, number = wanted, 2
            while name in self._taken or name in self._given.values():
                name, number = f"{wanted}{number}", number + 1
            self._given[key] = name
        return self._given[key]

    def variable(self, name: str) -> str:
        """A variable of the kernel's own (`tileLength`)."""
        return self.get(f"variable {name}", name)

    def constant(self, words: str) -> str:
        """A named constant, given in words (`tile length`)."""
        if self._naming.constant == "UPPER":
            return self._plain(f"constant {words}", words.upper().replace(" ", "_"))
        return self._plain(f"constant {words}", "k" + "".join(map(capital, words.split())))

    def _plain(self, key: str, wanted: str) -> str:
        # constants keep their spelling whatever variables look like
        name, number = wanted, 2
        if key not in self._given:
            while name in self._taken or name in self._given.values():
                name, number = f"{wanted}{number}", number + 1
            self._given[key] = name
        return self._given[key]

    def queue(self, tensor: str, *, is_input: bool) -> str:
        """The queue of a tensor."""
        form = self._naming.queue_in if is_input else self._naming.queue_out
        return self.get(f"queue {tensor}", self._filled(form, tensor))

    def gm(self, tensor: str) -> str:
        """The global tensor."""
        return self.get(f"gm {tensor}", self._filled(self._naming.gm, tensor))

    def local(self, name: str) -> str:
        """The local tensor of a named thing."""
        return self.get(f"local {name}", self._naming.local.format(name))

    def temp(self, number: int, kind: str) -> str:
        """A temporary without a meaning of its own."""
        return self.get(f"temp {kind} {number}", self._naming.temp.format(f"{kind}{number}"))

    def kernel(self, entry: str) -> str:
        """The class or struct."""
        words = "".join(map(capital, entry.split("_")))
        return self._plain("kernel", self._naming.kernel.format(words))

    def _filled(self, form: str, tensor: str) -> str:
        begins = form.startswith("{}") or self._naming.snake
        return form.format(tensor if begins else capital(tensor))
