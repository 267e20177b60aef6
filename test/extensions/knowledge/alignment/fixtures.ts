import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { KGStatement, KnowledgePatch } from '../../../../src/extensions/knowledge/model/knowledge.ts';
import type { Alignment, Judgement, Proposal } from '../../../../src/extensions/knowledge/ports.ts';
import type { KnowledgeStore } from '../../../../src/extensions/knowledge/store/port.ts';
import { openSqlKnowledge } from '../../../../src/extensions/knowledge/store/store.ts';
import { createStore } from '../../../../src/stores/index.ts';
import { add, remove, replace, space } from '../store/fixtures.ts';

export { add, remove, replace, space };

export const ex = (name: string): string => `https://example.org/${name}`;

/** A statement about things of example.org; objects are resources where they begin with a colon. */
export function say(s: string, p: string, o: string | number | boolean, more: Partial<KGStatement> = {}): KGStatement {
  const isResource = typeof o === 'string' && o.startsWith(':');
  const predicate = p === 'a' ? 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type' : ex(p);
  return {
    subject: { id: ex(s) },
    predicate: { id: predicate },
    object: isResource ? { id: ex(o.slice(1)) } : { value: o },
    ...more,
  };
}

/** A knowledge store in memory, closed after the test. */
export async function memory(): Promise<KnowledgeStore> {
  const store = createStore('memory:', { instance: 'test' });
  await store.open();
  onTestFinished(() => store.close());
  return store.extend(openSqlKnowledge);
}

/** A knowledge store in memory for all tests of a file. */
export function sharedMemory(): () => KnowledgeStore {
  const store = createStore('memory:', { instance: 'test' });
  let knowledge: KnowledgeStore;
  beforeAll(async () => {
    await store.open();
    knowledge = await store.extend(openSqlKnowledge);
  });
  afterAll(() => store.close());
  return () => knowledge;
}

/** Proposes patches as the principal `by`. */
export function propose(
  alignment: Alignment,
  store: KnowledgeStore,
  patches: readonly KnowledgePatch[],
  { by = 'alice', ...more }: Partial<Proposal> & { by?: string } = {},
): Promise<Judgement> {
  const principal = { id: by, anonymous: false };
  const { signal } = new AbortController();
  return alignment.apply({
    store,
    space,
    patches,
    recorded: patches,
    meta: { principal: by },
    principal,
    signal,
    ...more,
  });
}

/** Applies patches without asking anybody. */
export const given = (store: KnowledgeStore, ...statements: KGStatement[]) =>
  store.apply(space, statements.map(add), {});

export const known = async (store: KnowledgeStore): Promise<number> =>
  (await store.count(space, [{}], 10_000))[0]?.count ?? 0;
