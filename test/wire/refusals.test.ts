import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { A2AError } from '../../src/core/model/errors.ts';
import * as guards01 from '../../src/gen/a2a-0.1/guards.ts';
import { shapes as shapes01 } from '../../src/gen/a2a-0.1/shapes.ts';
import { shapes as shapes02 } from '../../src/gen/a2a-0.2/shapes.ts';
import * as guards03 from '../../src/gen/a2a-0.3/guards.ts';
import { shapes as shapes03 } from '../../src/gen/a2a-0.3/shapes.ts';
import { api as v11 } from '../../src/gen/a2a-1.1/index.ts';
import * as guardsPhp from '../../src/gen/a2a-php-0.3/guards.ts';
import { shapes as shapesPhp } from '../../src/gen/a2a-php-0.3/shapes.ts';
import { api as v03 } from '../../src/gen/a2a-v0_3/index.ts';
import { api as admin } from '../../src/gen/admin-v1/index.ts';
import * as guardsVault from '../../src/gen/agentvault-0.2/guards.ts';
import { shapes as shapesVault } from '../../src/gen/agentvault-0.2/shapes.ts';
import type { Api, Guard } from '../../src/gen/api.ts';
import { api as knowledge } from '../../src/gen/knowledge-v1/index.ts';
import { parseAs, parseWith, readWith, type Shapes } from '../../src/wire/validate.ts';
import { badInputs, protoSample, type Sample, schemaSamples } from '../support/bad-inputs.ts';

/**
 * Errors about bad requests as callers read them, held as golden files: members of shapes, and below them the texts, each
 * with the number of bad values that give it. `*` stands for the name of the member. When shapes have changed, `npx vitest
 * run test/wire/refusals.test.ts --update` writes the files again.
 */

/** Members by what is said of them. */
type Members = Map<string, string[]>;

/** The error text for a value; undefined if it is accepted. */
function textOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof A2AError)) throw thrown;
    const texts = thrown.violations.map(({ field, description }) => `${field} ${description}`.trim());
    const [first, second] = texts;
    return texts.length > 3 ? `${first}; ${second}; and ${texts.length - 2} more` : texts.join('; ');
  }
}

/** Notes the members of a shape by what is said of them. */
function noteTexts(noted: Members, shape: string, sample: Sample, read: (value: unknown) => unknown): void {
  for (const [member, inputs] of badInputs(sample)) {
    const counts = new Map<string, number>();
    for (const [, value] of inputs) {
      const text = textOf(() => read(value));
      if (text === undefined) continue;
      const general = member === '' ? text : text.replace(new RegExp(`(^|; )${member}(?![A-Za-z_])`, 'g'), '$1*');
      counts.set(general, (counts.get(general) ?? 0) + 1);
    }
    const texts = [...counts].map(([text, count]) => `  ${count}: ${text}\n`).join('');
    noted.set(texts, [...(noted.get(texts) ?? []), member === '' ? shape : `${shape}.${member}`]);
  }
}

const definitionsOf = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../codegen/schemas/${name}.json`, import.meta.url), 'utf8')).definitions;

const golden = (name: string, noted: Members): Promise<void> =>
  expect([...noted].map(([texts, members]) => `${members.join(' ')}\n${texts}`).join('')).toMatchFileSnapshot(
    `./refusals/${name}.txt`,
  );

test.each<[string, Api]>([
  ['a2a-1.1', v11],
  ['a2a-v0_3', v03],
  ['knowledge-v1', knowledge],
  ['admin-v1', admin],
])('the faults of messages in %s are named', async (name, api) => {
  const noted: Members = new Map();
  for (const type of Object.keys(api.fields.messages)) {
    const shape = type.replace(`${api.package}.`, '');
    noteTexts(noted, shape, protoSample(api.fields, type), (value) => parseAs(api, type, value));
  }
  await golden(name, noted);
});

test.each<[string, Shapes, Readonly<Record<string, Guard>>?]>([
  ['a2a-0.1', shapes01, guards01],
  ['a2a-0.2', { ...shapes03, ...shapes02 }],
  ['a2a-0.3', shapes03, guards03],
  ['a2a-php-0.3', shapesPhp, guardsPhp],
  ['agentvault-0.2', shapesVault, guardsVault],
])('the faults of requests in %s are named', async (name, shapes, guards = {}) => {
  const own = definitionsOf(name);
  const definitions = { ...definitionsOf('a2a-0.3'), ...own };
  const noted: Members = new Map();
  for (const shape of Object.keys(own)) {
    for (const [at, sample] of schemaSamples(definitions, shape).entries()) {
      const guard = guards[`is${shape}`];
      noteTexts(noted, at === 0 ? shape : `${shape} ${at}`, sample, (value) => {
        if (guard) expect(guard(value)).toBe(readWith(shapes, shape, value).issues.length === 0);
        return parseWith(shapes, shape, value);
      });
    }
  }
  await golden(name, noted);
});
