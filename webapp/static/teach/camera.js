// Calibrates the camera of this phone: its photos of the sheet are shrunk here and looked at by the server.

import { ask, Refusal } from '../api.js';
import { $, html, icon } from '../draw.js';
import { sentences, t } from '../i18n.js';
import { shrunk } from '../review/photo.js';

const form = $('calibrate');
const said = $('said');

function say(words, kind) {
  said.hidden = false;
  said.className = `teach-said ${kind}`;
  said.replaceChildren(icon(kind === 'bad' ? 'warn' : 'check'), html('span', {}, words));
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('[type=submit]');
  button.disabled = true;
  say(t('Looking at the photos…'), 'good');
  try {
    const body = new FormData();
    for (const file of $('photos').files) body.append('photo', await shrunk(file), 'photo');
    body.append('name', $('camera-name').value);
    if ($('replace').checked) body.append('replace', '1');
    const answer = await ask(form.dataset.send, { method: 'POST', body });
    const done = t('Done: %(n)s photos were used. This device reads with it from now on.', { n: answer.photos });
    say(sentences([done, ...answer.left_out]), 'good');
    setTimeout(() => location.reload(), 1500 + 3000 * answer.left_out.length);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    say(error.message, 'bad');
  } finally {
    button.disabled = false;
  }
});
document.body.dataset.ready = '';
