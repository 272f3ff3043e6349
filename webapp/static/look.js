// What was read at a quick look: the photo, the game it shows, the board with its corrections, and what it scores.

import { matchesOf, send } from './api.js';
import { Cards } from './cards.js';
import { $, button, html, onTravel, percent, warning } from './draw.js';
import { carry } from './handover.js';
import { sentences, t, tn } from './i18n.js';
import { forget, isKept, keep } from './keep.js';
import { Grid } from './review/grid.js';
import { readWords, taughtAs } from './review/pieces.js';
import { ReadingView } from './review/reading.js';
import { ScoreLines } from './score.js';
import { SeenCards } from './seen.js';

const STONES = 'stones';
const CARDS = 'cards';
const NONE = 'none';
const LIKELY = 0.01; // a game that is less probable is not offered beside the one that was read
const matching = (matches) => tn('%(n)s card matches.', '%(n)s cards match.', matches.length);

function say(text) { $('status').textContent = text; }

export class Look {
  /**
   * @param cards the deck
   * @param boards the titles of all games that are known, by the names of their boards
   * @param readable the names and titles of those that a photo can be read as
   * @param upload holds the photo that is shown
   * @param show shows a section of the page
   * @param readAs reads the photo as another board
   */
  constructor({ cards, boards, readable, upload, show, readAs }) {
    Object.assign(this, { boards, readable, upload, show, readAs });
    this.asked = 0; // number of the newest question about matches or scores
    this.check = $('check');
    this.cards = new Cards(cards, (cells) => this.view?.grid && this.view.light(cells));
    this.score = new ScoreLines((cells) => this.view.light(cells));
    this.seen = new SeenCards(cards);
    this.#listen();
  }

  /** Shows a new reading. */
  read(reading) {
    const { board, game, kinds, profile, pictures = {} } = reading;
    const about = { board, game, kinds, profile, pictures, shape: this.upload.shape };
    if (board === CARDS) {
      about.reading = reading; // there is no board to show it from
      keep(this.upload.file, null, about);
      this.#frame(about);
      this.show('result');
      this.seen.show(reading, this.upload.shown);
      this.#problems(reading.problems);
      say(tn('%(n)s card on the photo', '%(n)s cards on the photo', reading.cards.length));
      $('kind-title').focus({ preventScroll: true });
      return;
    }
    this.#open(new Grid(reading.spec, reading.text, reading.cells, reading.doubts), reading, about);
    keep(this.upload.file, this.view.grid, about);
  }

  /** Keeps what is shown again where that is gone: the browser may bring a page back as it was left. */
  async #keepAgain() {
    if (document.hidden || $('result').hidden || await isKept()) return;
    keep(this.upload.file, this.view?.grid ?? null, this.about);
  }

  /** Shows what was kept. */
  async comeBack({ grid: saved, about }) {
    if (about.reading) {
      this.read(about.reading);
      return;
    }
    const grid = Grid.from(saved);
    this.#open(grid, await this.#scored(about, grid.text), about);
  }

  #scored({ game }, text) {
    return game === STONES ? matchesOf(text) : send('/api/score', { game, text });
  }

  #open(grid, answer, about) {
    this.#frame(about);
    this.show('result');
    this.view.open(grid, { width: 1, height: 1, ...this.upload.shown }); // some browsers cannot show some photos
    const matches = this.#answered(answer);
    say(sentences([readWords(this.view.board, grid), answer.matches && matches]));
    $('kind-title').focus({ preventScroll: true });
  }

  /** The parts of the page that this kind of board has, and which game it is. */
  #frame(about) {
    this.about = about;
    const { board, game, kinds = [], pictures, profile } = about;
    const isCards = board === CARDS;
    taughtAs(pictures ?? {});
    $('kind-title').textContent = this.boards[board] ?? board;
    $('kind-emblem').setAttribute('href', `#emblem-${game}`);
    const [, chance] = kinds.find(([name]) => name === board) ?? [];
    $('kind-hint').textContent = chance === undefined ? '' : t('%(percent)s certain that it is this game', { percent: percent(chance) });
    $('kind-others').replaceChildren(...this.#others(board, kinds));
    const own = this.boards[game] || game === STONES ? '' : `?${new URLSearchParams({ of: board, copy: profile })}`;
    $('make-game').href = `/start/${game}${own}`;
    for (const [id, shown] of [['table', !isCards], ['score', game !== STONES || isCards], ['matching', game === STONES && !isCards], ['turn', game !== 'seasons']]) $(id).hidden = !shown;
    for (const id of ['undo', 'redo']) $(id).disabled = true;
    if (isCards) {
      this.view = null;
      this.check.hidden = true;
      $('photo').replaceChildren(this.seen.figure);
      return;
    }
    this.view = new ReadingView(board === game ? board : 'custom', (what) => this.#changed(what), $(game === STONES ? 'cards-title' : 'score-title'));
    $('photo').replaceChildren(this.view.figure);
    this.check.replaceWith(this.view.check);
    this.check = this.view.check;
    $('board').replaceChildren(this.view.squares);
    $('board').classList.toggle('wide', game !== STONES);
  }

  /** The second best guess as a button, and all other games to choose from. */
  #others(board, kinds) {
    const likely = kinds.filter(([name, p]) => name !== board && name !== NONE && this.boards[name] && p >= LIKELY).slice(0, 1);
    const rest = this.readable.filter(([name]) => name !== board && !likely.some(([one]) => one === name));
    return [
      ...likely.map(([name, p]) => button({ class: 'chip', 'data-read-as': name, onclick: () => this.readAs(name) },
        t('%(game)s, %(percent)s', { game: this.boards[name], percent: percent(p) }))),
      html('select', {
        'data-other-game': true, 'aria-label': t('It is another game'),
        onchange: ({ target }) => target.value && this.readAs(target.value),
      }, html('option', { value: '' }, t('It is another game')),
      ...rest.map(([name, title]) => html('option', { value: name }, title))),
    ];
  }

  async #changed(what) {
    this.view.doubt([]);
    this.#buttons();
    keep(null, this.view.grid);
    this.asked += 1;
    const mine = this.asked;
    try {
      const answer = await this.#scored(this.about, this.view.grid.text);
      if (mine !== this.asked) return;
      $('offline').hidden = true;
      say(sentences([what, this.#answered(answer)]));
    } catch (error) {
      if (mine !== this.asked) return;
      $('offline').textContent = `${error.message} ${t('What is shown below is from before the change.')}`;
      $('offline').hidden = false;
    }
  }

  /** Shows what the board scores now; gives in words what is new of that. */
  #answered({ matches, problems, score }) {
    this.#buttons();
    this.view.doubt(problems.flatMap((problem) => problem.cells));
    this.#problems(problems);
    if (!matches) return this.score.show(this.about.game, score);
    this.cards.show(matches, this.view.grid.places.map(([, , cell]) => cell.label));
    return matching(matches);
  }

  #problems(problems) {
    $('problems').replaceChildren(...problems.map((problem) => warning(problem.message ?? problem)));
  }

  #buttons() {
    $('undo').disabled = this.view.grid.past.length === 0;
    $('redo').disabled = this.view.grid.future.length === 0;
  }

  #listen() {
    window.addEventListener('pageshow', ({ persisted }) => persisted && this.#keepAgain());
    document.addEventListener('visibilitychange', () => this.#keepAgain());
    const isOpen = () => this.view && !$('result').hidden && !document.querySelector('dialog[open]');
    $('again').addEventListener('click', () => {
      this.cards.choose(null);
      this.show('start');
      forget();
    });
    $('make-game').addEventListener('click', () => carry(this.view ? this.about.game : null));
    $('turn').addEventListener('click', () => {
      this.cards.choose(null);
      this.view.turn();
    });
    $('undo').addEventListener('click', () => this.view.travel(false));
    $('redo').addEventListener('click', () => this.view.travel(true));
    document.addEventListener('keydown', onTravel((forth) => isOpen() && this.view.travel(forth)));
    document.addEventListener('keydown', (event) => {
      if (event.key === 'Escape' && isOpen()) this.cards.choose(null);
    });
  }
}
