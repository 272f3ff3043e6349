// The table of Shifting Seasons: boards, the score pad, and for every number on it the tiles that earn it.

import { send } from '../api.js';
import { html, svg } from '../draw.js';
import { t, tn } from '../i18n.js';

const $ = (id) => document.getElementById(id);
const SIDE = 6;
const NUMBERS = [1, 2, 3, 4];
const SEASONS = ['spring', 'summer', 'autumn', 'winter'];
const SEASON = { spring: t('spring'), summer: t('summer'), autumn: t('autumn'), winter: t('winter') };
const SEASON_TITLE = { spring: t('Spring'), summer: t('Summer'), autumn: t('Autumn'), winter: t('Winter') };

const CARD = {
  'six-diagonals': [t('Six diagonals'), t('Each filled diagonal of six tiles.')],
  'six-columns': [t('Six columns'), t('Each filled column of six: the two without a number.')],
  connections: [t('Connections'), t('Each filled straight line of four between two numbers.')],
  'outer-edge': [t('Outer edge'), t('Each edge of the board whose five spaces are filled.')],
  'number-neighbours': [t('Number neighbours'), t('The three spaces beside a number, if all are filled.')],
  'short-diagonals': [t('Short diagonals'), t('Each filled diagonal of three as printed on the card.')],
  centre: [t('Centre'), t('The four spaces in the centre, if all are filled; scored twice.')],
  'area-colour': [t('Area colour'), t('Tiles with the season of their area: 1 autumn, 2 summer, 3 spring, 4 winter.')],
  'largest-group': [t('Largest group'), t('One connected group of one season with the most tiles.')],
  'colour-diagonals': [t('Colour diagonals'), t('Three tiles of one season in a diagonal row; once for each season.')],
  'colour-lines': [t('Colour lines'), t('Four tiles of one season in a row or column; once for each season.')],
  'colour-squares': [t('Colour squares'), t('Two by two tiles of one season; once for each season.')],
  'colour-pairs': [t('Colour pairs'), t('Two neighbours of one season in two different areas.')],
  'colour-sets': [t('Colour sets'), t('All four seasons in one area, at most two sets an area.')],
};
const cardName = (card) => CARD[card][0];
const points = (n) => tn('1 point', '%(n)s points', n);
const place = ([row, col]) => t('row %(row)s, column %(col)s', { row: row + 1, col: col + 1 });
const hidden = (text) => html('span', { class: 'visually-hidden' }, text);
const same = (one, other) => one[0] === other[0] && one[1] === other[1];

/** A word of the notation in people's words. */
function spoken(word) {
  if (word === '.') return t('empty');
  const number = Number(word.replace('!', ''));
  if (number) return word.endsWith('!') ? t('number %(n)s with a frame', { n: number }) : t('number %(n)s', { n: number });
  const season = SEASON[word.replace('*', '')];
  return word.endsWith('*') ? t('%(season)s, precious', { season }) : season;
}

/** The picture of a tile. */
const tile = (word) => svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true' },
  svg('use', { href: `#season-${word.replace('*', '')}` }),
  word.endsWith('*') ? svg('use', { href: '#season-precious' }) : null);

const cardPicture = (card, size = 'sea-card-art') => svg('svg', { viewBox: '0 0 64 64', class: size, 'aria-hidden': 'true' },
  svg('use', { href: `#scorecard-${card}` }));

/** Tiles, precious tiles and tiles of the own season as a sum in words. */
function sum({ tiles, precious, own }, season) {
  const parts = [tn('1 tile', '%(n)s tiles', tiles)];
  if (precious) parts.push(t('%(n)s precious', { n: precious }));
  if (own) parts.push(t('%(n)s of %(season)s', { n: own, season: SEASON[season] }));
  return parts.join(' + ');
}

/** Which group of cells this is, in words. */
function named(card, group, player) {
  const { cells } = group;
  const rows = new Set(cells.map(([row]) => row));
  const cols = new Set(cells.map(([, col]) => col));
  const season = group.season && SEASON_TITLE[group.season];
  const row = t('row %(n)s', { n: cells[0]?.[0] + 1 });
  const column = t('column %(n)s', { n: cells[0]?.[1] + 1 });
  switch (card) {
    case 'six-diagonals':
      return cells.some((cell) => same(cell, [0, 0]) || same(cell, [1, 1]) || same(cell, [2, 2]) || same(cell, [4, 4]))
        ? t('Diagonal from the top left') : t('Diagonal from the top right');
    case 'centre': return t('The four spaces in the centre');
    case 'area-colour': return t('%(season)s in area %(n)s', { season, n: group.area });
    case 'largest-group': return t('The largest group, %(season)s', { season: SEASON[group.season] });
    case 'colour-sets': return t('Four seasons in area %(n)s', { n: group.area });
    case 'colour-squares': return t('Square of %(season)s', { season: SEASON[group.season] });
    case 'colour-pairs': return t('Pair of %(season)s, %(place)s', { season: SEASON[group.season], place: place(cells[0]) });
    case 'number-neighbours': {
      const area = player.areas.find(({ cell }) => cells.every(([r, c]) => Math.abs(r - cell[0]) + Math.abs(c - cell[1]) === 1));
      return t('Around number %(n)s', { n: area.number });
    }
    case 'short-diagonals':
    case 'colour-diagonals': {
      const between = { from: place(cells[0]), to: place(cells.at(-1)) };
      return season ? t('%(season)s from %(from)s to %(to)s', { season, ...between }) : t('From %(from)s to %(to)s', between);
    }
    default: {
      const line = rows.size === 1 || cols.size !== 1 ? row : column;
      return card === 'colour-lines' ? t('%(season)s in %(line)s', { season, line }) : line[0].toUpperCase() + line.slice(1);
    }
  }
}

/** Builds the page once; gives the function that shows a game. */
export function mount(table) {
  let game = null;
  let seat = null; // whose board is shown
  let chosen = null; // the field of the pad that is explained: { card, group: index or null }
  let number = null; // the area for which a place is sought
  let painting = false;
  let brush = null; // what a tap lays while painting
  let copy = null; // a board that is tried out: { seat, text, view }
  let cursor = [0, 0]; // the cell that the keyboard is on

  const view = () => (copy ? copy.view : game.view);
  const player = () => view().players[seat];
  const mayEdit = () => game.view.may_edit;
  const words = () => player().cells;

  // Changes

  /** Lays something on a cell: on the board, or on the copy that is tried out. */
  async function lay([row, col], label) {
    if (!copy) return table.act({ type: 'cell', seat, row, col, label });
    const cells = words().map((line) => [...line]);
    cells[row][col] = label;
    return tryOut(cells);
  }

  async function move(origin, target) {
    if (!copy) return table.act({ type: 'move', seat, origin, target });
    const cells = words().map((line) => [...line]);
    cells[target[0]][target[1]] = cells[origin[0]][origin[1]];
    cells[origin[0]][origin[1]] = '.';
    return tryOut(cells);
  }

  async function tryOut(cells) {
    const text = cells.map((line) => line.join(' ')).join(' / ');
    const answer = await send(`/api/games/${table.code}/ask`, { question: { type: 'what_if', seat, text } });
    if (!copy) return;
    copy = { seat, text, view: answer.answer };
    show();
  }

  const quietly = (promise) => promise.catch(() => {}); // the table has told the person

  // The board

  function drawBoard() {
    const lit = new Map(litCells().map(([row, col, value]) => [`${row},${col}`, value]));
    const missing = new Set(missingCells().map(String));
    const legal = new Set(number ? player().legal[number].map(String) : []);
    const holder = $('sea-board');
    const kept = document.activeElement?.closest?.('#sea-board') ? cursor : null;
    holder.setAttribute('aria-label', t('Board of %(name)s', { name: player().name }));
    holder.classList.toggle('explaining', chosen !== null);
    holder.replaceChildren(...words().flatMap((line, row) => line.map((word, col) => {
      const key = `${row},${col}`;
      const isNumber = /^[1-4]/.test(word);
      const value = lit.get(key);
      const marks = [
        value !== undefined ? points(value) : null,
        missing.has(key) ? t('still empty') : null,
        legal.has(key) ? t('a tile may go here') : null,
      ].filter(Boolean);
      const changed = copy && game.view.players[seat].cells[row][col] !== word;
      return html('button', {
        type: 'button',
        class: ['sea-cell', isNumber ? 'number' : word === '.' ? 'empty' : 'filled', value !== undefined && 'lit',
          missing.has(key) && 'missing', legal.has(key) && 'legal', changed && 'changed'].filter(Boolean).join(' '),
        'data-cell': key,
        'data-word': word,
        tabindex: row === cursor[0] && col === cursor[1] ? '0' : '-1',
        'aria-label': [place([row, col]), spoken(word), ...marks].join(': '),
        onclick: () => tapped([row, col]),
      },
      isNumber ? html('span', { class: 'sea-number', 'aria-hidden': 'true' }, word[0]) : null,
      isNumber && word.endsWith('!') ? svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true', class: 'sea-frame' }, svg('use', { href: '#season-frame' })) : null,
      !isNumber && word !== '.' ? tile(word) : null,
      value !== undefined ? html('span', { class: 'sea-value', 'aria-hidden': 'true' }, `+${value}`) : null,
      legal.has(key) ? html('span', { class: 'sea-dot', 'aria-hidden': 'true' }) : null);
    })));
    if (kept) holder.querySelector(`[data-cell="${kept}"]`)?.focus();
  }

  function litCells() {
    const row = chosen && player().cards.find(({ card }) => card === chosen.card);
    if (!row) return [];
    if (chosen.group === null) return row.cells;
    const group = row.groups[chosen.group];
    return group ? row.cells.filter((cell) => group.cells.some((other) => same(cell, other))) : [];
  }

  function missingCells() {
    const row = chosen && chosen.open !== undefined && player().cards.find(({ card }) => card === chosen.card);
    return row ? row.open[chosen.open]?.missing ?? [] : [];
  }

  $('sea-board').addEventListener('keydown', (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const at = event.target.closest('[data-cell]')?.dataset.cell.split(',').map(Number);
    if (!step || !at) return;
    event.preventDefault();
    cursor = at.map((value, axis) => Math.min(SIDE - 1, Math.max(0, value + step[axis])));
    for (const cell of $('sea-board').children) cell.tabIndex = cell.dataset.cell === String(cursor) ? 0 : -1;
    $('sea-board').querySelector(`[data-cell="${cursor}"]`).focus();
  });

  function tapped(cell) {
    cursor = cell;
    const word = words()[cell[0]][cell[1]];
    if (moving) {
      const origin = moving;
      moving = null;
      $('sea-where-text').textContent = '';
      if (word === '.') quietly(move(origin, cell));
      else if (!same(origin, cell)) $('sea-where-text').textContent = t('A tile can only move to a free space.');
      return;
    }
    if (!mayEdit()) return;
    if (painting && brush && !/^[1-4]/.test(word)) {
      quietly(lay(cell, word === brush ? '.' : brush));
      return;
    }
    openPicker(cell);
  }

  let moving = null; // the tile that a bonus token moves

  function openPicker(cell) {
    const word = words()[cell[0]][cell[1]];
    const isNumber = /^[1-4]/.test(word);
    const labels = isNumber ? [word[0], `${word[0]}!`] : [...SEASONS, ...SEASONS.map((season) => `${season}*`)];
    const pick = (label) => {
      $('sea-picker').close();
      if (label !== word) quietly(lay(cell, label));
    };
    $('sea-picker-title').textContent = isNumber ? t('Number %(n)s', { n: word[0] }) : t('What lies here?');
    $('sea-picker-hint').textContent = `${place(cell)}: ${spoken(word)}`;
    $('sea-picker-tiles').classList.toggle('numbers', isNumber);
    $('sea-picker-tiles').replaceChildren(
      ...labels.map((label) => html('button', {
        type: 'button', class: 'symbol', 'data-label': label, 'aria-pressed': String(label === word), onclick: () => pick(label),
      }, isNumber ? framePicture(label) : tile(label), html('span', {}, isNumber
        ? (label.endsWith('!') ? t('with a frame') : t('without a frame'))
        : label.endsWith('*') ? t('%(season)s, precious', { season: SEASON_TITLE[label.slice(0, -1)] }) : SEASON_TITLE[label]))),
      ...(isNumber ? [] : [
        html('button', { type: 'button', class: 'button', 'data-label': '.', 'aria-pressed': String(word === '.'), onclick: () => pick('.') }, t('Nothing')),
        word === '.' ? null : html('button', { type: 'button', class: 'button', 'data-move': '', onclick: () => startMove(cell) }, t('Move this tile'))].filter(Boolean)),
    );
    $('sea-picker').showModal();
  }

  const framePicture = (label) => svg('svg', { viewBox: '0 0 64 64', 'aria-hidden': 'true', class: 'sea-number-art' },
    svg('rect', { x: 3, y: 3, width: 58, height: 58, rx: 10 }),
    svg('text', { x: 32, y: 44 }, label[0]),
    label.endsWith('!') ? svg('use', { href: '#season-frame' }) : null);

  function startMove(cell) {
    $('sea-picker').close();
    moving = cell;
    $('sea-where-text').textContent = t('Tap the free space where this tile goes.');
    $('sea-where-text').scrollIntoView({ block: 'nearest' });
  }

  // Around the board

  function drawTabs() {
    $('sea-tabs').replaceChildren(...view().players.map((one) => html('button', {
      type: 'button',
      'aria-pressed': String(one.seat === seat),
      'data-seat': one.seat,
      onclick: () => choose(one.seat),
    }, tile(one.season), html('span', { class: 'sea-tab-name' }, one.name), html('b', {}, String(one.total)))));
    $('sea-title').textContent = t('Board of %(name)s', { name: player().name });
  }

  function choose(other) {
    if (copy && other !== copy.seat) copy = null;
    seat = other;
    moving = null;
    show();
  }

  function drawUnder() {
    const one = player();
    $('sea-count').textContent = [
      t('%(n)s of %(all)s tiles', { n: one.tiles, all: view().tiles_a_player }),
      t('%(n)s precious', { n: one.precious }),
      t('%(n)s of %(season)s', { n: one.own, season: SEASON[one.season] }),
    ].join(' · ');
    const photo = game.photos?.find(({ id }) => id === one.photo);
    $('sea-evidence').hidden = !photo?.kept;
    if (photo?.kept) {
      const address = table.photoUrl(photo.id);
      if ($('sea-thumb').getAttribute('src') !== address) $('sea-thumb').src = address;
      $('sea-evidence-text').textContent = one.corrections
        ? tn('From a photo, 1 correction', 'From a photo, %(n)s corrections', one.corrections) : t('From a photo');
    }
    $('sea-numbers').replaceChildren(...NUMBERS.map((n) => {
      const free = one.legal[n].length;
      return html('button', {
        type: 'button',
        class: 'chip sea-number-chip',
        'aria-pressed': String(number === n),
        'data-number': n,
        'aria-label': t('Area %(n)s', { n }),
        onclick: () => {
          number = number === n ? null : n;
          chosen = null;
          show();
          $('sea-where-text').textContent = number === null ? '' : free
            ? tn('1 free space in area %(area)s', '%(n)s places in area %(area)s', free, { area: n })
            : t('Area %(area)s is full: its lane may not be used.', { area: n });
        },
      }, String(n));
    }));
    $('sea-problems').replaceChildren(...warnings().map(({ text, button }) => html('div', { class: 'problem' },
      html('span', {}, text), button ?? null)));
  }

  function warnings() {
    const found = [];
    const shown = view();
    for (const problem of shown.problems) {
      if (problem.seat !== null && problem.seat !== seat) continue;
      found.push({
        text: problem.code === 'too_many_tiles'
          ? t('More than %(n)s tiles lie on this board: please check it.', { n: shown.tiles_a_player })
          : problem.seat === null
            ? t('All boards together show more tiles of a season than the box holds: please check them.')
            : t('This board shows more tiles of a season than the box holds: please check it.'),
      });
    }
    if (player().numbered && !copy) {
      found.push({
        text: tn('1 printed number was read otherwise and set as on your boards: please check it.',
          '%(n)s printed numbers were read otherwise and set as on your boards: please check them.', player().numbered),
      });
    }
    if (shown.layouts_differ && !copy) {
      found.push({
        text: t('The printed numbers are at different places on the boards.'),
        button: mayEdit() ? html('button', {
          type: 'button', class: 'chip', onclick: () => quietly(table.act({ type: 'layout', ...shown.layouts[seat] })),
        }, t('All like this one')) : null,
      });
    }
    return found;
  }

  function drawPalette() {
    $('sea-palette').hidden = !painting;
    $('sea').classList.toggle('painting', painting);
    $('sea-paint').setAttribute('aria-pressed', String(painting));
    if (!painting) return;
    const labels = [...SEASONS, '.', ...SEASONS.map((season) => `${season}*`)];
    $('sea-palette').replaceChildren(...labels.map((label) => html('button', {
      type: 'button',
      class: 'sea-brush',
      'data-brush': label,
      'aria-pressed': String(brush === label),
      'aria-label': label === '.' ? t('Take away') : spoken(label),
      onclick: () => { brush = label; drawPalette(); $('sea-palette').querySelector(`[data-brush="${label}"]`).focus(); },
    }, label === '.' ? svg('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, svg('use', { href: '#icon-close' })) : tile(label))));
  }

  // What if

  function drawWhatIf() {
    $('sea-whatif').hidden = !copy;
    $('sea-try').setAttribute('aria-pressed', String(Boolean(copy)));
    $('sea').classList.toggle('trying', Boolean(copy));
    if (!copy) return;
    const [was, is] = [game.view.players[seat].total, copy.view.players[seat].total];
    const winner = copy.view.players.filter((one) => one.winner).map((one) => one.name).join(', ');
    $('sea-whatif-text').textContent = was === is
      ? t('Change the board: %(n)s points so far, nothing is saved.', { n: is })
      : t('%(is)s points, %(change)s. First: %(winner)s.', { is, change: signed(is - was), winner });
  }

  const signed = (n) => (n > 0 ? `+${n}` : `−${-n}`);

  $('sea-try').addEventListener('click', () => {
    copy = copy ? null : { seat, text: player().text, view: game.view };
    show();
  });
  $('sea-whatif-end').addEventListener('click', () => { copy = null; show(); });
  $('sea-whatif-keep').addEventListener('click', () => {
    const kept = copy;
    const { photo, turns } = game.state.boards[kept.seat];
    copy = null;
    quietly(table.act({ type: 'board', seat: kept.seat, text: kept.text, photo, turns, corrections: correctionsFor(kept) }));
    show();
  });

  /** What a person changed on a board that a photo gave stays with it. */
  function correctionsFor(kept) {
    const before = game.state.boards[kept.seat].corrections;
    const old = game.view.players[kept.seat].cells;
    const now = kept.view.players[kept.seat].cells;
    const changes = [];
    old.forEach((line, row) => line.forEach((word, col) => {
      if (word !== now[row][col]) changes.push([row, col, word, now[row][col]]);
    }));
    return game.view.players[kept.seat].photo === null ? [] : [...before, ...changes];
  }

  // The pad

  function drawPad() {
    const shown = view();
    const lead = (one) => one.winner && one.total > 0;
    const field = (one, card, value, before) => html('td', {},
      html('button', {
        type: 'button',
        class: 'sea-field',
        'data-card': card,
        'data-seat': one.seat,
        'aria-pressed': String(chosen?.card === card && one.seat === seat),
        onclick: () => explain(one.seat, card),
      }, hidden(`${one.name}, ${cardName(card)}: `), html('span', { 'aria-hidden': 'true' }, String(value)), hidden(points(value)),
      change(value, before)));
    $('sea-pad').replaceChildren(html('table', { class: 'sea-table' },
      html('thead', {}, html('tr', {}, html('th', { scope: 'col' }, hidden(t('Score card'))),
        ...shown.players.map((one) => html('th', { scope: 'col', class: one.seat === seat ? 'own' : null },
          tile(one.season), html('span', {}, one.name))))),
      html('tbody', {}, ...shown.cards.map(({ card, number: printed }, at) => html('tr', {},
        html('th', { scope: 'row' }, html('div', { class: 'sea-card-head' }, cardPicture(card),
          html('span', {}, cardName(card), printed ? html('small', {}, ` ${t('no. %(n)s', { n: printed })}`) : null))),
        ...shown.players.map((one) => field(one, card, one.cards[at].points, game.view.players[one.seat].cards[at].points))))),
      html('tfoot', {},
        html('tr', { class: 'sea-total' }, html('th', { scope: 'row' }, t('Total')),
          ...shown.players.map((one) => html('td', { class: lead(one) ? 'first' : null }, html('strong', {}, String(one.total)),
            change(one.total, game.view.players[one.seat].total),
            html('small', {}, lead(one) ? t('%(n)s. ★', { n: one.rank }) : t('%(n)s.', { n: one.rank }))))),
        html('tr', { class: 'sea-precious' }, html('th', { scope: 'row' }, t('Precious')),
          ...shown.players.map((one) => html('td', {}, String(one.precious)))))));
    $('sea-tie').hidden = !shown.tie;
    if (shown.tie) $('sea-tie').textContent = tieText(shown.tie);
  }

  const change = (now, before) => (copy && now !== before
    ? html('small', { class: now > before ? 'up' : 'down' }, signed(now - before)) : null);

  function tieText(tie) {
    const each = tie.players.map(({ name, precious }) => t('%(name)s %(n)s', { name, n: precious })).join(', ');
    return tie.shared
      ? t('A tie at %(points)s points, and as many precious tiles (%(each)s): %(winners)s win together.',
        { points: tie.points, each, winners: tie.winners.join(t(' and ')) })
      : t('A tie at %(points)s points: %(winner)s has the most precious tiles (%(each)s).',
        { points: tie.points, winner: tie.winners[0], each });
  }

  function explain(ofSeat, card) {
    const again = chosen?.card === card && ofSeat === seat;
    if (copy && ofSeat !== copy.seat) copy = null;
    seat = ofSeat;
    number = null;
    moving = null;
    chosen = again ? null : { card, group: null };
    show();
    if (!chosen) return;
    const board = $('sea-board').getBoundingClientRect();
    if (board.top < 0 || board.top > window.innerHeight / 3) $('sea').scrollIntoView({ block: 'start' });
    table.say(`${$('sea-why-title').textContent}. ${$('sea-why-sum').textContent}`);
  }

  function drawWhy() {
    const row = chosen && player().cards.find(({ card }) => card === chosen.card);
    $('sea-why').hidden = !row;
    document.body.classList.toggle('sea-explaining', Boolean(row));
    if (!row) { chosen = null; return; }
    const one = player();
    $('sea-why-use').setAttribute('href', `#scorecard-${row.card}`);
    $('sea-why-title').textContent = t('%(name)s, %(card)s: %(points)s',
      { name: one.name, card: cardName(row.card), points: row.points });
    $('sea-why-rule').textContent = CARD[row.card][1];
    const line = (part, text, result) => html('li', {}, html('button', {
      type: 'button',
      'aria-pressed': String(Object.entries(part).every(([key, value]) => chosen[key] === value)),
      onclick: () => {
        const pressed = Object.entries(part).every(([key, value]) => chosen[key] === value);
        chosen = { card: row.card, group: null, ...(pressed ? {} : part) };
        drawBoard();
        drawWhy();
      },
    }, html('span', {}, text), result));
    $('sea-why-lines').replaceChildren(
      ...row.groups.map((group, at) => line({ group: at },
        `${named(row.card, group, one)}: ${sum(group, one.season)}${row.times > 1 ? `, ${t('twice')}` : ''}`,
        html('b', {}, String(group.points)))),
      row.twice ? html('li', { class: 'sea-shared' }, html('span', {},
        tn('1 tile belongs to two of these and counts once', '%(n)s tiles belong to two of these and count once', row.shared.length)),
      html('b', {}, `−${row.twice}`)) : '',
      ...row.open.map((gap, at) => line({ open: at, group: -1 },
        `${named(row.card, { cells: [...gap.cells, ...gap.missing].sort((a, b) => a[0] - b[0] || a[1] - b[1]) }, one)}: `
        + tn('1 space is empty', '%(n)s spaces are empty', gap.missing.length), html('b', { class: 'none' }, '0'))),
    );
    $('sea-why-sum').textContent = row.groups.length
      ? `${sum(row, one.season)}${row.times > 1 ? `, ${t('counted twice')}` : ''} = ${points(row.points)}`
      : t('Nothing on this board scores here yet.');
  }

  $('sea-why-close').addEventListener('click', () => {
    const back = document.querySelector(`.sea-field[data-card="${chosen.card}"][data-seat="${seat}"]`);
    chosen = null;
    show();
    const again = back && document.querySelector(`.sea-field[data-card="${back.dataset.card}"][data-seat="${seat}"]`);
    again?.focus({ preventScroll: true });
  });

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && chosen && !document.querySelector('dialog[open]')) $('sea-why-close').click();
  });

  // Photo and tapping

  /** Takes a photo of the shown board, or goes on with one that is kept. */
  async function photograph(photo = null) {
    const of = seat;
    const title = t('Board of %(name)s', { name: player().name });
    const answer = await table.photograph({ board: 'seasons', seat: of, photo, title }).catch(() => null);
    if (!answer) return;
    copy = null;
    quietly(table.act({ type: 'board', seat: of, ...answer }));
  }

  $('sea-photo').addEventListener('click', () => photograph());
  $('sea-again').addEventListener('click', () => {
    $('sea-photo-sheet').close();
    photograph(player().photo);
  });
  $('sea-paint').addEventListener('click', () => {
    painting = !painting;
    brush = painting ? brush ?? SEASONS[0] : brush;
    chosen = null;
    show();
  });
  $('sea-evidence').addEventListener('click', () => {
    $('sea-photo-title').textContent = t('The photo of %(name)s’s board', { name: player().name });
    $('sea-photo-large').src = $('sea-thumb').src;
    $('sea-photo-large').alt = $('sea-photo-title').textContent;
    $('sea-again').hidden = !mayEdit();
    $('sea-photo-sheet').showModal();
  });

  // Cards, seasons and the print

  function drawSettings() {
    const shown = game.view;
    $('sea-cards').replaceChildren(...shown.cards.map(({ card }) => html('li', {}, cardPicture(card),
      html('span', {}, html('b', {}, cardName(card)), html('small', {}, CARD[card][1])))));
    $('sea-seasons').replaceChildren(...shown.players.map((one) => html('label', { class: 'field' }, html('span', {}, one.name),
      html('select', {
        disabled: !mayEdit(),
        onchange: (event) => quietly(table.act({ type: 'season', seat: one.seat, season: event.target.value })),
      }, ...SEASONS.map((season) => html('option', { value: season, selected: season === one.season }, SEASON_TITLE[season]))))));
    for (const input of document.getElementsByName('sea-hand')) {
      input.checked = input.value === shown.layout.hand;
      input.disabled = !mayEdit();
    }
    $('sea-clockwise').checked = shown.layout.clockwise;
    $('sea-clockwise').disabled = !mayEdit();
    $('sea-short').hidden = !shown.cards.some(({ card }) => card === 'short-diagonals');
    $('sea-short-text').textContent = shown.short_diagonals_are_own
      ? t('Scored as on your own card.')
      : t('No source shows the print of this card; we score the four diagonals of exactly three. Copy your card if it differs.');
    for (const id of ['sea-cards-change', 'sea-short-change']) $(id).hidden = !mayEdit();
    $('sea-actions').hidden = !mayEdit();
  }

  const setLayout = () => quietly(table.act({
    type: 'layout',
    hand: [...document.getElementsByName('sea-hand')].find((input) => input.checked).value,
    clockwise: $('sea-clockwise').checked,
  }).catch((error) => { drawSettings(); throw error; }));
  for (const input of [...document.getElementsByName('sea-hand'), $('sea-clockwise')]) input.addEventListener('change', setLayout);

  let deck = new Set();
  $('sea-cards-change').addEventListener('click', () => {
    deck = new Set(game.view.cards.map(({ card }) => card));
    const group = (family, title) => html('section', { class: 'group' }, html('h3', {}, title),
      html('ul', { class: 'sea-deck' }, ...game.view.all_cards.filter((one) => one.family === family).map(({ card, number: printed }) => html('li', {},
        html('button', {
          type: 'button',
          class: 'sea-deck-card',
          'data-card': card,
          'aria-pressed': String(deck.has(card)),
          onclick: (event) => {
            if (!deck.delete(card)) deck.add(card);
            event.currentTarget.setAttribute('aria-pressed', String(deck.has(card)));
            count();
          },
        }, cardPicture(card), html('span', {}, html('b', {}, cardName(card)), printed ? ` ${t('no. %(n)s', { n: printed })}` : '', html('small', {}, CARD[card][1])))))));
    const count = () => { $('sea-deck-count').textContent = tn('1 card chosen', '%(n)s cards chosen', deck.size); };
    $('sea-deck-cards').replaceChildren(group('position', t('Places')), group('colour', t('Seasons')));
    count();
    $('sea-deck').showModal();
  });
  $('sea-deck-done').addEventListener('click', () => {
    $('sea-deck').close();
    quietly(table.act({ type: 'cards', cards: [...deck] }));
  });

  let print = [];
  let diagonal = 0;
  function drawPrint() {
    $('sea-short-tabs').replaceChildren(...print.map((cells, at) => html('button', {
      type: 'button', class: 'chip', 'aria-pressed': String(at === diagonal), 'aria-label': t('Diagonal %(n)s: %(cells)s of 3 spaces', { n: at + 1, cells: cells.length }),
      onclick: () => { diagonal = at; drawPrint(); },
    }, `${at + 1} (${cells.length}/3)`)));
    const numbers = player().areas.map(({ cell }) => cell);
    $('sea-short-board').replaceChildren(...Array.from({ length: SIDE * SIDE }, (_, at) => {
      const cell = [Math.floor(at / SIDE), at % SIDE];
      const isNumber = numbers.some((other) => same(other, cell));
      const owner = print.findIndex((cells) => cells.some((other) => same(other, cell)));
      const mine = print[diagonal].some((other) => same(other, cell));
      return html('button', {
        type: 'button',
        class: ['sea-cell', isNumber ? 'number' : 'empty', mine && 'lit', owner >= 0 && !mine && 'taken'].filter(Boolean).join(' '),
        disabled: isNumber,
        'data-cell': String(cell),
        'aria-pressed': String(mine),
        'aria-label': place(cell) + (owner >= 0 ? `: ${t('diagonal %(n)s', { n: owner + 1 })}` : ''),
        onclick: () => {
          print[diagonal] = mine ? print[diagonal].filter((other) => !same(other, cell)) : [...print[diagonal], cell].slice(-3);
          if (print[diagonal].length === 3 && diagonal < 3 && print[diagonal + 1].length < 3) diagonal += 1;
          drawPrint();
        },
      }, owner >= 0 ? html('span', { class: 'sea-value', 'aria-hidden': 'true' }, String(owner + 1)) : null);
    }));
    $('sea-short-done').disabled = print.some((cells) => cells.length !== 3);
  }
  $('sea-short-change').addEventListener('click', () => {
    print = game.view.short_diagonals.map((cells) => cells.map((cell) => [...cell]));
    diagonal = 0;
    if (!game.view.short_diagonals_are_own) print = [[], [], [], []];
    drawPrint();
    $('sea-short-sheet').showModal();
  });
  $('sea-short-reset').addEventListener('click', () => {
    $('sea-short-sheet').close();
    quietly(table.act({ type: 'short_diagonals', diagonals: null }));
  });
  $('sea-short-done').addEventListener('click', () => {
    $('sea-short-sheet').close();
    quietly(table.act({ type: 'short_diagonals', diagonals: print }));
  });

  // Everything

  function show() {
    drawTabs();
    drawWhatIf();
    drawUnder();
    drawPalette();
    drawPad();
    drawWhy();
    drawBoard();
    drawSettings();
    $('sea-photo').setAttribute('aria-label', t('Photograph %(name)s’s board', { name: player().name }));
  }

  return function update(newer) {
    game = newer;
    seat ??= game.you.seat ?? 0;
    if (seat >= game.view.players.length) seat = 0;
    if (copy) quietly(tryOut(copy.view.players[copy.seat].cells));
    show();
  };
}
