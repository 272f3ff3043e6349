// What a board scores by itself at a quick look, line by line; a tapped line lights up its cells.

import { $, button, html, points } from './draw.js';
import { t } from './i18n.js';

const TITLES = {
  seasons: [t('What each score card gives'), t('Without the points for tiles of your own season. Tap a line to see its tiles.')],
  time: [t('Who is ahead'), t('Tap a season to see its cards.')],
  custom: [t('What lies there'), t('In a game you say how much each piece is worth.')],
};

export class ScoreLines {
  /** @param onLight called with the cells to light up, [row, col] each */
  constructor(onLight) {
    this.onLight = onLight;
    this.chosen = null;
    this.lines = [];
  }

  /** Shows the lines of a game: { item, points, why, cells } each; gives those with other points than before in words. */
  show(game, lines) {
    const worth = ({ points: n }) => (game === 'custom' ? `${n} ×` : points(n));
    const before = new Map(this.lines.map((line) => [line.item, line.points]));
    this.lines = lines;
    this.chosen = null;
    [$('score-title').textContent, $('score-hint').textContent] = TITLES[game];
    $('score-lines').replaceChildren(...lines.map((line, at) => html('li', {}, button({
      class: 'score-line',
      'aria-pressed': 'false',
      'data-line': at,
      disabled: line.cells.length === 0,
      onclick: () => this.#choose(at, line),
    },
    html('span', {}, html('strong', {}, line.item), line.why ? html('small', {}, line.why) : null),
    html('span', { class: 'score-points' }, worth(line))))));
    return lines.filter((line) => before.get(line.item) !== line.points).map((line) => `${line.item}: ${worth(line)}`).join(t(', '));
  }

  #choose(at, { cells }) {
    this.chosen = this.chosen === at ? null : at;
    for (const button of $('score-lines').querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(Number(button.dataset.line) === this.chosen));
    }
    this.onLight(this.chosen === null ? [] : cells);
  }
}
