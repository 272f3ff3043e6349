// What a device does to be noticed, each a switch that it remembers: sound, vibration, and a screen that stays on.

const MARK = 'tallystone.signal.';
const TONES = { turn: [[660, 0], [880, 0.16]], timer: [[880, 0], [880, 0.22], [880, 0.44]] }; // hertz, and when in seconds
const BEATS = { turn: [120, 60, 120], timer: [250, 100, 250, 100, 250] }; // milliseconds of vibration and pause
const TONE_S = 0.14;
const LOUDNESS = 0.2;

let audio = null; // browsers let a page sound only after it was touched
let lock = null;

/** Whether this device can do a thing at all: `sound`, `vibration` or `awake`. */
export const can = (name) => ({
  sound: 'AudioContext' in window,
  vibration: 'vibrate' in navigator,
  awake: 'wakeLock' in navigator,
})[name];

/** Whether it is switched on; it is until somebody switches it off. */
export function isOn(name) {
  try { return localStorage.getItem(MARK + name) !== 'off'; } catch { return true; }
}

/** Switches it, and remembers that on this device. */
export function turn(name, on) {
  try { localStorage.setItem(MARK + name, on ? 'on' : 'off'); } catch { /* private browsing */ }
  if (name === 'awake') keepAwake();
}

/** Gives a signal: `turn` or `timer`. */
export function signal(kind) {
  if (can('vibration') && isOn('vibration')) navigator.vibrate(BEATS[kind]);
  if (audio?.state === 'running' && isOn('sound')) TONES[kind].forEach((tone) => sound(...tone));
}

function sound(hertz, after) {
  const start = audio.currentTime + after;
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = hertz;
  volume.gain.setValueAtTime(LOUDNESS, start);
  volume.gain.exponentialRampToValueAtTime(0.001, start + TONE_S);
  tone.connect(volume).connect(audio.destination);
  tone.start(start);
  tone.stop(start + TONE_S);
}

function wake() {
  audio ??= can('sound') ? new AudioContext() : null;
  audio?.resume();
}

async function keepAwake() {
  if (!isOn('awake')) { await lock?.release(); return; }
  if (document.hidden || lock || !can('awake')) return;
  try {
    lock = await navigator.wakeLock.request('screen');
    lock.addEventListener('release', () => { lock = null; });
  } catch { /* the battery is low, or the browser does not want to */ }
}

/** Begins: keeps the screen on, and lets the first touch or key wake the sound. */
export function listen() {
  for (const kind of ['pointerdown', 'keydown']) document.addEventListener(kind, wake, { once: true });
  document.addEventListener('visibilitychange', keepAwake);
  keepAwake();
}
