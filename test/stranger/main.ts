/**
 * `npm run stranger`: what a new user does, with the package as it would be published, from an empty folder: a project of
 * their own, its test, calls over every binding, and the gateway embedded in the servers that people have. It needs the
 * registry of npm. `-- --node 22,24 --language js,ts` narrows it.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pack } from '../../scripts/release/pack.ts';
import { embed } from './embed.ts';
import { installNode } from './node.ts';
import { Place } from './place.ts';
import { ownProject } from './project.ts';

const { values } = parseArgs({
  options: {
    node: { type: 'string', default: '22,24' },
    language: { type: 'string', default: 'js,ts' },
    keep: { type: 'boolean', default: false },
    embed: { type: 'boolean', default: false },
  },
});

const base = mkdtempSync(join(tmpdir(), 'a2a-gateway-stranger-'));
try {
  const { tarball } = await pack(base, AbortSignal.timeout(300_000));
  for (const version of values.node.split(',')) {
    const bin = await installNode(version, join(base, `node-${version}`));
    for (const language of values.language.split(',')) {
      const folder = join(base, `${language}-on-${version}`);
      mkdirSync(folder);
      const place = new Place({ folder, bin, tarball, isTypeScript: language === 'ts', report: console.log });
      console.log(`\n${language === 'ts' ? 'TypeScript' : 'JavaScript'} on Node ${await place.nodeVersion()}`);
      if (!values.embed) await ownProject(place);
      await embed(place);
    }
  }
} finally {
  if (!values.keep) rmSync(base, { recursive: true, force: true });
}
