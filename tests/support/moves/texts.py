"""Dotted names and paths of modules in strings, comments and documents."""

from __future__ import annotations

import posixpath
import re

from tests.support.moves.mapping import Registry
from tests.support.moves.modules import Entity, Package
from tests.support.moves.plan import Plan


class Texts:
    """Rewrites texts that name modules, their members or their files."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.package: Package = plan.package
        name = re.escape(self.package.name)
        self._dotted = re.compile(rf"(?<![\w./-]){name}(?:\.[A-Za-z_]\w*)+")
        self._import = re.compile(
            rf"from (?P<module>{name}(?:\.\w+)*) import (?P<names>\w+(?: as \w+)?(?:, \w+(?: as \w+)?)*)(?! *[\w(,])"
        )
        self._path = re.compile(r"(?<![\w.*/{}<-])(?:\.{1,2}/)*(?:[\w-]+/)*[\w-]+\.py\b(?![\w(])")

    def rewrite(self, text: str, place: str = "") -> str:
        """Return a text with new names; `place` is the path of the file that it stands in, relative to the package, if it is of it."""
        if self.package.name not in text and ".py" not in text:
            return text
        text = self._import.sub(self._new_import, text)
        text = self._dotted.sub(lambda match: self._new_dotted(match.group()), text)
        return self._path.sub(lambda match: self._new_path(match.group(), place), text)

    def _new_import(self, match: re.Match[str]) -> str:
        sources: dict[str, list[str]] = {}
        for item in match["names"].split(", "):
            name, _, alias = item.partition(" as ")
            entity = self.plan.new_entity(self.package.member(match["module"], name))
            if entity.name is None:
                source, _, new = entity.module.rpartition(".")
            else:
                source, new = entity
            alias = alias or (name if new != name else "")
            sources.setdefault(source, []).append(f"{new} as {alias}" if alias else new)
        return "; ".join(f"from {source} import {', '.join(names)}" for source, names in sources.items())

    def _new_dotted(self, text: str) -> str:
        parts = text.split(".")
        for length in range(len(parts), 1, -1):
            module = ".".join(parts[:length])
            if module not in self.package.modules:
                continue
            members = parts[length:]
            if module in self.plan.dissolved:
                if not members:
                    return self._new_folder(module) or text
                entity = self.plan.new_entity(self.package.member(module, members[0]))
                return ".".join(filter(None, [*entity, *members[1:]]))
            if members:
                binding = self.plan.bindings[module].get(members[0])
                if binding is not None and binding.name is not None:
                    members = [binding.name, *members[1:]]
            return ".".join([self.plan.new_module(module), *members])
        return text

    def _new_folder(self, dissolved: str) -> str | None:
        """Return the package that all modules of a dissolved one are in now, if there is one below the root."""
        folders = {
            self.plan.new_module(name).rpartition(".")[0]
            for name in self.plan.new_path
            if name.startswith(f"{dissolved}.")
        }
        return next(iter(folders)) if len(folders) == 1 and folders != {self.package.name} else None

    def _new_path(self, path: str, place: str) -> str:
        folder = posixpath.dirname(place)
        root = f"{self.package.name}/"
        candidates = [(path.removeprefix(root), "root")] if path.startswith(root) else []
        if place:
            candidates.append((posixpath.normpath(posixpath.join(folder, path)), "beside"))
            room = place.split("/", maxsplit=1)[0]
            candidates.append((posixpath.normpath(posixpath.join(room, path)), "room"))
        if "/" in path:
            candidates.append((path, "package"))
        for old, kind in candidates:
            module = self.package.by_path.get(old)
            if module is None or module.name not in self.plan.new_path:
                continue
            new = self.plan.new_path[module.name]
            own = self.package.by_path.get(place)
            new_place = self.plan.new_path.get(own.name, place) if own else place
            if new == old and new_place == place:
                return path
            if kind == "root":
                return root + new
            if kind == "package":
                return new
            new_folder = posixpath.dirname(new_place) if kind == "beside" else new_place.split("/")[0]
            if new.startswith(f"{new_folder}/") or not new_folder:
                return posixpath.relpath(new, new_folder) if new_folder else new
            return new
        return path

    def new_registered(self, text: str, registry: Registry) -> str:
        """Return the new text of a module in a registry that leaves out a prefix of its name."""
        prefix = registry.new_prefix
        old = f"{registry.prefix}.{text}"
        if old not in self.package.modules or old in self.plan.dissolved:
            return text
        new = self.plan.new_module(old)
        if not new.startswith(f"{prefix}."):
            self.plan.problems.append(f"a registry names {old} without {registry.prefix}, and it becomes {new}")
            return text
        return new.removeprefix(f"{prefix}.")


def entity_text(entity: Entity) -> str:
    """Return a name with its module."""
    return ".".join(filter(None, entity))
