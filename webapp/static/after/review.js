// The boards of a finished game one after the other: a slider, buttons, and play.

import { $, html, rowsOf, svg } from '../draw.js';
import { sentences, t } from '../i18n.js';

const SIDE = 64; // of a cell, as the server draws boards
const GAP = 4;
const STEP_MS = 1200;

const { kind, players, moments, short } = JSON.parse($('course').textContent);
const slider = $('at');
let playing = null;

function cellArt(word, row, col) {
  const box = { x: col * SIDE + GAP / 2, y: row * SIDE + GAP / 2, width: SIDE - GAP, height: SIDE - GAP };
  const up = kind === 'time' ? word.split('/')[0] : word;
  const symbol = kind === 'stones' ? `stone-${word}` : `piece-${kind}-${up === '?' ? 'unknown' : up}`;
  if (word === '.') return svg('rect', { class: 'drawn-blank', rx: 9, ...box });
  if ($(symbol)) return svg('use', { href: `#${symbol}`, ...box });
  return svg('g', {}, svg('rect', { class: 'drawn-word', rx: 9, ...box }),
    svg('text', { class: 'drawn-text', x: box.x + box.width / 2, y: box.y + box.height / 2 + 5 }, short[word]));
}

function boardArt(text, changed, says) {
  const rows = rowsOf(text);
  const width = SIDE * Math.max(...rows.map((words) => words.length));
  return svg('svg', { class: `drawn-board ${kind}`, viewBox: `0 0 ${width} ${SIDE * rows.length}`, role: 'img', 'aria-label': says },
    ...rows.flatMap((words, row) => words.map((word, col) => cellArt(word, row, col))),
    ...changed.map(([row, col]) => svg('rect', { class: 'drawn-mark', x: col * SIDE + 2, y: row * SIDE + 2, width: SIDE - 4, height: SIDE - 4, rx: 10 })));
}

function show(at) {
  const moment = moments[at];
  slider.value = String(at);
  slider.setAttribute('aria-valuetext', moment.title);
  $('moment-title').textContent = moment.title;
  $('moment-says').textContent = sentences(moment.says) || moment.words;
  $('moment-words').textContent = moment.says.length ? moment.words : '';
  $('boards').replaceChildren(...moment.boards.map(({ seat, text, changed, says }) =>
    html('figure', {}, boardArt(text, changed, says), seat === null ? null : html('figcaption', {}, players[seat]))));
  $('boards').dataset.count = String(moment.boards.length);
  $('moment-scores').replaceChildren(...players.map((name, seat) =>
    html('li', {}, html('span', {}, name), html('b', {}, String(moment.scores[seat] ?? 0)))));
  $('earlier').disabled = at === 0;
  $('later').disabled = at === moments.length - 1;
}

const at = () => Number(slider.value);

function stop() {
  clearInterval(playing);
  playing = null;
  $('play-label').textContent = t('Play');
  $('play').setAttribute('aria-pressed', 'false');
}

function play() {
  if (playing) return stop();
  if (at() === moments.length - 1) show(0);
  $('play-label').textContent = t('Stop');
  $('play').setAttribute('aria-pressed', 'true');
  playing = setInterval(() => {
    show(at() + 1);
    if (at() === moments.length - 1) stop();
  }, STEP_MS);
}

const go = (to) => { stop(); show(Math.max(0, Math.min(moments.length - 1, to))); };

slider.addEventListener('input', () => go(at()));
$('earlier').addEventListener('click', () => go(at() - 1));
$('later').addEventListener('click', () => go(at() + 1));
$('play').addEventListener('click', play);
for (const link of document.querySelectorAll('[data-moment]')) {
  link.addEventListener('click', () => {
    go(Number(link.dataset.moment));
    slider.focus();
  });
}
show(moments.length - 1);
document.body.dataset.ready = 'true';
