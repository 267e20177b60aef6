import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { GraphqlEngine } from '../../../../src/extensions/knowledge/graphql/index.ts';
import { graphqlLimits } from '../../../../src/extensions/knowledge/graphql/limits.ts';
import { NaiveKnowledge } from '../../../support/naive-knowledge.ts';

const text = readFileSync(new URL('../../../../docs/reference/knowledge-queries.md', import.meta.url), 'utf8');
const examples = [...text.matchAll(/```graphql\n(.*?)```/gs)].map(([, example = '']) => example);
const engine = new GraphqlEngine();
const graph = new NaiveKnowledge();
const asking = { space: { agent: 'a', tenant: '' }, store: graph, signal: new AbortController().signal };

it.each(examples)('the documented example %s is valid', async (example) => {
  if (example.startsWith('subscription')) {
    await expect(engine.subscribe(asking, { subscriptionQuery: example })).resolves.toBeDefined();
  } else {
    await expect(engine.query(asking, { query: example })).resolves.toHaveProperty('data');
  }
});

it('the documented bounds are those that hold', () => {
  const { text: characters, tokens, nesting, fields, depth, aliases, directives, cost, values } = graphqlLimits;
  for (const bound of [characters, tokens, nesting, fields, depth, aliases, directives, cost, values]) {
    expect(text).toContain(bound.toLocaleString('en'));
  }
  expect(text).toContain(`${graphqlLimits.characters / 1024 / 1024} MiB`);
  expect(text).toContain(`${graphqlLimits.page} items`);
  for (const bound of [graphqlLimits.largestPage, graphqlLimits.count, graphqlLimits.repeatedCount]) {
    expect(text).toContain(bound.toLocaleString('en'));
  }
});
