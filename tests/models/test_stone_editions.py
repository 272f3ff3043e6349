"""What the readers of stones and pattern cards learn from: which editions, and of which of them the
light is told."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra `training` is not installed")

from models.training.faces import FACE_PX, deck  # noqa: E402
from models.training.stones import DESCRIBED, PRINTED, Board, draw_board, tint_loss  # noqa: E402

BOARDS = 600


class Painter:
    """Draws plain faces and notes which edition was wanted."""

    def __init__(self) -> None:
        self.drawn: list[str] = []

    def _set(self, name: str, symbols: tuple[str, ...]) -> list[np.ndarray]:
        self.drawn.append(name)
        return [np.full((FACE_PX, FACE_PX, 3), 100, np.float32) for _ in symbols]

    def printed_set(self, _rng: np.random.Generator, symbols: tuple[str, ...]) -> list[np.ndarray]:
        return self._set("printed", symbols)

    def described_set(
        self, _rng: np.random.Generator, symbols: tuple[str, ...]
    ) -> list[np.ndarray]:
        return self._set("described", symbols)

    def stone_set(self, _rng: np.random.Generator, symbols: tuple[str, ...]) -> list[np.ndarray]:
        return self._set("any", symbols)

    def draw(self, _rng: np.random.Generator, count: int) -> "Painter":
        self.faces = np.full((count, FACE_PX, FACE_PX, 3), 50, np.uint8)
        return self


@pytest.fixture(scope="module")
def editions() -> list[tuple[str, Board]]:
    painter, rng = Painter(), np.random.default_rng(8)
    boards = [draw_board(rng, painter, 1) for _ in range(BOARDS)]  # type: ignore[arg-type]
    return list(zip(painter.drawn, boards, strict=True))


def test_editions_have_their_shares(editions: list[tuple[str, Board]]) -> None:
    names = [name for name, _ in editions]
    printed = DESCRIBED * PRINTED
    assert names.count("printed") / BOARDS == pytest.approx(printed, abs=0.03)
    assert names.count("described") / BOARDS == pytest.approx(DESCRIBED - printed, abs=0.06)


def test_decks_of_cards_have_their_shares() -> None:
    painter, rng = Painter(), np.random.default_rng(8)
    for _ in range(BOARDS):
        deck.Deck.drawn(rng, painter, described=DESCRIBED)  # type: ignore[arg-type]
    printed = painter.drawn.count("printed")
    assert printed / BOARDS == pytest.approx(DESCRIBED * deck.PRINTED, abs=0.03)
    assert (printed + painter.drawn.count("described")) / BOARDS == pytest.approx(
        DESCRIBED, abs=0.06
    )


def test_no_light_is_told_of_printed_editions(editions: list[tuple[str, Board]]) -> None:
    for name, board in editions:
        assert np.isnan(board.tint).all() == (name == "printed")


def test_unknown_light_teaches_nothing() -> None:
    told = torch.tensor([[0.5, 0.1], [0.3, 0.3]], requires_grad=True)
    loss = tint_loss(told, torch.tensor([[0.1, 0.1], [float("nan")] * 2]))
    loss.backward()
    assert loss.item() == pytest.approx(0.2)
    assert told.grad is not None
    assert told.grad[1].tolist() == [0, 0]
    assert told.grad.isfinite().all()


def test_a_batch_in_unknown_light_has_no_loss_of_light() -> None:
    assert tint_loss(torch.ones(2, 2), torch.full((2, 2), float("nan"))).item() == 0
