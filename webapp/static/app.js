// Ties the page together: photo in, reading shown, corrections out, matches back.

import { matchesOf, readPhoto, Refusal, samplePhoto } from './api.js';
import { Board } from './board.js';
import { Cards } from './cards.js';
import { Corners } from './corners.js';
import { html, icon } from './draw.js';
import { t, tn } from './i18n.js';
import { forget, keep, kept } from './keep.js';
import { MAX_BYTES, shrunk, sizeOf } from './photo.js';
import { Table } from './state.js';

const $ = (id) => document.getElementById(id);
const TITLES = {
  too_large: t('That photo is too large'),
  unreachable: t('The table does not answer'),
  not_found: t('Nothing here'),
};

const deck = JSON.parse($('deck').textContent);
let table = null;
let photo = null;
let running = null; // the upload under way
let refusedFile = null; // the photo that was refused last, already shrunk
let asked = 0; // number of the newest question about matches

const aim = new Corners($('aim-view'));
const board = new Board(correct, () => table.confirm() && changed(t('All confirmed.')));
const cards = new Cards(deck, (cells) => board.photo && board.light(cells));

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
    file = corners ? original : await shrunk(await original);
    if (file.size > MAX_BYTES) throw new Refusal('too_large', t('The photo is larger than 25 MB. Please send a smaller one.'));
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
    open({ url, ...size }, new Table(reading), reading);
    keep(file, table);
  } catch (error) {
    if (mine.signal.aborted || error.name === 'AbortError') return;
    refuse(error, file, url);
  } finally {
    if (running === mine) running = null;
  }
}

function open(newPhoto, newTable, reading) {
  if (photo) URL.revokeObjectURL(photo.url);
  photo = newPhoto;
  table = newTable;
  show('result');
  board.open(photo, table);
  answered({ matches: reading.matches, problems: reading.problems });
  const left = table.doubtful.length;
  say(`${left ? tn('Read. %(n)s stone to check.', 'Read. %(n)s stones to check.', left) : t('Read. All stones are clear.')} ${matching(reading.matches)}`);
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

function correct(at, label) {
  if (table.correct(at, label)) changed(t('Row %(row)s, column %(col)s is %(what)s.', { row: Math.floor(at / 3) + 1, col: (at % 3) + 1, what: t(label) }));
}

function travel(done, word) {
  if (done) changed(word);
}

async function changed(what) {
  board.refresh([]);
  buttons();
  keep(null, table);
  asked += 1;
  const mine = asked;
  try {
    const answer = await matchesOf(table.text);
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
  board.refresh(problems);
  cards.show(matches, table.now.labels);
  $('problems').replaceChildren(...problems.map((problem) =>
    html('p', { class: 'problem' }, icon('warn'), html('span', {}, problem.message))));
}

function buttons() {
  $('undo').disabled = table.past.length === 0;
  $('redo').disabled = table.future.length === 0;
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
  if (table.turn()) changed(t('The board is turned.'));
});
$('undo').addEventListener('click', () => travel(table.undo(), t('Undone.')));
$('redo').addEventListener('click', () => travel(table.redo(), t('Redone.')));
document.addEventListener('keydown', (event) => {
  if ($('result').hidden || document.querySelector('dialog[open]')) return;
  const key = event.key.toLowerCase();
  if ((event.ctrlKey || event.metaKey) && key === 'z') {
    event.preventDefault();
    if (event.shiftKey) travel(table.redo(), t('Redone.'));
    else travel(table.undo(), t('Undone.'));
  } else if ((event.ctrlKey || event.metaKey) && key === 'y') {
    event.preventDefault();
    travel(table.redo(), t('Redone.'));
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
  const saved = Table.from(before.table);
  open({ url, ...size }, saved, await matchesOf(saved.text));
  return true;
}

show('start');
comeBack().catch(() => show('start')).then((back) => {
  document.body.dataset.ready = 'true';
  if (!back && window.location.hash === '#try') $('try')?.click(); // the start page leads here with a sample
});
