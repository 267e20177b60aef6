import { beforeAll } from 'vitest';
import { storeKinds } from '../../../contract/store-kinds.ts';
import { sharedPostgres } from '../../../support/postgres.ts';
import { knowledgeSuite } from './suite.ts';

beforeAll(sharedPostgres);

for (const kind of storeKinds) knowledgeSuite(kind);
