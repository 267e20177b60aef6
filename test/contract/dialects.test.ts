import { api } from '../../src/core/model/a2a.ts';
import { createDialects } from '../../src/dialects/registry.ts';
import { describeDialect } from './dialect.suite.ts';

for (const dialect of createDialects().list) describeDialect(dialect, api);
