// Ties the page together: photo in, reading shown, corrections out, matches back.

import { matchesOf, samplePhoto } from './api.js';
import { Cards } from './cards.js';
import { closable, html, icon, onTravel } from './draw.js';
import { t, tn } from './i18n.js';
import { forget, keep, kept } from './keep.js';
import { Grid } from './review/grid.js';
import { readWords } from './review/pieces.js';
import { ReadingView } from './review/reading.js';
import { Upload } from './review/upload.js';

const $ = (id) => document.getElementById(id);
const { cards: deck, spec } = JSON.parse($('facts').textContent);
let asked = 0; // number of the newest question about matches

const upload = new Upload({
  address: '/api/read',
  fields: () => ({ board: $('board-name').value, profile: $('profile')?.value }),
  show: (_, body, foot) => {
    show('way');
    $('way').replaceChildren(...body, html('div', { class: 'way-foot' }, ...foot));
    $('way').focus({ preventScroll: true });
  },
  onRead: (reading) => {
    open(new Grid(spec, reading.text, reading.cells), reading);
    keep(upload.file, view.grid);
  },
  onRefused: (error) => {
    show('start');
    $('refused').replaceChildren(...upload.refusal(error, spec));
    $('refused').hidden = false;
    $('refused').focus();
  },
  leave: () => show('start'),
});
const view = new ReadingView('stones', changed, $('cards-title'));
const cards = new Cards(deck, (cells) => view.grid && view.light(cells));
$('photo').append(view.figure);
$('check').replaceWith(view.check);
$('board').append(view.squares);

function show(section) {
  for (const id of ['start', 'way', 'result']) $(id).hidden = id !== section;
  for (const id of ['undo', 'redo', 'again']) $(id).hidden = section !== 'result';
  window.scrollTo(0, 0);
}

const matching = (matches) => tn('%(n)s card matches.', '%(n)s cards match.', matches.length);

function say(text) { $('status').textContent = text; }

function take(original) {
  $('refused').hidden = true;
  upload.send(original);
}

function open(grid, { matches, problems }) {
  show('result');
  view.open(grid, { width: 1, height: 1, ...upload.shown }); // a browser that cannot show it draws nothing
  answered({ matches, problems });
  say(`${readWords('stones', grid.doubtful.length)} ${matching(matches)}`);
  $('main').focus({ preventScroll: true });
}

async function changed(what) {
  view.doubt([]);
  buttons();
  keep(null, view.grid);
  asked += 1;
  const mine = asked;
  try {
    const answer = await matchesOf(view.grid.text);
    if (mine !== asked) return;
    $('offline').hidden = true;
    answered(answer);
    say(`${what} ${matching(answer.matches)}`);
  } catch (error) {
    if (mine !== asked) return;
    $('offline').textContent = `${error.message} ${t('The cards below are those from before the change.')}`;
    $('offline').hidden = false;
  }
}

function answered({ matches, problems }) {
  buttons();
  view.doubt(problems.flatMap((problem) => problem.cells));
  cards.show(matches, view.grid.places.map(([, , cell]) => cell.label));
  $('problems').replaceChildren(...problems.map((problem) =>
    html('p', { class: 'problem' }, icon('warn'), html('span', {}, problem.message))));
}

function buttons() {
  $('undo').disabled = view.grid.past.length === 0;
  $('redo').disabled = view.grid.future.length === 0;
}

for (const id of ['take', 'choose']) {
  $(id).addEventListener('change', (event) => {
    const [file] = event.target.files;
    event.target.value = ''; // so that the same photo can be chosen again
    if (file) take(file);
  });
}

let nextSample = 0;
$('try')?.addEventListener('click', (event) => {
  event.preventDefault();
  const samples = event.currentTarget.dataset.samples.split('|');
  take(samplePhoto(samples[nextSample % samples.length]));
  nextSample += 1;
});

$('again').addEventListener('click', () => {
  cards.choose(null);
  show('start');
  forget();
});
$('turn').addEventListener('click', () => {
  cards.choose(null);
  view.turn();
});
$('undo').addEventListener('click', () => view.travel(false));
$('redo').addEventListener('click', () => view.travel(true));
const isOpen = () => !$('result').hidden && !document.querySelector('dialog[open]');
document.addEventListener('keydown', onTravel((forth) => isOpen() && view.travel(forth)));
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && isOpen()) cards.choose(null);
});
closable(document.querySelectorAll('dialog'));
// A photo dropped anywhere on the page of a desktop browser.
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) take(file);
});

/** After a reload: the photo and the corrections as they were. */
async function comeBack() {
  const before = await kept();
  if (!before) return false;
  await upload.open(before.file);
  if (!upload.shown.width) return false;
  const saved = Grid.from(before.grid);
  open(saved, await matchesOf(saved.text));
  return true;
}

show('start');
comeBack().catch(() => show('start')).then((back) => {
  document.body.dataset.ready = 'true';
  if (!back && window.location.hash === '#try') $('try')?.click(); // the start page leads here with a sample
});
