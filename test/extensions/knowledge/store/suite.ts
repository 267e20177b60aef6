import { describe } from 'vitest';
import { openSqlKnowledge } from '../../../../src/extensions/knowledge/store/store.ts';
import type { StoreKind } from '../../../contract/store.suite.ts';
import type { KnowledgeKind } from './fixtures.ts';
import { properties } from './properties.ts';
import { reading } from './reading.ts';
import { sharedKnowledge } from './sharing.ts';
import { updating } from './updating.ts';

const knowledgeOn = ({ name, database }: StoreKind): KnowledgeKind => ({
  name,
  async database() {
    const { url, open } = await database();
    return { url, open: async (instance) => (await open(instance)).extend(openSqlKnowledge) };
  },
});

/** Requirements on every store of knowledge, whatever its database. */
export function knowledgeSuite(store: StoreKind): void {
  describe(`knowledge on ${store.name}`, () => {
    const kind = knowledgeOn(store);
    updating(kind);
    reading(kind);
    properties(kind);
    sharedKnowledge(kind, store.noticesDeath);
  });
}
