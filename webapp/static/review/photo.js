// Makes a photo small enough to send, upright and free of metadata. Works on plain http.

import { Refusal } from '../api.js';
import { t } from '../i18n.js';

const LONG_SIDE = 2048;
const QUALITY = 0.92;

async function decoded(file) {
  if ('createImageBitmap' in window) {
    try {
      return await createImageBitmap(file, { imageOrientation: 'from-image' });
    } catch { /* an older browser knows no options, or not this format: try the element below */ }
  }
  const url = URL.createObjectURL(file);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    return image;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The photo with a long side of at most 2048 as JPEG; the file as it is where the browser cannot do that. */
export async function shrunk(file) {
  try {
    const image = await decoded(file);
    const [width, height] = [image.naturalWidth ?? image.width, image.naturalHeight ?? image.height];
    const scale = Math.min(1, LONG_SIDE / Math.max(width, height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const pen = canvas.getContext('2d');
    pen.imageSmoothingQuality = 'high';
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    image.close?.();
    const blob = await new Promise((done) => canvas.toBlob(done, 'image/jpeg', QUALITY));
    canvas.width = canvas.height = 0; // old phones keep the memory otherwise
    return blob ?? file;
  } catch {
    return file;
  }
}

/** A photo, or the promise of one, as it is sent. Throws a Refusal if it is too large even so. */
export async function prepared(original) {
  const file = await shrunk(await original);
  const most = Number(document.querySelector('meta[name=most-photo-bytes]').content);
  if (file.size > most) {
    throw new Refusal('too_large', t('The photo is larger than %(most)s MB. Please send a smaller one.', { most: most / 1e6 }));
  }
  return file;
}

/** Width and height as the browser shows the picture; null if it cannot show it. */
export async function sizeOf(url) {
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return { width: image.naturalWidth, height: image.naturalHeight };
  } catch {
    return null;
  }
}
