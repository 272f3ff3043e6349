// Villagers in words and pictures: suits, figures with their reasons, and where a card lies.

import { html, svg } from '../../draw.js';
import { t } from '../../i18n.js';

export const SUIT = {
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
  'wood symbol': t('wood symbol'),
  'hay symbols': t('hay symbols'),
  'ore symbols': t('ore symbols'),
  'solitary symbols': t('solitary symbols'),
  'grapes, wool or leather symbol': t('grapes, wool or leather symbol'),
};
export const EVENT = {
  developments: [t('Developments'), t('2 gold for each villager in hand.')],
  travellers: [t('Travellers'), t('2 gold on each own villager with a key ring.')],
  caravans: [t('Caravans'), t('All silver scores now.')],
  merchants: [t('Merchants'), t('One production chain scores gold, silver, bronze and coins.')],
  envoys: [t('Envoys'), t('Half the gold of a villager in hand, rounded up; it is then discarded.')],
};
export const TAKEN = {
  market: t('First market'), bronze: t('Bronze'), inventor: t('Inventor'), unlock: t('Padlock'),
  ...Object.fromEntries(Object.entries(EVENT).map(([event, [title]]) => [event, title])),
};
export const RANK = { hamlet: t('Hamlet'), village: t('Village'), town: t('Town'), capital: t('Capital') };
export const METAL = { gold: t('gold'), silver: t('silver'), bronze: t('bronze'), coins: t('coins') };
const METAL_TITLE = { gold: t('Gold'), silver: t('Silver'), bronze: t('Bronze') };
export const gold = (n) => t('%(n)s gold', { n });
export const picture = (symbol, label = null) => svg('svg', { viewBox: '0 0 32 32', class: 'vil-sign', ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) },
  svg('use', { href: `#${symbol}` }));
export const suitPicture = (suit) => picture(`suit-${SUIT[suit] ? suit : 'other'}`);
export const nameOf = (name) => (name.endsWith('!') ? t('%(name)s (turned)', { name: name.slice(0, -1) }) : name);

/** What a formula says, in words: "3 per 2 hay symbols". */
export function formulaText({ formula, each, per, noun }) {
  if (formula === 'printed') return String(each);
  if (formula === 'half') return t('half of one own silver villager');
  const what = NOUN[noun] ?? noun;
  return per > 1 ? t('%(each)s per %(per)s %(what)s', { each, per, what }) : t('%(each)s per %(what)s', { each, what });
}

/** One reason of a figure, in a sentence. */
export function reasonText(reason) {
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
export function signs(card) {
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

/** Where a card lies, in words. */
export const PLACE = {
  BOTTOM: t('starts a chain'), ALONE: t('stands alone'), CHAIN_TOP: t('on any card of a chain'), CHAIN_INSIDE: t('inside a chain'),
  CHAIN_ANYWHERE: t('anywhere in a chain'), NOWHERE: t('is discarded when played'),
};
export const placeText = (card) => (card.place === 'ON' ? t('on %(card)s', { card: card.on }) : PLACE[card.place])
  + (card.valued ? '' : ` · ${t('values not published')}`);

/** A number with the picture of what is counted. */
export const sign = (symbol, label, n) => html('span', { class: 'vil-pair' }, picture(symbol, label), html('span', {}, String(n)));

/** A small button. */
export const chip = (label, onclick, more = {}) => html('button', { type: 'button', class: 'chip', onclick, ...more }, label);
