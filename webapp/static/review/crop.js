// A part of a photo, as it stands beside a question.

import { svg } from '../draw.js';
import { boxAround } from './geometry.js';

/** Part of a photo around four corners, as an SVG that shows nothing else. */
export function cropOf(target, photo, quad, margin = 0.12) {
  const box = boxAround([quad], margin);
  const side = Math.max(box.width, box.height);
  const x = box.x - (side - box.width) / 2;
  const y = box.y - (side - box.height) / 2;
  target.setAttribute('viewBox', `${x} ${y} ${side} ${side}`);
  target.replaceChildren(svg('image', { href: photo.url, width: photo.width, height: photo.height }));
  return target;
}
