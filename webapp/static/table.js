// The table of a game: who is there, undo and redo, the invitation, and the game's own page within.

import { ask, Refusal } from './api.js';
import { closable, html, onTravel } from './draw.js';
import { t } from './i18n.js';
import * as live from './live.js';
import { photograph } from './review/dialog.js';

const $ = (id) => document.getElementById(id);
const { code, play } = document.body.dataset;
const ROLES = { host: t('host'), player: t('plays'), viewer: t('watches'), removed: t('was taken out') };
const NEWS_MS = 8000; // how long the page says who came or went

let game = JSON.parse($('game').textContent);
let update = () => {};
let old = null; // timer: news of who came or went is shown for a while
let lost = null; // timer: short gaps in the connection are nobody's business

function say(text) { $('status').textContent = text; }

function notice(text) {
  $('notice-text').textContent = text;
  $('notice').hidden = false;
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

/** Tells who came, went, or changed the seat since the last look. */
function tellOfMembers(older, newer) {
  const before = new Map(older.members.map((one) => [one.id, one]));
  for (const member of newer.members) {
    const was = before.get(member.id);
    if (member.id === newer.you.id || (was?.role === member.role && was?.seat === member.seat)) continue;
    $('news').textContent = t('%(name)s: %(role)s', { name: member.name, role: placeOf(member, newer) });
    $('news').hidden = false;
    clearTimeout(old);
    old = setTimeout(() => { $('news').hidden = true; }, NEWS_MS);
  }
}

function placeOf(member, { players }) {
  return member.role === 'player' ? t('plays as %(name)s', { name: players[member.seat].name }) : ROLES[member.role];
}

/** Says once what somebody else changed: that a board arrived, and whose points are others now. */
function tellOfScores(older, newer) {
  if (newer.version === older.version || newer.last.by === newer.you.name) return;
  const before = older.view.players.map((player) => player.total);
  const told = newer.view.players.filter((player, seat) => player.total !== before[seat])
    .map((player) => t('%(name)s now has %(n)s.', { name: player.name, n: player.total }));
  if (newer.last.type === 'board') told.unshift(t('A board from %(name)s has arrived.', { name: newer.last.by }));
  if (told.length) say(told.join(' '));
}

function show(newer) {
  tellOfMembers(game, newer);
  tellOfScores(game, newer);
  game = newer;
  $('undo').disabled = !game.can_undo;
  $('redo').disabled = !game.can_redo;
  $('watching').hidden = game.you.role !== 'viewer';
  $('finished').hidden = !game.finished;
  $('door-closed').hidden = game.open;
  const isHost = game.you.role === 'host';
  $('finish').hidden = !isHost;
  $('finish').textContent = game.finished ? $('finish').dataset.resume : $('finish').dataset.finish;
  $('door').hidden = !isHost;
  $('door').textContent = game.open ? $('door').dataset.closeDoor : $('door').dataset.openDoor;
  $('delete').hidden = !isHost;
  $('who-am-i').textContent = t('You are %(name)s (%(role)s).', { name: game.you.name, role: ROLES[game.you.role] });
  $('members').replaceChildren(...game.members.map(memberRow));
  update(game);
}

function memberRow(member) {
  const mayChange = game.you.role === 'host' && member.role !== 'host';
  const mayGive = game.you.role === 'player' && member.role === 'viewer';
  const row = html('li', {},
    html('span', { class: 'member-name' }, member.name),
    html('span', { class: 'hint' }, member.id === game.you.id ? t('you') : ROLES[member.role]));
  if (mayGive) {
    row.append(html('button', {
      type: 'button',
      class: 'chip',
      onclick: quietly(() => live.order(`members/${member.id}`, { role: 'player', seat: game.you.seat })),
    }, t('Let play on my seat')));
  }
  if (!mayChange) return row;
  const seats = html('select', {
    'aria-label': t('What %(name)s may do', { name: member.name }),
    onchange: (event) => {
      const { value } = event.target;
      quietly(() => live.order(`members/${member.id}`, value in ROLES
        ? { role: value } : { role: 'player', seat: Number(value) }))();
    },
  },
  member.role === 'removed' ? html('option', { value: '', selected: true, disabled: true }, ROLES.removed) : null,
  html('option', { value: 'viewer', selected: member.role === 'viewer' }, ROLES.viewer),
  ...game.players.map((player) => html('option',
    { value: String(player.seat), selected: member.role === 'player' && member.seat === player.seat },
    t('plays as %(name)s', { name: player.name }))),
  html('option', { value: 'host' }, t('hosts, too')));
  if (member.role === 'removed') {
    row.append(seats);
    return row;
  }
  row.append(seats, html('button', {
    type: 'button',
    class: 'chip',
    onclick: quietly(() => live.order(`members/${member.id}`, {}, 'DELETE')),
  }, t('Remove')));
  return row;
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
$('invite').addEventListener('click', () => {
  $('qr').src ||= $('qr').dataset.src;
  $('invite-sheet').showModal();
});
$('menu').addEventListener('click', () => $('menu-sheet').showModal());
$('finish').addEventListener('click', quietly(async () => {
  await live.act({ type: game.finished ? 'resume' : 'finish' });
  $('menu-sheet').close();
}));
$('door').addEventListener('click', quietly(() => live.order('door', { open: !game.open })));
$('delete').addEventListener('click', () => $('sure-sheet').showModal());
$('delete-really').addEventListener('click', quietly(async () => {
  await ask(`/api/games/${code}`, { method: 'DELETE' });
  window.location.assign('/');
}));
closable(document.querySelectorAll('dialog'));
document.addEventListener('keydown', onTravel((forth) => {
  if (!document.querySelector('dialog[open]')) $(forth ? 'redo' : 'undo').click();
}));

/** What the game's own script may use. */
const table = {
  code,
  get game() { return game; },
  act: (action) => trying(() => live.act(action)),
  undo: () => trying(live.undo),
  redo: () => trying(live.redo),
  photograph: (options) => photograph({ code, ...options }),
  describe: (board) => trying(() => ask(`/api/games/${code}/boards/${encodeURIComponent(board)}`)),
  photoUrl: (id) => `/g/${code}/photo/${id}.jpg`,
  say,
};

live.connect({
  code,
  first: game,
  onChange: show,
  onConnection: connection,
  onGone: () => window.location.reload(),
});
if (play) {
  const { mount } = await import(play);
  update = mount(table, $('play')) ?? update;
}
show(game);
document.body.dataset.ready = 'true';
