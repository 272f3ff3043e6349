// The form that starts a game: rows for players as they are needed, and colours that differ.

import { html } from './draw.js';
import { tn } from './i18n.js';

const form = document.getElementById('lobby');
const rows = [...form.querySelectorAll('.player-row')];
const add = document.getElementById('add-player');
const least = Number(form.dataset.least);
const SHOWN_AT_FIRST = 2;

const filled = (row) => row.querySelector('[name=player]').value.trim() !== '';
const shown = rows.reduce((most, row, at) => (filled(row) ? Math.max(most, at + 1) : most), Math.max(least, SHOWN_AT_FIRST));
rows.forEach((row, at) => { row.hidden = at >= Math.min(shown, rows.length); });

function refresh() {
  add.hidden = rows.every((row) => !row.hidden);
}

add.addEventListener('click', () => {
  const row = rows.find((one) => one.hidden);
  row.hidden = false;
  row.querySelector('[name=player]').focus();
  refresh();
});

// Whoever takes a colour that another has gets the other's old one in exchange.
if (form.dataset.distinct) {
  const selects = rows.map((row) => row.querySelector('[name=colour]'));
  const before = selects.map((select) => select.value);
  selects.forEach((select, at) => select.addEventListener('change', () => {
    const other = selects.findIndex((one, i) => i !== at && one.value === select.value);
    if (other >= 0) {
      selects[other].value = before[at];
      before[other] = before[at];
    }
    before[at] = select.value;
  }));
}

// What only concerns somebody who plays alone is asked of nobody else.
function askAlone() {
  const isAlone = rows.filter(filled).length === 1;
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
const known = document.getElementById('known');
const showNew = () => { document.getElementById('new-board').hidden = known.querySelector(':checked')?.value !== ''; };
if (known) {
  known.addEventListener('change', showNew);
  showNew();
}
const file = document.getElementById('board-file');
if (file) {
  document.getElementById('board-file-label').hidden = false;
  file.addEventListener('change', async () => {
    document.getElementById('board').value = file.files[0] ? await file.files[0].text() : '';
  });
}

refresh();
document.getElementById('problem')?.focus();
