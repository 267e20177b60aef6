import { storeSuite } from './store.suite.ts';
import { storeKinds } from './store-kinds.ts';

for (const kind of storeKinds) storeSuite(kind);
