"""The network that finds pieces and pattern cards in the reduced photo.

The detector's convolutions look at the photo. What they see there goes to two heads, one for pieces
and one for pattern cards. At first the convolutions learn for the pieces
(``models.training.locator``), then the other head from what they see
(``models.training.cards``), and at last both at once (``models.training.finding``).
"""

from typing import NamedTuple, Self

import torch
from torch import Tensor, nn

from models.training.embedding import InvertedResidual, downsample, upsampled


class Levels(NamedTuple):
    """Maps (n, c, h, w) of photos at a quarter, an eighth (twice), a 16th and a 32nd of their size.

    ``up8`` and ``up16`` know of what the smaller ones saw.
    """

    x4: Tensor
    x8: Tensor
    up8: Tensor
    up16: Tensor
    x32: Tensor


def answered(maps: Tensor) -> Tensor:
    """Answers (n, h, w, 9) of raw maps (n, 9, h, w): a probability and eight offsets."""
    return torch.cat([maps[:, :1].sigmoid(), maps[:, 1:]], 1).permute(0, 2, 3, 1)


def centre_head(channels: int) -> nn.Conv2d:
    """The last layer of maps that say where centres are; it starts from how rare these are."""
    head = nn.Conv2d(channels, 9, 1)
    nn.init.constant_(head.bias, 0.0)
    with torch.no_grad():
        head.bias[0] = -4.0
    return head


class DetectorNet(nn.Module):
    """uint8 RGB photos (n, H, W, 3), sides multiples of 32, to (n, H/4, W/4, 9).

    Probability of a centre, 8 corner offsets.
    """

    def __init__(self) -> None:
        super().__init__()
        self.down4 = nn.Sequential(downsample(3, 16), downsample(16, 32), InvertedResidual(32))
        self.down8 = nn.Sequential(downsample(32, 64), InvertedResidual(64), InvertedResidual(64))
        self.down16 = nn.Sequential(downsample(64, 96), *(InvertedResidual(96) for _ in range(3)))
        self.down32 = nn.Sequential(downsample(96, 128), *(InvertedResidual(128) for _ in range(2)))
        self.lateral16 = nn.Conv2d(128, 96, 1)
        self.lateral8 = nn.Conv2d(96, 64, 1)
        self.lateral4 = nn.Conv2d(64, 48, 1)
        self.skip4 = nn.Conv2d(32, 48, 1)
        self.fuse16, self.fuse8 = InvertedResidual(96), InvertedResidual(64)
        self.fuse4 = nn.Sequential(InvertedResidual(48), InvertedResidual(48))
        self.head = centre_head(48)

    def seen(self, photos: Tensor) -> Levels:
        """What the convolutions make of photos, before they say where pieces are."""
        x4 = self.down4(photos.permute(0, 3, 1, 2).float() / 127.5 - 1.0)
        x8 = self.down8(x4)
        x16 = self.down16(x8)
        x32 = self.down32(x16)
        up16 = self.fuse16(x16 + upsampled(self.lateral16(x32)))
        up8 = self.fuse8(x8 + upsampled(self.lateral8(up16)))
        return Levels(x4, x8, up8, up16, x32)

    def pieces(self, levels: Levels) -> Tensor:
        """Raw maps (n, 9, H/4, W/4)."""
        up4 = self.skip4(levels.x4) + upsampled(self.lateral4(levels.up8))
        return torch.as_tensor(self.head(self.fuse4(up4)))

    def logits(self, photos: Tensor) -> Tensor:
        """Raw maps (n, 9, H/4, W/4)."""
        return self.pieces(self.seen(photos))

    def forward(self, photos: Tensor) -> Tensor:
        return answered(self.logits(photos))


class CardHead(nn.Module):
    """Levels of photos to raw maps (n, 9, H/8, W/8) of pattern cards; offsets in 64 pixels."""

    def __init__(self) -> None:
        super().__init__()
        self.near, self.up8 = nn.Conv2d(64, 56, 1), nn.Conv2d(64, 56, 1)
        self.up16, self.far = nn.Conv2d(96, 56, 1), nn.Conv2d(128, 56, 1)
        self.fuse32, self.fuse16 = InvertedResidual(56), InvertedResidual(56)
        self.fuse8 = nn.Sequential(InvertedResidual(56), InvertedResidual(56))
        self.head = centre_head(56)

    def forward(self, levels: Levels) -> Tensor:
        wide = self.fuse32(self.far(levels.x32))
        wide = self.fuse16(self.up16(levels.up16) + upsampled(wide))
        close = self.near(levels.x8) + self.up8(levels.up8)
        return torch.as_tensor(self.head(self.fuse8(close + upsampled(wide))))


class FinderNet(nn.Module):
    """uint8 RGB photos (n, H, W, 3) to the answers for pieces and for pattern cards.

    (n, H/4, W/4, 9) and (n, H/8, W/8, 9): the probability of a centre, 8 corner offsets.

    Parameters
    ----------
    steady : whether training leaves all normalisations as they are, not those of the detector alone
    """

    def __init__(self, steady: bool = False) -> None:
        super().__init__()
        self.detector, self.cards = DetectorNet(), CardHead()
        self._steady = steady

    def train(self, mode: bool = True) -> Self:
        super().train(mode)
        self.detector.eval()
        self.cards.train(mode and not self._steady)
        return self

    def card_logits(self, photos: Tensor) -> Tensor:
        """Raw maps (n, 9, H/8, W/8)."""
        return torch.as_tensor(self.cards(self.detector.seen(photos)))

    def pieces_found(self, photos: Tensor) -> Tensor:
        """The answer for pieces alone."""
        return torch.as_tensor(self.detector(photos))

    def cards_found(self, photos: Tensor) -> tuple[Tensor, Tensor]:
        """Both answers."""
        levels = self.detector.seen(photos)
        return answered(self.detector.pieces(levels)), answered(self.cards(levels))

    def forward(self, photos: Tensor) -> tuple[Tensor, Tensor]:
        return self.cards_found(photos)
