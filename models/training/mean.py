"""Takes the mean of the weights of two rounds of one training.

One round goes on from the other, so both lie in one valley of the loss (Wortsman et al. 2022,
arXiv:2203.05482)::

    python -m models.training.mean FIRST.pt SECOND.pt OUT.pt
"""

from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor

from models.training.arguments import parser_of
from models.training.schedule import save


def mean_weights(one: Mapping[str, Tensor], other: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The mean of each tensor of two networks alike; counts are those of the second.

    Raises
    ------
    ValueError
        If the networks are not alike.
    """
    shapes, others = ({name: values.shape for name, values in net.items()} for net in (one, other))
    if shapes != others:
        raise ValueError("expected two checkpoints of one network")
    return {
        name: (one[name] + values) / 2 if values.is_floating_point() else values
        for name, values in other.items()
    }


def main() -> None:
    parser = parser_of(__doc__)
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    first, second = (torch.load(path) for path in (args.first, args.second))
    # the embedding's checkpoint holds its loss, too
    save({part: mean_weights(first[part], second.get(part, {})) for part in first}, args.out)


if __name__ == "__main__":
    main()
