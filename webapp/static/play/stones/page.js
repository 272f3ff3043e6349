// Shifting Stones at the table: whose turn it is, the stones, and three panes with cards.

import { drawCells } from '../../cells.js';
import { $, button, hidden, html, icon, points, stone, warning } from '../../draw.js';
import { t, tn } from '../../i18n.js';
import { SAME_TAP_MS } from '../../taps.js';
import { Cards } from './cards.js';
import { Scores } from './scores.js';
import { STONES } from './words.js';
import { GamePage, mounting } from '../page.js';
import { place, sameCell } from '../words.js';

class Page extends GamePage {
  constructor(table, root) {
    super(table, root);
    this.chosen = null; // the stone that was tapped: [row, col]
    this.lit = [];
    this.asked = null; // the cell the picker is open for, and the version at its opening: { cell, seen }
    this.ended = -SAME_TAP_MS; // when a turn was last ended here
    this.cards = new Cards(this);
    this.scores = new Scores(this);
    this.#listen();
  }

  get seat() { return this.game.you.role === 'viewer' ? null : this.game.you.seat; }

  /** The player whose turn it is. */
  get player() { return this.view.players[this.view.turn.seat]; }

  get isMyTurn() { return this.seat !== null && this.seat === this.view.turn.seat; }

  /** Whether the turn is told on this device: by its player, or by the host for one without a device. */
  get tellsTurn() {
    const { members, you } = this.game;
    return this.isMyTurn || (you.role === 'host' && !members.some(({ seat }) => seat === this.view.turn.seat));
  }

  update(game) {
    const isOther = game.finished !== this.game?.finished; // at first, and when the game ends or goes on
    const moved = this.game && JSON.stringify(game.view.board.rows) !== JSON.stringify(this.view.board.rows);
    this.game = game;
    this.byId = new Map(this.view.cards.map((card) => [card.id, card]));
    if (isOther && !$('pane-hand').hidden && !this.#mayHold) this.choosePane('scores');
    if (moved || !this.mayEdit) this.chosen = null;
    this.#draw();
  }

  /** Whether cards of a hand are shown here, or can be chosen. */
  get #mayHold() { return Boolean(this.view.hand && (this.mayEdit || this.view.hand.cards.length)); }

  /** Lights cells up on the board; none to end it. */
  light(cells) {
    this.lit = cells;
    this.#drawBoard();
  }

  #draw() {
    this.#drawTurn();
    this.#renewTurns();
    this.cards.draw();
    this.#drawBoard(); // after the cards: what they light up depends on the newer stones
    this.scores.draw();
    const { view } = this;
    $('stones-bar').hidden = !this.mayEdit;
    const isLaid = view.board.missing === 0;
    $('photo').classList.toggle('primary', !isLaid);
    $('end-turn').hidden = !isLaid || (view.end.over && this.game.you.role !== 'host');
    const isOwn = view.end.over || this.tellsTurn;
    $('end-turn').classList.toggle('primary', isOwn);
    $('end-turn').replaceChildren(...view.end.over ? [t('Finish the game')]
      : isOwn ? [t('End turn'), hidden(`: ${this.player.name}`)]
        : [t('End %(name)s’s turn', { name: this.player.name })]);
    $('skip').hidden = !view.turn.may_skip || view.end.over || !isLaid;
    $('skip').title = view.turn.skip_says;
  }

  #drawTurn() {
    const { view } = this;
    const { end, solo, turn } = view;
    $('turn-change').hidden = !this.mayEdit || Boolean(solo);
    $('strikes').hidden = !solo;
    if (solo) this.#drawStrikes(solo);
    if (this.game.finished || end.over) {
      [$('turn-title').textContent] = this.game.ending;
      $('turn-hint').textContent = this.game.finished
        ? t('The game is finished. Play on from the menu.')
        : t('Is a score wrong? Put it right before you finish the game.');
    } else {
      $('turn-title').textContent = this.isMyTurn
        ? t('Your turn') : t('%(name)s’s turn', { name: this.player.name });
      $('turn-hint').replaceChildren(...this.#turnHints(end, turn, solo));
    }
  }

  #turnHints(end, turn, solo) {
    if (end.last_round) {
      const names = end.still_to_play.map((seat) => this.view.players[seat].name).join(t(', '));
      return [html('strong', { class: 'stones-last' }, icon('warn'),
        t('Last round: %(names)s still to play.', { names }))];
    }
    if (solo) {
      const left = solo.left.filter(({ cards }) => cards)
        .map((kind) => t('%(n)s × %(points)s', { n: kind.cards, points: points(kind.points) })).join(t(', '));
      return [t('%(scored)s of %(cards)s cards scored. Left: %(left)s.', { ...solo, left })];
    }
    const most = Math.max(...this.view.players.map((player) => player.scored.length));
    return [t('Round %(n)s · last round at %(at)s scored cards (now %(most)s)', { n: turn.round, at: end.at, most })];
  }

  #drawStrikes({ strikes, most_strikes: most }) {
    $('strikes').setAttribute('aria-label', t('%(n)s of %(most)s strikes', { n: strikes, most }));
    $('strikes').replaceChildren(...Array.from({ length: most }, (_, at) => html('li',
      { class: at < strikes ? 'struck' : '', 'aria-hidden': 'true' }, at < strikes ? '✕' : '')),
    html('li', { class: 'stones-strikes-word' }, t('%(n)s of %(most)s strikes', { n: strikes, most })));
  }

  #drawBoard() {
    const { board } = this.view;
    const impossible = board.problems.flatMap((problem) => problem.cells);
    const scale = this.lit.length > 0;
    drawCells($('board'), board.rows.flatMap((row, r) => row.map((word, c) => {
      const cell = [r, c];
      const isChosen = this.chosen && sameCell(this.chosen, cell);
      const mayswap = this.#maySwap(cell);
      const isLit = this.lit.some((one) => sameCell(one, cell));
      const wrong = impossible.some((one) => sameCell(one, cell));
      return button({
        class: ['stones-tile', isChosen && 'chosen', mayswap && 'may-swap', isLit && 'lit', scale && !isLit && 'dim',
          wrong && 'impossible'].filter(Boolean).join(' '),
        'data-key': `cell-${r}-${c}`,
        'data-cell': `${r},${c}`,
        'aria-pressed': isChosen ? 'true' : null,
        disabled: !this.mayEdit,
        'aria-label': this.#cellSays(cell, word, { mayswap, isLit, wrong }),
        onclick: () => this.#tap(cell),
      },
      stone(word),
      word === '.' ? null : html('span', { class: 'stones-tile-word', 'aria-hidden': 'true' }, STONES[word]),
      mayswap ? html('span', { class: 'stones-swap', 'aria-hidden': 'true' }, '⇄') : null);
    })));
    $('problems').replaceChildren(...board.problems.map(({ message }) => warning(message)));
    $('stone-actions').hidden = !this.chosen;
    $('stone-flip').hidden = !this.#mayMove();
    $('board-hint').textContent = this.#boardHint();
    $('look-again').hidden = board.photo === null || !this.mayEdit;
  }

  #cellSays(cell, word, { mayswap, isLit, wrong }) {
    return [`${place(cell)}: ${STONES[word]}`, isLit && t('lit by the chosen card'),
      mayswap && t('swap with the chosen stone'), wrong && t('part of an impossible count')].filter(Boolean).join(t(', '));
  }

  #mayMove() {
    return this.mayEdit && !this.view.end.over && this.view.board.missing === 0 && this.view.turn.may_pay;
  }

  /** Whether a cell may change places with the chosen one. */
  #maySwap(cell) {
    return this.chosen !== null && this.#mayMove() && this.view.board.swaps.some((pair) =>
      [this.chosen, cell].every((one) => pair.some((other) => sameCell(one, other))) && !sameCell(this.chosen, cell));
  }

  #boardHint() {
    const { board, end, turn } = this.view;
    if (board.missing === board.rows.flat().length) {
      return this.mayEdit ? t('Photograph the stones, or tap a cell and say what lies there.') : t('The stones are not laid out yet.');
    }
    if (board.missing) return tn('%(n)s cell is still empty: tap it.', '%(n)s cells are still empty: tap them.', board.missing);
    if (!this.mayEdit || end.over) return '';
    return this.chosen || !turn.may_pay ? turn.move_says : t('Tap a stone to flip, swap or correct it.');
  }

  #tap(cell) {
    const [r, c] = cell;
    if (this.view.board.rows[r][c] === '.') return this.#ask(cell);
    if (this.#maySwap(cell)) {
      return this.#move({ shift: [this.chosen, cell] }, t('Swapped.'));
    }
    this.chosen = this.chosen && sameCell(this.chosen, cell) ? null : cell;
    this.lit = [];
    this.cards.leave();
    this.#drawBoard();
    $('stone-actions').scrollIntoView({ block: 'nearest' });
    return undefined;
  }

  #move(step, says) {
    this.chosen = null;
    return this.act({ type: 'move', turn: this.view.turn.number, ...step }, says);
  }

  #goOnAt([row, col]) { $('board').children[row * this.view.board.rows.length + col].focus({ preventScroll: true }); }

  #ask(cell) {
    this.asked = { cell, seen: this.game.version };
    const [r, c] = cell;
    const now = this.view.board.rows[r][c];
    $('stone-picker-title').textContent = `${place(cell)}: ${STONES[now]}`;
    for (const button of $('stone-picker-symbols').children) {
      button.setAttribute('aria-pressed', String(button.dataset.symbol === now));
    }
    $('stone-picker').showModal();
  }

  #listen() {
    $('stone-flip').addEventListener('click', () => {
      if (!this.chosen) return; // the second tap of two
      const flip = this.chosen;
      this.#goOnAt(flip);
      this.#move({ flip }, t('Flipped.'));
    });
    $('stone-correct').addEventListener('click', () => this.#ask(this.chosen));
    $('stone-leave').addEventListener('click', () => {
      if (!this.chosen) return;
      this.#goOnAt(this.chosen);
      this.chosen = null;
      this.#drawBoard();
    });
    $('stone-picker-symbols').addEventListener('click', (event) => {
      const { symbol } = event.target.closest('[data-symbol]')?.dataset ?? {};
      if (!symbol) return;
      $('stone-picker').close();
      const { cell, seen } = this.asked;
      this.#goOnAt(cell);
      this.chosen = null;
      const [row, col] = cell;
      this.act({ type: 'cell', row, col, label: symbol }, `${place(cell)}: ${STONES[symbol]}`, seen);
    });
    this.photographs('stones', () => this.view.board.photo, t('The stones are as on the photo now.'));
    $('end-turn').addEventListener('click', () => (this.view.end.over
      ? this.table.finish() : this.#end('end_turn', t('The turn has ended.'))));
    $('skip').addEventListener('click', () => this.#end('skip', this.view.turn.skipped_says));
    $('turn-change').addEventListener('click', () => this.#openTurns());
  }

  /** Ends the turn that is shown, once; on another player's turn only after a question. */
  async #end(type, says) {
    const { number } = this.view.turn;
    const { name } = this.player;
    if (performance.now() - this.ended < SAME_TAP_MS) return;
    if (!this.tellsTurn && !await this.table.sure({
      title: type === 'skip' ? t('Skip %(name)s’s turn?', { name }) : t('End %(name)s’s turn?', { name }),
      hint: t('It is the turn of %(name)s, not yours.', { name }),
      yes: type === 'skip' ? t('Skip') : t('End turn'),
    })) return;
    this.ended = performance.now();
    await this.act({ type, turn: number }, says);
  }

  choosePane(name) {
    super.choosePane(name);
    this.cards.leave();
    this.light([]);
  }

  #openTurns() {
    this.#drawTurns();
    $('turn-sheet').showModal();
  }

  /** Shows the newer game in the open sheet. */
  #renewTurns() {
    if (!$('turn-sheet').open) return;
    if (this.mayEdit) this.#drawTurns();
    else $('turn-sheet').close();
  }

  #drawTurns() {
    const { players, turn } = this.view;
    const type = turn.has_begun ? 'turn' : 'first';
    $('turn-sheet-title').textContent = turn.has_begun ? t('Whose turn is it?') : t('Who begins?');
    $('turn-sheet-hint').textContent = turn.has_begun
      ? t('If turns were not told here, say who plays now.') : t('The others follow in the order of the table.');
    $('turn-sheet-seats').replaceChildren(...players.map((player) => button({
      class: 'button',
      'aria-pressed': String(player.has_turn),
      onclick: () => {
        $('turn-sheet').close();
        this.act({ type, seat: player.seat }, t('%(name)s’s turn', { name: player.name }));
      },
    }, player.name)));
  }
}

export const mount = mounting(Page);
