/** Code that the screenshot scripts share: a browser, an empty folder, and small picture files. */
import { Buffer } from 'node:buffer';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { accessSync, constants } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'];

/** Starts Chromium or Chrome from PATH. */
export const startBrowser = () => chromium.launch({ executablePath: findChromium(), args: ARGUMENTS });

/** Deletes the pictures of earlier runs in a folder of the documents, and returns the folder. */
export async function emptyFolder(name) {
  const folder = fileURLToPath(new URL(`../docs/${name}/`, import.meta.url));
  await mkdir(folder, { recursive: true });
  for (const file of await readdir(folder)) await rm(join(folder, file));
  return folder;
}

/** Takes a picture of a whole page. With `fullPage: false`, takes a picture of the part that a reader sees first. */
export async function shoot(page, folder, name, { fullPage = true } = {}) {
  const picture = await page.screenshot({ fullPage, animations: 'disabled' });
  await writeFile(join(folder, `${name}.png`), withPalette(picture));
}

function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  const paths = names.flatMap((name) =>
    (process.env.PATH ?? '').split(delimiter).map((at) => join(at, name)),
  );
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Error(`None of ${names.join(', ')} is on PATH.`);
  return found;
}

/** The invented payor in the pictures. */
export const PAYOR = {
  firstName: 'Avery',
  lastName: 'Tremblay',
  email: 'avery.tremblay@example.com',
  address: {
    addressLine1: '1 King Street West',
    city: 'Toronto',
    province: 'ON',
    country: 'CA',
    postalCode: 'M5H1A1',
  },
};

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHANNELS = { 2: 3, 6: 4 };
const MOST_COLOURS = 256;

/**
 * Rewrites a PNG with a palette of at most 256 colours. Pages have few colours except at the edges of their letters, so a picture shrinks
 * to a third. Accepts only the PNGs that browsers write: 8 bits per channel, RGB or RGBA, opaque.
 */
function withPalette(png) {
  const { width, height, channels, rows } = decode(png);
  const pixels = new Uint32Array(width * height);
  for (let at = 0; at < pixels.length; at += 1) pixels[at] = rows.readUIntBE(at * channels, 3);
  const palette = mostUsed(pixels);
  const indexOf = nearestIn(palette);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) lines[y * (width + 1) + 1 + x] = indexOf(pixels[y * width + x]);
  return encode({ width, height, palette, lines });
}

function decode(png) {
  if (!png.subarray(0, 8).equals(SIGNATURE)) throw new Error('This is not a PNG.');
  const data = [];
  let header;
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') header = body;
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const channels = CHANNELS[header[9]];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0)
    throw new Error('Only a PNG of 8 bits a channel, RGB or RGBA, not interlaced, can be read.');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  return {
    width,
    height,
    channels,
    rows: unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels),
  };
}

/**
 * Returns the rows of pixels. In the file, each byte is stored as the difference from its neighbours (a PNG filter), and this function
 * removes the filters.
 */
function unfiltered(data, rowLength, channels) {
  const height = data.length / (rowLength + 1);
  const rows = Buffer.alloc(rowLength * height);
  for (let y = 0; y < height; y += 1) {
    const filter = at(data, y * (rowLength + 1));
    for (let x = 0; x < rowLength; x += 1) {
      const place = y * rowLength + x;
      const left = x >= channels ? at(rows, place - channels) : 0;
      const above = y > 0 ? at(rows, place - rowLength) : 0;
      const aboveLeft = x >= channels && y > 0 ? at(rows, place - rowLength - channels) : 0;
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, aboveLeft)][filter] ?? 0;
      rows[place] = at(data, y * (rowLength + 1) + 1 + x) + guess;
    }
  }
  return rows;
}

/** @param {Buffer} bytes @param {number} index */
const at = (bytes, index) => bytes.readUInt8(index);

function paeth(left, above, aboveLeft) {
  const estimate = left + above - aboveLeft;
  const toLeft = Math.abs(estimate - left);
  const toAbove = Math.abs(estimate - above);
  const toAboveLeft = Math.abs(estimate - aboveLeft);
  if (toLeft <= toAbove && toLeft <= toAboveLeft) return left;
  return toAbove <= toAboveLeft ? above : aboveLeft;
}

function mostUsed(pixels) {
  const counts = new Map();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const byUse = [...counts].sort(([, one], [, other]) => other - one);
  return byUse.slice(0, MOST_COLOURS).map(([colour]) => colour);
}

function nearestIn(palette) {
  const known = new Map(palette.map((colour, index) => [colour, index]));
  return (colour) => {
    if (!known.has(colour)) {
      const distances = palette.map((other) => distance(colour, other));
      known.set(colour, distances.indexOf(Math.min(...distances)));
    }
    return known.get(colour);
  };
}

const distance = (one, other) =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0);

function encode({ width, height, palette, lines }) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Each pixel has 8 bits, which are an index of the palette.
  header.set([8, 3, 0, 0, 0], 8);
  const colours = Buffer.alloc(palette.length * 3);
  palette.forEach((colour, index) => colours.writeUIntBE(colour, index * 3, 3));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', colours),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type, body) {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(body.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}
