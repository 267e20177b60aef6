import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { software } from '../../../src/dialects/a2a-0.3/protobuf/software.ts';

const page = readFileSync(new URL('../../../docs/reference/peers.md', import.meta.url), 'utf8');

/** The cells of the table of software. */
const rows = [...page.matchAll(/^\| ([^|]+) \| ((?:`[^`]+`(?:, )?)+) \| [^|]+ \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  (cells) => ({
    agents: [...(cells[2] ?? '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    base64Bytes: cells[3] === 'base64 text',
    laterFields: cells[4] === 'read',
  }),
);

it('the software that is recognised is the one that the documentation lists, with the same quirks', () => {
  const recognized = software.map(({ userAgents, quirks }) => ({ agents: userAgents, ...quirks }));
  expect(rows).toHaveLength(recognized.length);
  expect(rows).toEqual(expect.arrayContaining(recognized));
});
