// The table of Villagers: chains of cards, both markets, events and the Monastery, each figure with its reasons.

import { html, svg } from '../../draw.js';
import { t, tn } from '../../i18n.js';

const $ = (id) => document.getElementById(id);
const SUIT = {
  grains: t('grains'), wood: t('wood'), hay: t('hay'), ore: t('ore'), grapes: t('grapes'), wool: t('wool'),
  leather: t('leather'), solitary: t('solitary'), special: t('special'),
};
const NOUN = {
  'gold symbol': t('gold symbol'),
  'padlock symbol': t('padlock symbol'),
  food: t('food'),
  builder: t('builder'),
  'card in hand': t('card in hand'),
  'villager with coins on it': t('villager with coins on it'),
  'production chain of 3 or more villagers': t('production chain of 3 or more villagers'),
  'set of 1 ore + 1 hay + 1 wood': t('set of 1 ore + 1 hay + 1 wood'),
  'value of the coins placed on one villager': t('value of the coins placed on one villager'),
  'gold printed on own wood villagers': t('gold printed on own wood villagers'),
  'gold printed on own leather villagers': t('gold printed on own leather villagers'),
  'gold symbols': t('gold symbols'),
  'grain symbol': t('grain symbol'),
  'hay symbols': t('hay symbols'),
  'ore symbols': t('ore symbols'),
  'solitary symbols': t('solitary symbols'),
  'grapes, wool or leather symbol': t('grapes, wool or leather symbol'),
};
const EVENT = {
  developments: [t('Developments'), t('2 gold for each villager in hand.')],
  travellers: [t('Travellers'), t('2 gold on each own villager with a key ring.')],
  caravans: [t('Caravans'), t('All silver scores now.')],
  merchants: [t('Merchants'), t('One production chain scores gold, silver, bronze and coins.')],
  envoys: [t('Envoys'), t('Half the gold of a villager in hand, rounded up; it is then discarded.')],
};
const TAKEN = {
  market: t('First market'), bronze: t('Bronze'), inventor: t('Inventor'), unlock: t('Padlock'),
  ...Object.fromEntries(Object.entries(EVENT).map(([event, [title]]) => [event, title])),
};
const RANK = { hamlet: t('Hamlet'), village: t('Village'), town: t('Town'), capital: t('Capital') };
const METAL = { gold: t('gold'), silver: t('silver'), bronze: t('bronze'), coins: t('coins') };
const METAL_TITLE = { gold: t('Gold'), silver: t('Silver'), bronze: t('Bronze') };
const MOST_SHOWN = 60;

const gold = (n) => t('%(n)s gold', { n });
const picture = (symbol, label = null) => svg('svg', { viewBox: '0 0 32 32', class: 'vil-sign', ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) },
  svg('use', { href: `#${symbol}` }));
const suitPicture = (suit) => picture(`suit-${SUIT[suit] ? suit : 'other'}`);
const nameOf = (name) => (name.endsWith('!') ? t('%(name)s (turned)', { name: name.slice(0, -1) }) : name);

const hidden = (text) => html('span', { class: 'visually-hidden' }, text);

/** What a formula says, in words: "3 per 2 hay symbols". */
function formulaText({ formula, each, per, noun }) {
  if (formula === 'printed') return String(each);
  if (formula === 'half') return t('half of one own silver villager');
  const what = NOUN[noun] ?? noun;
  return per > 1 ? t('%(each)s per %(per)s %(what)s', { each, per, what }) : t('%(each)s per %(what)s', { each, what });
}

/** One reason of a figure, in a sentence. */
function reasonText(reason) {
  switch (reason.kind) {
    case 'covered': return t('Covered by %(by)s: gold, silver, bronze, food and builders do not count.', { by: reason.by.join(t(' and ')) });
    case 'engineered': return t('Covered by %(by)s, but counts again under an Engineer.', { by: reason.by.join(t(' and ')) });
    case 'coins': return t('%(n)s coins on it', { n: reason.amount });
    case 'unvalued': return t('No values of this card are published: it counts 0 here.');
    default:
      if (reason.formula === 'printed') return t('%(metal)s, printed on the card', { metal: METAL_TITLE[reason.kind] });
      if (reason.formula === 'half') return t('%(metal)s: half of the best silver villager, which shows %(n)s', { metal: METAL_TITLE[reason.kind], n: reason.counted });
      return t('%(metal)s: %(formula)s, %(n)s counted', { metal: METAL_TITLE[reason.kind], formula: formulaText(reason), n: reason.counted });
  }
}

/** The small signs of a card, with a name each. */
function signs(card) {
  const found = [];
  for (const metal of ['gold', 'silver', 'bronze']) {
    if (card[metal]) found.push(html('span', { class: 'vil-pair' }, picture(`coin-${metal}`, METAL[metal]), html('span', {}, formulaText(card[metal]))));
  }
  for (let n = 0; n < card.food; n += 1) found.push(picture('sign-food', t('food')));
  for (let n = 0; n < card.builder; n += 1) found.push(picture('sign-builder', t('builder')));
  if (card.lock) found.push(html('span', { class: 'vil-pair' }, picture('sign-lock', t('padlock')), html('span', {}, card.lock)));
  if (card.key) found.push(picture('sign-key', t('key ring')));
  return found;
}

/** Builds the page in *root* once; gives the function that shows a game. */
export function mount(table, root) {
  let game = null;
  let seat = null;
  let market = '2';
  let chosen = null; // the villager that is explained
  let lit = new Set(); // the villagers that a figure counts
  let cards = new Map(); // the deck by name
  let adding = null; // while the card list is open: { goal, on, replace, road, suit }

  const view = () => game.view;
  const player = () => view().players[seat];
  const villager = (id) => player().cards.find((one) => one.id === id);
  const mayEdit = () => view().may_edit;
  const quietly = (promise) => promise.catch(() => null); // the table has told the person
  const act = (type, fields = {}) => table.act({ type, seat, ...fields });
  const button = (label, onclick, more = {}) => html('button', { type: 'button', class: 'chip', onclick, ...more }, label);

  // Players and gold

  function drawTabs() {
    $('vil-tabs').hidden = view().players.length < 2;
    $('vil-tabs').replaceChildren(...view().players.map((one) => html('button', {
      type: 'button',
      'data-seat': one.seat,
      'aria-pressed': String(one.seat === seat),
      onclick: () => { seat = one.seat; chosen = null; lit = new Set(); show(); },
    }, html('span', {}, one.name), html('b', {}, picture('coin-gold', t('gold')), String(one.total)))));
    $('vil-title').textContent = t('Village of %(name)s', { name: player().name });
    const { counts } = player();
    $('vil-signs').replaceChildren(
      sign('sign-food', t('food'), counts.food), sign('sign-builder', t('builders'), counts.builders),
      sign('sign-lock', t('padlocks'), counts.padlocks), sign('coin-gold', t('gold symbols'), counts.gold_symbols),
      ...Object.entries(counts.suits).filter(([suit]) => suit !== 'special').map(([suit, n]) => sign(`suit-${SUIT[suit] ? suit : 'other'}`, SUIT[suit] ?? suit, n)));
  }

  const sign = (symbol, label, n) => html('span', { class: 'vil-pair' }, picture(symbol, label), html('span', {}, String(n)));

  function drawMarket() {
    const sums = player().markets[market];
    for (const one of root.querySelectorAll('[data-market]')) one.setAttribute('aria-pressed', String(one.dataset.market === market));
    const row = (label, value, strong = false) => html('tr', { class: strong ? 'total' : null }, html('th', { scope: 'row' }, label), html('td', {}, String(value)));
    $('vil-sums').replaceChildren(
      row(t('Gold of uncovered villagers'), sums.gold),
      ...(market === '2' ? [row(t('Silver'), sums.silver)] : []),
      row(t('Coins on villagers'), sums.coins),
      row(t('Market'), sums.market, true),
      row(t('Supply'), sums.supply),
      row(market === '2' ? t('Gold at the end') : t('Gold after it'), sums.total, true));
    $('vil-market-hint').textContent = market === '2'
      ? t('As the village is now. The second market ends the game.')
      : t('Silver waits for the second market; coins stay on their villagers.');
    $('vil-take-market').hidden = market === '2' || !mayEdit();
    $('vil-take-market').textContent = t('Put %(n)s gold into the supply', { n: sums.market });
    $('vil-supply-text').textContent = t('Supply %(n)s', { n: player().supply });
    $('vil-supply').setAttribute('aria-label', t('Supply: %(n)s gold', { n: player().supply }));
    drawStanding();
  }

  function drawStanding() {
    const { players, tie } = view();
    $('vil-standing').hidden = players.length < 2;
    $('vil-ranking').replaceChildren(...[...players].sort((a, b) => a.rank - b.rank).map((one) => html('li', {},
      html('span', {}, `${one.rank}. ${one.name}`), html('b', {}, one.winner ? '★ ' : '', gold(one.total)))));
    $('vil-tie').hidden = !tie;
    if (tie) {
      const each = tie.players.map(({ name, villagers }) => t('%(name)s %(n)s', { name, n: villagers })).join(', ');
      $('vil-tie').textContent = tie.shared
        ? t('A tie at %(n)s gold with as many villagers (%(each)s): %(winners)s share the win.', { n: tie.gold, each, winners: tie.winners.join(t(' and ')) })
        : t('A tie at %(n)s gold: %(winner)s has fewer villagers (%(each)s).', { n: tie.gold, winner: tie.winners[0], each });
    }
  }

  $('vil-take-market').addEventListener('click', () => quietly(act('take', { what: 'market' })));
  for (const one of root.querySelectorAll('[data-market]')) {
    one.addEventListener('click', () => { market = one.dataset.market; show(); });
  }

  // The village

  function drawVillage() {
    const above = new Map();
    for (const one of player().cards) above.set(one.on, [...(above.get(one.on) ?? []), one]);
    const line = (first) => {
      const items = [];
      let one = first;
      for (;;) {
        const next = above.get(one.id) ?? [];
        items.push(html('li', {}, cardButton(one)));
        if (next.length !== 1) {
          if (next.length) items.push(html('li', { class: 'vil-branches' }, ...next.map((branch) => html('ol', { class: 'vil-line' }, ...line(branch)))));
          return items;
        }
        [one] = next;
      }
    };
    const roots = above.get(null) ?? [];
    const inChain = (first) => [first, ...(above.get(first.id) ?? []).flatMap(inChain)];
    $('vil-chains').classList.toggle('explaining', lit.size > 0);
    $('vil-chains').replaceChildren(...roots.map((first) => {
      const all = inChain(first);
      const sum = all.reduce((total, one) => total + one.points[market], 0);
      return html('li', { class: 'vil-chain panel' },
        html('ol', { class: 'vil-line', 'aria-label': t('Chain of %(name)s: %(gold)s', { name: nameOf(first.name), gold: gold(sum) }) }, ...line(first)),
        all.length > 1 ? html('p', { class: 'vil-chain-sum' }, t('Chain: %(n)s', { n: sum })) : null);
    }), ...(roots.length ? [] : [html('li', { class: 'vil-none' },
      html('p', {}, t('No villager yet. Tap the top card of a chain: what must lie below it comes along.')),
      mayEdit() ? html('div', { class: 'vil-chips' }, ...['Founders', 'Hayer', 'Miner', 'Lumberjack'].map((name) => button(name, () => quietly(act('add', { name, on: null }))))) : null)]));
    $('vil-problems').replaceChildren(...player().problems.map(({ code, message }) => html('p', { class: 'problem' }, PROBLEM[code] ? `${PROBLEM[code]} (${message})` : message)));
  }

  const PROBLEM = {
    misplaced_villager: t('A card lies where it cannot lie.'),
    branch_not_allowed: t('Too many cards lie on one card.'),
    too_many_teams: t('A village has one team at most.'),
  };

  function cardButton(one) {
    const card = cards.get(one.name) ?? {};
    const value = one.points[market];
    const state = one.covered && !one.counts ? t('covered') : one.engineered ? t('counts under an Engineer') : null;
    return html('button', {
      type: 'button',
      class: ['vil-card', one.covered && !one.counts && 'covered', lit.has(one.id) && 'lit', chosen === one.id && 'chosen'].filter(Boolean).join(' '),
      'data-id': one.id,
      'aria-pressed': String(chosen === one.id),
      onclick: () => explain(chosen === one.id ? null : one.id),
    },
    suitPicture(one.suit),
    html('span', { class: 'vil-name' }, nameOf(one.name), hidden(['', state, one.coins ? t('%(n)s coins on it', { n: one.coins }) : null, lit.has(one.id) ? t('counted') : null, ' ']
      .filter((part) => part !== null).join(', '))),
    html('span', { class: 'vil-marks', 'aria-hidden': 'true' },
      ...(one.counts ? [...Array.from({ length: card.food ?? 0 }, () => picture('sign-food')), ...Array.from({ length: card.builder ?? 0 }, () => picture('sign-builder'))] : []),
      card.lock ? picture('sign-lock') : null, one.counts && card.key ? picture('sign-key') : null,
      one.counts && card.silver && market === '1' ? picture('coin-silver') : null,
      one.counts && card.bronze ? picture('coin-bronze') : null,
      one.coins ? html('span', { class: 'vil-coins' }, String(one.coins)) : null),
    html('b', { class: value ? 'vil-points' : 'vil-points none' }, html('span', { 'aria-hidden': 'true' }, String(value)), hidden(gold(value))));
  }

  // Why

  function explain(id) {
    chosen = id;
    const one = id === null ? null : villager(id);
    lit = new Set(one ? one.reasons.flatMap((reason) => reason.ids) : []);
    show();
    if (one) {
      root.querySelector(`.vil-card[data-id="${id}"]`)?.scrollIntoView({ block: 'center' });
      table.say(`${nameOf(one.name)}: ${gold(one.points[market])}. ${one.reasons.map(reasonText).join(' ')}`);
    }
  }

  function drawWhy() {
    const one = chosen === null ? null : villager(chosen);
    if (!one) chosen = null;
    $('vil-why').hidden = !one;
    document.body.classList.toggle('vil-explaining', Boolean(one));
    if (!one) return;
    const card = cards.get(one.name);
    $('vil-why-art').replaceChildren(suitPicture(one.suit));
    $('vil-why-title').textContent = `${nameOf(one.name)}: ${gold(one.points[market])}`;
    $('vil-why-signs').replaceChildren(...(card ? signs(card) : []));
    const waits = (reason) => reason.kind === 'silver' && market === '1';
    const lines = one.reasons.map((reason) => html('li', {},
      html('span', {}, reasonText(reason) + (waits(reason) ? ` – ${t('waits for the second market')}` : '') + (reason.kind === 'bronze' ? ` – ${t('in a build phase')}` : '')),
      reason.amount === undefined ? null : html('b', {}, waits(reason) || reason.kind === 'bronze' ? `(${reason.amount})` : `+${reason.amount}`)));
    $('vil-why-lines').replaceChildren(...(lines.length ? lines : [html('li', {}, t('Shows no gold or silver.'))]));
    $('vil-why-coins').hidden = !mayEdit();
    if (!mayEdit()) { $('vil-why-buttons').replaceChildren(); return; }
    stepper($('vil-why-coins'), t('Coins'), one.coins, (coins) => quietly(act('coins', { id: one.id, coins })));
    drawButtons(one, card);
  }

  function drawButtons(one, card) {
    const fee = card?.lock ? player().fees[card.lock] : null;
    const top = player().cards.filter((other) => other.on === one.id);
    const inProduction = player().spots.chain.includes(one.id) || player().spots.inside.includes(one.id);
    $('vil-why-buttons').replaceChildren(...[
      inProduction ? button(t('Put a card on it'), () => openDeck({ on: one.id })) : null,
      one.turns ? button(t('Turn it over'), () => quietly(act('replace', { id: one.id, name: one.name.endsWith('!') ? one.name.slice(0, -1) : `${one.name}!` }))) : null,
      fee ? button(feeText(fee, card), () => payPadlock(one, card, fee)) : null,
      button(t('Swap for another card'), () => openDeck({ replace: one.id })),
      button(t('Move'), () => chooseSpot(one)),
      button(t('Remove'), () => { chosen = null; lit = new Set(); quietly(act('remove', { id: one.id })); }),
      top.length ? button(t('Remove with all on it'), () => { chosen = null; lit = new Set(); quietly(act('remove', { id: one.id, above: true })); }) : null,
    ].filter(Boolean));
  }

  function feeText(fee, card) {
    if (fee.kind === 'FROM_BANK') return t('Padlock: 2 gold from the bank onto your %(lock)s', { lock: card.lock });
    if (fee.kind === 'TO_BANK') return t('Padlock: pay 2 gold to the bank');
    const owners = fee.seats.map((at) => view().players[at].name).join(t(' or '));
    return t('Padlock: pay 2 gold onto the %(lock)s of %(name)s', { lock: card.lock, name: owners });
  }

  /** Pays for a padlock; where several others could be paid, the player says who. */
  function payPadlock(one, card, fee) {
    const pay = (holder) => quietly(act('unlock', { name: one.name, holder }));
    if (fee.seats.length < 2) return pay(fee.kind === 'TO_BANK' ? null : fee.seats[0]);
    return openSpots(t('Whose %(lock)s is paid?', { lock: card.lock }), t('2 gold go from your supply onto it.'),
      fee.seats.map((at) => [view().players[at].name, () => pay(at)]));
  }

  $('vil-why-close').addEventListener('click', () => {
    const was = chosen;
    explain(null);
    root.querySelector(`.vil-card[data-id="${was}"]`)?.focus({ preventScroll: true });
  });

  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && chosen !== null && !document.querySelector('dialog[open]')) $('vil-why-close').click();
  });

  /** A number with a button on either side, and a field to type it in. */
  function stepper(holder, label, value, change) {
    const step = (by) => button(by > 0 ? `+${by}` : `−${-by}`, () => change(Math.max(0, value + by)),
      { disabled: value + by < 0, 'aria-label': by > 0 ? t('%(label)s: %(n)s more', { label, n: by }) : t('%(label)s: %(n)s less', { label, n: -by }) });
    const field = html('input', {
      type: 'number', inputmode: 'numeric', min: 0, max: 9999, value, 'aria-label': label,
      onchange: (event) => { const n = Number.parseInt(event.target.value, 10); if (n >= 0) change(n); },
    });
    const held = [...holder.children].indexOf(document.activeElement); // whoever steps with the keyboard goes on stepping
    holder.replaceChildren(html('span', { class: 'vil-stepper-label' }, label), step(-5), step(-1), field, step(1), step(5));
    holder.children[held]?.focus();
  }

  $('vil-supply').addEventListener('click', () => { drawSupply(); $('vil-supply-sheet').showModal(); });
  const drawSupply = () => stepper($('vil-supply-stepper'), player().name, player().supply, (n) => quietly(act('supply', { gold: n }).then(drawSupply)));

  // Where a card goes

  const spotName = (id) => {
    const one = villager(id);
    const below = [];
    for (let at = one.on; at !== null; at = villager(at).on) below.unshift(nameOf(villager(at).name));
    return [nameOf(one.name), below.length ? t('on %(cards)s', { cards: below.join(', ') }) : null].filter(Boolean).join(' ');
  };

  function openSpots(title, hint, choices) {
    $('vil-spot-title').textContent = title;
    $('vil-spot-hint').textContent = hint;
    $('vil-spots').replaceChildren(...choices.map(([label, choose]) => html('li', {}, html('button', {
      type: 'button', class: 'button', onclick: () => { $('vil-spot').close(); choose(); },
    }, label))));
    $('vil-spot').showModal();
  }

  function chooseSpot(one) {
    const card = cards.get(one.name);
    const mine = new Set(withAbove(one.id));
    const spots = spotsFor(card).on.filter((id) => !mine.has(id) && id !== one.on);
    openSpots(t('Move %(name)s', { name: nameOf(one.name) }), t('What lies on it moves along.'), [
      ...spots.map((id) => [t('On %(card)s', { card: spotName(id) }), () => quietly(act('shift', { id: one.id, on: id }))]),
      ...(one.on === null ? [] : [[t('By itself'), () => quietly(act('shift', { id: one.id, on: null }))]]),
    ]);
  }

  const withAbove = (id) => [id, ...player().cards.filter((one) => one.on === id).flatMap((one) => withAbove(one.id))];

  /** The villagers that a card may lie on, and those above which it may be slid in. */
  function spotsFor(card) {
    const { spots } = player();
    switch (card?.place) {
      case 'ON': return { on: [...new Set([...(spots.on[card.on] ?? []), ...spots.joker])], between: [] };
      case 'CHAIN_TOP': return { on: spots.chain, between: [] };
      case 'CHAIN_INSIDE': return { on: [], between: spots.inside };
      case 'CHAIN_ANYWHERE': return { on: spots.chain, between: spots.inside };
      default: return { on: [], between: [] };
    }
  }

  // The list of cards

  function openDeck(what = {}) {
    adding = { goal: 'village', on: null, replace: null, road: false, suit: null, ...what };
    const target = adding.on ?? adding.replace;
    $('vil-deck-title').textContent = adding.road ? t('Villagers of the road')
      : adding.replace !== null ? t('Which card lies there instead of %(name)s?', { name: nameOf(villager(target).name) })
        : adding.on !== null ? t('What lies on %(name)s?', { name: nameOf(villager(target).name) })
          : t('Cards of %(name)s', { name: player().name });
    $('vil-deck-hint').textContent = adding.on === null && adding.replace === null && !adding.road
      ? t('Tap the top card of a chain: what must lie below it comes along.') : '';
    $('vil-goal').hidden = adding.on !== null || adding.replace !== null || adding.road;
    $('vil-own').hidden = adding.road;
    $('vil-query').value = '';
    $('vil-added').textContent = '';
    drawDeck();
    $('vil-deck').showModal();
    if (window.matchMedia('(hover: hover)').matches) $('vil-query').focus();
  }

  const words = (card) => [card.name, card.suit, SUIT[card.suit] ?? '', card.on, card.lock,
    ...['gold', 'silver', 'bronze'].flatMap((metal) => (card[metal] ? [metal, METAL[metal], formulaText(card[metal]), card[metal].noun ?? ''] : [])),
    card.food ? `food ${t('food')}` : '', card.builder ? `builder ${t('builder')}` : '', card.key ? `key ${t('key ring')}` : ''].join(' ').toLowerCase();

  function matching() {
    const asked = $('vil-query').value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const boxes = new Set(view().boxes);
    const host = adding.on === null ? null : villager(adding.on);
    const fits = (card) => host && (card.on === host.name.replace('!', '') || spotsFor(card).on.includes(host.id) || spotsFor(card).between.includes(host.id));
    const order = (card) => (fits(card) ? -8 : 0)
      + (asked.length && card.name.toLowerCase().startsWith(asked[0]) ? -4 : 0)
      + (boxes.has(card.box) || card.own ? 0 : 2);
    return view().deck
      .filter((card) => (!adding.suit || card.suit === adding.suit) && asked.every((word) => words(card).includes(word)))
      .filter((card) => asked.length || adding.suit || boxes.has(card.box) || card.own)
      .filter((card) => !host || asked.length || fits(card))
      .map((card) => [order(card), card])
      .sort(([a], [b]) => a - b)
      .map(([, card]) => card)
      .slice(0, MOST_SHOWN);
  }

  function drawDeck() {
    for (const one of $('vil-goal').children) one.setAttribute('aria-pressed', String(one.dataset.goal === adding.goal));
    const suits = [...new Set(view().deck.map((card) => card.suit))];
    $('vil-suits').replaceChildren(...suits.map((suit) => html('button', {
      type: 'button',
      class: 'vil-suit',
      'data-suit': suit,
      'aria-pressed': String(adding.suit === suit),
      'aria-label': SUIT[suit] ?? (suit || t('no suit')),
      title: SUIT[suit] ?? suit,
      onclick: () => { adding.suit = adding.suit === suit ? null : suit; drawDeck(); $('vil-suits').querySelector(`[data-suit="${suit}"]`)?.focus(); },
    }, suitPicture(suit))));
    const found = matching();
    const tally = new Map();
    for (const name of adding.goal === 'hand' ? player().hand ?? [] : adding.road ? view().monastery.road : player().cards.map((one) => one.name.replace('!', ''))) {
      tally.set(name, (tally.get(name) ?? 0) + 1);
    }
    $('vil-found').replaceChildren(found.length ? html('ul', { class: 'vil-deck' }, ...found.map((card) => html('li', {}, html('button', {
      type: 'button',
      class: 'vil-deck-card',
      'data-name': card.name,
      disabled: adding.goal === 'village' && !adding.road && adding.replace === null && card.place === 'NOWHERE',
      onclick: () => picked(card),
    },
    suitPicture(card.suit),
    html('span', { class: 'vil-deck-text' }, html('strong', {}, card.name, tally.has(card.name) ? html('span', { class: 'vil-count' }, `×${tally.get(card.name)}`) : null),
      html('span', { class: 'vil-signs' }, ...signs(card)),
      html('small', {}, placeText(card))))))) : html('p', { class: 'hint' }, t('No card is called so. “Another card” lets you type it in.')));
  }

  const PLACE = {
    BOTTOM: t('starts a chain'), ALONE: t('stands alone'), CHAIN_TOP: t('on any card of a chain'), CHAIN_INSIDE: t('inside a chain'),
    CHAIN_ANYWHERE: t('anywhere in a chain'), NOWHERE: t('is discarded when played'),
  };
  const placeText = (card) => (card.place === 'ON' ? t('on %(card)s', { card: card.on }) : PLACE[card.place])
    + (card.valued ? '' : ` · ${t('values not published')}`);

  async function picked(card) {
    if (adding.road) return quietly(table.act({ type: 'road', cards: [...view().monastery.road, card.name] }).then(() => added(card)));
    if (adding.replace !== null) {
      $('vil-deck').close();
      return quietly(act('replace', { id: adding.replace, name: card.name }));
    }
    if (adding.goal === 'hand') return quietly(act('hand_add', { name: card.name }).then(() => added(card)));
    if (adding.on !== null) {
      const between = card.place === 'CHAIN_INSIDE' || (villager(adding.on).above.length > 0 && card.place === 'CHAIN_ANYWHERE');
      $('vil-deck').close();
      return quietly(act('add', { name: card.name, on: adding.on, between }));
    }
    return place(card, {});
  }

  /** Lays a card where it belongs; asks only if there is a choice that matters. */
  function place(card, more) {
    const spots = spotsFor(card);
    if (card.place.startsWith('CHAIN_')) {
      openSpots(t('Where does the %(name)s lie?', { name: card.name }), PLACE[card.place], [
        ...spots.on.map((id) => [t('On %(card)s', { card: spotName(id) }), () => lay(card, { on: id, ...more })]),
        ...spots.between.map((id) => [t('Between %(card)s and what lies on it', { card: spotName(id) }), () => lay(card, { on: id, between: true, ...more })]),
        ...(spots.on.length + spots.between.length ? [] : [[t('There is no chain yet: lay it down by itself'), () => lay(card, { on: null, ...more })]]),
      ]);
      return undefined;
    }
    return lay(card, { on: null, ...more });
  }

  async function lay(card, fields) {
    const before = new Set(player().cards.map((one) => one.id));
    const newer = await quietly(act('add', { name: card.name, ...fields }));
    if (newer) added(card, player().cards.filter((one) => !before.has(one.id) && one.name !== card.name).map((one) => one.name));
  }

  function added(card, below = []) {
    $('vil-added').textContent = below.length
      ? t('%(name)s is there, with %(below)s below it.', { name: card.name, below: below.join(', ') })
      : t('%(name)s is there.', { name: card.name });
    if ($('vil-query').value) { $('vil-query').value = ''; $('vil-query').focus(); }
    drawDeck();
  }

  $('vil-add').addEventListener('click', () => openDeck());
  $('vil-query').addEventListener('input', () => { adding.suit = null; drawDeck(); });
  $('vil-query').addEventListener('keydown', (event) => {
    const [first] = $('vil-query').value.trim() ? matching() : [];
    if (event.key === 'Enter' && first) { event.preventDefault(); picked(first); }
  });
  for (const one of $('vil-goal').children) one.addEventListener('click', () => { adding.goal = one.dataset.goal; drawDeck(); });

  $('vil-own').addEventListener('click', () => {
    $('vil-own-form').reset();
    $('vil-own-form').elements.name.value = $('vil-query').value;
    $('vil-own-problem').hidden = true;
    $('vil-suit-list').replaceChildren(...Object.keys(SUIT).map((suit) => html('option', { value: suit })));
    $('vil-card-list').replaceChildren(...view().deck.map((card) => html('option', { value: card.name })));
    $('vil-own-sheet').showModal();
  });
  $('vil-own-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const row = {};
    for (const field of $('vil-own-form').elements) {
      if (field.type === 'checkbox') { if (field.name === 'key' && field.checked) row.key = 'yes'; } else if (field.name && field.value.trim()) row[field.name] = field.value.trim();
    }
    if ($('vil-own-form').elements.branches.checked) row.note = 'two branches';
    try {
      await table.act({ type: 'custom_card', row });
      $('vil-own-sheet').close();
      $('vil-query').value = row.name;
      drawDeck();
    } catch (error) {
      $('vil-own-problem').textContent = error.message;
      $('vil-own-problem').hidden = false;
    }
  });

  // Hand, events, bronze and what was taken

  function drawHand() {
    const { hand, hand_count: count } = player();
    const nodes = [html('h3', {}, tn('Hand: 1 card', 'Hand: %(n)s cards', count))];
    if (hand === null) nodes.push(html('p', { class: 'hint' }, t('Only its owner sees the cards until the end.')));
    else {
      nodes.push(html('ul', { class: 'vil-chips' }, ...hand.map((name) => html('li', {}, button(name, () => openSpots(name, t('A card of the hand'), [
        ...(cards.get(name)?.place === 'NOWHERE' ? [] : [[t('Build it'), () => place(cards.get(name), { from_hand: true })]]),
        [t('Put it away'), () => quietly(act('hand_drop', { name }))],
      ]), { disabled: !mayEdit() })))));
      if (mayEdit()) nodes.push(button(t('Add to the hand'), () => openDeck({ goal: 'hand' })));
    }
    $('vil-hand').replaceChildren(...nodes);
  }

  /** A line with its gold, a way to light the cards, and a way to take it. */
  function income({ key, title, text, amount, ids = [], take = null, more = [] }) {
    const shown = ids.length > 0 && ids.length === lit.size && ids.every((id) => lit.has(id));
    return html('li', { 'data-income': key },
      html('div', { class: 'vil-income-head' }, html('strong', {}, title), html('b', {}, amount === null ? '' : gold(amount))),
      html('p', { class: 'hint' }, text),
      ...more,
      html('div', { class: 'vil-chips' },
        ids.length ? button(t('Show the cards'), () => { chosen = null; lit = shown ? new Set() : new Set(ids); show(); $('vil-chains').scrollIntoView({ block: 'nearest' }); }, { 'aria-pressed': String(shown) }) : null,
        take && mayEdit() ? button(t('Take %(n)s gold', { n: amount }), take) : null));
  }

  const take = (what, fields = {}) => () => quietly(act('take', { what, ...fields }));

  function drawEvents() {
    $('vil-events-box').hidden = view().players[seat].events.length === 0;
    $('vil-events').replaceChildren(...player().events.flatMap((one) => {
      const [title, text] = EVENT[one.event];
      const base = { key: one.event, title, text, amount: one.gold };
      if (one.event === 'developments') return [income({ ...base, more: [html('p', {}, tn('1 card in hand', '%(n)s cards in hand', one.hand))], take: one.gold ? take('developments') : null })];
      if (one.event === 'travellers') return [income({ ...base, ids: one.ids, take: one.gold ? take('travellers') : null })];
      if (one.event === 'caravans') return [income({ ...base, ids: one.lines.map(({ id }) => id), take: one.gold ? take('caravans') : null })];
      if (one.event === 'merchants') {
        return [income({ ...base, amount: null }), ...one.chains.filter((chain) => chain.gold).map((chain) => income({
          key: `merchants-${chain.root}`,
          title: t('Chain of %(name)s', { name: nameOf(chain.name) }),
          text: chain.lines.map((line) => `${nameOf(line.name)} ${['gold', 'silver', 'bronze', 'coins'].filter((metal) => line[metal]).map((metal) => `${line[metal]} ${METAL[metal]}`).join(' + ')}`).join(', '),
          amount: chain.gold,
          ids: chain.lines.map(({ id }) => id),
          take: take('merchants', { id: chain.root }),
        }))];
      }
      return [income({ ...base, amount: null }), ...one.cards.map((held) => income({
        key: `envoys-${held.name}`,
        title: held.name,
        text: t('Half of %(n)s, rounded up', { n: held.printed }),
        amount: held.gold,
        take: take('envoys', { name: held.name }),
      }))];
    }));
  }

  function drawBronze() {
    const { bronze, inventors } = player();
    $('vil-bronze-box').hidden = bronze.length + inventors.length === 0;
    $('vil-bronze').replaceChildren(
      ...bronze.map((one) => income({ key: `bronze-${one.id}`, title: nameOf(one.name), text: reasonText(one.reason), amount: one.gold, ids: one.ids, take: one.gold ? take('bronze', { id: one.id }) : null })),
      ...inventors.map((one) => income({ key: `inventor-${one.id}`, title: t('Inventor'), text: t('5 gold for each villager below; their coins come to the supply.'), amount: one.gold, ids: one.villagers, take: take('inventor', { id: one.id }) })));
    $('vil-taken-box').hidden = player().taken.length === 0;
    $('vil-taken').replaceChildren(...player().taken.map((entry) => html('li', {},
      html('span', {}, [TAKEN[entry.what], entry.name, entry.holder ? t('to %(name)s', { name: entry.holder }) : null].filter(Boolean).join(' · ')),
      html('b', {}, gold(entry.gold)))));
  }

  // The Monastery

  function drawSolo() {
    const solo = view().monastery;
    $('vil-solo').hidden = !solo;
    if (!solo) return;
    $('vil-rank').textContent = solo.rank ? RANK[solo.rank] : t('Not yet a hamlet');
    const top = solo.ranks.at(-1).gold;
    const share = (n) => Math.min(100, (100 * n) / top);
    $('vil-steps').replaceChildren(svg('svg', { viewBox: '0 0 100 12', preserveAspectRatio: 'none' },
      svg('rect', { class: 'vil-steps-all', width: 100, height: 12 }),
      svg('rect', { class: 'vil-steps-done', width: share(solo.gold), height: 12 }),
      ...solo.ranks.map((step) => svg('rect', { class: 'vil-steps-mark', x: share(step.gold) - 0.5, width: 0.8, height: 12 }))));
    const next = solo.ranks.find((step) => step.gold > solo.gold);
    $('vil-solo-text').textContent = next
      ? t('%(gold)s after the second market; %(missing)s more for %(rank)s.', { gold: gold(solo.gold), missing: next.gold - solo.gold, rank: RANK[next.rank] })
      : t('%(gold)s after the second market.', { gold: gold(solo.gold) });
    $('vil-rounds').replaceChildren(...Array.from({ length: solo.rounds }, (_, at) => html('li', {
      class: at < solo.finished_rounds ? 'done' : at === solo.finished_rounds && !solo.is_over ? 'now' : null,
      'aria-label': at < solo.finished_rounds ? t('round %(n)s, over', { n: at + 1 }) : t('round %(n)s', { n: at + 1 }),
      ...(at === solo.finished_rounds ? { 'aria-current': 'step' } : {}),
    }, at < solo.finished_rounds ? '✓' : String(at + 1))));
    $('vil-next').disabled = solo.is_over;
    $('vil-next').hidden = !mayEdit();
    $('vil-next').textContent = solo.is_over ? t('The game is over') : t('Round %(n)s is over', { n: solo.finished_rounds + 1 });
    $('vil-empty').checked = solo.stacks_are_empty;
    $('vil-empty').disabled = !mayEdit();
    $('vil-forbidden').hidden = solo.forbidden.length === 0;
    $('vil-forbidden').textContent = t('Saints and Scoundrels are not used in the Monastery: %(cards)s.', { cards: solo.forbidden.join(', ') });
    $('vil-priority').replaceChildren(...Object.keys(SUIT).filter((suit) => suit !== 'special').map((suit) => {
      const at = solo.priority.indexOf(suit);
      return html('button', {
        type: 'button',
        class: 'vil-suit',
        'aria-pressed': String(at >= 0),
        'aria-label': at >= 0 ? t('%(suit)s, place %(n)s', { suit: SUIT[suit], n: at + 1 }) : SUIT[suit],
        disabled: !mayEdit(),
        'data-suit': suit,
        onclick: () => quietly(table.act({ type: 'priority', suits: at >= 0 ? solo.priority.filter((one) => one !== suit) : [...solo.priority, suit] })),
      }, suitPicture(suit), at >= 0 ? html('span', { class: 'vil-order' }, String(at + 1)) : null);
    }));
    $('vil-road').replaceChildren(...solo.road.map((name, at) => button(`${name} ×`, () => quietly(table.act({ type: 'road', cards: solo.road.filter((_, other) => other !== at) })),
      { 'aria-label': t('%(name)s: take off the road', { name }), class: solo.discards.includes(name) ? 'chip leaves' : 'chip', disabled: !mayEdit() })),
    ...(mayEdit() ? [button(t('Add a villager of the road'), () => openDeck({ road: true }))] : []));
    $('vil-leaves').textContent = solo.discards.length === 0 ? ''
      : solo.discards.length === 1 ? t('%(name)s leaves the road.', { name: solo.discards[0] })
        : t('One of these leaves the road: %(names)s.', { names: solo.discards.join(', ') });
  }
  $('vil-next').addEventListener('click', () => quietly(table.act({ type: 'next_round' })));
  $('vil-empty').addEventListener('change', () => quietly(table.act({ type: 'stacks', empty: $('vil-empty').checked })));

  // Everything

  function show() {
    drawTabs();
    drawMarket();
    drawVillage();
    drawWhy();
    drawHand();
    drawEvents();
    drawBronze();
    drawSolo();
    $('vil-actions').hidden = !mayEdit();
  }

  return function update(newer) {
    const first = game === null;
    game = newer;
    seat ??= game.you.seat ?? 0;
    if (first) for (const id of ['vil-events-box', 'vil-bronze-box']) $(id).open = window.matchMedia('(min-width: 940px)').matches;
    cards = new Map(view().deck.flatMap((card) => [[card.name, card], ...(card.turned ? [[card.turned, { ...card, gold: null }]] : [])]));
    lit = new Set(chosen !== null && villager(chosen)
      ? villager(chosen).reasons.flatMap((reason) => reason.ids) : [...lit].filter((id) => villager(id)));
    show();
    if ($('vil-deck').open) drawDeck();
    if ($('vil-supply-sheet').open) drawSupply();
  };
}
