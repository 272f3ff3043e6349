// The quick look: takes a photo in, and shows what was read; that part is loaded while the first photo is sent.

import { persistently, Refusal, samplePhoto, UNREACHABLE } from './api.js';
import { $, button, closable, html } from './draw.js';
import { t } from './i18n.js';
import { forget, handed, kept } from './keep.js';
import { Upload } from './review/upload.js';

const AUTO = 'auto';
const facts = JSON.parse($('facts').textContent);
const readable = Object.entries(facts.boards).filter(([name]) => facts.specs[name] || name === 'cards');
let made = null; // the result, once it is loaded
let board = AUTO; // what is asked for with the photo

const upload = new Upload({
  address: '/api/read',
  fields: () => ({ board }),
  show: (_, body, foot) => {
    show('way');
    $('way').replaceChildren(...body, html('div', { class: 'way-foot' }, ...foot));
    $('way').focus({ preventScroll: true });
  },
  onRead: async (reading) => (await result()).read(reading),
  onRefused: (error) => refused(error),
  leave: () => show('start'),
});

function show(section) {
  for (const id of ['start', 'way', 'result']) $(id).hidden = id !== section;
  $('refused').hidden = true;
  for (const id of ['undo', 'redo', 'again']) $(id).hidden = section !== 'result';
  window.scrollTo(0, 0);
}

/** The part that shows the result; where it does not come, it is asked for again, as the photo is sent again. */
function result() {
  let attempt = 0;
  const load = () => import(`./look.js?${attempt}`).catch(() => { // browsers never ask for the same address again
    attempt += 1;
    throw new Refusal('unreachable', UNREACHABLE);
  });
  made ??= persistently(load, () => {}).then(({ Look }) => new Look({ ...facts, readable, upload, show, readAs }));
  return made;
}

function readAs(other) {
  board = other;
  upload.send(upload.file, upload.shape);
}

/** Says why nothing was read, asks which game it is, and leads back to what was read of the photo before. */
async function refused(error) {
  const wasAuto = board === AUTO;
  const [likeliest] = (error.answer?.kinds ?? []).map(([name]) => name).filter((name) => facts.specs[name]);
  const mayAsk = wasAuto && error.status === 422 && upload.shown;
  if (mayAsk) board = likeliest ?? Object.keys(facts.specs)[0]; // whose corners are shown
  const before = await kept();
  show('start');
  $('refused').replaceChildren(...upload.refusal(error, facts.specs[board]), ...mayAsk ? [
    html('p', { class: 'hint' }, t('Or say which game it is:')),
    html('div', { class: 'kind-others' }, ...readable.map(([name, title]) => button({
      class: 'chip', 'data-read-as': name, onclick: () => readAs(name),
    }, title))),
  ] : [], before ? button({ class: 'button big', 'data-back': true, onclick: () => comeBack().catch(refused) }, t('Back to what was read')) : '');
  $('refused').hidden = false;
  $('refused').focus();
}

function take(original) {
  forget(); // the photo before
  board = $('board-name').value;
  result();
  upload.send(original);
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

closable(document.querySelectorAll('dialog'));
document.addEventListener('dragover', (event) => event.preventDefault());
document.addEventListener('drop', (event) => {
  event.preventDefault();
  const file = upload.dropped(event);
  if (file) take(file);
});

/** The photo and the corrections as they were before a reload, or before another game was asked for. */
async function comeBack() {
  const before = await kept();
  if (!before) return false;
  await upload.open(before.file);
  if (!upload.shown.width) return false;
  await (await result()).comeBack(before);
  return true;
}

/** What the page begins with: a photo of the start page, a sample, or what was there before a reload. */
async function begin() {
  const { hash } = window.location;
  const photo = hash === '#photo' ? await handed() : null;
  if (hash) window.history.replaceState(null, '', window.location.pathname);
  if (photo) return take(photo);
  const back = await comeBack();
  return !back && hash === '#try' ? $('try')?.click() : undefined;
}

show('start');
begin().catch(refused).then(() => { document.body.dataset.ready = 'true'; });
