// Lay, photograph, look, save. Photos stay in this tab, over a reload too, until the copy is saved.

import { ask, newKey, persistently, Refusal } from '../api.js';
import { drawCells } from '../cells.js';
import { Draft } from '../draft.js';
import { Corners } from '../review/corners.js';
import { $, button, html, icon, rowsOf, textOf } from '../draw.js';
import { t, tn } from '../i18n.js';
import { prepared, sizeOf } from '../review/photo.js';
import { pieceSheet } from '../review/picker.js';
import { piece, placeOf, wordOf } from '../review/pieces.js';
import { SENT_AGAIN } from '../review/upload.js';
import { keepWork, keptWork } from './work.js';

const page = $('teach');
const { board, add } = page.dataset;
const MOST_SAID = 3; // doubts that are read before one saves; the others stand with the pictures
const SIDES = () => [t('top'), t('right'), t('bottom'), t('left')];
const CUSTOM_LAYOUT = 'one two three / four five six';

/** What to lay at a place: the game's own drawing, or in other games the word. */
const drawn = (label) => (board === 'custom' ? html('span', { class: 'piece-word' }, label) : piece(board, label));

const lessons = [];
const here = location.pathname + location.search;
let draft = null; // what the board is like, in games that ask for it
let lastLook = Promise.resolve(); // when the photos that were taken so far are prepared, and those that are ready looked at
let keeping = Promise.resolve();
let learning = {}; // what is learnt now, with its own number; another once photos or layouts change

/** The lesson board of the seasons with the numbers as this copy has them. */
function seasonsLayout(at) {
  const numbers = [...$('numbers').querySelectorAll('select')].map((select) => select.value);
  return JSON.parse(page.dataset.numbered)[$('hand').value][at].replace(/\{(\d)\}/g, (_, number) => numbers[number]);
}

class Lesson {
  constructor(layout, follows = null) {
    Object.assign(this, { layout, follows, photo: null, corners: '', good: false });
    this.title = html('h2', {});
    this.drawing = html('div', { class: 'teach-board', role: 'group' });
    this.text = html('textarea', { rows: 3, spellcheck: 'false', 'aria-label': t('What lies there, row by row from the top') });
    this.text.addEventListener('change', () => this.#relaid());
    this.view = html('img', { class: 'teach-photo', alt: t('Your photo'), hidden: true });
    this.said = html('p', { class: 'teach-said', role: 'status', hidden: true });
    this.aim = button({ class: 'button wide', hidden: true, onclick: () => this.#aim() }, icon('frame'), t('Show where the grid is'));
    this.again = button({ class: 'button wide', hidden: true, onclick: () => this.check() }, t('Send again'));
    this.element = html('section', { class: 'panel teach-lesson' },
      html('div', { class: 'teach-lesson-head' }, this.title,
        button({ class: 'icon-button', 'aria-label': t('Leave this photo out'), onclick: () => this.#remove() }, icon('close'))),
      this.drawing,
      html('p', { class: 'hint' }, t('Something else lies there? Tap it.')),
      this.#sizes(),
      html('details', { class: 'teach-more' }, html('summary', {}, t('Type it instead')), this.text,
        html('p', { class: 'hint' }, t('Words row by row from the top, rows divided by /, a dot for an empty cell. A single piece is one word.'))),
      this.view, this.said,
      html('div', { class: 'teach-buttons' },
        this.#input(t('Take photo'), 'camera', true), this.#input(t('Choose photo'), 'picture', false), this.aim, this.again));
    this.draw();
  }

  #input(words, symbol, camera) {
    const input = html('input', { class: 'visually-hidden', type: 'file', accept: 'image/jpeg,image/png,image/webp', capture: camera ? 'environment' : null });
    input.addEventListener('change', () => {
      const [file] = input.files;
      input.value = ''; // so that the same photo can be chosen again
      if (file) this.#taken(file);
    });
    return html('label', { class: camera ? 'button primary' : 'button' }, input, icon(symbol), html('span', {}, words));
  }

  draw() {
    if (this.follows !== null) this.layout = seasonsLayout(this.follows);
    const rows = rowsOf(this.layout);
    this.drawing.style.gridTemplateColumns = `repeat(${rows[0].length}, 1fr)`;
    this.drawing.setAttribute('aria-label', this.layout);
    drawCells(this.drawing, rows.flatMap((words, row) => words.map((label, col) => button({
      class: label === '.' ? 'teach-cell teach-empty' : 'teach-cell', 'data-cell': `${row},${col}`,
      'aria-label': `${placeOf(row, col)}: ${wordOf(board, label)}`,
      onclick: () => this.#pick(row, col, label),
    }, label === '.' ? null : drawn(label)))));
    this.text.value = this.layout;
  }

  #relaid() {
    const words = this.text.value.replaceAll('\n', ' / ').split('/').map((row) => row.trim().split(/\s+/).join(' ')).filter(Boolean);
    this.#lie(words.join(' / ') || this.layout);
  }

  /** Another layout than before, which somebody chose. */
  #lie(layout) {
    this.layout = layout;
    this.follows = null;
    this.lie();
  }

  /** Draws the layout as it is now; the photo is looked at anew. */
  lie() {
    this.draw();
    if (this.photo) this.check();
    else changed();
  }

  /** Asks what lies on a cell. */
  #pick(row, col, label) {
    const rows = rowsOf(this.layout);
    choose(`${placeOf(row, col)}: ${wordOf(board, label)}`, label, (chosen) => {
      rows[row][col] = chosen;
      this.#lie(textOf(rows));
      this.drawing.querySelector(`[data-cell="${row},${col}"]`).focus();
    });
  }

  /** Rows and columns of a board of one's own. */
  #sizes() {
    if (board !== 'custom') return null;
    const change = (how) => () => {
      const rows = rowsOf(this.layout);
      how(rows);
      if (rows.length && rows[0].length) this.#lie(textOf(rows));
    };
    const chip = (label, how) => button({ class: 'chip', onclick: change(how) }, label);
    return html('div', { class: 'review-tools' },
      chip(t('One row more'), (rows) => rows.push(rows[0].map(() => '.'))),
      chip(t('One row less'), (rows) => rows.pop()),
      chip(t('One column more'), (rows) => rows.forEach((words) => words.push('.'))),
      chip(t('One column less'), (rows) => rows.forEach((words) => words.pop())));
  }

  async #taken(file) {
    this.photo = null;
    this.view.hidden = true;
    const run = this.#begin(t('Preparing the photo…'));
    try {
      const preparing = prepared(file);
      lastLook = Promise.all([lastLook, preparing.catch(() => {})]);
      const photo = await preparing;
      if (run === this.run) this.show(photo);
    } catch (error) {
      if (run !== this.run) return;
      this.aim.hidden = true;
      this.#say(error.message, false);
    }
  }

  /** Takes over a photo, and where a person said that its grid is. */
  show(photo, corners = '') {
    Object.assign(this, { photo, corners });
    if (this.view.src) URL.revokeObjectURL(this.view.src);
    this.view.src = URL.createObjectURL(photo);
    this.view.hidden = false;
    this.check();
  }

  /** Begins something with the photo; what was begun before is for nobody any more. */
  #begin(words) {
    this.good = false;
    this.run = {};
    this.again.hidden = true;
    this.#say(words, true);
    changed();
    return this.run;
  }

  /** Asks whether this photo alone shows its layout. */
  async check() {
    const run = this.#begin(t('Looking at the photo…'));
    try {
      const answer = await lookAt(formOf([this], false), (words) => this.#say(words, false), () => run === this.run);
      if (run !== this.run) return;
      const count = answer.faces.reduce((sum, face) => sum + face.crops.length, 0);
      this.good = true;
      this.aim.hidden = true;
      this.#say(tn('1 piece found.', '%(n)s pieces found.', count), true);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (run !== this.run) return;
      this.aim.hidden = error.isLater;
      this.again.hidden = !error.isLater;
      this.#say(error.message, false);
    }
    refresh();
  }

  #say(words, good) {
    this.said.hidden = false;
    this.said.className = `teach-said ${good ? 'good' : 'bad'}`;
    this.said.replaceChildren(icon(good ? 'check' : 'warn'), html('span', {}, words));
    this.element.classList.toggle('good', good && this.good);
    this.element.classList.toggle('bad', !good);
  }

  async #aim() {
    const size = await sizeOf(this.view.src);
    if (!size) return;
    const rows = rowsOf(this.layout);
    const corners = new Corners($('aim-view'));
    const dialog = $('aim');
    corners.open({ url: this.view.src, ...size }, rows.length, rows[0].length, this.corners);
    $('aim-turn').onclick = () => corners.turn();
    $('aim-back').onclick = () => dialog.close();
    $('aim-done').onclick = () => {
      this.corners = corners.text;
      dialog.close();
      this.check();
    };
    dialog.showModal();
  }

  #remove() {
    if (this.view.src) URL.revokeObjectURL(this.view.src);
    lessons.splice(lessons.indexOf(this), 1);
    this.element.remove();
    this.run = null;
    changed();
  }
}

/** Opens a sheet with all pieces, those of other photos too; *done* gets the chosen one. */
function choose(title, label, done) {
  const known = JSON.parse(page.dataset.labels);
  const used = lessons.flatMap((lesson) => rowsOf(lesson.layout).flat());
  const labels = known.length ? known : [...new Set([...used, '.'])];
  const sheet = pieceSheet({
    title: t('What lies here?'),
    hint: title,
    labels,
    now: label,
    drawn: (one) => [one === '.' || board === 'custom' ? null : drawn(one), html('span', {}, wordOf(board, one))],
    isMany: true,
    mayType: !known.length,
    done,
  });
  document.body.append(sheet);
  sheet.showModal();
}

/** The board of one's own in TOML: as a file says it, or as the fields do. */
function description() {
  const written = $('spec').value.trim();
  if (written) return written;
  const all = (name) => [...document.querySelectorAll(`#spec-fields [data-field=${name}]`)];
  const pair = (name) => `[${all(name).map((input) => Number(input.value)).join(', ')}]`;
  return `name = ${JSON.stringify(all('name')[0].value.trim())}\nrows = ${pair('rows')}\ncols = ${pair('cols')}\n`
    + `empty = ${all('empty')[0].checked}\nturns = ${all('turns')[0].value}\n`;
}

/** The photos for the server, with their layouts; with or without what the profile knows already. */
function formOf(chosen, withBase) {
  const form = new FormData();
  for (const lesson of chosen) {
    form.append('photo', lesson.photo, t('photo %(n)s', { n: lessons.indexOf(lesson) + 1 }));
    form.append('layout', lesson.layout);
    form.append('corners', lesson.corners);
  }
  if ($('spec')) form.append('spec', description());
  if (add && withBase) form.append('add', add);
  return form;
}

/** Lets the server look at photos, one request at a time, until it answers; *say* gets what is said while it does not. */
function lookAt(form, say, isWanted) {
  const asking = () => ask(page.dataset.look, { method: 'POST', body: form });
  const look = lastLook.then(() => isWanted() && persistently(asking, (silence) => isWanted() && say(`${silence} ${SENT_AGAIN}`), isWanted));
  lastLook = look.catch(() => {});
  return look;
}

const ready = () => lessons.filter((lesson) => lesson.good);

function countReady() {
  $('look').disabled = !ready().length;
  $('status').textContent = tn('1 photo is ready.', '%(n)s photos are ready.', ready().length);
}

/** Numbers the lessons, and hides what was learnt from other photos than these. */
function refresh() {
  learning = { key: newKey() };
  lessons.forEach((lesson, at) => {
    lesson.title.textContent = t('Photo %(n)s of %(all)s', { n: at + 1, all: lessons.length });
  });
  countReady();
  $('save').disabled = false;
  $('problem').hidden = true;
  $('more').hidden = lessons.length >= Number(page.dataset.most);
  $('sheet').hidden = true;
  $('work').hidden = false;
  $('bar').hidden = false;
}

/** What a person changed stays over a reload and a change of the language. */
function changed() {
  refresh();
  keeping = keepWork(here, { fields: draft?.values ?? [], lessons: lessons.map(({ layout, follows, corners, photo }) => ({ layout, follows, corners, photo })) });
}

function append(lesson) {
  lessons.push(lesson);
  $('lessons').append(lesson.element);
}

function face({ label, word, crops }) {
  const drawing = drawn(label);
  return html('div', { class: 'teach-face' },
    html('h3', {}, drawing instanceof SVGElement ? drawing : null, html('span', {}, word)),
    html('div', { class: 'teach-crops' }, ...crops.map(({ picture, odd }) => html('img', {
      class: odd ? 'teach-crop odd' : 'teach-crop', src: picture, width: 64, height: 64,
      alt: odd ? t('%(what)s, looks more like another face', { what: word }) : word,
    }))));
}

function complain(error) {
  if (!(error instanceof Refusal)) throw error;
  $('problem').textContent = error.message;
  $('problem').hidden = false;
  $('problem').scrollIntoView({ block: 'center' });
}

async function look() {
  $('problem').hidden = true;
  $('look').disabled = true;
  for (let last; last !== lastLook;) await (last = lastLook); // photos that are being prepared or looked at count
  const mine = learning;
  const isWanted = () => mine === learning;
  $('look').disabled = true;
  $('status').textContent = t('Learning…');
  try {
    const answer = await lookAt(formOf(ready(), true), (words) => { $('status').textContent = words; }, isWanted);
    if (!isWanted()) return;
    const said = answer.warnings.map((words) => html('li', {}, icon('warn'), html('span', {}, words)));
    $('warnings').replaceChildren(...said.slice(0, MOST_SAID));
    $('more-warnings').replaceChildren(...said.slice(MOST_SAID));
    const isOdd = ({ crops }) => crops.some(({ odd }) => odd);
    $('faces').replaceChildren(...[...answer.faces.filter(isOdd), ...answer.faces.filter((one) => !isOdd(one))].map(face));
    $('sheet').hidden = false;
    $('work').hidden = true;
    $('bar').hidden = true;
    window.scrollTo(0, 0);
    $('sheet-title').focus();
    countReady();
  } catch (error) {
    if (!isWanted()) return;
    countReady();
    complain(error);
  }
}

async function save(event) {
  event.preventDefault();
  const mine = learning;
  const isWanted = () => mine === learning;
  $('problem').hidden = true;
  $('save').disabled = true;
  const form = formOf(ready(), true);
  form.append('name', add || $('name').value);
  form.append('key', mine.key); // by it the server keeps it once
  if (page.dataset.game) form.append('game', page.dataset.game);
  if ($('replace')?.checked) form.append('replace', '1');
  try {
    const answer = await persistently(() => ask(page.dataset.save, { method: 'POST', body: form }),
      (silence) => isWanted() && complain(new Refusal('unreachable', `${silence} ${t('The copy is saved as soon as it answers.')}`)), isWanted);
    await keepWork(here, null);
    location.assign(answer.page);
  } catch (error) {
    if (!isWanted()) return;
    $('save').disabled = false;
    complain(error);
  }
}

function askForNumbers() {
  $('numbers').replaceChildren(...SIDES().map((side, at) => html('label', { class: 'field' }, html('span', {}, side),
    html('select', {}, ...['1', '2', '3', '4'].map((n) => html('option', { value: n, selected: Number(n) === at + 1 }, n))))));
  for (const select of [$('hand'), ...$('numbers').querySelectorAll('select')]) {
    select.addEventListener('change', () => { for (const lesson of lessons) if (lesson.follows !== null) lesson.lie(); });
  }
}

function another() {
  if (board === 'seasons') return new Lesson('', 0);
  const layouts = JSON.parse(page.dataset.layouts);
  return new Lesson(layouts[lessons.length % Math.max(1, layouts.length)] ?? CUSTOM_LAYOUT);
}

/** Lays the lessons out: as they were before a reload, or those to begin with. */
async function begin() {
  if (board === 'seasons') askForNumbers();
  if ($('described')) draft = new Draft($('described'));
  const work = await keptWork(here);
  if (work) {
    draft?.fill(work.fields);
    for (const { layout, follows } of work.lessons) append(new Lesson(layout, follows));
    work.lessons.forEach(({ photo, corners }, at) => photo && lessons[at].show(photo, corners));
  } else {
    for (const follows of [0, 1]) append(board === 'seasons' ? new Lesson('', follows) : another());
  }
  refresh();
}

$('more').addEventListener('click', () => {
  const lesson = another();
  append(lesson);
  changed();
  lesson.element.scrollIntoView({ block: 'start' });
});
$('look').addEventListener('click', look);
$('back').addEventListener('click', refresh);
$('keep').addEventListener('submit', save);
for (const field of document.querySelectorAll('#spec, [data-field]')) {
  field.addEventListener('change', () => { for (const lesson of lessons) if (lesson.photo) lesson.check(); });
}
$('described')?.addEventListener('change', changed);
const languages = document.querySelector('.languages');
languages.addEventListener('submit', async (event) => { // loads the page anew: not before all is kept
  event.preventDefault();
  await keeping;
  const chosen = html('input', { type: 'hidden', name: 'language', value: event.submitter.value });
  languages.append(chosen);
  languages.submit();
  chosen.remove(); // a page that comes back asks anew
});
await begin();
document.body.dataset.ready = '';
