// The big screen: takes the page anew whenever the game has changed, and keeps the screen on.

import { $ } from '../draw.js';
import { Refusal, UNREACHABLE } from '../api.js';
import * as live from '../live.js';
import * as signals from './signals.js';
import { showing } from './timer.js';

const { code } = document.body.dataset;
const showTimer = showing($('timer'));

const partOf = (page) => page.getElementById('screen');

/** The page as it is now, in place of a snapshot. */
async function look() {
  let response;
  try {
    response = await fetch(`/g/${code}/screen`);
  } catch {
    throw new Refusal('unreachable', UNREACHABLE);
  }
  if (response.status >= 500) throw new Refusal('unreachable', UNREACHABLE); // a proxy, while the server starts
  const view = partOf(new DOMParser().parseFromString(await response.text(), 'text/html'));
  if (!view) throw new Refusal('not_a_member', '', 403); // it asks to join, or says that there is no such game
  return { version: Number(view.dataset.version), view };
}

function show({ view }) {
  const news = view.querySelector('#news');
  const now = $('news');
  if (now.textContent !== news.textContent) now.textContent = news.textContent; // the same element, so that it is heard of once
  news.replaceWith(now);
  $('screen').replaceWith(view);
  clock();
}

function clock() {
  const { left } = $('screen').dataset;
  showTimer(left ? { left_ms: Number(left) } : null);
}

signals.listen();
clock();
live.connect({
  code,
  first: { version: Number($('screen').dataset.version) },
  look,
  onChange: show,
  onGone: () => window.location.reload(),
});
document.body.dataset.ready = 'true';
