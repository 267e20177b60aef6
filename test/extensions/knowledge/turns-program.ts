/**
 * The program of `turns.test.ts`, in a process with a small heap. Generated graphs, shapes, updates and queries meet in one
 * knowledge service, several at once. It fails where a turn of the event loop does more work than is allowed, and tells as
 * JSON what it saw.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { A2AError } from '../../../src/core/model/errors.ts';
import { createAlignment } from '../../../src/extensions/knowledge/alignment/alignment.ts';
import { GraphqlEngine } from '../../../src/extensions/knowledge/graphql/index.ts';
import type {
  AgentKnowledge,
  KGStatement,
  KnowledgePatch,
  KnowledgeSpace,
} from '../../../src/extensions/knowledge/model/knowledge.ts';
import { createLocalKnowledge } from '../../../src/extensions/knowledge/open.ts';
import { openSqlKnowledge } from '../../../src/extensions/knowledge/store/store.ts';
import { turnWork, workOfLongestTurn } from '../../../src/extensions/knowledge/turns.ts';
import { createStore } from '../../../src/stores/index.ts';
import { add, ex, say } from './alignment/fixtures.ts';
import { node, prefixes, shapes, verb } from './alignment/generated-shapes.ts';
import { query } from './generated-queries.ts';

/** A turn ends after the object, or the request to the store, that goes beyond the work of a turn. */
const mostWork = turnWork + 10_000 + 2_000;
const numRuns = Number(process.argv[2]);
/** Milliseconds after which no further case begins: one may take as long as its update may, in the process of the shapes. */
const interruptAfterTimeLimit = 60_000;

/** Chains, stars and nets, of the nodes that shapes are about and of many more. */
const graph: fc.Arbitrary<readonly KGStatement[]> = fc
  .tuple(fc.constantFrom('chain', 'star', 'net'), verb, node, fc.integer({ min: 1, max: 1_200 }))
  .map(([form, p, start, size]) =>
    Array.from({ length: size }, (_, n): KGStatement => {
      const name = (i: number): string => (i === 0 ? start : `n${i}`);
      if (form === 'chain') return say(name(n), p, `:${name(n + 1)}`);
      if (form === 'star') return say(start, p, n % 2 === 0 ? `:${name(n)}` : `${'a'.repeat(n % 50)}${n}`);
      return say(name(n % 40), p, `:${name(Math.floor(n / 40))}`);
    }),
  );

/** Shapes whose paths, patterns and nesting are long. */
const costly: fc.Arbitrary<string> = fc
  .tuple(
    verb,
    fc.constantFrom('zeroOrMore', 'oneOrMore'),
    fc.constantFrom('^(a+)+$', '^(a|a)*b', '(a?){60}a{60}'),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([p, kind, pattern, depth]) => {
    const nested = (level: number): string =>
      level === 0
        ? `sh:pattern "${pattern}"`
        : `sh:or ( [ sh:property [ sh:path :${p} ; ${nested(level - 1)} ] ] [ sh:not [ ${nested(level - 1)} ] ] )`;
    return `:C sh:targetSubjectsOf :${p} ; sh:property [ sh:path [ sh:${kind}Path :${p} ] ; ${nested(depth)} ] .`;
  });

const store = createStore('memory:', { instance: 'turns' });
await store.open();
const stored = await store.extend(openSqlKnowledge);
const folder = await mkdtemp(join(tmpdir(), 'turns-'));
const engine = new GraphqlEngine();
const seen = { queries: 0, refusedQueries: 0, updates: 0, refusedUpdates: 0, work: 0 };
let spaces = 0;

async function service(text: string): Promise<{ knowledge: AgentKnowledge; close(): void }> {
  const path = join(folder, 'shapes.ttl');
  await writeFile(path, prefixes + text);
  const alignment = await createAlignment({ shapes: path });
  return { knowledge: createLocalKnowledge(stored, engine, alignment), close: () => alignment.close?.() };
}

/** The outcome of a call, which may be refused, but may not fail. */
const settled = async <Result>(call: Promise<Result>, refusal: string): Promise<Result | undefined> =>
  call.catch((thrown: unknown) => {
    if (thrown instanceof A2AError && thrown.kind === refusal) return undefined;
    throw thrown;
  });

/** The outcome of an update, which generated shapes may take beyond the memory of their process. */
const unlessFull = async <Result>(call: Promise<Result>): Promise<Result | undefined> =>
  call.catch((thrown: unknown) => {
    if (thrown instanceof A2AError && thrown.message.includes('MiB of its process')) return undefined;
    throw thrown;
  });

const property = fc.asyncProperty(
  fc.oneof(shapes, costly),
  graph,
  fc.array(query, { minLength: 2, maxLength: 4 }),
  async (text, given, queries) => {
    const { knowledge, close } = await service(text);
    try {
      spaces += 1;
      const space: KnowledgeSpace = { agent: 'facts', tenant: `t${spaces}` };
      await stored.apply(space, given.map(add), {});
      const principal = { id: 'alice', anonymous: false };
      const context = { space, call: { principal }, signal: new AbortController().signal } as never;
      const update = async (patches: readonly KnowledgePatch[]): Promise<void> => {
        const request = { mutations: [] } as never;
        const result = await unlessFull(knowledge.update(request, { ...(context as object), patches } as never));
        seen[result?.success ? 'updates' : 'refusedUpdates'] += 1;
      };
      workOfLongestTurn();
      await Promise.all([
        ...queries.map(async (asked) => {
          const answer = await settled(knowledge.query({ query: asked } as never, context), 'knowledgeQuery');
          seen[answer ? 'queries' : 'refusedQueries'] += 1;
        }),
        update(given.slice(-20).map(add)),
        update([add(say('a', 'p', ':b')), add({ ...say('b', 'q', 1), subject: { id: ex('b'), type: ex('T') } })]),
      ]);
      const work = workOfLongestTurn();
      seen.work = Math.max(seen.work, work);
      if (work > mostWork) throw new Error(`a turn did ${work} units of work; ${mostWork} are allowed`);
    } finally {
      close();
    }
  },
);

try {
  await fc.assert(property, { numRuns, interruptAfterTimeLimit });
} finally {
  await rm(folder, { recursive: true });
}
// A case that the time limit has left behind would keep the process for as long as its updates take.
process.stdout.write(JSON.stringify(seen), () => process.exit());
