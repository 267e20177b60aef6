import { beforeAll } from 'vitest';
import { sharedPostgres } from '../support/postgres.ts';
import { storeSuite } from './store.suite.ts';
import { simulatedKind, storeKinds } from './store-kinds.ts';

beforeAll(sharedPostgres);

for (const kind of [...storeKinds, simulatedKind]) storeSuite(kind);
