import { storeSuite } from './store.suite.ts';
import { inMemory } from './store-kinds.ts';

storeSuite(inMemory);
