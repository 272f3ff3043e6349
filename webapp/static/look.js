// What was read at a quick look: the photo, the board with its corrections, and the cards that match.

import { matchesOf } from './api.js';
import { Cards } from './cards.js';
import { html, icon, onTravel } from './draw.js';
import { t, tn } from './i18n.js';
import { forget, keep } from './keep.js';
import { Grid } from './review/grid.js';
import { readWords } from './review/pieces.js';
import { ReadingView } from './review/reading.js';

const $ = (id) => document.getElementById(id);
const matching = (matches) => tn('%(n)s card matches.', '%(n)s cards match.', matches.length);

function say(text) { $('status').textContent = text; }

export class Look {
  /**
   * @param cards the deck
   * @param spec shape and labels of the board
   * @param upload holds the photo that is shown
   * @param show shows a section of the page
   */
  constructor({ cards, spec, upload, show }) {
    Object.assign(this, { spec, upload, show });
    this.asked = 0; // number of the newest question about matches
    this.view = new ReadingView('stones', (what) => this.#changed(what), $('cards-title'));
    this.cards = new Cards(cards, (cells) => this.view.grid && this.view.light(cells));
    $('photo').append(this.view.figure);
    $('check').replaceWith(this.view.check);
    $('board').append(this.view.squares);
    this.#listen();
  }

  /** Shows a new reading. */
  read(reading) {
    this.#open(new Grid(this.spec, reading.text, reading.cells, reading.doubts), reading);
    keep(this.upload.file, this.view.grid);
  }

  /** Shows a grid that was kept. */
  async comeBack(saved) {
    const grid = Grid.from(saved);
    this.#open(grid, await matchesOf(grid.text));
  }

  #open(grid, answer) {
    this.show('result');
    this.view.open(grid, { width: 1, height: 1, ...this.upload.shown }); // some browsers cannot show some photos
    this.#answered(answer);
    say(`${readWords('stones', grid)} ${matching(answer.matches)}`);
    $('main').focus({ preventScroll: true });
  }

  async #changed(what) {
    this.view.doubt([]);
    this.#buttons();
    keep(null, this.view.grid);
    this.asked += 1;
    const mine = this.asked;
    try {
      const answer = await matchesOf(this.view.grid.text);
      if (mine !== this.asked) return;
      $('offline').hidden = true;
      this.#answered(answer);
      say(`${what} ${matching(answer.matches)}`);
    } catch (error) {
      if (mine !== this.asked) return;
      $('offline').textContent = `${error.message} ${t('The cards below are those from before the change.')}`;
      $('offline').hidden = false;
    }
  }

  #answered({ matches, problems }) {
    this.#buttons();
    this.view.doubt(problems.flatMap((problem) => problem.cells));
    this.cards.show(matches, this.view.grid.places.map(([, , cell]) => cell.label));
    $('problems').replaceChildren(...problems.map(({ message }) =>
      html('p', { class: 'problem' }, icon('warn'), html('span', {}, message))));
  }

  #buttons() {
    $('undo').disabled = this.view.grid.past.length === 0;
    $('redo').disabled = this.view.grid.future.length === 0;
  }

  #listen() {
    const isOpen = () => !$('result').hidden && !document.querySelector('dialog[open]');
    $('again').addEventListener('click', () => {
      this.cards.choose(null);
      this.show('start');
      forget();
    });
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
