"""A kernel of Gluon that loads a tile through a descriptor. The tests compare the compiler's numbers of the descriptor.
"""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma


@gluon.jit
def load_tile(source):
    tile = gl.allocate_shared_memory(source.dtype, source.block_type.shape, source.layout)
    barrier = gl.allocate_shared_memory(gl.int64, [1], mbarrier.MBarrierLayout())
    mbarrier.init(barrier, count=1)
    mbarrier.expect(barrier, source.nbytes_per_cta)
    tma.async_load(source, [0, 0], barrier, tile)
    mbarrier.wait(barrier, 0)
