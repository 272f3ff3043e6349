// The form that starts a game: rows for players as they are needed, and colours that differ.

import { keepDraft } from './draft.js';
import { $, html } from './draw.js';
import { t, tn } from './i18n.js';

const form = $('lobby');
const list = $('players');
const add = $('add-player');
const order = $('order');
const SHOWN_AT_FIRST = 2;
const SAME_START_MS = 10_000; // the longest wait for the table computer in which a second tap is no second game

const all = () => [...list.children];
const nameIn = (row) => row.querySelector('[name=player]');
const colourIn = (row) => row.querySelector('[name=colour]');
const filled = (row) => nameIn(row).value.trim() !== '';
keepDraft(form);
const first = all().reduce((most, row, at) => (filled(row) ? Math.max(most, at + 1) : most), SHOWN_AT_FIRST);
all().forEach((row, at) => { row.hidden = at >= first; });

function refresh() {
  const shown = all().filter((row) => !row.hidden);
  add.hidden = shown.length === all().length;
  order.hidden = shown.length < 2;
  all().forEach((row, at) => {
    nameIn(row).required = at === 0;
    row.querySelector('.player-name > span').textContent = t('Player %(number)s', { number: at + 1 });
    row.querySelector('[name=me]').value = String(at);
    for (const button of row.querySelectorAll('[data-move]')) button.disabled = at + Number(button.dataset.move) < 0 || at + Number(button.dataset.move) >= shown.length;
  });
}

function nextRow() {
  const row = all().find((one) => one.hidden);
  if (row) row.hidden = false;
  refresh();
  return row;
}

add.addEventListener('click', () => nameIn(nextRow()).focus());

// The order of the seats: with arrows, or by dragging a row.

order.addEventListener('click', () => {
  const isOn = form.classList.toggle('ordering');
  order.setAttribute('aria-pressed', String(isOn));
  order.textContent = isOn ? t('The order is right') : t('Change the order');
});

function placed(row) {
  refresh();
  const name = nameIn(row).value || t('Nobody');
  $('order-said').textContent = t('%(name)s is player %(number)s now.', { name, number: all().indexOf(row) + 1 });
}

for (const row of all()) {
  for (const button of row.querySelectorAll('[data-move]')) {
    button.addEventListener('click', () => {
      if (button.dataset.move === '1') row.nextElementSibling.after(row);
      else row.previousElementSibling.before(row);
      placed(row);
      const still = button.disabled ? row.querySelector('[data-move]:enabled') : button;
      still?.focus();
    });
  }
  const handle = row.querySelector('.drag-handle');
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    row.classList.add('dragged');
    const drag = ({ clientY }) => {
      const over = all().find((one) => {
        const box = one.getBoundingClientRect();
        return !one.hidden && one !== row && clientY > box.top && clientY < box.bottom;
      });
      if (!over) return;
      // the others give way: a row that was moved itself would lose the pointer
      const isAbove = all().indexOf(over) < all().indexOf(row);
      while (all().indexOf(over) < all().indexOf(row) === isAbove) {
        if (isAbove) row.after(row.previousElementSibling);
        else row.before(row.nextElementSibling);
      }
    };
    const drop = () => {
      handle.removeEventListener('pointermove', drag);
      row.classList.remove('dragged');
      placed(row);
    };
    handle.addEventListener('pointermove', drag);
    handle.addEventListener('lostpointercapture', drop, { once: true });
  });
}

// Whoever takes a colour that another has gets the other's old one in exchange.
const before = new Map();
if (form.dataset.distinct) {
  for (const row of all()) {
    before.set(row, colourIn(row).value);
    colourIn(row).addEventListener('change', () => recoloured(row));
  }
}

function recoloured(row) {
  const select = colourIn(row);
  const other = all().find((one) => one !== row && colourIn(one).value === select.value);
  if (other) {
    colourIn(other).value = before.get(row);
    before.set(other, before.get(row));
  }
  before.set(row, select.value);
}

// People with whom this device has played: a tap adds them, and their name brings the colour they had.

const chips = [...document.querySelectorAll('[data-person]')];
const written = (name) => name.trim().toLowerCase();

function isSeated(chip) { return all().some((row) => written(nameIn(row).value) === written(chip.dataset.person)); }

function colourOf(row, chip) {
  const { colour } = chip.dataset;
  const isFree = !form.dataset.distinct || !all().some((one) => one !== row && filled(one) && colourIn(one)?.value === colour);
  if (!colour || !isFree || !colourIn(row)) return;
  colourIn(row).value = colour;
  if (form.dataset.distinct) recoloured(row);
}

function offer() {
  const isFull = all().every((row) => !row.hidden && filled(row));
  for (const chip of chips) chip.hidden = isFull || isSeated(chip);
  const known = $('known-people');
  if (known) known.hidden = ![...known.children].some((one) => !one.hidden);
}

for (const chip of chips) {
  chip.addEventListener('click', () => {
    const row = all().find((one) => !one.hidden && !filled(one)) ?? nextRow();
    nameIn(row).value = chip.dataset.person;
    colourOf(row, chip);
    const { nextElementSibling: next } = chip;
    nameIn(row).dispatchEvent(new Event('input', { bubbles: true }));
    (next && !next.hidden ? next : nameIn(row)).focus();
  });
}
list.addEventListener('change', ({ target }) => {
  const chip = target.name === 'player' && chips.find((one) => written(one.dataset.person) === written(target.value));
  if (chip) colourOf(target.closest('li'), chip);
});
form.addEventListener('input', offer);
offer();

// What only concerns somebody who plays alone is asked of nobody else.
function askAlone() {
  const isAlone = all().filter(filled).length === 1;
  for (const box of form.querySelectorAll('[data-alone]')) {
    box.hidden = !isAlone;
    box.disabled = !isAlone;
  }
}
form.addEventListener('input', askAlone);
askAlone();

// Cards picked by picture are counted: a forgotten one below the screen is seen before the game begins.
for (const box of form.querySelectorAll('[data-usual]')) {
  const usual = Number(box.dataset.usual);
  const said = html('p', { class: 'picked', role: 'status' });
  const count = () => {
    const n = box.querySelectorAll(':checked').length;
    said.textContent = n === usual ? tn('1 card chosen', '%(n)s cards chosen', n)
      : tn('1 card chosen, usually %(usual)s', '%(n)s cards chosen, usually %(usual)s', n, { usual });
    said.classList.toggle('unusual', n !== usual);
  };
  box.append(said);
  box.addEventListener('change', count);
  count();
}

// A board played before needs no description; a file's text is put where it can be read before it is sent.
const known = $('known');
const showNew = () => { $('new-board').hidden = known.querySelector(':checked')?.value !== ''; };
if (known) {
  known.addEventListener('change', showNew);
  showNew();
}
const file = $('board-file');
if (file) {
  $('board-file-label').hidden = false;
  file.addEventListener('change', async () => {
    $('board').value = file.files[0] ? await file.files[0].text() : '';
  });
}

let startedAt = -Infinity;
form.addEventListener('submit', (event) => {
  if (event.timeStamp - startedAt < SAME_START_MS) event.preventDefault();
  else startedAt = event.timeStamp;
});
window.addEventListener('pageshow', () => { startedAt = -Infinity; }); // whoever comes back starts another game

refresh();
$('problem')?.focus();
