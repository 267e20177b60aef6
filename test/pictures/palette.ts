/** Writes pictures with few colors, a third as large as those that a browser writes. */
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and opacity of each pixel, in base64. */
  readonly rgba: string;
}

/** Has the browser read a PNG. Scripts of pages are texts here, since the types of these files are Node's. */
const pixelsOf = (page: Page, png: Buffer): Promise<Pixels> =>
  page.evaluate(`(async () => {
    const blob = new Blob([Uint8Array.fromBase64('${png.toString('base64')}')], { type: 'image/png' });
    const image = await createImageBitmap(blob);
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    return { width, height, rgba: new Uint8Array(context.getImageData(0, 0, width, height).data.buffer).toBase64() };
  })()`);

/** Colors of a picture, each as a number. */
function colorsOf({ rgba }: Pixels): Uint32Array {
  const bytes = Buffer.from(rgba, 'base64');
  return Uint32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readUIntBE(at * 4, 3));
}

const parts: readonly number[] = [16, 8, 0];

/** Square of the distance of two colors. */
const distance = (one: number, other: number): number =>
  parts.reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

/** Most colors of a picture. */
const most = 256;

/** Returns the colors that occur most, and a function that returns the place of the one nearest to a color. */
function paletteOf(colors: Uint32Array) {
  const counts = new Map<number, number>();
  for (const color of colors) counts.set(color, (counts.get(color) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one).map(([color]) => color);
  const palette = sorted.slice(0, most);
  const places = new Map(palette.map((color, at) => [color, at]));
  const nearest = (color: number): number =>
    palette.reduce((best, known, at) => (distance(known, color) < distance(palette[best] ?? 0, color) ? at : best), 0);
  for (const color of sorted.slice(most)) places.set(color, nearest(color));
  return { palette, placeOf: (color: number): number => places.get(color) ?? 0 };
}

function chunk(name: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** Returns a PNG of at most 256 colors with the content of another. */
export async function withPalette(page: Page, png: Buffer): Promise<Buffer> {
  const pixels = await pixelsOf(page, png);
  const { width, height } = pixels;
  const colors = colorsOf(pixels);
  const { palette, placeOf } = paletteOf(colors);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  // Eight bits for a place in the palette.
  header.set([8, 3], 8);
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, color] of colors.entries()) rows[at + Math.floor(at / width) + 1] = placeOf(color);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Uint8Array.from(palette.flatMap((color) => parts.map((shift) => (color >> shift) & 255)))),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
