import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../../src/config/parse.ts';
import { fileSchema } from '../../src/config/schema.ts';
import { blocksOf } from './blocks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Keys of YAML that is no configuration of the gateway: those of Prometheus, buf and Envoy, and cases for policies. */
const foreign = ['scrape_configs', 'plugins', 'cases', 'static_resources'];

/** Keys of an agent, in blocks that show one of its sections. */
const ofAgents = ['knowledge'];

const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('base64url')}`;

/** A value for each variable that a text names. */
const envOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [
      name,
      name.endsWith('_HASH') ? hashOf(name) : 'secret'.repeat(6),
    ]),
  );

/** The YAML blocks of all pages. A line `# or` in one divides alternatives. */
const blocks = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].sort().flatMap((page) =>
  blocksOf(readFileSync(join(root, page), 'utf8'))
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ text, line }) => text.split(/^# or$/m).map((part) => ({ place: `${page}:${line}`, text: part }))),
);

/** A whole configuration from what a page shows of one. */
function completed(text: string): string {
  const shown = parse(text) as Record<string, unknown>;
  if (ofAgents.some((key) => key in shown))
    return JSON.stringify({ agents: { demo: { kind: 'reference', ...shown } } });
  const rest = {
    agents: { demo: { kind: 'reference' } },
    auth: { apiKeys: [{ name: 'alice', hash: hashOf('alice') }] },
  };
  const missing = Object.entries(rest).filter(([key]) => !(key in shown));
  return [text, ...missing.map(([key, value]) => `${key}: ${JSON.stringify(value)}`)].join('\n');
}

it.each(blocks)('a configuration on a page has only keys and values that exist: $place', ({ text }) => {
  const keys = Object.keys(parse(text) as object);
  if (keys.some((key) => foreign.includes(key))) return;
  expect([...Object.keys(fileSchema.shape), ...ofAgents]).toEqual(expect.arrayContaining(keys));
  expect(() => parseConfig(completed(text), { file: '/gateway.yaml', env: envOf(text) })).not.toThrow();
});
