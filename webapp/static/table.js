// The table of a game: who is there, undo and redo, the invitation, and the game's own page within.

import { ask, Refusal, send } from './api.js';
import * as signals from './around/signals.js';
import { showing } from './around/timer.js';
import { dropDrafts } from './draft.js';
import { $, button, closable, html, onTravel } from './draw.js';
import { keepFocus } from './focus.js';
import { sentences, t } from './i18n.js';
import { bringAlong } from './carry.js';
import { carry } from './handover.js';
import * as live from './live.js';
import { changed, leftOpen, photograph } from './review/dialog.js';

const { code, play } = document.body.dataset;
const ROLES = { host: t('host'), player: t('plays'), viewer: t('watches'), removed: t('was taken out') };

let game = JSON.parse($('game').textContent);
let update = () => {};
let unfinished = () => ''; // what speaks against finishing now, in words
let added = null; // the member for whom a seat is added, if there is one
let leaving = false; // whether this device ends its part: then no news of that reload the page
let sheets = []; // that are open, the topmost last
let lost = null; // timer: short gaps in the connection are nobody's business

/** Lets a text be heard; the same one again, too. */
function say(text) { $('status').replaceChildren(text); }

/** Shows what was refused. */
function notice(text) {
  $('notice-text').textContent = text;
  $('notice').hidden = false;
}

/** Keeps refusals and the connection in sight: in the topmost sheet, or on the page. A refusal ends with its sheet. */
function followSheets(changes) {
  sheets = [...sheets, ...changes.map(({ target }) => target)]
    .filter((sheet, at, all) => sheet.matches(':modal') && all.lastIndexOf(sheet) === at);
  const told = $('told');
  const holder = told.closest('dialog');
  if (holder && !holder.open) $('notice').hidden = true;
  const sheet = sheets.at(-1) ?? null;
  if (holder === sheet) return;
  if (sheet) sheet.prepend(told);
  else $('status').after(told);
}

/** Runs something that the server may refuse, and shows the refusal. */
async function trying(doing) {
  $('notice').hidden = true;
  try {
    return await doing();
  } catch (error) {
    notice(error instanceof Refusal ? error.message : t('Something went wrong on this page: please reload it.'));
    throw error;
  }
}

const quietly = (doing) => () => trying(doing).catch((error) => { if (!(error instanceof Refusal)) throw error; });

/** Shows what happened last, and lets it be heard of once; what happened before the page came is only shown. */
function tellNews(older, { news }) {
  const fresh = news.filter(({ version }) => version > older.version);
  const told = sentences((fresh.length ? fresh : news.slice(-1)).map(({ says }) => says));
  if (fresh.length || $('news').hidden) $('news').textContent = told;
  if (fresh.length) say(told);
  $('news').hidden = !told;
}

/** Shows pieces as a copy shows them that was taught or chosen meanwhile. */
async function lookAtPieces() {
  const page = new DOMParser().parseFromString(await (await fetch(window.location.pathname)).text(), 'text/html');
  $('own-pieces').replaceWith(page.getElementById('own-pieces'));
  update(game);
}

/** A signal for whoever's turn begins. */
function tellTurn(older, newer) {
  const { seat } = newer.you;
  if (seat !== null && newer.you.role !== 'viewer' && newer.turn === seat && older.turn !== seat) signals.signal('turn');
}

function show(newer) {
  tellNews(game, newer);
  tellTurn(game, newer);
  const isBesides = newer.version > game.version && newer.last.at === game.last.at; // people, the timer, or the copy
  if (newer.last.at !== game.last.at) changed();
  game = newer;
  if (isBesides && $('own-pieces')) lookAtPieces().catch(() => {}); // the words for them stay until the next time
  showTimer(game.timer);
  $('timer-stop').hidden = !game.timer;
  $('timer-buttons').hidden = game.you.role === 'viewer';
  $('undo').disabled = !game.can_undo;
  $('redo').disabled = !game.can_redo;
  $('watching').hidden = game.you.role !== 'viewer';
  $('finished').hidden = !game.finished;
  const [verdict = '', ...more] = game.ending;
  $('verdict').textContent = verdict;
  $('ending').textContent = sentences(more);
  $('play-again').hidden = Boolean(game.next) || game.you.role === 'viewer';
  $('next-game').hidden = !game.next;
  $('next-game').href = `/g/${game.next}`;
  $('door-closed').hidden = game.open;
  const isHost = game.you.role === 'host';
  $('finish').hidden = !isHost;
  $('finish').textContent = game.finished ? t('Play on') : t('Finish the game');
  $('door').hidden = !isHost;
  $('door').textContent = game.open ? t('Close the game to new people') : t('Let people join again');
  $('delete').hidden = !isHost;
  $('add-player').hidden = !game.can_add_player;
  $('remove-viewers').hidden = !isHost || game.members.filter(({ role }) => role === 'viewer').length < 2;
  $('leave').hidden = game.members.filter(({ role }) => role !== 'removed').length < 2;
  $('who-am-i').textContent = t('You are %(name)s (%(role)s).', { name: labelOf(game.you), role: ROLES[game.you.role] });
  $('members').replaceChildren(...game.members.map(memberRow));
  update(game);
}

/** A member's name, numbered where several have the same one. */
function labelOf({ id, name }) {
  const same = game.members.filter((one) => one.name === name).map((one) => one.id);
  return same.length > 1 ? t('%(name)s (%(n)s)', { name, n: same.indexOf(id) + 1 }) : name;
}

function memberRow(member) {
  const mayChange = game.you.role === 'host' && member.role !== 'host';
  const mayGive = game.you.role === 'player' && member.role === 'viewer';
  const row = html('li', {},
    html('span', { class: 'member-name' }, labelOf(member)),
    html('span', { class: 'hint' }, member.id === game.you.id ? t('you') : ROLES[member.role]));
  if (mayGive) {
    row.append(button({
      class: 'chip',
      onclick: quietly(() => live.order(`members/${member.id}`, { role: 'player', seat: game.you.seat })),
    }, t('Let play on my seat')));
  }
  if (!mayChange) return row;
  const seats = html('select', {
    'aria-label': t('What %(name)s may do', { name: labelOf(member) }),
    onchange: (event) => {
      const { value } = event.target;
      quietly(() => change(member, value))();
    },
  },
  member.role === 'removed' ? html('option', { value: '', selected: true, disabled: true }, ROLES.removed) : null,
  html('option', { value: 'viewer', selected: member.role === 'viewer' }, ROLES.viewer),
  ...game.players.map((player) => html('option',
    { value: String(player.seat), selected: member.role === 'player' && member.seat === player.seat },
    t('plays as %(name)s', { name: player.name }))),
  html('option', { value: 'host' }, t('hosts, too')),
  html('option', { value: 'instead' }, t('hosts in your place')));
  row.append(seats);
  if (member.role === 'removed') return row;
  if (member.role === 'viewer' && game.can_add_player) {
    row.append(button({ class: 'chip', onclick: () => openAdd(member) }, t('Give a new seat')));
  }
  row.append(button({ class: 'chip', onclick: quietly(() => remove(member)) }, t('Remove')));
  return row;
}

/** Does what the host chose for somebody: a role, a seat, or the host's own place. */
async function change(member, value) {
  if (value === 'instead') {
    const name = labelOf(member);
    if (await sure({ title: t('Hand the game over to %(name)s?', { name }), yes: t('Hand over') })) {
      await live.order(`members/${member.id}/host`, {});
    }
    return;
  }
  await live.order(`members/${member.id}`, value in ROLES ? { role: value } : { role: 'player', seat: Number(value) });
}

/** Opens the sheet that adds a player; for somebody who watches, or for one without a device. */
function openAdd(member = null) {
  added = member;
  $('add-name').value = member?.name ?? '';
  const taken = new Set(game.players.map(({ colour }) => colour));
  const options = [...$('add-colour')?.options ?? []];
  for (const option of options) option.hidden = option.disabled = 'distinct' in $('add-colour').dataset && taken.has(option.value);
  const free = options.find((option) => !option.disabled && !taken.has(option.value)) ?? options.find((option) => !option.disabled);
  if (free) free.selected = true;
  $('add-sheet').showModal();
  $('add-name').focus();
}

async function addPlayer() {
  const seat = game.players.length;
  const member = added;
  await live.act({ type: 'player', name: $('add-name').value, colour: $('add-colour')?.value ?? null });
  $('add-sheet').close();
  if (member) await live.order(`members/${member.id}`, { role: 'player', seat });
}

async function leave() {
  if (!await sure({
    title: t('Leave this game?'),
    hint: t('What was done on this device stays. You can join again with the code.'),
    yes: t('Leave'),
    danger: true,
  })) return;
  await leaveAfter(() => live.order('leave', {}));
}

/** Does what ends this device's part in the game, then shows the start page. */
async function leaveAfter(request) {
  leaving = true;
  try {
    await request();
  } catch (error) {
    leaving = false;
    throw error;
  }
  window.location.assign('/');
}

/** Asks before something that counts for everybody; resolves with whether it is wanted. */
function sure({ title, hint = '', yes, danger = false }) {
  $('sure-title').textContent = title;
  $('sure-hint').textContent = hint;
  $('sure-yes').textContent = yes;
  $('sure-yes').className = `button ${danger ? 'danger' : 'primary'}`;
  $('sure-sheet').returnValue = '';
  $('sure-sheet').showModal();
  return new Promise((done) => {
    $('sure-sheet').addEventListener('close', () => done($('sure-sheet').returnValue === 'yes'), { once: true });
  });
}

async function finish() {
  const hint = sentences([unfinished(), t('Nobody can change it afterwards; the host can still play on.')]);
  if (!await sure({ title: t('Finish the game for everybody?'), hint, yes: t('Finish the game') })) return;
  await live.act({ type: 'finish' });
  $('menu-sheet').close();
}

async function door() {
  if (game.open && !await sure({
    title: t('Close the game to new people?'),
    hint: t('Nobody can join with the code until the host opens it again. Who is at the table stays.'),
    yes: t('Close it'),
  })) return;
  await live.order('door', { open: !game.open });
}

async function remove(member) {
  const name = labelOf(member);
  if (!await sure({
    title: t('Remove %(name)s from the game?', { name }),
    hint: t('What was done on that phone stays. Nobody new can join until the host lets people in again.'),
    yes: t('Remove'),
    danger: true,
  })) return;
  await live.order(`members/${member.id}`, {}, 'DELETE');
}

async function removeViewers() {
  if (!await sure({
    title: t('Remove all who watch from the game?'),
    hint: t('Whoever plays stays. Nobody new can join until the host lets people in again.'),
    yes: t('Remove'),
    danger: true,
  })) return;
  await live.order('viewers', {}, 'DELETE');
}

async function deleteGame() {
  if (!await sure({
    title: t('Delete this game for everybody?'),
    hint: sentences([
      t('Its scores, photos and corrections are deleted for good. This cannot be undone.'),
      t('Names stay in People on each device, and backups made before keep the game.'),
    ]),
    yes: t('Delete'),
    danger: true,
  })) return;
  await leaveAfter(() => ask(`/api/games/${code}`, { method: 'DELETE' }));
}

function invite() {
  $('qr').src ||= $('qr').dataset.src;
  $('invite-sheet').showModal();
}

function connection(reached) {
  if (reached) {
    clearTimeout(lost);
    lost = null;
    $('connection').hidden = true;
  } else {
    lost ??= setTimeout(() => { $('connection').hidden = false; }, 1500);
  }
}

$('notice-close').addEventListener('click', () => { $('notice').hidden = true; });
$('undo').addEventListener('click', quietly(() => live.undo().then(() => say(t('Undone.')))));
$('redo').addEventListener('click', quietly(() => live.redo().then(() => say(t('Redone.')))));
$('invite').addEventListener('click', invite);
$('menu').addEventListener('click', () => $('menu-sheet').showModal());
$('finish').addEventListener('click', quietly(() => (game.finished ? live.act({ type: 'resume' }) : finish())));
$('door').addEventListener('click', quietly(door));
$('delete').addEventListener('click', quietly(deleteGame));
$('leave').addEventListener('click', quietly(leave));
$('add-player').addEventListener('click', () => openAdd());
$('remove-viewers').addEventListener('click', quietly(removeViewers));
$('add-form').addEventListener('submit', (event) => {
  event.preventDefault();
  quietly(addPlayer)();
});
for (const button of document.querySelectorAll('[data-seconds]')) {
  button.addEventListener('click', quietly(() => live.order('timer', { seconds: Number(button.dataset.seconds) })));
}
for (const box of document.querySelectorAll('[data-signal]')) {
  const { signal } = box.dataset;
  box.checked = signals.isOn(signal);
  box.closest('label').hidden = !signals.can(signal);
  box.addEventListener('change', () => signals.turn(signal, box.checked));
}
$('sure-yes').addEventListener('click', () => $('sure-sheet').close('yes'));
closable(document.querySelectorAll('dialog'));
new MutationObserver(followSheets).observe(document.body, { subtree: true, attributeFilter: ['open'] });
document.addEventListener('keydown', onTravel((forth) => {
  if (!document.querySelector('dialog[open]')) $(forth ? 'redo' : 'undo').click();
}));

/** What a board is called in the photo dialog. */
function titleOf({ board, seat = null }) {
  if (seat !== null) return t('Board of %(name)s', { name: game.players[seat].name });
  return board === 'custom' ? t('Board: %(name)s', { name: game.view.board.name }) : t('Photograph the board');
}

/** What the game's own script may use. */
const table = {
  code,
  get game() { return game; },
  act: (action, seen) => trying(() => live.act(action, seen)), // as `live.act`
  ask: async (question) => (await trying(() => send(`/api/games/${code}/ask`, { question }))).answer,
  photograph: (options) => trying(() => photograph({ ...options, code, sure, title: titleOf(options) })),
  photoUrl: (id) => `/g/${code}/photo/${id}.jpg`,
  sure,
  finish: () => trying(finish),
  set unfinished(tells) { unfinished = tells; },
  say,
};

keepFocus();
new ResizeObserver(([{ target }]) => { // large letters need a second row
  document.documentElement.style.setProperty('--bar', `${target.offsetHeight}px`);
}).observe(document.querySelector('.bar'));
const showTimer = showing($('timer'), () => say(t('The time is up.')));
signals.listen();
live.connect({
  code,
  first: game,
  onChange: show,
  onConnection: connection,
  onGone: () => leaving || window.location.reload(),
});
if (play) {
  const { mount } = await import(play);
  update = mount(table, $('play')) ?? update;
}
show(game);
if (window.location.hash === '#started' && game.you.role === 'host') { // by the form, in this tab
  window.history.replaceState(null, '', window.location.pathname);
  dropDrafts('/start/');
  quietly(() => bringAlong(game, live.act).then((says) => says && say(says)))();
  if (game.players.length > 1) invite(); // the others scan the code first
} else {
  carry(null);
}
window.addEventListener('pagehide', () => { // the browser may show the page again as it was left
  carry(null);
  leaving = false;
});
const review = leftOpen();
if (review && game.view.may_edit && !game.finished) quietly(() => table.photograph(review))();
document.body.dataset.ready = 'true';
