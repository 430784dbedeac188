"""Random numbers of a GPU where there is none.

Libraries that draw numbers in a kernel take a seed and an offset from torch's generator of the
GPU: sixteen bytes of state, from which they also count on. In the interpreter there is no GPU,
or one that must not be touched: without it torch has no such generator, and with it one that
torch seeds only once the GPU is in use, so two runs would draw different numbers.
"""

from __future__ import annotations

from typing import Any

_SEED, _OFFSET = 0, 1


class GpuGenerator:
    """What launchers ask of `torch.cuda.default_generators[0]`."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._state = torch.zeros(2, dtype=torch.int64)
        self.device = torch.device("cuda", 0)

    def manual_seed(self, seed: int) -> GpuGenerator:
        """The same numbers from here on as after every other call with this seed."""
        self._state[_SEED] = seed
        self._state[_OFFSET] = 0
        return self

    def seed(self) -> int:
        return self.manual_seed(0).initial_seed()

    def initial_seed(self) -> int:
        return int(self._state[_SEED])

    def get_state(self) -> Any:
        """A copy, as bytes: the seed, then the offset."""
        return self._state.clone().view(self._torch.uint8)

    def set_state(self, state: Any) -> None:
        self._state.copy_(state.view(self._torch.int64))

    def get_offset(self) -> int:
        return int(self._state[_OFFSET])

    def set_offset(self, offset: int) -> None:
        self._state[_OFFSET] = offset


def install(torch: Any) -> None:
    """Give torch a generator of the GPU that is none of the real one's."""
    generator = GpuGenerator(torch)

    def manual_seed(seed: int) -> None:
        generator.manual_seed(int(seed))

    torch.cuda.default_generators = (generator,)
    # What `torch.manual_seed` calls, and what else would start the GPU or find the real generator.
    torch.cuda.manual_seed = torch.cuda.manual_seed_all = manual_seed
    torch.cuda.get_rng_state = lambda *device: generator.get_state()
    torch.cuda.set_rng_state = lambda state, *device: generator.set_state(state)
    torch.cuda.initial_seed = generator.initial_seed


def seed(torch: Any) -> None:
    """Seed every generator that torch has: also those that its own function leaves out.

    `torch.manual_seed` passes over the GPU in a process that was forked from one that had
    looked for it. Where there is no GPU but this module's, it takes a millisecond to note from
    where devices should be seeded that are not there.
    """
    generators = getattr(torch.cuda, "default_generators", ())
    if any(isinstance(generator, GpuGenerator) for generator in generators):
        torch.default_generator.manual_seed(0)
    else:
        torch.manual_seed(0)
    for generator in generators:
        generator.manual_seed(0)
