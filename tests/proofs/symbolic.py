"""Executes a compiled proof with symbolic values: angr follows every path, Z3 answers each question.

A proof holds when every path ends by returning from main, every PROVE holds on every path, and at least one path ends.
Whatever would make the answer unsound is an error: a path that traps, an address with too many values, a jump to an
unknown place, a question that Z3 does not answer.
"""
import logging
import sys

logging.disable(logging.ERROR)

import angr  # noqa: E402
import claripy  # noqa: E402
from angr.engines.vex.claripy import irop  # noqa: E402

ADDRESSES = 4096  # bytes that the values of one symbolic address may span
TRAPS = b"\x0f\x0b", b"\x67\x0f\xb9"  # ud2 and ud1, which the sanitizers of gcc and clang write
END = 0x10000000  # return address of main


class Refuted(Exception):
    """The text names the false statement and values for which it is false."""


def values_of(state):
    words = [state.solver.eval(value) for value in state.globals.get("values", ())]
    return " for " + " ".join(f"{word:#x}" for word in words)


def text_at(state, pointer):
    return state.mem[pointer].string.concrete.decode()


def any_product(args):
    """Replaces a product of two 64-bit numbers: 0 if one of them is 0, otherwise any number up to 2^128 - 2^64 - 1,
    which is more than the largest product, (2^64 - 1)^2. Z3 finds bounds of such a number at once, but not of a
    product."""
    zero, most = claripy.BVV(0, 64), claripy.BVV(2**64 - 1, 64)
    high, low = claripy.BVS("high", 64), claripy.BVS("low", 64)
    largest = claripy.Concat(claripy.If(high == most, zero, high), low)
    return claripy.If(claripy.Or(args[0] == 0, args[1] == 0), claripy.Concat(zero, zero), largest)


class Any(angr.SimProcedure):
    def run(self, at, size):  # pylint: disable=arguments-differ
        at, size = self.state.solver.eval_one(at), self.state.solver.eval_one(size)
        for offset in range(0, size, 8):
            width = min(8, size - offset)
            value = claripy.BVS(f"any_{offset}", 8 * width)
            self.state.memory.store(at + offset, value, endness="Iend_LE")
            self.state.globals["values"] = self.state.globals.get("values", ()) + (value,)


class Assume(angr.SimProcedure):
    def run(self, condition):  # pylint: disable=arguments-differ
        self.state.solver.add(condition[7:0] != 0)


class Each(angr.SimProcedure):
    def run(self, count):  # pylint: disable=arguments-differ
        count = self.state.solver.eval_one(count[31:0])
        here = self.state.memory.load(self.state.regs.rsp, 8, endness="Iend_LE")
        for value in range(count):
            state = self.state.copy()
            state.regs.rax = value
            state.regs.rsp += 8
            self.successors.add_successor(state, here, claripy.true(), "Ijk_Ret")
        self.returns = False


class Prove(angr.SimProcedure):
    def run(self, condition, text):  # pylint: disable=arguments-differ
        wrong = condition[7:0] == 0
        if self.state.solver.satisfiable(extra_constraints=[wrong]):
            self.state.solver.add(wrong)
            raise Refuted(f"{text_at(self.state, text)} is false{values_of(self.state)}")
        self.state.globals["proved"] = self.state.globals.get("proved", 0) + 1


def first_state(project):
    strategies = angr.concretization_strategies
    state = project.factory.call_state(project.loader.find_symbol("main").rebased_addr, ret_addr=END)
    state.memory.read_strategies = [strategies.SimConcretizationStrategySingle(),
                                    strategies.SimConcretizationStrategyRange(ADDRESSES)]
    state.memory.write_strategies = [strategies.SimConcretizationStrategySingle()]
    state.solver._solver.timeout = 10 ** 8  # ms, not 300 s of a busy machine: prove.py limits the CPU time. pylint: disable=protected-access
    return state


def project_of(path):
    project = angr.Project(str(path), auto_load_libs=False, use_sim_procedures=False)
    for name, replacement in (("tmap_proof_any", Any), ("tmap_proof_assume", Assume), ("tmap_proof_each", Each),
                              ("tmap_proof_prove", Prove)):
        project.hook_symbol(name, replacement())
    return project


def prove(path, products):
    """Runs the proof and returns a summary; raises Refuted, or RuntimeError if the proof is undecided."""
    if products == "any":
        irop.operations["Iop_MullU64"]._calculate = any_product  # pylint: disable=protected-access
    project = project_of(path)
    waiting, ended, proved = [first_state(project)], 0, 0
    while waiting:
        state = waiting.pop()
        if state.addr == END:
            if state.solver.satisfiable():
                ended, proved = ended + 1, proved + state.globals.get("proved", 0)
            continue
        if project.loader.memory.load(state.addr, 3).startswith(TRAPS):
            raise Refuted(f"undefined behaviour before {state.addr:#x}{values_of(state)}")
        after = project.factory.successors(state)
        if after.unconstrained_successors:
            raise RuntimeError(f"a jump to an unknown place at {state.addr:#x}")
        if not after.flat_successors and not after.unsat_successors:
            raise RuntimeError(f"a path ends at {state.addr:#x}")
        waiting += after.flat_successors
    if not ended or not proved:
        raise RuntimeError(f"{ended} paths end, with {proved} statements")
    return f"{ended} paths, {proved} statements"


def main(path, products):
    try:
        print(prove(path, products))
        return 0
    except Refuted as found:
        print(found)
        return 1
    except Exception as error:  # pylint: disable=broad-except
        print(f"{type(error).__name__}: {error}")
        return 2


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
