// The table of any described board: a board for each player (or one for all), points a piece, points by hand.

import { $, button, hidden, html, icon, points, rowsOf, warning } from '../../draw.js';
import { t } from '../../i18n.js';
import { piece } from '../../review/pieces.js';
import { keepingTyped, numberField } from '../number.js';
import { unlessRefused } from '../page.js';

const MOST_BESIDE = 6; // columns of a board that has room beside another

export function mount(table) {
  const mayEdit = () => table.game.view.may_edit && !table.game.finished;

  const act = (action, seen) => unlessRefused(table.act(action, seen));

  const photograph = (seat, photo = null) => unlessRefused(table.photograph({ board: 'custom', seat, photo }));

  const number = (key, value, label, send) => numberField(key, () => value, send, { value, 'aria-label': label, disabled: !mayEdit() });

  function scoreRow(player, seat) {
    const pieces = player.lines.filter((line) => line.worth || !player.rules.length);
    const lines = player.lines.length === 0 ? [] : [ // without pieces no rule gives any
      ...player.rules.map(({ rule, points: earned }) => t('%(name)s: %(points)s', { name: rule, points: earned })),
      ...pieces.map((line) => t('%(count)s × %(label)s at %(worth)s = %(points)s', line)),
    ];
    return html('li', {},
      html('div', { class: 'custom-player' },
        html('strong', {}, player.name),
        html('span', { class: 'custom-total' }, points(player.total))),
      table.game.view.shared ? null : html('p', { class: 'hint' }, lines.join(t(', ')) || t('No pieces yet.')),
      html('label', { class: 'field custom-extra' }, html('span', {}, t('Other points')),
        number(`extra-${seat}`, player.extra, t('Other points of %(name)s', { name: player.name }),
          (points, seen) => act({ type: 'extra', seat, points }, seen))));
  }

  function boardPanel(key, seat, title) {
    const board = table.game.view.boards[key];
    const rows = board ? rowsOf(board.text) : [];
    const grid = html('div', { class: 'review-board', role: 'img', tabindex: '0', 'data-key': `board-${key}`, 'aria-label': board ? t('%(name)s: %(board)s', { name: title, board: board.text }) : '' },
      ...rows.flat().map((label) => html('span', { class: label === '.' ? 'square blank' : 'square' }, piece('custom', label))));
    const columns = rows[0]?.length ?? 0;
    grid.style.setProperty('--columns', columns);
    return html('section', { class: columns > MOST_BESIDE ? 'panel custom-board wide' : 'panel custom-board' },
      html('h2', {}, title),
      board ? grid : html('p', { class: 'hint' }, t('No board yet.')),
      mayEdit() ? html('div', { class: 'review-tools' },
        button({
          class: board ? 'button' : 'button primary', 'data-photograph': key, 'data-key': `photograph-${key}`,
          onclick: () => photograph(seat),
          'aria-label': seat === null ? null : t('Photograph %(name)s’s board', { name: title }),
        }, icon('camera'), html('span', {}, t('Photograph'))),
        board?.photo ? button({ class: 'button quiet', 'data-key': `correct-${key}`, onclick: () => photograph(seat, board.photo) },
          t('Correct the reading'), hidden(` ${title}`)) : null) : null);
  }

  function draw({ view }) {
    $('problems').replaceChildren(...view.problems.map(({ message }) => warning(message)));
    $('custom-scores').replaceChildren(...view.players.map(scoreRow));
    $('custom-boards').replaceChildren(...view.shared
      ? [boardPanel('shared', null, view.board.name)]
      : table.game.players.map((player) => boardPanel(String(player.seat), player.seat, player.name)));
    $('custom-worth-panel').hidden = view.shared;
    $('custom-worth-hint').hidden = view.labels.length > 0;
    $('custom-worth').replaceChildren(...view.labels.map((label) => html('li', {},
      html('label', { class: 'field' }, html('span', {}, label),
        number(`worth-${label}`, view.worth[label] ?? 0, t('Points for each %(label)s', { label }),
          (points, seen) => act({ type: 'worth', label, points }, seen))))));
  }

  return (game) => keepingTyped(() => draw(game));
}
