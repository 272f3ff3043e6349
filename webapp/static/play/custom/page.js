// The table of any described board: a board for each player (or one for all), points a piece, points by hand.

import { $, button, html, icon, points, rowsOf, warning } from '../../draw.js';
import { t } from '../../i18n.js';
import { piece } from '../../review/pieces.js';
import { unlessRefused } from '../page.js';

export function mount(table) {
  const mayEdit = () => table.game.you.role !== 'viewer';
  let drawing = false;

  const act = (action) => unlessRefused(table.act(action));

  function photograph(seat, photo = null) {
    const name = seat === null ? table.game.view.board.name : table.game.players[seat].name;
    return unlessRefused(table.photograph({ board: 'custom', seat, photo, title: t('Board: %(name)s', { name }) }));
  }

  // A field keeps what somebody is typing while others change the game.
  function number(id, value, label, send) {
    // Somebody else's change draws the field anew while one types: then the browser tells of no change at the end.
    const settle = ({ target }) => {
      const points = Number(target.value);
      if (drawing || !target.dataset.typed) return;
      delete target.dataset.typed;
      if (target.value === '' || !Number.isInteger(points)) target.value = String(value);
      else if (points !== value) send(points);
    };
    return html('input', {
      type: 'number', inputmode: 'numeric', step: '1', 'data-number': id, value: String(value), 'aria-label': label, disabled: !mayEdit(),
      oninput: ({ target }) => { target.dataset.typed = 'true'; }, onchange: settle, onblur: settle,
    });
  }

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
      table.game.view.shared ? null : html('p', { class: 'hint' }, lines.join(', ') || t('No pieces yet.')),
      html('label', { class: 'field custom-extra' }, html('span', {}, t('Other points')),
        number(`extra-${seat}`, player.extra, t('Other points of %(name)s', { name: player.name }),
          (points) => act({ type: 'extra', seat, points }))));
  }

  function boardPanel(key, seat, title) {
    const board = table.game.view.boards[key];
    const rows = board ? rowsOf(board.text) : [];
    const grid = html('div', { class: 'review-board', role: 'img', tabindex: '0', 'aria-label': board ? t('%(name)s: %(board)s', { name: title, board: board.text }) : '' },
      ...rows.flat().map((label) => html('span', { class: label === '.' ? 'square blank' : 'square' }, piece('custom', label))));
    if (rows.length) grid.style.setProperty('--columns', rows[0].length);
    return html('section', { class: 'panel custom-board' },
      html('h2', {}, title),
      board ? grid : html('p', { class: 'hint' }, t('No board yet.')),
      mayEdit() ? html('div', { class: 'review-tools' },
        button({ class: board ? 'button' : 'button primary', 'data-photograph': key, onclick: () => photograph(seat) },
          icon('camera'), html('span', {}, t('Photograph'))),
        board?.photo ? button({ class: 'button quiet', onclick: () => photograph(seat, board.photo) }, t('Correct the reading')) : null) : null);
  }

  return function update({ view }) {
    const typing = document.activeElement?.dataset?.number;
    const typed = document.activeElement?.dataset?.typed ? document.activeElement.value : null;
    drawing = true;
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
          (points) => act({ type: 'worth', label, points }))))));
    if (typing) {
      const field = document.querySelector(`[data-number="${CSS.escape(typing)}"]`);
      field?.focus();
      if (typed === null) field?.select(); // what one types next takes the place of the number, not one beside it
      else if (field) { field.value = typed; field.dataset.typed = 'true'; }
    }
    drawing = false;
  };
}
