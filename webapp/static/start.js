// The start page: its first button takes a photo, which the quick look reads.

import { carry, hand } from './handover.js';

const form = document.getElementById('snap');

for (const input of form.querySelectorAll('input[type=file]')) {
  input.addEventListener('change', async () => {
    const [file] = input.files;
    if (!file) return;
    if (await hand(file)) {
      input.value = ''; // whoever comes back may choose the same photo again
      window.location.assign(`${form.dataset.look}#photo`);
    } else {
      form.submit(); // the browser keeps nothing: the page without scripts reads it
    }
  });
}
window.addEventListener('pagehide', () => carry(null)); // whoever was here starts no game of the photo
document.body.dataset.ready = 'true';
