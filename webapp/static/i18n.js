// Texts of the scripts in the language of the page. English is in the code; other languages are one file each.

const address = document.documentElement.dataset.catalogue;

async function load() {
  if (!address) return {};
  try {
    const response = await fetch(address);
    return response.ok ? await response.json() : {};
  } catch {
    return {}; // English is better than no page
  }
}

const texts = await load();

const own = (object, name) => (Object.hasOwn(object, name) ? object[name] : undefined);

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** A value for a gap: a number below zero has the sign for people, what is written from right to left turns nothing around it. */
function forPeople(value) {
  if (value < 0 && typeof value === 'number') return `−${-value}`;
  return typeof value === 'string' && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;
}

const filled = (text, values) =>
  text.replace(/%%|%\((\w+)\)s/g, (all, name) => (name ? forPeople(own(values, name)) ?? all : '%'));

/** The text in the page's language; `%(name)s` is filled from *values*. */
export const t = (text, values = {}) => filled(own(texts, text) ?? text, values);

/** Whole sentences one after the other, empty ones left out; in Chinese no space stands between them. */
export const sentences = (all) => all.filter(Boolean).join(document.documentElement.lang === 'zh' ? '' : ' ');

/** Likewise with a number: *one* for 1, *many* for all others; `%(n)s` is the number. */
export const tn = (one, many, n, values = {}) => t(n === 1 ? one : many, { n, ...values });
