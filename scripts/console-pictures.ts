/**
 * Writes the pictures of the console in the documentation from the screenshots that its tests leave in `test-output/console`:
 * `npm test -- test/extensions/console`, then `node scripts/console-pictures.ts`, or `node scripts/console-pictures.ts console-task` for one of
 * them. The pictures have 256 colors at most, which makes them
 * a third as large.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const root = new URL('../', import.meta.url);

/** The pictures by their names in `docs`, and the screenshots that they are made of. */
const pictures: Readonly<Record<string, string>> = {
  'console-agents': 'agents-1280-light',
  'console-try': 'try-stream',
  'console-task': 'task-running',
  'console-translation': 'translation-frame',
  'console-knowledge': 'knowledge-graph-1280-light',
};

/** No picture may be larger, in bytes. */
const largest = 120 * 1024;

interface Image {
  readonly width: number;
  readonly height: number;
  /** Three bytes for each pixel. */
  readonly pixels: Uint8Array;
}

/** Reads a PNG of eight bits without a palette and without interlacing, as browsers write screenshots. */
function readPng(file: Buffer): Image {
  const data: Buffer[] = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data.push(file.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const [width, height, channels] = [file.readUInt32BE(16), file.readUInt32BE(20), file[25] === 6 ? 4 : 3];
  const raw = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const rows = new Uint8Array(height * stride);
  const pixels = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= channels ? (rows[at - channels] ?? 0) : 0;
      const up = y > 0 ? (rows[at - stride] ?? 0) : 0;
      const corner = x >= channels && y > 0 ? (rows[at - stride - channels] ?? 0) : 0;
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      rows[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + predicted;
    }
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        pixels[(y * width + x) * 3 + channel] = rows[y * stride + x * channels + channel] ?? 0;
      }
    }
  }
  return { width, height, pixels };
}

/** The predictor of PNG's filter 4 (PNG, third edition, section 9.4). */
function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

/** Writes a PNG with the 256 most frequent colors; every other pixel gets the nearest of them. */
function writePng({ width, height, pixels }: Image): Buffer {
  const colorAt = (at: number): number =>
    ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) counts.set(colorAt(at), (counts.get(colorAt(at)) ?? 0) + 1);
  const palette = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 256)
    .map(([color]) => color);
  const indexes = new Map(palette.map((color, index) => [color, index]));
  for (const color of counts.keys()) if (!indexes.has(color)) indexes.set(color, nearest(palette, color));
  const rows = Buffer.alloc(height * (width + 1));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = indexes.get(colorAt((y * width + x) * 3)) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((color) => [color >> 16, (color >> 8) & 255, color & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function nearest(palette: readonly number[], color: number): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [index, one] of palette.entries()) {
    const [red, green, blue] = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((color >> shift) & 255)) as [
      number,
      number,
      number,
    ];
    const distance = red * red + green * green + blue * blue;
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  out.set(body, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}

const wanted = process.argv.slice(2);
for (const [name, screenshot] of Object.entries(pictures)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const file = readFileSync(new URL(`test-output/console/${screenshot}.png`, root));
  const png = writePng(readPng(file));
  if (png.length > largest) throw new Error(`${name} has ${png.length} bytes, and ${largest} are allowed`);
  writeFileSync(new URL(`docs/${name}.png`, root), png);
  console.log(`${name}: ${file.length} bytes became ${png.length}`);
}
