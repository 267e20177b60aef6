import { beforeAll, describe } from 'vitest';
import { sharedPostgres } from '../support/postgres.ts';
import { properties } from './knowledge.properties.ts';
import { reading } from './knowledge.reading.ts';
import { sharedKnowledge } from './knowledge.sharing.ts';
import { updating } from './knowledge.updating.ts';
import { storeKinds } from './store-kinds.ts';

beforeAll(sharedPostgres);

for (const kind of storeKinds) {
  describe(`knowledge on ${kind.name}`, () => {
    updating(kind);
    reading(kind);
    properties(kind);
    if (kind.shared) sharedKnowledge(kind, kind.shared);
    else describe.skip('sharing: a database in memory belongs to one store', () => undefined);
  });
}
