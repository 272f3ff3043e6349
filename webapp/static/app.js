// Ties the page together: photo in, reading shown, corrections out, matches back.

import { matchesOf, readPhoto, Refusal, samplePhoto } from './api.js';
import { Cards } from './cards.js';
import { html, icon } from './draw.js';
import { t, tn } from './i18n.js';
import { forget, keep, kept } from './keep.js';
import { Corners } from './review/corners.js';
import { Grid } from './review/grid.js';
import { prepared, sizeOf } from './review/photo.js';
import { readWords } from './review/pieces.js';
import { ReadingView } from './review/reading.js';

const $ = (id) => document.getElementById(id);
const TITLES = {
  too_large: t('That photo is too large'),
  unreachable: t('The table does not answer'),
  not_found: t('Nothing here'),
};

const { cards: deck, spec } = JSON.parse($('facts').textContent);
let photo = null; // the one on the screen: { url, width, height }
let running = null; // the upload under way
let refusedFile = null; // the photo that was refused last, already shrunk
let asked = 0; // number of the newest question about matches

const aim = new Corners($('aim-view'));
const view = new ReadingView('stones', changed);
const cards = new Cards(deck, (cells) => view.grid && view.light(cells));
$('photo').append(view.figure);
$('check').replaceWith(view.check);
$('board').append(view.squares);

function show(section) {
  for (const id of ['start', 'aim', 'busy', 'result']) $(id).hidden = id !== section;
  for (const id of ['undo', 'redo', 'again']) $(id).hidden = section !== 'result';
  document.body.dataset.view = section;
  window.scrollTo(0, 0);
}

const matching = (matches) => tn('%(n)s card matches.', '%(n)s cards match.', matches.length);

function say(text) { $('status').textContent = text; }

function step(text) { $('busy-text').textContent = text; }

async function take(original, corners = null) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  $('refused').hidden = true;
  let [file, url] = [null, null];
  try {
    show('busy');
    step(t('Preparing the photo…'));
    file = corners ? original : await prepared(original);
    url = URL.createObjectURL(file);
    $('busy-photo').src = url;
    step(t('Reading the stones…'));
    const reading = await readPhoto(file, {
      board: $('board-name').value,
      profile: $('profile')?.value,
      corners,
    }, mine.signal);
    if (mine.signal.aborted) return;
    const size = await sizeOf(url) ?? { width: 1, height: 1 };
    open({ url, ...size }, new Grid(spec, reading.text, reading.cells), reading);
    keep(file, view.grid);
  } catch (error) {
    if (mine.signal.aborted || error.name === 'AbortError') return;
    refuse(error, file, url);
  } finally {
    if (running === mine) running = null;
  }
}

function open(newPhoto, grid, { matches, problems }) {
  if (photo) URL.revokeObjectURL(photo.url);
  photo = newPhoto;
  show('result');
  view.open(grid, photo);
  answered({ matches, problems });
  say(`${readWords('stones', grid.doubtful.length)} ${matching(matches)}`);
  $('main').focus({ preventScroll: true });
}

function refuse(error, file, url) {
  show('start');
  refusedFile = file;
  $('refused-title').textContent = TITLES[error.code] ?? t('That photo cannot be read');
  $('refused-message').textContent = error instanceof Refusal
    ? error.message
    : t('This browser could not open the photo. Please take or choose another one.');
  $('refused-photo').hidden = true;
  $('refused-aim').hidden = true;
  if (url) {
    $('refused-photo').onload = () => {
      $('refused-photo').hidden = false;
      $('refused-aim').hidden = error.status !== 422;
    };
    $('refused-photo').src = url;
  }
  $('refused').hidden = false;
  $('refused').focus();
  if (!(error instanceof Refusal)) throw error;
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

$('refused-aim').addEventListener('click', async () => {
  const url = $('refused-photo').src;
  const size = await sizeOf(url);
  if (!size) return;
  show('aim');
  aim.open({ url, ...size }, 3, 3);
  $('aim-title').focus();
});
$('aim-read').addEventListener('click', () => take(refusedFile, aim.text));
$('aim-turn').addEventListener('click', () => aim.turn());
$('aim-back').addEventListener('click', () => show('start'));

let nextSample = 0;
$('try')?.addEventListener('click', (event) => {
  event.preventDefault();
  const samples = event.currentTarget.dataset.samples.split('|');
  take(samplePhoto(samples[nextSample % samples.length]));
  nextSample += 1;
});

$('cancel').addEventListener('click', () => {
  running?.abort();
  show('start');
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
document.addEventListener('keydown', (event) => {
  if ($('result').hidden || document.querySelector('dialog[open]')) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && (key === 'z' || key === 'y')) {
    event.preventDefault();
    view.travel(key === 'y' || event.shiftKey);
  } else if (event.key === 'Escape') {
    cards.choose(null);
  }
});
for (const dialog of document.querySelectorAll('dialog')) {
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.closest('[data-close]')) dialog.close();
  });
}
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
  const url = URL.createObjectURL(before.file);
  const size = await sizeOf(url);
  if (!size) return false;
  const saved = Grid.from(before.grid);
  open({ url, ...size }, saved, await matchesOf(saved.text));
  return true;
}

show('start');
comeBack().catch(() => show('start')).then((back) => {
  document.body.dataset.ready = 'true';
  if (!back && window.location.hash === '#try') $('try')?.click(); // the start page leads here with a sample
});
