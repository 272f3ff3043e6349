// The quick look: takes a photo in, and shows what was read; that part is loaded while the first photo is sent.

import { samplePhoto } from './api.js';
import { closable, html } from './draw.js';
import { kept } from './keep.js';
import { Upload } from './review/upload.js';

const $ = (id) => document.getElementById(id);
const facts = JSON.parse($('facts').textContent);
let made = null; // the result, once it is loaded

const upload = new Upload({
  address: '/api/read',
  fields: () => ({ board: $('board-name').value, profile: $('profile')?.value }),
  show: (_, body, foot) => {
    show('way');
    $('way').replaceChildren(...body, html('div', { class: 'way-foot' }, ...foot));
    $('way').focus({ preventScroll: true });
  },
  onRead: async (reading) => (await result()).read(reading),
  onRefused: (error) => {
    show('start');
    $('refused').replaceChildren(...upload.refusal(error, facts.spec));
    $('refused').hidden = false;
    $('refused').focus();
  },
  leave: () => show('start'),
});

function show(section) {
  for (const id of ['start', 'way', 'result']) $(id).hidden = id !== section;
  for (const id of ['undo', 'redo', 'again']) $(id).hidden = section !== 'result';
  window.scrollTo(0, 0);
}

async function result() {
  made ??= import('./look.js').then(({ Look }) => new Look({ ...facts, upload, show }));
  return made;
}

function take(original) {
  $('refused').hidden = true;
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
  await (await result()).comeBack(before.grid);
  return true;
}

show('start');
comeBack().catch(() => show('start')).then((back) => {
  document.body.dataset.ready = 'true';
  if (!back && window.location.hash === '#try') $('try')?.click(); // the start page leads here with a sample
});
