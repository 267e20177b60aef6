import { createDialects } from '../../src/dialects/registry.ts';
import { api } from '../../src/gen/a2a-v1/index.ts';
import { describeDialect } from './dialect.suite.ts';

for (const dialect of createDialects(api).list) describeDialect(dialect, api);
