// Villagers in words and pictures: suits, figures with their reasons, and where a card lies.

import { button, html, svg } from '../../draw.js';
import { t } from '../../i18n.js';

export const SUIT = {
  grains: t('grains'), wood: t('wood'), hay: t('hay'), ore: t('ore'), grapes: t('grapes'), wool: t('wool'),
  leather: t('leather'), solitary: t('solitary'), special: t('special'),
};
export const TAKEN = {
  market: t('First market'), bronze: t('Bronze'), inventor: t('Inventor'), unlock: t('Padlock'),
  developments: t('Developments'), travellers: t('Travellers'), caravans: t('Caravans'), merchants: t('Merchants'), envoys: t('Envoys'),
};
export const METAL = { gold: t('gold'), silver: t('silver'), bronze: t('bronze'), coins: t('coins') };
export const gold = (n) => t('%(n)s gold', { n });
export const picture = (symbol, label = null) => svg('svg', { viewBox: '0 0 32 32', class: 'vil-sign', ...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': 'true' }) },
  svg('use', { href: `#${symbol}` }));
/** The suit that somebody calls so, in the language of the page; any other name stays as it is. */
export const suitCalled = (name) => Object.keys(SUIT).find((suit) => SUIT[suit].toLowerCase() === name.toLowerCase()) ?? name;
export const suitPicture = (suit) => picture(`suit-${SUIT[suit] ? suit : 'other'}`);
export const nameOf = (name) => (name.endsWith('!') ? t('%(name)s (turned)', { name: name.slice(0, -1) }) : name);

/** The small signs of a card, with a name each. */
export function signs(card) {
  const found = [];
  for (const metal of ['gold', 'silver', 'bronze']) {
    if (card[metal]) found.push(html('span', { class: 'vil-pair' }, picture(`coin-${metal}`, METAL[metal]), html('span', {}, card[metal].says)));
  }
  for (let n = 0; n < card.food; n += 1) found.push(picture('sign-food', t('food')));
  for (let n = 0; n < card.builder; n += 1) found.push(picture('sign-builder', t('builder')));
  if (card.lock) found.push(html('span', { class: 'vil-pair' }, picture('sign-lock', t('padlock')), html('span', {}, card.lock)));
  if (card.key) found.push(picture('sign-key', t('key ring')));
  return found;
}

/** Where a card lies, in words. */
export const placeText = (card) => card.says + (card.valued ? '' : ` · ${t('values not published')}`);

/** A number with the picture of what is counted. */
export const sign = (symbol, label, n) => html('span', { class: 'vil-pair' }, picture(symbol, label), html('span', {}, String(n)));

/** A small button. */
export const chip = (label, onclick, more = {}) => button({ class: 'chip', onclick, ...more }, label);
