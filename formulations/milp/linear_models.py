"""The formulations behind the exact methods that are linear, by the methods' names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rsjs.instances.instance import Instance

if TYPE_CHECKING:
    from pyomo.core import ConcreteModel

    from rsjs.formulations.milp.model_names import Labels


Options = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class LinearModel:
    """
    A formulation that `rsjs.formulations.milp.solve` solves.

    Attributes
    ----------
    name : str
        Of the method, and of its labels in `model_names`.
    module : str
        In `rsjs.formulations`.
    data : callable
        (module, instance, the method's options) -> the formulation's data.
    """

    name: str
    module: str
    data: Callable[[ModuleType, Instance, Options], Any]

    def load(self) -> ModuleType:
        """Import the formulation."""
        return import_module(f"rsjs.formulations.{self.module}")

    def build(self, instance: Instance, options: Options) -> tuple[ConcreteModel, Labels]:
        """The Pyomo model of an instance and what its indices stand for."""
        formulation = self.load()
        names = getattr(import_module("rsjs.formulations.milp.model_names"), self.name)
        data = self.data(formulation, instance, options)
        return formulation.build(data), names(data)


_MODELS = (
    LinearModel(
        name="jahani_patterns",
        module="jahani.patterns",
        data=lambda f, instance, _: f.PatternModel.of(instance),
    ),
    LinearModel(
        name="jahani_literal",
        module="jahani.milp",
        data=lambda f, instance, options: f.LiteralModel(
            instance, overdue_as_printed=options["printed"] == "overdue"
        ),
    ),
    LinearModel(
        name="first_ending_patterns",
        module="first_ending.patterns",
        data=lambda f, instance, _: f.LeaderModel.of(instance),
    ),
    LinearModel(
        name="first_ending_nodes",
        module="first_ending.node_indexed",
        data=lambda f, instance, _: f.NodeModel(instance),
    ),
    LinearModel(
        name="rsjs_nodes",
        module="rsjs.node_indexed",
        data=lambda f, instance, _: f.NodeModel.of(instance),
    ),
    LinearModel(
        name="rsjs_gpu",
        module="rsjs.gpu_indexed",
        data=lambda f, instance, _: f.GpuModel.of(instance),
    ),
    LinearModel(
        name="rsjs_classes",
        module="rsjs.aggregated.model",
        data=lambda f, instance, options: f.ClassModel.of(instance, options["packing"]),
    ),
)
LINEAR = {model.name: model for model in _MODELS}
