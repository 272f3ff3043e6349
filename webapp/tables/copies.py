"""Which taught copy of a board lies on a table: one for all its devices."""

from sqlalchemy import select

from scorer.game import Json
from webapp.bundled import demo_names
from webapp.own_boards import piece_pictures
from webapp.service import BUNDLED, TableReader, copies_to_try
from webapp.store.models import Game, Photo
from webapp.tables.desk import Desk
from webapp.tables.devices import GONE
from webapp.tables.errors import TableError, no_copy
from webapp.tables.visit import Visit


class Copies:
    """The copies of the games."""

    def __init__(self, desk: Desk, reader: TableReader) -> None:
        self._desk = desk
        self._reader = reader

    def board(self, code: str, token: str, board: str) -> Json:
        """What a photo of a board needs, or typing it: labels, shape, and who can read it."""
        with self._desk.looking(code, token) as visit:
            described, own = self.described(visit, board), own_board(visit.game, board)
            own = own and own | {"name": described["name"]}
            return described | {"samples": demo_names(board), "own": own}

    def choose(self, code: str, token: str, board: str, profile: str | None) -> None:
        """Say which copy lies on the table, to all its devices.

        The empty one comes with the program, None is found from the next photo.
        """
        with self._desk.changing(code, token, acting=True) as visit:
            described, game = self.described(visit, board), visit.game
            known = [*described["profiles"], *([""] if described["bundled"] else [])]
            if profile is not None and profile not in known:
                raise no_copy()
            others = {key: name for key, name in game.copies.items() if key != board}
            game.copies = others if profile is None else others | {board: profile}
            visit.touch()

    def renamed(self, board: str, old: str, new: str) -> None:
        """Let the games that chose a copy of *board*, and the photos that it read, go on with it
        under its new name."""
        store = self._desk.store
        with store.reading() as session:
            rows = session.execute(select(Game.code, Game.copies)).all()
            reads = select(Game.code).join(Photo).where(Photo.profile == old)
            codes = {*session.scalars(reads), *(code for code, had in rows if old in had.values())}
        for code in sorted(codes):
            with store.writing() as session:
                visit = self._desk.locked(session, code)
                if visit is None:
                    continue
                read = select(Photo).where(Photo.game_id == visit.game.id, Photo.profile == old)
                for photo in session.scalars(read):
                    if _is_of(visit.game, photo.board, board):
                        photo.profile = new
                copies = _renamed(visit.game, board, old, new)
                if copies != visit.game.copies:
                    visit.game.copies = copies
                    visit.touch()
                    self._desk.tell(session, code, visit.game.version)

    def pictures(self, code: str, token: str) -> dict[str, str]:
        """What the pieces of a game of one's own look like, by label; nothing if nobody taught it,
        or for the games that have drawings."""
        with self._desk.looking(code, token) as visit:
            if visit.game.kind != "custom":
                return {}
            described = self.described(visit, "custom")
            if not described["profiles"]:
                return {}
            profile, name = self.first(visit, "custom"), described["name"]
        return piece_pictures(profile, name, self._reader.data_dir)

    def described(self, visit: Visit, board: str) -> Json:
        """A board for those at the table; ``copy`` is the one chosen, unless it was deleted."""
        described = self._reader.describe(board, own_board(visit.game, board), devices_of(visit))
        if board == "custom":
            used = visit.rules.view(visit.state, visit.viewer())["labels"]
            described["labels"] = list(dict.fromkeys((*described["labels"], *used)))
        chosen = visit.game.copies.get(board)
        return described | {"copy": chosen if chosen in ("", *described["profiles"]) else None}

    def first(self, visit: Visit, board: str) -> str:
        """The copy that was chosen, or else the likeliest; empty for the one of the program."""
        described = self.described(visit, board)
        chosen: str | None = described["copy"]
        return copies_to_try(described)[0] if chosen is None else chosen


def keep_found(game: Game, board: str, reading: Json) -> None:
    """Keep the copy that a photo surely shows, if nobody has chosen one."""
    if reading["sure"] and board not in game.copies:
        used = reading["profile"]
        game.copies = game.copies | {board: "" if used == BUNDLED else used}


def devices_of(visit: Visit) -> frozenset[str]:
    """The devices at the table, by the hashes of their secrets."""
    return frozenset(one.token_hash for one in visit.members() if one.role not in GONE)


def _renamed(game: Game, board: str, old: str, new: str) -> Json:
    """The copies that a game has chosen, the one of *board* under its new name."""
    return {
        key: new if name == old and _is_of(game, key, board) else name
        for key, name in game.copies.items()
    }


def _is_of(game: Game, key: str, board: str) -> bool:
    """Whether the game means *board*, the name of a copy's board, by this *key* of its own."""
    own = own_board(game, key)
    return own["name"].casefold() == board.casefold() if own else key == board


def own_board(game: Game, board: str) -> Json | None:
    """The description of a board that only this game has."""
    table = game.setup["options"].get("board") if board == "custom" else None
    if board == "custom" and not isinstance(table, dict):
        raise TableError(400, "unknown_board", "This game has no board of its own.")
    return table
